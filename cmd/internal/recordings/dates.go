package recordings

// This file reads dates and times of day as people and programs write them.

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"time"
)

// layouts are the forms of a date, of a time of day, and of both. Go reads a fraction after any second.
var layouts = func() (all []string) {
	for _, date := range []string{
		"2006-1-2", "2.1.2006", "2/1/2006", "2-1-2006", "2006/1/2", "2006.1.2", "2.1.06", "2/1/06",
		"2 Jan 2006", "2-Jan-2006", "Jan 2, 2006", "Jan 2 2006", "20060102", "2006-002", "",
	} {
		for _, clock := range []string{"15:04:05", "15:04", "3:04:05 PM", "3:04 PM"} {
			for _, zone := range []string{"", "Z07:00", " Z07:00", "-0700", " -0700"} {
				all = append(all, strings.TrimSpace(date+" "+clock+zone))
			}
		}
		if date != "" { // PostgreSQL and DuckDB write whole hours only; 10:00-11 without a date may be from 10 to 11
			all = append(all, date+" 15:04:05-07")
		}
		all = append(all, date)
	}
	return append(all[:len(all)-1], "20060102T150405", "20060102T150405Z07:00", "Mon Jan 2 15:04:05 "+
		"2006") // the last as C's ctime
}()

// monthFirst turns the layouts of slashed dates.
var monthFirst = strings.NewReplacer("2/1/", "1/2/", "2-1-", "1-2-")

// days tells how the dates of all files are written.
type days struct {
	last    int               // the layout of the last date
	rest    float64           // what float64 leaves out of the last time, see exact.Rest
	zone    int               // the offset of the last date's zone, in seconds
	zones   int               // how many times were read
	unknown string            // their zone, if that is unknown
	span    bool              // the last time was a duration
	said    string            // what else than a date has said the order
	by      map[string]string // what can only be read with the day first, by "day", or with the month first, by "month"
}

// newDays takes the order that something says, such as --dates, and which first returns: day, month or "".
func newDays(first, saidBy string) days {
	d := days{by: map[string]string{}, said: saidBy}
	if first != "" {
		d.by[first] = saidBy
	}
	return d
}

// byFlag is newDays by --dates.
func byFlag(first string) days { return newDays(first, "--dates "+first) }

// first returns what comes first in dates such as 01/02/2024, by --dates or by dates that tell it: day, month or "".
func (d *days) first() string {
	for first := range d.by { // there is one at most
		return first
	}
	return ""
}

// ordered returns the time of a slashed date, which parse has read with the day first, in the order that is known. It
// is an error if none is and the date may be either.
func (d *days) ordered(seconds float64) (float64, error) {
	shift := d.toMonthFirst(seconds)
	switch {
	case shift == 0 || d.first() == "day":
		return seconds, nil
	case d.first() == "month":
		return seconds + shift, nil
	}
	return seconds, d.noOrder(seconds)
}

// noOrder is the error of a date that may be either, after which the way out comes.
func (d *days) noOrder(seconds float64) error {
	return fmt.Errorf("%s is %w", d.dayFirst(seconds), errNoOrder)
}

var errNoOrder = errors.New("a day and a month in an order that no date tells")

// dayFirst writes the date that was read with the day first.
func (d *days) dayFirst(seconds float64) string {
	return time.Unix(int64(math.Floor(seconds))+int64(d.zone), 0).UTC().Format("02/01/2006")
}

// parse reads a date or a time of day, in seconds. It reads a date that goes both ways with the day first.
func (d *days) parse(text string, line int) (seconds float64, kind int, err error) {
	d.rest = 0
	if d.span || spans.MatchString(text) {
		seconds, d.span = elapsed(text)
		if d.span {
			return seconds, clocks, nil
		}
	}
	if at := strings.IndexByte(text, ':'); at > 2 { // a T or a comma may part day and time
		at = strings.LastIndexAny(text[:at], "T, ")
		text = strings.TrimRight(text[:max(0, at)], ", ") + " " + text[at+1:]
	}
	text, offset, unknown := readZone(text)
	when, kind, ok := d.parseLayouts(text, line)
	if !ok {
		return 0, 0, fmt.Errorf("%.30q is not a time; want a number, or a date such as 2024-05-31 12:00:00.5 or "+
			"31.05.2024 12:00", text)
	}
	if len(d.by) > 1 {
		return 0, kind, fmt.Errorf("%s begins with the day, and %s with the month; write all alike", d.by["day"],
			d.by["month"])
	}
	err = d.sameZone(unknown)
	if err != nil {
		return 0, kind, err
	}
	if when.Year() == 0 {
		return when.Sub(time.Date(0, 1, 1, 0, 0, 0, 0, when.Location())).Seconds(), clocks, nil
	}
	_, d.zone = when.Zone()
	d.zone += int(offset)
	whole, part := float64(when.Unix())-offset, float64(when.Nanosecond())/1e9
	d.rest = whole - (whole + part) + part
	return whole + part, kind, nil
}

// parseLayouts reads a date or a time of day in one of the layouts, the last one first. It notes whether the text tells
// that days or months come first.
func (d *days) parseLayouts(text string, line int) (when time.Time, kind int, ok bool) {
	for i := range layouts {
		at := (d.last + i) % len(layouts)
		when, kind, first, ok := parseLayout(layouts[at], text)
		if !ok {
			continue
		}
		if first != "" {
			d.by[first] = fmt.Sprintf("%s in line %d", text, line)
		}
		d.last = at
		return when, kind, true
	}
	return when, 0, false
}

// parseLayout reads a text in a layout that has the day first or, if that fails, with the month first. first is day or
// month if only one of them is possible.
func parseLayout(layout, text string) (when time.Time, kind int, first string, ok bool) {
	when, err := time.Parse(layout, text)
	turned := monthFirst.Replace(layout)
	if turned == layout {
		return when, dates, "", err == nil
	}
	other, otherwise := time.Parse(turned, text)
	switch {
	case err == nil && otherwise == nil:
		return when, slashed, "", true
	case err == nil:
		return when, slashed, "day", true
	}
	return other, slashed, "month", otherwise == nil
}
