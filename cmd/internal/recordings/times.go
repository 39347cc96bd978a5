package recordings

// This file reads the times of a table: numbers in some unit, dates or times of day.

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/clusterpool/ccp/internal/exact"
)

// Kinds of times.
const (
	numbers = iota // in any unit
	dates          // in seconds, with or without a time of day
	slashed        // dates with numbers for day and month, whose order no single date tells
	clocks         // times of day, in seconds
)

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
	if err == nil {
		t.keepWritten(cell, at, kind)
	}
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

// turnDates reads slashed dates with the month first if some date, --dates or the training says so. If nothing says
// what comes first, it is an error that asks, unless all times of each recording are of one date: the steps between
// them are then the same.
func (r *reading) turnDates() error {
	shifts := map[int]float64{} // of the first date of each recording
	either := ""                // a date that may be read in both ways
	for _, x := range r.samples {
		if x.rows.kind != slashed {
			continue
		}
		x.rows.times = slices.Clone(x.rows.times) // other samples may share them
		for i, seconds := range x.rows.times {
			shift := r.days.toMonthFirst(seconds)
			first, begun := shifts[x.of]
			if !begun {
				first, shifts[x.of] = shift, shift
			}
			if shift != 0 && either == "" {
				either = r.days.dayFirst(seconds)
			}
			switch {
			case r.days.first() == "month":
				x.rows.times[i] += shift
			case r.days.first() == "" && shift != first:
				return fmt.Errorf("%s, line %d: %w; %s", x.path, x.rows.line(i), r.days.noOrder(seconds), r.sayOrder())
			}
		}
	}
	r.noteOrder(either)
	return nil
}

// sayOrder is the way out where the order of dates is unknown.
func (j *job) sayOrder() string {
	if j.trained {
		return writeOrder
	}
	return askOrder
}

// askOrder is that way out of an import, and writeOrder that of what is read as a training was, without flags.
const (
	askOrder   = "say --dates day if the day comes first, or --dates month"
	writeOrder = "write the year first, as in 2024-05-31, or import the training's recordings with the order (ccp data " +
		"import --dates)"
)

// noteOrder notes how dates such as this one were read, which may be either: by another one, or by nothing, where
// each recording is of one date.
func (r *reading) noteOrder(either string) {
	first := r.days.first()
	switch {
	case either == "":
	case first == "":
		way := ""
		if !r.trained {
			way = "; before streams like it are watched, " + r.sayOrder()
		}
		r.note("%s is a day and a month in an order that no date tells: read with the day first, which makes no difference "+
			"to the steps between times of one date%s", either, way)
	case r.days.by[first] != r.days.said:
		r.note("dates such as %s are read with the %s first, as %s tells", either, first, r.days.by[first])
	}
}

// toMonthFirst returns the seconds to add to a date that was read with the day first, in order to read it with the
// month first: 02/03 was read as 2 March, and the seconds lead to 3 February. For a day above 12, which is no month,
// they are 0. Day and month are those that were written, so the time is taken in the zone of the last date that was
// read.
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
