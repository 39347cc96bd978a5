package recordings

// This file finds what separates the cells of a table in a file of text.

import (
	"bytes"
	"regexp"
	"strings"
)

// separators are the separators of cells, and their names.
var separators = map[rune]string{'\t': "tabs", ';': "semicolons", ',': "commas", '|': "bars", ' ': "blanks"}

// sniff finds the separator, and the usual number of cells. The file's first line may say the separator, as for Excel;
// else it is the one of which most lines have the same number.
func (in *input) sniff() {
	in.separator = ','
	candidates := "\t;,| "
	begin, _ := in.Peek(begun)
	declared, isDeclared := bytes.CutPrefix(begin, []byte(says))
	if isDeclared && len(declared) > 0 && separators[rune(declared[0])] != "" {
		in.separator, candidates = rune(declared[0]), string(declared[:1])
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
