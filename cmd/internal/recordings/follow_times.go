package recordings

// This file reads the times of a stream, one by one as they come.

import (
	"fmt"
	"math"

	"github.com/clusterpool/ccp/internal/text"
)

// clock is what the times of a stream go on from.
type clock struct {
	digits       *digitForm // that of times such as 093015; nil for other times
	days         float64    // that times of day have passed, in the unit of the times
	before, last float64    // the last two times; NaN for none
	suspected    bool       // digits have been noted that may be times of day
}

// begin begins another recording.
func (c *clock) begin() { c.days, c.before, c.last = 0, math.NaN(), math.NaN() }

// digitsOfStream returns the form of the digits that a stream's times are, by the training's or by the heading; nil for
// other times.
func (t *table) digitsOfStream() *digitForm {
	if t.time < 0 {
		return nil
	}
	f := t.digits()
	if f == nil {
		f = formNamed(t.unit)
	}
	if f == nil {
		f = formNamed(t.headings[t.time])
	}
	return f
}

// digits returns the form of the digits that times are, once that is known; nil for other times.
func (r *reading) digits() *digitForm {
	if r.Clock == plainSeconds.name {
		return &plainSeconds
	}
	return formNamed(r.Clock)
}

// timeOf returns the time of a row, in the unit of the training's times. Times of day go on after midnight.
func (s *stream) timeOf(row *rows) (at float64, err error) {
	c, t := &s.clock, s.table
	if row.kind == slashed {
		row.times[0], err = t.days.ordered(row.times[0])
		if err != nil {
			return 0, err
		}
	}
	isDigits := row.kind == numbers && c.digits != nil
	if isDigits {
		*row, err = s.decoded(row)
		if err != nil {
			return 0, err
		}
	}
	at = row.times[0]
	day := 0.0 // after which the times begin anew
	switch {
	case row.kind == clocks:
		day = secondsOfDay
	case isDigits && c.digits.name == sixtieths:
		day = hoursOfDay
	}
	if at+c.days < c.last-day/2 && day > 0 {
		c.days += day
	}
	at += c.days
	if row.kind == numbers && !isDigits {
		s.suspectDigits(at)
	}
	c.before, c.last = c.last, at
	return at, nil
}

// decoded returns a row whose number is a time of the stream's form.
func (s *stream) decoded(row *rows) (d rows, err error) {
	f, t := s.clock.digits, s.table
	number := text.Time(row.times[0])
	ok := false
	switch {
	case len(row.days) > 0:
		if t.timeNumbers.slashed {
			row.days[0], err = t.days.ordered(row.days[0])
		}
		d, ok = onDays(f, row)
	case *f == plainSeconds:
		d, ok = *row, true
		d.kind = clocks
	default:
		d, ok = row.decoded(f)
	}
	if err == nil && !ok {
		err = fmt.Errorf("column %s: %s is no time %s, as those of the training or of the heading are; write all alike",
			t.headings[t.time], number, f.name)
	}
	return d, err
}

// suspectDigits notes, once, that a number comes as a time of day in digits would, such as 101000 after 100959: as far
// from the one before as that from its own one before, which plain numbers are not.
func (s *stream) suspectDigits(at float64) {
	c := &s.clock
	step, usual := at-c.last, c.last-c.before
	const near = 0.1
	if c.suspected || !(usual > 0) || math.Abs(step-usual) <= near*usual || !(step > 0) {
		return
	}
	for _, f := range digitForms {
		first, _, ok := f.secondsOf(c.before, 0)
		middle, _, alsoOK := f.secondsOf(c.last, 0)
		last, _, allOK := f.secondsOf(at, 0)
		isEven := math.Abs((last-middle)-(middle-first)) <= near*(middle-first)
		if !ok || !alsoOK || !allOK || f.point > 0 || f.name == sixtieths || !isEven {
			continue
		}
		c.suspected = true
		s.note(fmt.Sprintf("%s comes after %s in column %s, as a time in digits does (%s): it is taken for a plain number; "+
			"if it is such a time, write 23:59:59, or head the column %q", text.Time(at), text.Time(c.last),
			s.table.headings[s.table.time], f.name, fmt.Sprintf("time (%s)", f.name)))
		return
	}
}
