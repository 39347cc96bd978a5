package recordings

import (
	"fmt"
	"regexp"
	"strings"
)

// What --decimal and the settings of an import say is the mark before decimals. The other mark may stand between
// thousands.
const (
	decimalPoint = "point"
	decimalComma = "comma"
	noDecimal    = "none" // no number of the import has a mark
)

// mark says what the points and commas of a number are.
type mark int

const (
	noMark   mark = iota // it has none: 12 or 1e3
	point                // a point comes before decimals, or commas are between thousands: 2.5, 1,234.5 or 1,234,567
	comma                // a comma comes before decimals, or points are between thousands: 2,5, 1.234,5 or 1.234.567
	anyPoint             // a point comes before decimals, or between thousands: 1.234
	anyComma             // a comma comes before decimals, or between thousands: 1,234
	noNumber             // no number has such marks: 1.2.3
)

// The forms of numbers with marks between their thousands.
var (
	byPoints = regexp.MustCompile(`^[-+]?[1-9]\d{0,2}(\.\d{3})+(,\d*)?$`)
	byCommas = regexp.MustCompile(`^[-+]?[1-9]\d{0,2}(,\d{3})+(\.\d*)?$`)
	byBlanks = regexp.MustCompile(`^[-+]?[1-9]\d{0,2}([` + blanks + `]\d{3})+([.,]\d*)?$`)
)

// blanks are marks between thousands that nothing else can be: blanks of several widths, and apostrophes.
const blanks = " \u00a0\u2007\u2009\u202f'’"

// marksOf says what the marks of a number are. It does not look whether the rest of the text is a number.
func marksOf(text string) mark {
	points, commas := strings.Count(text, "."), strings.Count(text, ",")
	switch {
	case points+commas == 0:
		return noMark
	case points == 1 && commas == 0:
		if isGroup(text, strings.IndexByte(text, '.')) {
			return anyPoint
		}
		return point
	case points == 0 && commas == 1:
		if isGroup(text, strings.IndexByte(text, ',')) {
			return anyComma
		}
		return comma
	case byPoints.MatchString(text):
		return comma
	case byCommas.MatchString(text):
		return point
	}
	return noNumber
}

// isGroup reports that the mark of a number, at that place, may be one between thousands: three digits come after it,
// and up to three before it, not from 0 on.
func isGroup(text string, at int) bool {
	before := strings.TrimLeft(text[:at], "+-")
	digits := func(part string) bool { return strings.Trim(part, "0123456789") == "" }
	three := len(text)-at == 4 && digits(text[at+1:])
	return three && 0 < len(before) && len(before) <= 3 && before[0] != '0' && digits(before)
}

// name is what --decimal calls the mark.
func (m mark) name() string {
	return map[mark]string{noMark: noDecimal, point: decimalPoint, comma: decimalComma}[m]
}

// plainly writes a number as Go does, if that is the mark before decimals.
func plainly(text string, decimal mark) string {
	if decimal == comma {
		return strings.Replace(strings.ReplaceAll(text, ".", ""), ",", ".", 1)
	}
	return strings.ReplaceAll(text, ",", "")
}

// groups reports that a number has marks between its thousands, if that is the mark before decimals.
func groups(text string, decimal mark) bool {
	if decimal == comma {
		return strings.Contains(text, ".")
	}
	return strings.Contains(text, ",")
}

// numeral is a number as it is written, and where.
type numeral struct {
	path, text string
	line       int
}

func (n numeral) String() string { return fmt.Sprintf("%s in line %d of %s", n.text, n.line, n.path) }

// such names a number of which there may be more.
func (n numeral) such() string { return fmt.Sprintf("%s, in line %d of %s,", n.text, n.line, n.path) }

// has says what the marks of a number are that is written with that mark before decimals.
func (n numeral) has(decimal mark) string {
	switch several := strings.Count(n.text, ".")+strings.Count(n.text, ",") > 1; {
	case several && decimal == comma:
		return "points between thousands"
	case several:
		return "commas between thousands"
	case decimal == comma:
		return "a decimal comma"
	}
	return "a decimal point"
}

// dialect is how the numbers of all files are written: the mark before their decimals. Any number may tell that;
// numbers such as 1.234 are open until then, and taken for decimals.
type dialect struct {
	decimal mark    // noMark, point or comma
	says    string  // the option by which a person says so; "" where numbers tell
	teller  numeral // the first number that tells
	grouped bool    // numbers that tell have marks between thousands
	like    mark    // how the training's numbers are written; noMark where that is unknown
	known   bool    // the recordings are to be classified
	apart   bool    // each file is one for itself, as by checkpoints of 0.1.0

	open     map[mark]numeral    // the first open number of anyPoint and of anyComma; none after one has told
	between  map[mark]rune       // what separates the cells of their files
	asked    numeral             // the first open number of anyPoint that commas do not separate from others
	grouping numeral             // the first that has marks between thousands only if others tell rightly
	bare     numeral             // the first of anyPoint in a file that commas separate, and without decimal commas
	quoted   bool                // a number of such a file has a decimal comma
	reliant  error               // of the first decimal comma in a file that commas separate: others must have one
	columns  map[string]*figures // of open numbers, and others
}

// figures are what a column of numbers holds: the first of each kind. They are kept while a number may be open, or
// has marks between thousands that only other columns tell.
type figures struct {
	open          numeral // of anyPoint or anyComma
	below, beyond numeral // whole numbers below 1,000 and from there on
	comma         bool    // a number has a decimal comma
}

// newDialect takes the mark that a person has said or, for recordings to classify, that of the training.
func newDialect(says string, known bool) *dialect {
	d := &dialect{known: known, open: map[mark]numeral{}, between: map[mark]rune{}, columns: map[string]*figures{}}
	decimal := map[string]mark{decimalPoint: point, decimalComma: comma}[says]
	switch {
	case known:
		d.like = decimal
	case decimal != noMark:
		d.decimal, d.says = decimal, "--decimal "+says
	}
	return d
}

// contrary is the error of a number that is written otherwise than others.
type contrary struct{ error }

// tell takes a number whose marks tell how numbers are written.
func (d *dialect) tell(decimal mark, n numeral) error {
	if d.decimal == noMark {
		d.decimal, d.teller = decimal, n.kept()
	}
	switch was := d.teller; {
	case d.decimal == decimal:
		d.grouped = d.grouped || groups(n.text, decimal)
		return nil
	case d.says != "":
		return contrary{fmt.Errorf("%.30q has %s, and %s says otherwise", n.text, n.has(decimal), d.says)}
	case was.path == n.path:
		return contrary{fmt.Errorf("%.30q: line %d has %s, and line %d %s; write all numbers alike, "+
			"without separators of thousands",
			n.text, n.line, n.has(decimal), was.line, was.has(d.decimal))}
	default:
		return contrary{fmt.Errorf("%.30q has %s, and %s %s; write the numbers of all files alike, "+
			"without separators of thousands",
			n.text, n.has(decimal), was, was.has(d.decimal))}
	}
}

// number reads a number with a mark that does not tell. It is taken for decimals, and open, unless others have told.
func (d *dialect) number(is mark, n numeral, separator rune) (value float64, plain string, open mark, err error) {
	decimal := d.decimal
	if decimal == noMark {
		decimal = map[mark]mark{anyPoint: point, anyComma: comma}[is]
		if _, more := d.open[is]; !more {
			d.open[is], d.between[is] = n.kept(), separator
		}
		if is == anyPoint && separator != ',' && d.asked.text == "" {
			d.asked = n.kept()
		}
		open = is
	} else if groups(n.text, decimal) && d.grouping.text == "" {
		d.grouping = n.kept()
	}
	plain = plainly(n.text, decimal)
	value, err = float(plain)
	return value, plain, open, err
}

// kept returns a number that stays when the next line is read.
func (n numeral) kept() numeral {
	n.text = strings.Clone(n.text)
	return n
}

// column returns what is kept of the column with a heading, while no number has told which mark is before decimals.
func (d *dialect) column(heading string) *figures {
	c := d.columns[heading]
	if c == nil {
		c = &figures{}
		d.columns[heading] = c
	}
	return c
}

// doubtful reports that what columns hold may still decide how an open number is read: no number has told which mark
// comes before decimals; or one has a decimal comma, and none has points between thousands.
func (d *dialect) doubtful() bool {
	return d.decimal == noMark || d.decimal == comma && !d.grouped && d.says == "" && !d.known
}

// see keeps a number of a column if it is the first of its kind, for guess to weigh later: one whose mark is open, or a
// number without a mark, below or beyond a thousand. It also keeps whether any number has a comma.
func (c *figures) see(value float64, n numeral, is mark) {
	first := &c.open
	switch {
	case is == anyPoint, is == anyComma:
		c.comma = c.comma || is == anyComma
	case is == comma:
		c.comma = true
		return
	case value == 0 || value != value || strings.ContainsAny(n.text, ".,eEdD"): // zero has no decimals in any case
		return
	case value < 1000 && value > -1000:
		first = &c.below
	default:
		first = &c.beyond
	}
	if first.text == "" {
		*first = n.kept()
	}
}
