package recordings

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// namesLines reports that the second line of a table has one cell more than the first, and begins with the name of
// the line: so
// R's write.table writes its tables by default. Its cells are parted by blanks, unless told otherwise. Other words
// before the
// headings would have words in the second line. Between commas the name must be in quotation marks: 1,5 may be a
// decimal number.
func (in *input) namesLines(first, second []string) bool {
	n := len(second)
	for n > 0 && second[n-1] == "" {
		n--
	}
	if n != len(first)+1 || in.separator == ',' && !in.marked {
		return false
	}
	isNumber := func(cell string) bool {
		_, err := float(strings.Replace(cell, ",", ".", 1))
		return err == nil
	}
	return !slices.ContainsFunc(first, isNumber) && slices.ContainsFunc(second[1:n], isNumber)
}

// lineNames are the names of the lines of R's table between blanks, which may be the thousands of numbers: 1 234.
type lineNames struct {
	lines, last int    // lines, and the number of the last
	other       bool   // a name is not followed by three digits
	unordered   bool   // the names do not count the lines
	first       string // the first name and the digits after it
	line        int
}

// thousandBlank matches thousands and what comes after the blank.
var thousandBlank = regexp.MustCompile(`^[-+]?[1-9]\d{0,2} \d{3}([.,]\d*)?$`)

// add takes a line.
func (n *lineNames) add(line int, cells []string) {
	if n.lines, n.last = n.lines+1, line; n.other || len(cells) < 2 {
		return
	}
	both := cells[0] + " " + cells[1]
	n.other = !thousandBlank.MatchString(both)
	n.unordered = n.unordered || cells[0] != strconv.Itoa(n.lines)
	if n.lines == 1 {
		n.first, n.line = both, line
	}
}

// check returns an error if the names may be thousands: they do not count the lines, and three digits come after
// each.
func (n *lineNames) check(path string) error {
	if n.other || !n.unordered {
		return nil
	}
	name, rest, _ := strings.Cut(n.first, " ")
	return fmt.Errorf("%s, line %d: the lines may have names, such as %s before %s in line %d, or numbers with a blank "+
		"between thousands, %s; write these without it, or names in quotation marks", path, n.last, name, rest,
		n.line, n.first)
}
