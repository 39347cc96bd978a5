package recordings

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// missing are the usual words for a missing value, in small letters; \N is that of ClickHouse, MySQL, Hive and
// PostgreSQL. missingSigns match others: a spreadsheet's error, dashes, the point of SAS and Stata; loggersWords are
// those of loggers. A note counts the last two.
var (
	missing      = []string{"", "?", "na", "n/a", "nan", "null", "none", "nil", `\n`, "<na>", "nat"}
	missingSigns = regexp.MustCompile(`^(?i:#(nv|n/?a|[\p{L}/0]+[!?])|[-–—*]+|\.{1,3}|[-+]nan|-?nan\([a-z0-9]*\)|[(\[]null[)\]]|` +
		`n\.a\.|-?1\.#[a-z]+)$`)
	loggersWords = regexp.MustCompile(`^(?i:err(or)?|(bad|over|under)( ?(range|load|flow|input|data))?|no ?(data|value|input)|fault|` +
		`fail(ed)?|invalid|ovr|ovf|o\.?l\.?|missing|off-?line|disconnected)$`)
)

// isMissing reports a missing value.
func isMissing(text string) bool { return isUnlabelled(text) || loggersWords.MatchString(text) }

// isUnlabelled reports that a cell of a column of classes has none. What loggers write for a missing value, such as
// fault or offline, is a class of machines.
func isUnlabelled(text string) bool {
	return slices.Contains(missing, strings.ToLower(text)) || missingSigns.MatchString(text)
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

// unread begins a cell whose value the format's reader cannot give, and ends a cell that may be a name, but no number.
// What follows it says what the column holds, and the way out. No other cell has a zero byte.
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

// number reads a value as people write numbers, NaN for a missing one. Afterwards open says whether its mark may be
// one between thousands, and reliant that it has a decimal comma where commas separate the cells, for which other
// numbers must speak.
func (in *input) number(line int, text string) (value float64, err error) {
	in.lastNumber = lastNumber{plain: text}
	value, hasPoint, isPlain := decimal(text)
	if isPlain && (!hasPoint || in.dialect.decimal == point) {
		return value, nil
	}
	written := text
	if !isASCII(text) || strings.ContainsAny(text, blanks) {
		written = strings.ReplaceAll(text, "−", "-") // the minus sign of print
		if byBlanks.MatchString(written) {
			isBlank := func(r rune) bool { return strings.ContainsRune(blanks, r) }
			written = strings.Join(strings.FieldsFunc(written, isBlank), "")
		}
	}
	value, err = in.byMarks(numeral{in.path, written, line})
	if errors.As(err, new(contrary)) {
		return 0, err
	}
	return in.checked(text, value, err)
}

// isASCII reports that all letters of a text are those of ASCII.
func isASCII(text string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// exactly reads a value as programs write numbers, NaN for a missing one.
func (in *input) exactly(text string) (float64, error) {
	in.lastNumber = lastNumber{plain: text}
	value, _, isPlain := decimal(text)
	if isPlain {
		return value, nil
	}
	value, err := float(text)
	return in.checked(text, value, err)
}

// byMarks reads a number whose points and commas may be between its thousands.
func (in *input) byMarks(n numeral) (value float64, err error) {
	is := marksOf(n.text)
	in.mark = is
	switch is {
	case noMark:
		in.plain = n.text
		return float(n.text)
	case noNumber:
		return 0, strconv.ErrSyntax
	case anyPoint, anyComma:
		if is == anyPoint && in.between() == ',' && in.bare.text == "" {
			in.bare = n.kept()
		}
		value, in.plain, in.open, err = in.dialect.number(is, n, in.between())
	default:
		in.plain = plainly(n.text, is)
		value, err = float(in.plain)
		in.reliant = is == comma && in.between() == ',' && !groups(n.text, comma) && in.dialect.decimal != comma
		if err == nil && !in.reliant {
			err = in.dialect.tell(is, n)
			in.dialect.quoted = in.dialect.quoted || is == comma && in.between() == ','
		}
	}
	if err == nil {
		in.pointed = in.pointed || strings.Contains(n.text, ".")
		in.commaed = in.commaed || strings.Contains(n.text, ",")
		in.tellsComma = in.tellsComma || is == comma
	}
	return value, err
}

// checked returns a value that was read, or of a text that is no number what else it may be.
func (in *input) checked(text string, value float64, err error) (float64, error) {
	at := strings.Index(text, unread)
	if at >= 0 {
		why, _ := strings.CutPrefix(text, unread)
		if at > 0 {
			why = nameless
		}
		return 0, unreadable(why)
	}
	if err != nil {
		value, err = otherwise(text, err)
	}
	if err != nil && isMissing(text) {
		if !slices.Contains(missing, strings.ToLower(text)) {
			in.markers[strings.Clone(text)]++
		}
		return math.NaN(), nil
	}
	if err != nil || math.Abs(value) > math.MaxFloat32 {
		return 0, fmt.Errorf("%.30q is not a number that float32 holds; correct it, or write ? for a missing value", text)
	}
	return value, nil
}
