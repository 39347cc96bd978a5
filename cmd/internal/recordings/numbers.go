package recordings

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// missing are the usual words for a missing value, in small letters; \N is that of ClickHouse, MySQL, Hive and
// PostgreSQL. markers
// match other signs of one: a spreadsheet's error, dashes, the point of SAS and Stata, a logger's word. A note counts
// them.
var (
	missing = []string{"", "?", "na", "n/a", "nan", "null", "none", "nil", `\n`, "<na>", "nat"}
	markers = regexp.MustCompile(`^(?i:#(nv|n/?a|[\p{L}/0]+[!?])|[-–—*]+|\.{1,3}|[-+]nan|-?nan\([a-z0-9]*\)|[(\[]null[)\]]|err(or)?|` +
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
	value = float64(number) / math.Pow10(after)
	if len(digits) < len(text) {
		value = -value
	}
	return value, point, 0 < count && count <= 15
}

// float reads a number in Go's words, but for an underscore between digits: 12_3 is a name.
func float(text string) (float64, error) {
	if strings.IndexByte(text, '_') >= 0 {
		return 0, strconv.ErrSyntax
	}
	return strconv.ParseFloat(text, 64)
}

// doubles matches a number of Fortran with the exponent of a double.
var doubles = regexp.MustCompile(`^[-+]?(\d+\.?\d*|\.\d+)[dD][-+]?\d+$`)

// otherwise reads what is a number in other words than Go's: a truth value, or one of Fortran. Others have the error
// that was.
func otherwise(text string, was error) (value float64, err error) {
	switch {
	case strings.EqualFold(text, "true"):
		return 1, nil
	case strings.EqualFold(text, "false"):
		return 0, nil
	case doubles.MatchString(text):
		return strconv.ParseFloat(strings.NewReplacer("d", "e", "D", "e").Replace(text), 64)
	}
	return 0, was
}

// unread begins a cell whose value the format's reader cannot give, and ends a cell that may be a name, but no
// number. What
// follows it says what the column holds, and the way out. No other cell has a zero byte.
const unread = "\x00"

// unreadable is what a column holds that cannot be read.
type unreadable string

func (u unreadable) Error() string { return "it holds " + string(u) }

// nameless is what a column of bytes without a mark of their meaning holds.
const nameless = "bytes whose meaning the file does not say; CAST it to BIGINT, DOUBLE or VARCHAR as you write the file"

// name takes the mark from a cell that is a name. The error says why a cell is none.
func name(cell string) (string, error) {
	if why, wrong := strings.CutPrefix(cell, unread); wrong {
		return "", unreadable(why)
	}
	return strings.TrimRight(cell, unread), nil
}

// number reads a value, NaN for a missing one. If commas do not separate the cells, they may be decimal commas.
func (in *input) number(line int, text string) (float64, error) {
	if value, point, ok := decimal(text); ok && in.thousands == "" && in.comma == 0 {
		if point && in.point == 0 {
			in.point = line
		}
		return value, nil
	}
	if at := strings.Index(text, unread); at >= 0 {
		why, _ := strings.CutPrefix(text, unread)
		if at > 0 {
			why = nameless
		}
		return 0, unreadable(why)
	}
	text = together(in.thousands, strings.Replace(text, "−", "-", 1)) // the minus sign of print
	value, err := float(text)
	if err != nil {
		text = together(blanks, text)
		value, err = float(text)
	}
	if err != nil {
		value, err = otherwise(text, err)
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
		value, err = float(strings.Replace(text, ",", ".", 1))
		if err == nil && in.comma == 0 {
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

// pointed returns the text of a number with a decimal point in place of a decimal comma.
func (in *input) pointed(text string) string {
	if in.comma == 0 {
		return text
	}
	return strings.Replace(text, ",", ".", 1)
}
