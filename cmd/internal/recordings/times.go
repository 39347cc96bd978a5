package recordings

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/clusterpool/ccp/internal/exact"
	"github.com/clusterpool/ccp/internal/loop"
)

// Kinds of times.
const (
	numbers = iota // in any unit
	dates          // in seconds, with or without a time of day
	slashed        // dates with numbers for day and month, whose order no single date tells
	clocks         // times of day, in seconds
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
	by      map[string]string // what can only be read with the day first, by "day", or with the month first, by "month"
}

// newDays takes the order that --dates says, which first returns: day, month or "".
func newDays(first string) days {
	d := days{by: map[string]string{}}
	if first != "" {
		d.by[first] = "--dates " + first
	}
	return d
}

// first returns what comes first in dates such as 01/02/2024, by --dates or by dates that tell it: day, month or "".
func (d *days) first() string {
	for first := range d.by { // there is one at most
		return first
	}
	return ""
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

var (
	// spans finds what only a duration can have: days by that name, hours beyond a day, a sign, or the P of ISO 8601.
	spans = regexp.MustCompile(`^[-+]?(\d+ days?|(2[4-9]|[3-9]\d|\d{3,}):\d\d:\d\d|\d+:\d\d[.,]\d+$|P[\dT])|^[-+]\d+:\d\d:\d\d`)
	// duration matches one as pandas, MATLAB and R write them, 1 days 02:03:04.5, 26:03:04.5 or 03:04.5, and
	// isoDuration as polars does, P1DT2H3M4.5S.
	duration    = regexp.MustCompile(`^([-+]?)(?:(\d+) days?,? ?)?([-+]?)(?:(?:(\d+):)?(\d+):(\d\d(?:[.,]\d*)?))?$`)
	isoDuration = regexp.MustCompile(`^([-+]?)P(?:(\d+)D)?()(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:[.,]\d*)?)S)?)?$`)
)

// elapsed reads a duration, in seconds. A sign before the days is of them alone, as in pandas' -1 days +23:59:59.
func elapsed(text string) (seconds float64, ok bool) {
	match := duration.FindStringSubmatch(text)
	if match == nil || match[2] == "" && match[5] == "" {
		match = isoDuration.FindStringSubmatch(text)
		if match == nil || len(strings.Trim(text, "+-PT")) == 0 {
			return 0, false
		}
	}
	worth := func(number string, of float64) float64 {
		value, _ := strconv.ParseFloat(strings.Replace(number, ",", ".", 1), 64)
		return value * of
	}
	days, clock := worth(match[2], 24*60*60), worth(match[4], 60*60)+worth(match[5], 60)+worth(match[6], 1)
	if match[1] == "-" {
		days = -days
		if match[3] == "" {
			clock = -clock
		}
	}
	if match[3] == "-" {
		clock = -clock
	}
	return days + clock, true
}

// toMonthFirst returns the seconds to add to a date that was read with the day first, so that the month comes first:
// for 02/03, read as 2 March, those to 3 February. They are 0 for a day above 12, which is no month. The day is the one
// that was written, in the zone of the last date.
func (d *days) toMonthFirst(seconds float64) float64 {
	seconds += float64(d.zone)
	t := time.Unix(int64(math.Floor(seconds)), 0).UTC()
	year, month, day := t.Date()
	if day > 12 {
		return 0
	}
	date := func(month, day int) time.Time { return time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC) }
	return date(day, int(month)).Sub(date(int(month), day)).Seconds()
}

// turnDates reads slashed dates with the month first if some date or --dates says so. If nothing says what comes first,
// it is an error that asks, unless all times of each sample are of one date: the steps between them are then the same.
func (r *reading) turnDates() error {
	for _, x := range r.samples {
		if x.rows.kind != slashed {
			continue
		}
		x.rows.times = slices.Clone(x.rows.times) // other samples may share them
		for i, seconds := range x.rows.times {
			shift := r.days.toMonthFirst(seconds)
			switch {
			case r.days.first() == "month":
				x.rows.times[i] += shift
			case r.days.first() == "" && shift != r.days.toMonthFirst(x.rows.times[0]):
				return fmt.Errorf("%s, line %d: %s is a day and a month in an order that no date tells; say --dates day if the "+
					"day comes first, or --dates month", x.path, x.rows.line(i),
					time.Unix(int64(seconds)+int64(r.days.zone), 0).UTC().Format("02/01/2006"))
			}
		}
	}
	return nil
}

// when reads a time: a number of any unit, or a date. rest is what float64 leaves out of it.
func (t *table) when(in *input, line int, cell string) (at, rest float64, err error) {
	in.open = noMark
	if strings.Contains(cell, unread) {
		at, err = in.exactly(cell)
		return at, 0, err
	}
	t.days.rest = 0
	kind := numbers
	if t.kind != numbers { // like the line before, which is quick
		at, kind, err = t.days.parse(cell, line)
	}
	if kind == numbers {
		at, err = t.valueOf(in, t.time, line, cell)
		if (err != nil || at != at) && !errors.As(err, new(contrary)) {
			at, kind, err = t.days.parse(cell, line)
		} else {
			t.days.rest = exact.Rest(in.plain, at)
			if len(cell) > 2 && cell[0] == '0' && strings.Trim(cell, "0123456789") == "" {
				t.timeNumbers.padded = len(cell)
			}
		}
	}
	if err == nil && t.lines > 1 && kind != t.kind {
		err = fmt.Errorf("%q: lines before have times of another form; write all alike", cell)
	}
	t.kind = kind
	return at, t.days.rest, err
}

// perSecond has how many of a unit are a second.
var perSecond = func() map[string]float64 {
	units := map[string]float64{}
	for names, per := range map[string]float64{
		"s sec secs second seconds":                                    1,
		"ms msec msecs millis millisec millisecond milliseconds":       1e3,
		"us µs μs usec usecs micros microsec microsecond microseconds": 1e6,
		"ns nsec nsecs nanos nanosec nanosecond nanoseconds":           1e9,
		"min mins minute minutes":                                      1. / 60,
		"h hr hrs hour hours":                                          1. / (60 * 60),
		"d day days":                                                   1. / secondsOfDay,
	} {
		for name := range strings.FieldsSeq(names) {
			units[name] = per
		}
	}
	return units
}()

// besideUnit is what headings that are units may begin or end with, as in elapsed_ms and seconds_elapsed.
var besideUnit = regexp.MustCompile(`^(?i:elapsed|local|utc)[ _.]?|[ _.](?i:elapsed)$`)

// second returns a second in the unit of the times; 0 if that is unknown.
func (t *table) second() float64 {
	switch {
	case t.time < 0:
		return 0
	case t.kind != numbers:
		return 1
	}
	unit := cmp.Or(t.unit, besideUnit.ReplaceAllString(t.headings[t.time], ""))
	known := perSecond[strings.ToLower(unit)]
	if known > 0 {
		return known
	}
	times := t.samples[len(t.samples)-1].rows.times
	last := times[len(times)-1]
	for _, per := range []float64{1, 1e3, 1e6, 1e9} { // times since 1970, of the years from 2001 to 2096
		if last >= 1e9*per && last < 4e9*per {
			return per
		}
	}
	return 0
}

// pastMidnight reports whether times of day go on after midnight, and then adds the days, which have this length in
// their unit. Either each time that goes back does so by half a day or more, or times that are not in order have more
// than half a day without any: those before this gap are of the next day. Where the lines of one sensor come after
// those of another, each sensor has days of its own.
func (r *rows) pastMidnight(day float64) bool {
	if slices.IsSorted(r.times) {
		return false
	}
	days, most, ordered := r.daysOf([][]int{loop.Indices(len(r.times))}, day)
	ofSensors, mostOfSensors, orderedSensors := r.daysOf(r.bySensor(loop.Indices(len(r.times))), day)
	if orderedSensors && (!ordered || mostOfSensors < most) {
		days, most, ordered = ofSensors, mostOfSensors, true
	}
	if !ordered {
		return r.pastGap(day)
	}
	if most == 0 {
		return false
	}
	times := slices.Clone(r.times) // other samples may share the old ones
	for i := range times {
		times[i] += days[i] * day
	}
	r.times = times
	return true
}

// daysOf counts the days of rows, each part from its first. It is not ordered if a time goes back by less than half a
// day. A part that then lies before all times of that with the most days, and among them a day later, began after
// midnight.
func (r *rows) daysOf(parts [][]int, day float64) (days []float64, most float64, ordered bool) {
	days = make([]float64, len(r.times))
	longest := parts[0]
	for _, part := range parts {
		for k, i := range part[1:] {
			days[i] = days[part[k]]
			if back := r.times[part[k]] - r.times[i]; back > 0 {
				if back < day/2 {
					return nil, 0, false
				}
				days[i]++
			}
		}
		if last := days[part[len(part)-1]]; last > most {
			most, longest = last, part
		}
	}
	at := func(i int) float64 { return r.times[i] + days[i]*day }
	first, last := at(longest[0]), at(longest[len(longest)-1])
	for _, part := range parts {
		if at(part[len(part)-1]) < first && at(part[0])+day <= last {
			for _, i := range part {
				days[i]++
			}
		}
	}
	return days, most, true
}

// pastGap takes times of day in no order for those of an evening and the night after it, if they leave a gap of more
// than half a day: it adds a day to all times before the first such gap. It reports whether there is one.
func (r *rows) pastGap(day float64) bool {
	sorted := slices.Sorted(slices.Values(r.times))
	for i, next := range sorted[1:] {
		if next-sorted[i] > day/2 {
			times := slices.Clone(r.times) // other samples may share the old ones
			for at, time := range times {
				if time < next {
					times[at] += day
				}
			}
			r.times = times
			return true
		}
	}
	return false
}

// noDays are the days of times of day in a workbook: there such a time is a date, too. Which of them depends on whether
// its days count from 1904, and on whether its format has a day.
var noDays = []time.Time{
	time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC),
	time.Date(1899, 12, 31, 0, 0, 0, 0, time.UTC),
	time.Date(1904, 1, 1, 0, 0, 0, 0, time.UTC),
}

// ofNoDay reports whether all times are of a day that stands for none in a workbook.
func (r *rows) ofNoDay() bool {
	return slices.ContainsFunc(noDays, func(first time.Time) bool {
		return !slices.ContainsFunc(r.times,
			func(at float64) bool { return at < float64(first.Unix()) || at >= float64(first.Unix()+24*60*60) })
	})
}
