package recordings

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"
	"golang.org/x/text/runes"
	"golang.org/x/text/transform"
)

// begun is the length of a file's beginning that shows its dialect.
const begun = 1 << 16

// input is a file of text being read, and how it is written.
type input struct {
	*bufio.Reader
	path      string
	size      int64 // of the file; 0 if unknown
	packed    bool
	encoding  string // "" for UTF-8
	separator rune
	usual     int            // the number of cells that most lines of the file's beginning have; 0 if unknown
	markers   map[string]int // of all files

	dialect    *dialect // of all files, or of this one
	exact      []bool   // the columns whose numbers are no text, but a program's
	allExact   bool     // all are
	mark       mark     // of the last number
	open       mark     // the same, if that number is open
	plain      string   // the last number, as Go writes it
	reliant    bool     // the last number
	pointed    bool     // a number has a point
	commaed    bool     // a number has a comma
	tellsComma bool     // a number has a comma that can only be before decimals
	bare       numeral  // see dialect

	class   string   // the column of classes, where the file itself says which it is; "" where it does not
	classes []string // in the order in which it declares them; nil if it does not

	secondQuoted bool // the second line begins with a quotation mark
	hasRowNames  bool // of R's own table: the first column names the rows, and the headings have no cell for it

	unresolved []int             // of a workbook: the columns of the line whose formulas have no result
	formulas   map[int]*formulas // of a workbook: those of its columns
	doubtful   bool              // nobody may have calculated them
	lists      []lists           // of Parquet: columns of lists in each other
	seconds    map[int]bool      // columns whose cells are durations in seconds, by the marks of the file
}

// decode unpacks gzip, and makes UTF-8 of UTF-16 and Windows-1252.
func (j *job) decode(file *os.File, path string) (*input, error) {
	in := &input{path: path, markers: j.markers}
	if info, err := file.Stat(); err == nil {
		in.size = info.Size()
	}
	if j.buffer == nil {
		j.buffer = bufio.NewReaderSize(nil, begun)
	}
	in.Reader = j.buffer
	in.Reset(file)
	if mark, _ := in.Peek(2); string(mark) == "\x1f\x8b" {
		unpacked, err := gzip.NewReader(in.Reader)
		if err != nil {
			return nil, fmt.Errorf("%s: %w; the packed file is damaged: pack it again", path, err)
		}
		in.packed, in.Reader = true, bufio.NewReaderSize(unpacked, begun)
	}
	begin, _ := in.Peek(begun)
	var from encoding.Encoding
	switch whole := begin[:bytes.LastIndexByte(begin, '\n')+1]; {
	case bytes.HasPrefix(begin, []byte("\xff\xfe\x00\x00")), bytes.HasPrefix(begin, []byte("\x00\x00\xfe\xff")):
		in.encoding, from = "UTF-32", utf32.UTF32(utf32.LittleEndian, utf32.UseBOM)
	case bytes.HasPrefix(begin, []byte("\xff\xfe")), bytes.HasPrefix(begin, []byte("\xfe\xff")):
		in.encoding, from = "UTF-16", unicode.UTF16(unicode.LittleEndian, unicode.UseBOM)
	case len(begin) >= 4 && begin[0] != 0 && begin[1] == 0 && begin[3] == 0 && bytes.Contains(begin,
		[]byte("\n\x00")): // as R writes it
		in.encoding, from = "UTF-16", unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)
	case len(begin) >= 4 && begin[0] == 0 && begin[1] != 0 && begin[2] == 0 && bytes.Contains(begin, []byte("\x00\n")):
		in.encoding, from = "UTF-16", unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)
	case bytes.IndexByte(begin, 0) >= 0 || bytes.HasPrefix(begin, []byte("PK\x03\x04")):
		return nil, fmt.Errorf("%s is not text; save it as CSV in UTF-8, or remove the zero bytes that a logger has "+
			"left as it lost its power", path)
	case others.Match(begin):
		return nil, fmt.Errorf("%s is JSON, XML or a web page, no table; convert it to CSV", path)
	case !utf8.Valid(whole) && ofDOS(whole):
		return nil, fmt.Errorf("%s is neither in UTF-8 nor in Windows-1252; save it in UTF-8", path)
	case !utf8.Valid(whole):
		in.encoding, from = "Windows-1252", charmap.Windows1252
	case bytes.HasPrefix(begin, []byte("\ufeff")):
		_, _ = in.Discard(3)
	}
	if from != nil {
		in.Reader = bufio.NewReaderSize(from.NewDecoder().Reader(in.Reader), begun)
		begin, _ = in.Peek(begun)
	}
	if bytes.IndexByte(begin, '\n') < 0 && bytes.IndexByte(begin, '\r') >= 0 { // lines of old Macs
		lines := runes.Map(func(r rune) rune { return cmp.Or(map[rune]rune{'\r': '\n'}[r], r) })
		in.Reader = bufio.NewReaderSize(transform.NewReader(in.Reader, lines), begun)
	}
	return in, nil
}

// others matches the beginning of files that are text, and no tables.
var others = regexp.MustCompile(`^(\x{feff})?\s*(?i:<\?xml|<!doctype|<html|<table|\{\s*"|\[\s*[\[{])`)

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

// separators are the separators of cells, and their names.
var separators = map[rune]string{'\t': "tabs", ';': "semicolons", ',': "commas", '|': "bars", ' ': "blanks"}

// sniff finds the separator, and the usual number of cells. The file's first line may say the separator, as for Excel;
// else it is the one of which most lines have the same number.
func (in *input) sniff() {
	in.separator = ','
	candidates := "\t;,| "
	begin, _ := in.Peek(begun)
	if said, ok := bytes.CutPrefix(begin, []byte(says)); ok && len(said) > 0 && separators[rune(said[0])] != "" {
		in.separator, candidates = rune(said[0]), string(said[:1])
		_, begin, _ = bytes.Cut(begin, []byte{'\n'}) // this line is none of the table's
	}
	var lines []string // the last may not be whole
	for i, line := range bytes.SplitN(begin, []byte{'\n'}, 101) {
		isQuoted := bytes.HasPrefix(line, []byte{'"'})
		if bytes.IndexByte(line, '"') >= 0 {
			line = quoted.ReplaceAll(line, []byte{'x'})
		}
		line = bytes.Trim(line, " \r")
		if len(lines) == 1 && len(line) > 0 {
			in.secondQuoted = in.secondQuoted || isQuoted
		}
		if i < 100 && len(line) > 0 && line[0] != '#' {
			lines = append(lines, string(line))
		}
	}
	best := 0
	in.usual = 1
	for _, separator := range candidates {
		alike, cells := usualCells(lines, separator)
		if alike > best && (separator != ' ' || 2*alike > len(lines)) {
			best, in.separator, in.usual = alike, separator, cells
		}
	}
}

// usualCells returns the number of cells that most lines have if a separator parts them, of those that it parts, and
// how many have it.
func usualCells(lines []string, separator rune) (alike, cells int) {
	counts := map[int]int{}
	for _, line := range lines {
		n := strings.Count(line, string(separator))
		if separator == ' ' {
			n = max(1, len(strings.Fields(line))) - 1
		}
		if n == 0 {
			continue
		}
		counts[n]++
		if counts[n] > alike {
			alike, cells = counts[n], n+1
		}
	}
	return alike, cells
}

// between returns what separates the cells of a line; 0 for nothing, where the lines have one cell.
func (in *input) between() rune {
	if in.usual == 1 {
		return 0
	}
	return in.separator
}

// says begins a first line for Excel, which ends with the separator.
const says = "sep="

var quoted = regexp.MustCompile(`"[^"]*"`)

// as says how the file is written: before what is said of its numbers, and after it.
func (in *input) as() (before, after string) {
	if in.packed {
		after = ", gzip"
	}
	if in.encoding != "" {
		after += ", " + in.encoding
	}
	return separators[in.separator], after
}
