package workbook

import (
	"encoding/xml"
	"fmt"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Row is a row of a sheet.
type Row struct {
	Number int // from 1
	Hidden bool
	Cells  []Cell // from column A to the last that the row has
}

// Cell is a cell of a sheet. The zero value is an empty one.
type Cell struct {
	// Text is the content: a text; a number with all its digits; true or false; the name of an error such as #DIV/0!; a
	// date or a time, in seconds and their fractions, as 2024-05-31 12:00:00.5. A time of day and a duration are times
	// after the beginning of 1899-12-30, or of 1904-01-01: the day from which the workbook counts days. Of a formula
	// without a result it is the formula.
	Text    string
	Number  bool // the cell holds a number, a date or a time, and no text
	Formula bool
	Empty   bool // a formula has no result
	Zero    bool // a number is zero
	Blank   bool // the result of a formula is an empty text
}

// Most rows and columns that a sheet can have.
const (
	mostRows    = 1 << 20
	mostColumns = 1 << 14
)

// Rows yields the rows of a sheet that the file stores, in their order; empty rows may be missing. A Row is overwritten
// by the next one. After an error it yields no more.
func (b *Book) Rows(sheet Sheet) iter.Seq2[*Row, error] {
	return func(yield func(*Row, error) bool) {
		part, err := b.part(sheet.part)
		if err != nil {
			yield(nil, err)
			return
		}
		defer part.Close()
		r := &reader{book: b, from: decoder(part)}
		for {
			row, err := r.row()
			if err != nil {
				yield(nil, fmt.Errorf("row %d: %w", max(1, r.line.Number), err))
				return
			}
			if row == nil || !yield(row, nil) {
				return
			}
		}
	}
}

// HiddenColumns returns the columns of a sheet that it does not show, by their numbers from 0.
func (b *Book) HiddenColumns(sheet Sheet) (all []int, err error) {
	part, err := b.part(sheet.part)
	if err != nil {
		return nil, err
	}
	defer part.Close()
	for from := decoder(part); ; {
		token, err := from.RawToken()
		if err != nil {
			return all, nil // Rows reports it
		}
		element, begins := token.(xml.StartElement)
		switch {
		case begins && element.Name.Local == "sheetData": // columns come before it
			return all, nil
		case begins && element.Name.Local == "col" && isTrue(attribute(element, "hidden")):
			first, _ := strconv.Atoi(attribute(element, "min"))
			last, _ := strconv.Atoi(attribute(element, "max"))
			for at := max(1, first); at <= min(last, mostColumns); at++ {
				all = append(all, at-1)
			}
		}
	}
}

// reader reads the rows of a sheet.
type reader struct {
	book *Book
	from *xml.Decoder
	line Row
	cell struct {
		column           int
		kind             string
		style            int
		value, text, sum []byte // of the elements v, t and f
		formula, valued  bool
	}
	phonetic phonetic
}

func attribute(element xml.StartElement, name string) string {
	for _, attr := range element.Attr {
		if attr.Name.Local == name {
			return attr.Value
		}
	}
	return ""
}

// row reads the next row; nil if there is none. Rows lie in an element sheetData, which a sheet without cells may lack.
// Only the end of that element, or of the sheet, is an end of the rows: a file that ends before is cut off.
func (r *reader) row() (*Row, error) {
	var into *[]byte // where the text of an element goes
	inside := false  // of a row
	for {
		token, err := r.from.RawToken()
		if err != nil {
			return nil, fmt.Errorf("the file is damaged or cut off: %v", err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			inside = inside || token.Name.Local == "row"
			into, err = r.begin(token)
			if err != nil {
				return nil, err
			}
		case xml.CharData:
			if into != nil {
				*into = append(*into, token...)
			}
		case xml.EndElement:
			into = nil
			r.phonetic.leave(token.Name.Local)
			switch {
			case token.Name.Local == "c" && inside:
				err := r.endCell()
				if err != nil {
					return nil, fmt.Errorf("column %s: %w", Letters(r.cell.column), err)
				}
			case token.Name.Local == "row" && inside:
				return &r.line, nil
			case token.Name.Local == "sheetData" || token.Name.Local == "worksheet":
				return nil, nil
			}
		}
	}
}

// begin takes in that an element begins, and returns where its text goes; nil if nobody needs it.
func (r *reader) begin(element xml.StartElement) (into *[]byte, err error) {
	r.phonetic.enter(element.Name.Local)
	switch element.Name.Local {
	case "row":
		return nil, r.beginRow(element)
	case "c":
		return nil, r.beginCell(element)
	case "f":
		r.cell.formula = true
		return &r.cell.sum, nil
	case "v":
		r.cell.valued = true
		return &r.cell.value, nil
	case "t":
		if r.phonetic == 0 {
			return &r.cell.text, nil
		}
	}
	return nil, nil
}

// beginRow takes the number of a row; without one it follows the row before.
func (r *reader) beginRow(element xml.StartElement) error {
	number := r.line.Number + 1
	if text := attribute(element, "r"); text != "" {
		given, err := strconv.Atoi(text)
		if err != nil || given < number || given > mostRows {
			return fmt.Errorf("the next row has the number %.20q; the file is damaged", text)
		}
		number = given
	}
	r.line = Row{Number: number, Hidden: isTrue(attribute(element, "hidden")), Cells: r.line.Cells[:0]}
	return nil
}

// beginCell takes the column, the kind and the style of a cell; without a column it follows the cell before.
func (r *reader) beginCell(element xml.StartElement) (err error) {
	c := &r.cell
	c.column, c.kind, c.style = len(r.line.Cells), "", 0
	c.value, c.text, c.sum, c.formula, c.valued = c.value[:0], c.text[:0], c.sum[:0], false, false
	for _, attr := range element.Attr {
		switch attr.Name.Local {
		case "r":
			c.column, err = columnOf(attr.Value)
			if err != nil || c.column < len(r.line.Cells) {
				return fmt.Errorf("a cell has the place %.20q; the file is damaged", attr.Value)
			}
		case "t":
			c.kind = attr.Value
		case "s":
			c.style, err = strconv.Atoi(attr.Value)
			if err != nil {
				return fmt.Errorf("a cell has the style %.20q; the file is damaged", attr.Value)
			}
		}
	}
	return nil
}

// columnOf returns the number of a column, from 0, of a place such as AB12.
func columnOf(place string) (column int, err error) {
	for i, letter := range []byte(place) {
		switch {
		case letter == '$':
		case letter >= 'a' && letter <= 'z':
			column = column*26 + int(letter-'a') + 1
		case letter >= 'A' && letter <= 'Z':
			column = column*26 + int(letter-'A') + 1
		case column > 0 && column <= mostColumns && i < len(place):
			return column - 1, nil
		default:
			return 0, strconv.ErrSyntax
		}
		if column > mostColumns {
			return 0, strconv.ErrRange
		}
	}
	return 0, strconv.ErrSyntax
}

// Letters returns the name of a column, which columns are numbered by from 0: A, …, Z, AA, ….
func Letters(column int) (name string) {
	for column++; column > 0; column = (column - 1) / 26 {
		name = string(rune('A'+(column-1)%26)) + name
	}
	return name
}

// endCell adds the cell that ends to the row.
func (r *reader) endCell() (err error) {
	c := &r.cell
	cell := Cell{Formula: c.formula}
	value := strings.TrimSpace(string(c.value))
	emptyText := c.kind == "str" && c.valued // which is a formula's result, too
	switch {
	case c.formula && value == "" && !emptyText:
		cell.Empty, cell.Text = true, "="+string(c.sum)
	case c.kind == "inlineStr":
		cell.Text = unescaped(string(c.text))
	case c.kind == "str":
		cell.Text, cell.Zero = unescaped(string(c.value)), value == "0" // some give the results of all formulas as texts
	case value == "": // a cell with a style and no content
	case c.kind == "s":
		at, err := strconv.Atoi(value)
		if err != nil || at < 0 || at >= len(r.book.strings) {
			return fmt.Errorf("the file has no shared text of number %.20q; it is damaged", value)
		}
		cell.Text = r.book.strings[at]
	case c.kind == "b":
		cell.Text = strconv.FormatBool(isTrue(value))
	case c.kind == "e" || c.kind == "d":
		cell.Text = value
	default:
		cell.Text, cell.Zero, err = r.book.number(value, c.style)
		cell.Number = true
	}
	if err != nil {
		return err
	}
	cell.Blank = cell.Formula && cell.Text == ""
	if cell.Text == "" && !cell.Formula {
		return nil // no cell comes after it, perhaps
	}
	if missing := c.column - len(r.line.Cells); missing > 0 {
		r.line.Cells = append(r.line.Cells, slices.Repeat([]Cell{{}}, missing)...)
	}
	r.line.Cells = append(r.line.Cells, cell)
	return nil
}

// number returns the text of a number: a date or a time if the style has such a format.
func (b *Book) number(text string, style int) (shown string, zero bool, err error) {
	value, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return text, false, nil // which is no number, whatever the cell says
	}
	format := Number
	if style >= 0 && style < len(b.formats) {
		format = b.formats[style]
	}
	switch {
	case format != Number:
		shown, err = b.date(value, lastDigit(text), format)
	// 1.0 and 1 are one label
	case strings.ContainsAny(text, ".eE") && value == math.Trunc(value) && math.Abs(value) < 1e15:
		shown = strconv.FormatFloat(value, 'f', -1, 64)
	default:
		shown = text
	}
	return shown, value == 0, err
}

// The days from which days are counted. Those of 1900 take it for a leap year, so that its January and February are a
// day late.
var (
	epoch1900 = time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)
	epoch1904 = time.Date(1904, 1, 1, 0, 0, 0, 0, time.UTC)
)

// lastDigit returns the worth of the last digit of a number, such as 0.001 of 12.345; 0 if an exponent hides it.
func lastDigit(text string) float64 {
	point := strings.IndexByte(text, '.')
	if point < 0 || strings.ContainsAny(text, "eE") {
		return 0
	}
	return math.Pow10(point + 1 - len(text))
}

// Bounds of the numbers of days that are a date: of the year 9999 at most, and of a year of four digits, for
// durations below zero.
const (
	mostDays  = 2_958_466
	leastDays = -300_000
)

// date writes a number of days, whose last digit is worth so much. A spreadsheet stores a time as a fraction of a day,
// which is hardly ever a whole number of milliseconds: it is rounded to one that is as close as the number is exact, or
// else to a microsecond as close, or else to a nanosecond.
func (b *Book) date(days, digit float64, format Format) (string, error) {
	epoch := epoch1900
	switch {
	case !(days < mostDays && days > leastDays) || format == Date && days < 0: // NaN as well
		return "", fmt.Errorf("%g has the format of a date or a time, and no date is so many days from 1900; give the "+
			"column a number format, or correct the cell", days)
	case b.of1904:
		epoch = epoch1904
	case format == Date && days >= 60 && days < 61:
		return "", fmt.Errorf("%g is the 29th of February 1900, a day that only spreadsheets have; correct the date, or "+
			"give the column a number format", days)
	case format == Date && days < 60:
		epoch = epoch.AddDate(0, 0, 1)
	}
	const nanoseconds = 86_400e9 // of a day
	size := math.Abs(days)
	exact := min(max(2*(math.Nextafter(size, math.Inf(1))-size), digit)*nanoseconds, 500_000)
	whole := math.Floor(days)
	at := (days - whole) * nanoseconds
	for _, step := range []float64{1e6, 1e3, 1} {
		if round := math.Round(at/step) * step; math.Abs(round-at) <= exact || step == 1 {
			at = round
			break
		}
	}
	return epoch.AddDate(0, 0, int(whole)).Add(time.Duration(at)).Format("2006-01-02 15:04:05.999999999"), nil
}
