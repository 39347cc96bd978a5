package recordings

// This file makes UTF-8 of the other encodings that files of text have, and refuses what is no text or no table.

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"
	"golang.org/x/text/runes"
	"golang.org/x/text/transform"
)

// decode opens a file of text. It unpacks gzip, and makes UTF-8 of UTF-16, UTF-32 and Windows-1252, and line feeds of
// the line ends of old Macs.
func (j *job) decode(file *os.File, path string) (*input, error) {
	in, err := j.unpack(file, path)
	if err != nil {
		return nil, err
	}
	begin, _ := in.Peek(begun)
	name, other, err := encodingOf(begin)
	if err != nil {
		return nil, fmt.Errorf("%s %w", path, err)
	}
	in.encoding = name
	switch {
	case other != nil:
		in.Reader = bufio.NewReaderSize(other.NewDecoder().Reader(in.Reader), begun)
		begin, _ = in.Peek(begun)
	case bytes.HasPrefix(begin, []byte(byteOrderMark)):
		_, _ = in.Discard(len(byteOrderMark))
	}
	if bytes.IndexByte(begin, '\n') < 0 && bytes.IndexByte(begin, '\r') >= 0 {
		lines := runes.Map(func(r rune) rune {
			if r == '\r' {
				return '\n'
			}
			return r
		})
		in.Reader = bufio.NewReaderSize(transform.NewReader(in.Reader, lines), begun)
	}
	return in, nil
}

// byteOrderMark begins files of Unicode by some programs.
const byteOrderMark = "\ufeff"

// encodingOf finds the encoding of a file by its beginning; other is nil for UTF-8. The error says what the file is in
// place of a text that is read.
func encodingOf(begin []byte) (name string, other encoding.Encoding, err error) {
	wholeLines := begin[:bytes.LastIndexByte(begin, '\n')+1] // the last line may be cut within a letter
	name, other = wideOf(begin)
	switch {
	case other != nil:
		return name, other, nil
	case bytes.IndexByte(begin, 0) >= 0 || bytes.HasPrefix(begin, []byte("PK\x03\x04")): // the mark of a .zip file
		return "", nil, errors.New("is not text; save it as CSV in UTF-8, or remove the zero bytes that a logger has " +
			"left as it lost its power")
	case noTable.Match(begin):
		return "", nil, errors.New("is JSON, XML or a web page, no table; convert it to CSV")
	case utf8.Valid(wholeLines):
		return "", nil, nil
	case ofDOS(wholeLines):
		return "", nil, errors.New("is neither in UTF-8 nor in Windows-1252; save it in UTF-8")
	}
	return "Windows-1252", charmap.Windows1252, nil
}

// wideOf finds the encoding of a text with several bytes to each letter by its beginning; nil if it has none of these.
func wideOf(begin []byte) (name string, wide encoding.Encoding) {
	has := func(marks ...string) bool {
		return slices.ContainsFunc(marks, func(mark string) bool { return bytes.HasPrefix(begin, []byte(mark)) })
	}
	// R writes UTF-16 without a mark: each letter of English has a byte of zero before or after it
	evenZero := len(begin) >= 4 && begin[0] == 0 && begin[1] != 0 && begin[2] == 0
	oddZero := len(begin) >= 4 && begin[0] != 0 && begin[1] == 0 && begin[3] == 0
	switch {
	case has("\xff\xfe\x00\x00", "\x00\x00\xfe\xff"):
		return "UTF-32", utf32.UTF32(utf32.LittleEndian, utf32.UseBOM)
	case has("\xff\xfe", "\xfe\xff"):
		return "UTF-16", unicode.UTF16(unicode.LittleEndian, unicode.UseBOM)
	case oddZero && bytes.Contains(begin, []byte("\n\x00")):
		return "UTF-16", unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)
	case evenZero && bytes.Contains(begin, []byte("\x00\n")):
		return "UTF-16", unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)
	}
	return "", nil
}

// noTable matches the beginning of files that are text, and no tables.
var noTable = regexp.MustCompile(`^(\x{feff})?\s*(?i:<\?xml|<!doctype|<html|<table|\{\s*"|\[\s*[\[{])`)

// ofDOS reports that a letter comes before a byte that stands for nothing in Windows-1252, and for a letter in DOS.
func ofDOS(text []byte) bool {
	for i, c := range text[:max(0, len(text)-1)] {
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if letter && slices.Contains([]byte("\x81\x8d\x8f\x90\x9d"), text[i+1]) {
			return true
		}
	}
	return false
}
