package recordings

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// lacksHeading reports that the second line of a table has one cell more than the headings, and begins with the name of
// the row: so R's write.table writes its tables by default. Its cells are parted by blanks, unless it was asked for
// another separator. If the first line is a remark and the headings are the second, as some programs write tables, that
// has words only: so a cell behind the row's name must be a number, and none of the headings. Between commas the row's
// name must be in quotation marks: without them, 1,5 may be a decimal number in two cells.
func (in *input) lacksHeading(headings, second []string) bool {
	n := len(second)
	for n > 0 && second[n-1] == "" {
		n--
	}
	if n != len(headings)+1 || in.separator == ',' && !in.secondQuoted {
		return false
	}
	isNumber := func(cell string) bool {
		_, err := float(strings.Replace(cell, ",", ".", 1))
		return err == nil
	}
	return !slices.ContainsFunc(headings, isNumber) && slices.ContainsFunc(second[1:n], isNumber)
}

// rowNames gathers what shows whether the first cells of a table between blanks are the names of its rows, as R writes
// them, or the thousands of numbers: 1 234 may be row 1 with the value 234, or one number.
type rowNames struct {
	lines, last int    // how many lines there were, and the number of the last in the file
	other       bool   // a first cell and the cell after it make no such number
	unordered   bool   // the first cells do not count the lines
	example     string // the first two cells of the first line
	line        int    // the number of that line in the file
}

// thousandBlank matches thousands and what comes after the blank.
var thousandBlank = regexp.MustCompile(`^[-+]?[1-9]\d{0,2} \d{3}([.,]\d*)?$`)

// add takes the cells of a line.
func (n *rowNames) add(line int, cells []string) {
	n.lines, n.last = n.lines+1, line
	if n.other || len(cells) < 2 {
		return
	}
	both := cells[0] + " " + cells[1]
	n.other = !thousandBlank.MatchString(both)
	n.unordered = n.unordered || cells[0] != strconv.Itoa(n.lines)
	if n.lines == 1 {
		n.example, n.line = both, line
	}
}

// check returns an error if nothing shows that the first cells are names: three digits come after each, and they do not
// count the lines, as R's do unless rows were chosen.
func (n *rowNames) check(path string) error {
	if n.other || !n.unordered {
		return nil
	}
	name, rest, _ := strings.Cut(n.example, " ")
	return fmt.Errorf("%s, line %d: the lines may have names, such as %s before %s in line %d, or numbers with a blank "+
		"between thousands, %s; write these without it, or names in quotation marks", path, n.last, name, rest,
		n.line, n.example)
}
