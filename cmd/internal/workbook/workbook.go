// Package workbook reads the sheets of .xlsx workbooks (ECMA-376, Office Open XML), row by row and with what a cell's
// text does not say: its number format, whether it holds a formula, and whether a spreadsheet program has calculated
// that. Values come from these marks, never from the text that a spreadsheet program shows.
package workbook

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"strconv"
	"strings"

	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// Book is an open workbook.
type Book struct {
	Sheets []Sheet // in their order; sheets without cells, such as those of charts alone, are left out
	// Uncalculated reports that nothing says that a spreadsheet program has calculated the formulas: the workbook asks
	// to be calculated when it is opened, or holds no settings of calculation. A formula's 0 may be its writer's then.
	Uncalculated bool

	of1904  bool // days count from 1904, not from 1900
	file    *os.File
	parts   map[string]*zip.File // by their names in small letters
	strings []string             // which cells share
	formats []Format             // of the styles of cells
}

// Sheet is a sheet of a workbook.
type Sheet struct {
	Name   string
	Hidden bool
	part   string
}

// mostPart is the size, unpacked, above which a part that is kept in memory is refused.
const mostPart = 1 << 31

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

// Close closes the file.
func (b *Book) Close() error { return b.file.Close() }

// plain returns the name of a part as it is looked up. Some writers begin it with a slash, or write \ for /.
func plain(name string) string {
	return strings.ToLower(strings.TrimPrefix(path.Clean("/"+strings.ReplaceAll(name, `\`, "/")), "/"))
}

// part opens a part of the workbook.
func (b *Book) part(name string) (io.ReadCloser, error) {
	part := b.parts[plain(name)]
	if part == nil {
		return nil, fmt.Errorf("the file is damaged: it lacks its part %s", name)
	}
	return part.Open()
}

// decoder reads XML in any encoding.
func decoder(from io.Reader) *xml.Decoder {
	d := xml.NewDecoder(transform.NewReader(from, unicode.BOMOverride(transform.Nop)))
	d.CharsetReader = func(charset string, input io.Reader) (io.Reader, error) {
		if strings.HasPrefix(strings.ToLower(charset), "utf") { // is UTF-8 already
			return input, nil
		}
		encoding, err := htmlindex.Get(charset)
		if err != nil {
			return nil, err
		}
		return encoding.NewDecoder().Reader(input), nil
	}
	return d
}

// decode reads a part into a value. A part that is not there leaves it as it is.
func (b *Book) decode(name string, into any) error {
	if b.parts[plain(name)] == nil {
		return nil
	}
	part, err := b.part(name)
	if err != nil {
		return err
	}
	defer part.Close()
	raw, err := io.ReadAll(io.LimitReader(part, mostPart))
	if err == nil && len(raw) == mostPart {
		err = errors.New("it is too large")
	}
	if err == nil {
		err = decoder(bytes.NewReader(raw)).Decode(into)
	}
	if err != nil {
		return fmt.Errorf("the file is damaged, in its part %s: %w", name, err)
	}
	return nil
}

// relations are the parts that a part names.
type relations struct {
	All []struct {
		ID     string `xml:"Id,attr"`
		Type   string `xml:"Type,attr"`
		Target string `xml:"Target,attr"`
	} `xml:"Relationship"`
}

// related returns the parts that a part names: by their identifiers, and by what they are.
func (b *Book) related(part string) (byID, byKind map[string]string, err error) {
	var all relations
	folder, file := path.Split(part)
	byID, byKind = map[string]string{}, map[string]string{}
	err = b.decode(path.Join(folder, "_rels", file+".rels"), &all)
	for _, one := range all.All {
		target := strings.ReplaceAll(one.Target, `\`, "/")
		if !strings.HasPrefix(target, "/") {
			target = path.Join("/", folder, target)
		}
		byID[one.ID], byKind[path.Base(one.Type)] = target, target
		if path.Base(one.Type) != "worksheet" && path.Base(one.Type) != "dialogsheet" &&
			path.Base(one.Type) != "xlMacrosheet" {
			byID[one.ID] = "" // no sheet of cells
		}
	}
	return byID, byKind, err
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
