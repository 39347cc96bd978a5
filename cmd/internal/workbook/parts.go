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
	"strings"

	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// This file reads the parts of a workbook, which is a .zip archive of .xml files that refer to each other.

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

// mostPart is the size, unpacked, above which a part that is kept in memory is refused.
const mostPart = 1 << 31

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
