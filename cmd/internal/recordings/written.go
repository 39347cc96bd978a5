package recordings

// This file finds out how a file or a stream writes its times.

import (
	"regexp"
	"strings"
	"time"

	"github.com/clusterpool/ccp/datasets/recording"
)

// writtenTime is the first date or time of day of all files, as one of them writes it.
type writtenTime struct {
	cell string // "" where times are numbers
	at   float64
	kind int
	zone int // its offset, in seconds
}

// keepWritten keeps the first date or time of day that was read.
func (r *reading) keepWritten(cell string, at float64, kind int) {
	if kind != numbers && r.written.cell == "" {
		r.written = writtenTime{strings.Clone(strings.TrimSpace(cell)), at, kind, r.days.zone}
	}
}

// formOfTimes returns how times are written, by the first of them. Digits such as 093015, which have a form, are
// written as 09:30:15, since a window may begin between two of them. dated says that they have their days in another
// column.
func (r *reading) formOfTimes(digits *digitForm, dated bool) recording.TimeForm {
	f := recording.TimeForm{Zone: time.UTC, Mark: "."}
	w := r.written
	switch {
	case w.cell != "":
		d, at := r.days, w.at
		d.zone = w.zone
		if w.kind == slashed && d.first() == "month" {
			at += d.toMonthFirst(at)
		}
		return d.formOfTime(w.cell, at)
	case digits == nil, digits.name == sixtieths && !dated:
		return recording.TimeForm{}
	case digits.isOfDay() && !dated:
		f.Layout = "15:04:05"
	default:
		f.Layout = "2006-01-02 15:04:05"
	}
	return f
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
func (d *days) formOfTime(cell string, at float64) recording.TimeForm {
	if !strings.HasSuffix(cell, "M") { // of AM and PM
		cell = oneDigit.ReplaceAllString(cell, "${1}0$2")
	}
	rest, _, _ := readZone(cell)
	f := recording.TimeForm{Zone: time.FixedZone("", d.zone), After: cell[len(rest):], Mark: "."}
	if match := decimalsOfSeconds.FindStringSubmatch(cell); match != nil {
		f.Mark, f.Decimals = match[1], len(match[2])
	}
	for _, layout := range layouts {
		if d.first() == "month" {
			layout = monthFirst.Replace(layout)
		}
		for _, padded := range []string{withZeros.Replace(layout), layout} {
			for _, separator := range []string{" ", "T", ", "} {
				f.Layout = strings.Replace(padded, " ", separator, 1)
				if f.Text(at) == cell {
					return f
				}
			}
		}
	}
	return recording.TimeForm{}
}
