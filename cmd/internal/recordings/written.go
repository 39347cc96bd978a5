package recordings

// This file writes times as a stream has them.

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/clusterpool/ccp/internal/text"
)

// TimeForm is how a stream writes its times: as numbers, or as dates or times of day in some layout. The zero value
// writes numbers.
type TimeForm struct {
	layout   string // of package time; "" for numbers
	zone     *time.Location
	mark     string // before the decimals of seconds
	decimals int    // that all times have; further ones are written where a time has them
	after    string // what comes at the end, such as CET
}

// decimalsOfSeconds finds the decimals of the seconds in a time.
var decimalsOfSeconds = regexp.MustCompile(`:\d\d([.,])(\d+)`)

// withZeros turns layouts into those with a zero before days, months and hours of one digit.
var withZeros = strings.NewReplacer("2006-1-2", "2006-01-02", "2006/1/2", "2006/01/02", "2006.1.2", "2006.01.02",
	"2.1.", "02.01.", "2/1/", "02/01/", "1/2/", "01/02/", "2-1-", "02-01-", "1-2-", "01-02-", "2 Jan", "02 Jan", "2-Jan",
	"02-Jan", "Jan 2 ", "Jan 02 ", "Jan 2,", "Jan 02,", "3:04", "03:04")

// oneDigit finds an hour of one digit, which is written with a zero before it.
var oneDigit = regexp.MustCompile(`(^|[ T])(\d:)`)

// formOfTime returns the form in which a time is written as cell: the first one that writes the same. Numbers, and what
// none writes so, such as 1 day 02:00:00, are written as numbers.
func (d *days) formOfTime(cell string, at float64) TimeForm {
	if !strings.HasSuffix(cell, "M") { // of AM and PM
		cell = oneDigit.ReplaceAllString(cell, "${1}0$2")
	}
	rest, _, _ := readZone(cell)
	f := TimeForm{zone: time.FixedZone("", d.zone), after: cell[len(rest):], mark: "."}
	if match := decimalsOfSeconds.FindStringSubmatch(cell); match != nil {
		f.mark, f.decimals = match[1], len(match[2])
	}
	for _, layout := range layouts {
		if d.first() == "month" {
			layout = monthFirst.Replace(layout)
		}
		for _, padded := range []string{withZeros.Replace(layout), layout} {
			for _, separator := range []string{" ", "T", ", "} {
				f.layout = strings.Replace(padded, " ", separator, 1)
				if f.Text(at) == cell {
					return f
				}
			}
		}
	}
	return TimeForm{}
}

// IsNumber reports that times are written as numbers.
func (f TimeForm) IsNumber() bool { return f.layout == "" }

// Text writes a time, which is in seconds if the form is none of numbers. It is exact to a microsecond: where the form
// has no clock, or no decimals, and the time needs them, they are written all the same.
func (f TimeForm) Text(at float64) string {
	whole := math.Floor(at)
	if f.IsNumber() && at != whole {
		at, _ = strconv.ParseFloat(strconv.FormatFloat(at, 'g', 15, 64), 64) // float64 holds no more digits for sure
	}
	if f.IsNumber() {
		return text.Time(at)
	}
	when := time.Unix(int64(whole), int64(math.Round((at-whole)*1e6))*1000).In(f.zone)
	layout := f.layout
	hasSeconds := when.Second() > 0 || when.Nanosecond() > 0
	if !strings.Contains(layout, "04") && (hasSeconds || when.Hour() > 0 || when.Minute() > 0) {
		layout += " 15:04"
	}
	if hasSeconds && !strings.Contains(layout, "05") {
		layout = strings.Replace(layout, "04", "04:05", 1)
	}
	seconds := "05"
	if decimals := max(f.decimals, decimalsOf(when.Nanosecond())); decimals > 0 {
		seconds += f.mark + strings.Repeat("0", decimals)
	}
	return when.Format(strings.Replace(layout, "05", seconds, 1)) + f.after
}

// decimalsOf returns how many decimals of a second some nanoseconds need.
func decimalsOf(nanoseconds int) (decimals int) {
	for unit := 1_000_000_000; nanoseconds%unit != 0; unit /= 10 {
		decimals++
	}
	return decimals
}
