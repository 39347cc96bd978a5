package audit

import (
	"math"
	"strconv"
	"strings"
)

// Stem returns a name without its ending and its last number: "rat1-call" of "rat1-call12.csv".
func Stem(name string) string {
	end := len(name)
	if dot := lastDot(name); dot > 0 {
		end = dot
	}
	isDigit := func(c byte) bool { return '0' <= c && c <= '9' }
	at := end
	for at > 0 && !isDigit(name[at-1]) {
		at--
	}
	if at == 0 {
		return name[:end]
	}
	first := at
	for first > 0 && isDigit(name[first-1]) {
		first--
	}
	return name[:first] + "#" + name[at:end]
}

// lastDot returns the place of the dot before a name's ending, such as .csv; -1 if it has none.
func lastDot(name string) int {
	for at := len(name) - 1; at > 0 && len(name)-at <= len(".parquet"); at-- {
		switch c := name[at]; {
		case c == '.':
			return at
		case c >= '0' && c <= '9':
			return -1
		}
	}
	return -1
}

// beginning returns what stands before the first digit of a name, and the number there; NaN if there is none.
func beginning(name string) (letters string, number float64) {
	const digits = "0123456789"
	at := strings.IndexAny(name, digits)
	if at < 0 {
		return name, math.NaN()
	}
	end := at
	for end < len(name) && strings.IndexByte(digits, name[end]) >= 0 {
		end++
	}
	number, err := strconv.ParseFloat(name[at:end], 64)
	if err != nil { // it is too large
		number = math.NaN()
	}
	return name[:at], number
}
