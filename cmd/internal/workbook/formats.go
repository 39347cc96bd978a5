package workbook

import (
	"fmt"
	"regexp"
	"strings"
)

// Format says what the numbers of a cell are.
type Format int

// What the numbers of a cell are. Dates and times are numbers of days.
const (
	Number Format = iota
	Date          // a date, with or without a time of day
	Clock         // a time of day, or a duration
)

// builtIn are the formats that a workbook need not declare: those of all languages, and of East Asian ones and Thai.
func builtIn(id int) Format {
	switch {
	case id >= 14 && id <= 17, id == 22, id >= 27 && id <= 31, id == 36, id >= 50 && id <= 54, id >= 57 && id <= 58,
		id >= 71 && id <= 74, id == 77, id == 81:
		return Date
	case id >= 18 && id <= 21, id >= 32 && id <= 35, id >= 45 && id <= 47, id >= 55 && id <= 56, id >= 75 && id <= 76,
		id >= 78 && id <= 80:
		return Clock
	}
	return Number
}

var (
	// literals are what a format shows as it is: texts in quotation marks, and a character behind \, _ or *.
	literals = regexp.MustCompile(`"[^"]*"|[\\_*].`)
	// elapsed are hours, minutes or seconds that go on beyond a day.
	elapsed, seconds = regexp.MustCompile(`(?i)\[(h+|m+)\]`), regexp.MustCompile(`(?i)\[s+\]`)
	// brackets hold a colour, a condition, a currency or a language.
	brackets = regexp.MustCompile(`\[[^\]]*\]`)
	halfDays = regexp.MustCompile(`(?i)am/pm|a/p`)
	// fractions are those of seconds, unlike the digits of a number.
	fractions = regexp.MustCompile(`(?i)(s)[.,]?0+`)
	units     = regexp.MustCompile(`(?i)y+|m+|d+|h+|s+`)
)

// ParseFormat returns what a number format makes of a number. Such a code has up to four sections with semicolons
// between: for positive and negative numbers, for zero, and for texts. A section shows dates or times if it has any of
// the letters y, m, d, h and s outside of quotation marks, brackets and escapes, and no digits of a number. An m beside
// hours or seconds is a minute.
func ParseFormat(code string) Format {
	code = halfDays.ReplaceAllString(literals.ReplaceAllString(code, ""), "h")
	code = seconds.ReplaceAllString(elapsed.ReplaceAllString(code, "h"), "s")
	code = fractions.ReplaceAllString(brackets.ReplaceAllString(code, ""), "$1")
	found := Number
	for _, section := range strings.Split(strings.ToLower(code), ";") {
		if strings.ContainsAny(section, "0#?@") || strings.Contains(section, "general") ||
			strings.TrimSpace(section) == "standard" {
			continue
		}
		letters := units.FindAllString(section, -1)
		for i, run := range letters {
			before, after := i > 0 && letters[i-1][0] == 'h', i+1 < len(letters) && letters[i+1][0] == 's'
			if run[0] == 'y' || run[0] == 'd' || run[0] == 'm' && !before && !after {
				return Date
			}
			found = Clock
		}
	}
	return found
}

// readFormats reads the number formats of all styles of cells.
func (b *Book) readFormats(name string) (all []Format, err error) {
	var styles struct {
		Codes []struct {
			ID   int    `xml:"numFmtId,attr"`
			Code string `xml:"formatCode,attr"`
		} `xml:"numFmts>numFmt"`
		Cells []struct {
			ID int `xml:"numFmtId,attr"`
		} `xml:"cellXfs>xf"`
	}
	if err := b.decode(name, &styles); err != nil {
		return nil, fmt.Errorf("its styles: %w", err)
	}
	declared := map[int]Format{}
	for _, one := range styles.Codes {
		declared[one.ID] = ParseFormat(one.Code)
	}
	for _, cell := range styles.Cells {
		format, known := declared[cell.ID]
		if !known {
			format = builtIn(cell.ID)
		}
		all = append(all, format)
	}
	return all, nil
}
