package recordings

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
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
	comma     int            // the first line with a decimal comma; 0 for none
	point     int            // the first line with a decimal point
	thousands string         // the mark between thousands; "" for none
	markers   map[string]int // of all files
	rest      []byte         // of a line that Read returns
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
	case bytes.IndexByte(begin, 0) >= 0 || bytes.HasPrefix(begin, []byte("PK\x03\x04")):
		return nil, fmt.Errorf("%s is not text; save it as CSV in UTF-8, or remove the zero bytes that a logger has left as it lost its power", path)
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

// separators are the separators of cells, and their names.
var separators = map[rune]string{'\t': "tabs", ';': "semicolons", ',': "commas", '|': "bars", ' ': "blanks"}

// sniff finds the separator. Most lines have the same number of separators.
func (in *input) sniff() {
	in.separator = ','
	begin, _ := in.Peek(begun)
	if says, ok := bytes.CutPrefix(begin, []byte(says)); ok && len(says) > 0 && separators[rune(says[0])] != "" {
		in.separator = rune(says[0]) // found out as well, for the marks of thousands
	}
	var lines []string // the last may not be whole
	for i, line := range bytes.SplitN(begin, []byte{'\n'}, 101) {
		if bytes.IndexByte(line, '"') >= 0 {
			line = quoted.ReplaceAll(line, []byte{'x'})
		}
		line = bytes.Trim(line, " \r")
		if i < 100 && len(line) > 0 && line[0] != '#' {
			lines = append(lines, string(line))
		}
	}
	best := 0
	for _, separator := range "\t;,| " {
		counts, most := map[int]int{}, 0
		for _, line := range lines {
			n := strings.Count(line, string(separator))
			if separator == ' ' {
				n = max(1, len(strings.Fields(line))) - 1
			}
			if n > 0 {
				counts[n]++
				most = max(most, counts[n])
			}
		}
		if most > best && (separator != ' ' || 2*most > len(lines)) {
			best, in.separator = most, separator
		}
	}
	values := comments.ReplaceAll(begin[:min(len(begin), 1<<14)], nil)
	for mark, number := range grouped[in.separator == ','] {
		if number.Match(values) && !in.isDecimal(mark, values) {
			in.thousands = mark
		}
	}
}

// says begins a first line for Excel, which ends with the separator.
const says = "sep="

var comments = regexp.MustCompile(`(?m)^#.*$`)

// isDecimal reports that a cell has the mark where no thousands end: 0.500, 2.5 or 3.1415.
func (in *input) isDecimal(mark string, text []byte) bool {
	edge, mark := `["`+regexp.QuoteMeta(string(in.separator))+`]`, regexp.QuoteMeta(mark)
	return regexp.MustCompile(`(?m)(^|` + edge + `)[-+ ]*(0` + mark + `\d+|\d+` + mark + `(\d{1,2}|\d{4,}))[ \r]*($|` + edge + `)`).Match(text)
}

// Read reads the lines. It puts a blank before a spreadsheet's error such as #NV that begins a line, because # would
// begin a comment.
func (in *input) Read(p []byte) (n int, err error) {
	if len(in.rest) == 0 {
		in.rest, err = in.ReadSlice('\n')
		if len(in.rest) > 0 && in.rest[0] == '#' {
			first, _, _ := strings.Cut(string(in.rest), string(in.separator))
			if isMissing(strings.TrimSpace(first)) {
				p[0] = ' '
				return 1, nil
			}
		}
	}
	n = copy(p, in.rest)
	if in.rest = in.rest[n:]; n > 0 {
		err = nil
	}
	return n, err
}

var quoted = regexp.MustCompile(`"[^"]*"`)

// readText reads a table whose separator is found out.
func readText(j *job, path string, each eachLine) error { return j.readTable(path, 0, each) }

// readTable calls each with the number and the cells of every line of a table: a file, or standard input for "-". A
// separator of 0 is found out. Cells have no blanks around them, and are valid until the next line is read. Errors name
// the file and the line.
func (j *job) readTable(path string, separator rune, each eachLine) error {
	file := os.Stdin
	if path != stdin {
		var err error
		if file, err = os.Open(path); err != nil {
			return err
		}
		defer file.Close()
	}
	in, err := j.decode(file, path)
	if err != nil {
		return err
	}
	if in.separator = separator; separator == 0 {
		in.sniff()
	}
	table := csv.NewReader(in)
	table.Comma, table.Comment, table.FieldsPerRecord, table.ReuseRecord = in.separator, '#', -1, true
	table.TrimLeadingSpace = in.separator != '\t' // two tabs have an empty cell between them
	table.LazyQuotes = in.separator == ':'
	told := int64(0)
	for b := range batches(table, &j.opening, in.size > 0) { // a pipe may never end
		begin := 0
		for _, line := range b.lines {
			cells := b.cells[begin:line.end]
			if begin = line.end; line.number == 1 && cells[0] == says && separator == 0 {
				continue
			}
			if err := each(in, line.number, cells); err != nil {
				return fmt.Errorf("%s, line %d: %w", in.path, line.number, err)
			}
		}
		if b.err == nil && b.read >= told+1<<20 {
			if err := j.tell("reading "+filepath.Base(in.path), float64(b.read)/float64(max(in.size, b.read))); err != nil {
				return err
			}
			told = b.read
		}
		err = b.err
	}
	var wrong *csv.ParseError
	switch {
	case errors.Is(err, io.EOF):
		return nil
	case errors.As(err, &wrong):
		return fmt.Errorf("%s, line %d, character %d: %w; put cells that hold a quotation mark or comma in quotation "+
			"marks, and double the marks within", in.path, wrong.Line, wrong.Column, wrong.Err)
	}
	return fmt.Errorf("%s: %w; the file is cut off or damaged", in.path, err)
}

// String says how the file is written.
func (in *input) String() string {
	text := separators[in.separator]
	if in.comma > 0 {
		text += ", decimal commas"
	}
	if in.thousands != "" {
		text += map[string]string{".": ", thousands by points", ",": ", thousands by commas"}[in.thousands]
	}
	if in.packed {
		text += ", gzip"
	}
	return strings.Trim(text+", "+in.encoding, ", ")
}

// missing are the usual words for a missing value, in small letters. markers match other signs of one: a spreadsheet's
// error, dashes, a logger's word. A note counts them.
var (
	missing = []string{"", "?", "na", "n/a", "nan", "null", "none", "nil"}
	markers = regexp.MustCompile(`^(?i:#(nv|n/?a|[\p{L}/0]+[!?])|[-–—*]+|err(or)?|` +
		`(bad|over|under)( ?(range|load|flow|input|data))?|no ?(data|value|input)|fault|fail(ed)?|invalid|ovr|ovf|` +
		`o\.?l\.?|missing|off-?line|disconnected|n\.a\.|-?1\.#[a-z]+)$`)
)

// isMissing reports a missing value.
func isMissing(text string) bool {
	return slices.Contains(missing, strings.ToLower(text)) || markers.MatchString(text)
}

// blanks are marks between thousands that nothing else can be.
const blanks = " '’\u00a0\u202f"

// thousands matches numbers by the marks between their thousands. Points and commas are such marks only if the file's
// beginning has a number, see grouped, whose other mark can only be the decimal one.
var thousands = map[string]*regexp.Regexp{
	".":    regexp.MustCompile(`^[-+]?[1-9]\d{0,2}(\.\d{3})+(,\d*)?$`),
	",":    regexp.MustCompile(`^[-+]?[1-9]\d{0,2}(,\d{3})+(\.\d*)?$`),
	blanks: regexp.MustCompile(`^[-+]?[1-9]\d{0,2}([ '’\x{a0}\x{202f}]\d{3})+([.,]\d*)?$`),
}

// grouped has true for files whose cells commas separate: such a number is in quotation marks there.
var grouped = map[bool]map[string]*regexp.Regexp{false: groupedAfter(`(^|[^\d.,])`), true: groupedAfter(`"`)}

func groupedAfter(before string) map[string]*regexp.Regexp {
	return map[string]*regexp.Regexp{
		".": regexp.MustCompile(before + `[-+]?[1-9]\d{0,2}((\.\d{3})+,\d|(\.\d{3}){2,}([^\d.,]|$))`),
		",": regexp.MustCompile(before + `[-+]?[1-9]\d{0,2}((,\d{3})+\.\d|(,\d{3}){2,}([^\d.,]|$))`),
	}
}

// together takes marks of thousands from a number.
func together(marks, text string) string {
	if grouped := thousands[marks]; grouped == nil || !grouped.MatchString(text) {
		return text
	}
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(marks, r) }), "")
}

// decimal reads the usual form of a number, such as 12 or -3.25, in less than half of the time of strconv.ParseFloat.
// The result is the same. Up to 15 digits and powers of ten up to the 22nd are exact in float64, so their quotient is
// rounded once. point reports a decimal point. Numbers of another form have no ok.
func decimal(text string) (value float64, point, ok bool) {
	digits := strings.TrimPrefix(text, "-")
	count, after, number := len(digits), 0, int64(0)
	if count > 16 { // digits and the point
		return 0, false, false
	}
	for i := range len(digits) {
		switch c := digits[i]; {
		case '0' <= c && c <= '9':
			number = 10*number + int64(c-'0')
		case c == '.' && !point:
			point, count, after = true, count-1, len(digits)-i-1
		default:
			return 0, false, false
		}
	}
	if value = float64(number) / math.Pow10(after); len(digits) < len(text) {
		value = -value
	}
	return value, point, 0 < count && count <= 15
}

// number reads a value, NaN for a missing one. If commas do not separate the cells, they may be decimal commas.
func (in *input) number(line int, text string) (float64, error) {
	if value, point, ok := decimal(text); ok && in.thousands == "" && in.comma == 0 {
		if point && in.point == 0 {
			in.point = line
		}
		return value, nil
	}
	text = together(in.thousands, strings.Replace(text, "−", "-", 1)) // the minus sign of print
	value, err := strconv.ParseFloat(text, 64)
	if err != nil {
		text = together(blanks, text)
		value, err = strconv.ParseFloat(text, 64)
	}
	switch {
	case err == nil && in.thousands == "." && strings.IndexByte(text, '.') >= 0:
		return 0, fmt.Errorf("%.30q has a decimal point, and the file's beginning points between thousands; write all numbers alike, "+
			"without separators of thousands", text)
	case err == nil:
		if in.point == 0 && strings.IndexByte(text, '.') >= 0 {
			in.point = line
		}
	case isMissing(text):
		if !slices.Contains(missing, strings.ToLower(text)) {
			in.markers[strings.Clone(text)]++
		}
		return math.NaN(), nil
	case (in.separator != ',' || in.thousands == ".") && strings.Count(text, ",") == 1:
		if value, err = strconv.ParseFloat(strings.Replace(text, ",", ".", 1), 64); err == nil && in.comma == 0 {
			in.comma = line
		}
	}
	if in.comma > 0 && in.point > 0 {
		return 0, fmt.Errorf("%.30q: line %d has a decimal point, and line %d a decimal comma; write all numbers alike, "+
			"without separators of thousands", text, in.point, in.comma)
	}
	if err != nil || math.Abs(value) > math.MaxFloat32 {
		return 0, fmt.Errorf("%.30q is not a number that float32 holds; correct it, or write ? for a missing value", text)
	}
	return value, nil
}

// batch holds lines of a table.
type batch struct {
	cells []string // of all lines
	lines []line
	read  int64 // bytes of the file, so far
	err   error // what ended the table after these lines; nil while there are more
}

// line is the number of a line, and where its cells end.
type line struct{ number, end int }

// fill reads the next lines. Cells have no blanks around them.
func (b *batch) fill(table *csv.Reader) {
	b.cells, b.lines = b.cells[:0], b.lines[:0]
	for end := table.InputOffset() + begun; b.err == nil && table.InputOffset() < end; {
		var cells []string
		if cells, b.err = table.Read(); b.err != nil {
			break
		}
		for _, cell := range cells {
			b.cells = append(b.cells, strings.TrimSpace(cell))
		}
		number, _ := table.FieldPos(0)
		b.lines = append(b.lines, line{number, len(b.cells)})
	}
	b.read = table.InputOffset()
}

// ahead is the most batches that are read before they are asked for.
const ahead = 2

// batches yields the lines of a table. The last batch has the error that ended the table, such as io.EOF. Another core
// reads the next lines while the caller has some. A batch is valid until the next; the first may have room of another
// table. If wait is set, nothing reads the table any more when batches returns.
func batches(table *csv.Reader, first *batch, wait bool) iter.Seq[*batch] {
	return func(yield func(*batch) bool) {
		first.err = nil
		if first.fill(table); !yield(first) || first.err != nil { // short files end here
			return
		}
		free, full := make(chan *batch, ahead+1), make(chan *batch, ahead+1)
		for range ahead {
			free <- &batch{}
		}
		go func() {
			defer close(full)
			for b := range free {
				b.fill(table)
				if full <- b; b.err != nil {
					return
				}
			}
		}()
		for b := range full {
			if !yield(b) {
				break
			}
			free <- b
		}
		if close(free); wait {
			for range full { // ends when the last read has ended
			}
		}
	}
}
