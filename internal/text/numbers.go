// Package text writes what the commands print and keep: numbers with their units, and tables.
package text

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// LongestName is the number of characters that are shown of the name of a node or a class.
const LongestName = 30

// Count writes a number of things: "1 node", "1,024 nodes".
func Count(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return Thousands(n) + " " + thing
}

// Thousands writes a whole number with a comma between thousands.
func Thousands(n int) string {
	digits := strconv.Itoa(n)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// Megabytes writes a number of bytes: "0.5 MB", "1,234 MB".
func Megabytes(bytes int64) string {
	if bytes < 10_000_000 {
		return fmt.Sprintf("%.1f MB", float64(bytes)/1e6)
	}
	return Thousands(int((bytes+500_000)/1_000_000)) + " MB"
}

// Gigabytes writes a number of bytes: "0.5 GB", "1,234 GB". It may be more than any machine has.
func Gigabytes(bytes float64) string {
	if bytes < 1e12 {
		return fmt.Sprintf("%.3g GB", bytes/1e9)
	}
	return Thousands(int(min(bytes/1e9, 1e18)+0.5)) + " GB"
}

// Seconds writes a duration as 12.3s. From a minute on, it writes 1m2s.
func Seconds(s float64) string {
	if s < 60 {
		return fmt.Sprintf("%.1fs", s)
	}
	return time.Duration(s * float64(time.Second)).Round(time.Second).String()
}

// ParseShare reads a share above 0 and below 1. The error of a percentage gives it as a share.
func ParseShare(text string) (share float64, err error) {
	share, err = strconv.ParseFloat(text, 64)
	if err == nil && share > 0 && share < 1 {
		return share, nil
	}
	example := 0.9
	percent, err := strconv.ParseFloat(strings.TrimSuffix(text, "%"), 64)
	if err == nil && percent > 1 && percent < 100 {
		example = percent / 100
	}
	return 0, fmt.Errorf("is not a number above 0 and below 1, such as %.4g", example)
}

// Plain returns a text that a stranger wrote, with a mark in place of each character that would steer a terminal.
func Plain(text string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)) {
			return unicode.ReplacementChar
		}
		return r
	}, text)
}

// Shorten cuts a name to at most n characters, and makes it Plain and one line.
func Shorten(name string, n int) string {
	name = strings.Join(strings.Fields(Plain(name)), " ")
	if runes := []rune(name); len(runes) > n {
		return string(runes[:n-1]) + "…"
	}
	return name
}

// Fold writes the words of a text in lines of at most width characters, unless a word is longer. The first line begins
// with begin, the others with indent blanks.
func Fold(begin, text string, width, indent int) string {
	lines := []string{begin}
	for i, word := range strings.Fields(text) {
		last := &lines[len(lines)-1]
		switch {
		case i == 0:
			*last += word
		case utf8.RuneCountInString(*last)+1+utf8.RuneCountInString(word) <= width:
			*last += " " + word
		default:
			lines = append(lines, strings.Repeat(" ", indent)+word)
		}
	}
	return strings.Join(lines, "\n")
}

// Time writes a time with all digits, so that no two windows of a recording have one name.
func Time(time float64) string { return strconv.FormatFloat(time, 'f', -1, 64) }

// ToStep rounds a time to the digits that tell thousandths of a step apart, so that sums of steps are as people write
// them: 1.44 for 36 steps of 0.0400000016.
func ToStep(time, step float64) float64 {
	if !(step > 0) || math.IsInf(step, 1) {
		return time
	}
	const near = 1e-4 // of a power of ten, which rounding leaves on either side
	decimals := max(0, 3-int(math.Floor(math.Log10(step)+near)))
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(time, 'f', decimals, 64), 64)
	if err != nil {
		return time
	}
	return rounded
}
