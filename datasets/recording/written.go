package recording

// This file writes times as a file has them.

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/clusterpool/ccp/internal/text"
)

// TimeForm is how a file or a stream writes its times: as numbers, or as dates or times of day in some layout. The zero
// value writes numbers.
type TimeForm struct {
	Layout   string         // of package time; "" for numbers
	Zone     *time.Location // of what is written
	Mark     string         // before the decimals of seconds
	Decimals int            // that all times have; further ones are written where a time has them
	After    string         // what comes at the end, such as CET
}

// IsNumber reports that times are written as numbers.
func (f TimeForm) IsNumber() bool { return f.Layout == "" }

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
	when := time.Unix(int64(whole), int64(math.Round((at-whole)*1e6))*1000).In(f.Zone)
	layout := f.Layout
	hasSeconds := when.Second() > 0 || when.Nanosecond() > 0
	if !strings.Contains(layout, "04") && (hasSeconds || when.Hour() > 0 || when.Minute() > 0) {
		layout += " 15:04"
	}
	if hasSeconds && !strings.Contains(layout, "05") {
		layout = strings.Replace(layout, "04", "04:05", 1)
	}
	seconds := "05"
	if decimals := max(f.Decimals, decimalsOf(when.Nanosecond())); decimals > 0 {
		seconds += f.Mark + strings.Repeat("0", decimals)
	}
	return when.Format(strings.Replace(layout, "05", seconds, 1)) + f.After
}

// decimalsOf returns how many decimals of a second some nanoseconds need.
func decimalsOf(nanoseconds int) (decimals int) {
	for unit := 1_000_000_000; nanoseconds%unit != 0; unit /= 10 {
		decimals++
	}
	return decimals
}
