// Package workbook reads the sheets of .xlsx workbooks (ECMA-376, Office Open XML), row by row and with what a cell's
// text does not say: its number format, whether it holds a formula, and whether a spreadsheet program has calculated
// that. Values come from these marks, never from the text that a spreadsheet program shows.
package workbook

import (
	"archive/zip"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
)

// Sheet is a sheet of a workbook.
type Sheet struct {
	Name   string
	Hidden bool
	part   string
}

// Open opens a workbook. Close closes it.
func Open(name string) (*Book, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	b := &Book{parts: map[string]*zip.File{}, file: file}
	if err := b.readBeforeSheets(); err != nil {
		_ = file.Close()
		return nil, err
	}
	return b, nil
}

// unpack finds the parts of the file.
func (b *Book) unpack() error {
	var begin [4]byte
	_, _ = b.file.ReadAt(begin[:], 0)
	if string(begin[:]) == "\xd0\xcf\x11\xe0" {
		return errors.New("it has a password, or is an .xls workbook of Excel before 2007; save it as .xlsx, without a " +
			"password")
	}
	info, err := b.file.Stat()
	if err != nil {
		return err
	}
	packed, err := zip.NewReader(b.file, info.Size())
	if err != nil {
		return errors.New("the file is damaged, has a password, or is no .xlsx workbook")
	}
	for _, part := range packed.File {
		b.parts[plain(part.Name)] = part
	}
	return nil
}

// readBeforeSheets reads what sheets refer to: their names, the number formats and the strings that cells share.
func (b *Book) readBeforeSheets() error {
	if err := b.unpack(); err != nil {
		return err
	}
	_, kinds, err := b.related("")
	if err != nil {
		return err
	}
	main := kinds["officeDocument"]
	switch {
	case main == "" && b.parts["xl/workbook.xml"] != nil:
		main = "xl/workbook.xml"
	case strings.HasSuffix(main, ".bin"):
		return errors.New("it is a binary workbook; save it as .xlsx")
	case main == "" && b.parts["mimetype"] != nil:
		return errors.New("it is an OpenDocument file; save it as .xlsx")
	case main == "":
		return errors.New("the file is damaged, or is no .xlsx workbook")
	}
	var book struct {
		Properties struct {
			Of1904 string `xml:"date1904,attr"`
		} `xml:"workbookPr"`
		Sheets []struct {
			Name  string     `xml:"name,attr"`
			State string     `xml:"state,attr"`
			Attrs []xml.Attr `xml:",any,attr"`
		} `xml:"sheets>sheet"`
		Calculation *struct {
			AtOpening string `xml:"fullCalcOnLoad,attr"`
		} `xml:"calcPr"`
	}
	if b.parts[plain(main)] == nil {
		return fmt.Errorf("the file is damaged: it lacks its part %s", main)
	}
	if err := b.decode(main, &book); err != nil {
		return err
	}
	b.of1904 = isTrue(book.Properties.Of1904)
	b.Uncalculated = book.Calculation == nil || isTrue(book.Calculation.AtOpening)
	byID, kinds, err := b.related(main)
	if err != nil {
		return err
	}
	for _, sheet := range book.Sheets {
		for _, attr := range sheet.Attrs { // of the name space of relationships, which has two names
			if part := byID[attr.Value]; attr.Name.Local == "id" && part != "" {
				b.Sheets = append(b.Sheets, Sheet{sheet.Name, strings.Contains(strings.ToLower(sheet.State), "hidden"), part})
			}
		}
	}
	b.formats, err = b.readFormats(kinds["styles"])
	if err != nil {
		return err
	}
	b.strings, err = b.readStrings(kinds["sharedStrings"])
	return err
}

// isTrue reads a truth value of XML Schema.
func isTrue(text string) bool {
	truth, err := strconv.ParseBool(strings.TrimSpace(text))
	return err == nil && truth
}

// readStrings reads the strings that cells share.
func (b *Book) readStrings(name string) (all []string, err error) {
	if b.parts[plain(name)] == nil {
		return nil, nil
	}
	part, err := b.part(name)
	if err != nil {
		return nil, err
	}
	defer part.Close()
	from := decoder(io.LimitReader(part, mostPart))
	var text []byte
	depth := phonetic(0)
	inText := false
	for {
		token, err := from.RawToken()
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, fmt.Errorf("the file is damaged, in its part %s: %w", name, err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			depth.enter(token.Name.Local)
			inText = token.Name.Local == "t" && depth == 0
		case xml.CharData:
			if inText {
				text = append(text, token...)
			}
		case xml.EndElement:
			inText = false
			depth.leave(token.Name.Local)
			if token.Name.Local == "si" {
				all, text = append(all, unescaped(string(text))), text[:0]
			}
		}
	}
}

// phonetic counts how deep in a phonetic hint of an East Asian text one is: its text is no part of the cell's.
type phonetic int

func (p *phonetic) enter(element string) {
	if element == "rPh" {
		*p++
	}
}

func (p *phonetic) leave(element string) {
	if element == "rPh" && *p > 0 {
		*p--
	}
}

// unescaped replaces _x000D_ and the like by the characters that they stand for, which XML cannot hold.
func unescaped(text string) string {
	at := strings.Index(text, "_x")
	if at < 0 {
		return text
	}
	var out strings.Builder
	for at >= 0 {
		out.WriteString(text[:at])
		text = text[at:]
		code, err := uint64(0), strconv.ErrSyntax
		if len(text) >= 7 && text[6] == '_' {
			code, err = strconv.ParseUint(text[2:6], 16, 16)
		}
		if err == nil {
			out.WriteRune(rune(code))
			text = text[7:]
		} else {
			out.WriteString(text[:2])
			text = text[2:]
		}
		at = strings.Index(text, "_x")
	}
	return out.String() + text
}
