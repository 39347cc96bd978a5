package recording

// This file fills the missing values of a recording, and finds the time points at which nothing was measured.

import (
	"math"
	"slices"
)

// noValueError says of what a recording has no value, and then of what kind it is and what to do about one that has
// ended.
type noValueError struct{ says, ended string }

// Error returns both.
func (e noValueError) Error() string { return e.says + e.ended }

// untracked makes the time points missing at which every sensor is 0, if the form says so. The gaps are then filled as
// others are, and cut off at both ends: a body that is not in the picture yet has no first place to repeat. It is an
// error if that leaves nothing.
func (f *Form) untracked(r *Recording, c *Changes) error {
	if !f.Untracked {
		return nil
	}
	lost, rows, atBegin := 0, 0, false
	for row := range slices.Chunk(r.Values, f.Width()) {
		rows++
		hasOther := slices.ContainsFunc(row, func(v float64) bool { return v != 0 && !math.IsNaN(v) })
		if hasOther || !slices.Contains(row, 0) {
			continue
		}
		lost++
		atBegin = atBegin || rows == 1
		for at := range row {
			row[at] = math.NaN()
		}
	}
	switch {
	case lost == 0:
	case lost == rows:
		return noValueError{"every sensor is 0 at each time point, as of a body that was never tracked",
			"; remove the sample"}
	case atBegin && f.Origin != "":
		c.note("sensor %q, the origin, is 0 in the first time points, as if it was not tracked yet; those at which all "+
			"sensors are 0 are missing values, cut off at the ends", f.Origin)
	default:
		c.note("all sensors are 0 at some time points, as if nothing was tracked there; these are missing values, cut off " +
			"at the ends")
	}
	if atBegin {
		f.cutBegin(r)
	}
	return nil
}

// cutBegin cuts off the time points at the begin of a recording at which no sensor has a value.
func (f *Form) cutBegin(r *Recording) {
	width := f.Width()
	for len(r.Values) > width && !slices.ContainsFunc(r.Values[:width], isNumber) {
		r.Values = r.Values[width:]
		if r.Times != nil {
			r.Times = r.Times[1:]
		}
	}
}

// fill fills the gaps of each series: linearly in time between two values, and at an end with the nearest value. Time
// points without any value at the end of a recording are padding, which fill cuts off. At its begin they stay, since
// all that follows would move to the front: the sensors started late. A sensor without any value is an error or, with
// Zeros, becomes zeros or, with Filled, what other sensors let expect.
func (f *Form) fill(r *Recording, c *Changes) error {
	width := len(f.Sensors) * f.Channels
	f.cutEnd(r)
	if len(r.Values) == 0 {
		return noValueError{"no sensor has a value", "; remove the sample"}
	}
	c.Holes = f.holes(r)
	for column := range width {
		filled, any := fillSeries(r.Values[column:], width, r.Times)
		switch {
		case any:
			c.Interpolated += filled
		case f.Filled && f.Fill == nil:
			c.Filled += filled
		case f.Filled:
		case f.Zeros:
			c.Zeros += filled
			for at := column; at < len(r.Values); at += width {
				r.Values[at] = 0
			}
		default:
			return noValue(Column(f.Sensors, f.Channels, column), r.isWindow)
		}
	}
	for row := range slices.Chunk(r.Values, width) {
		if f.Fill != nil {
			c.Filled += f.Fill.apply(row, f.Channels)
		}
	}
	return nil
}

// noValue is the error of a column without any value.
func noValue(column string, isWindow bool) error {
	const way = "(ccp data import --missing fill would fill it, --missing zero make it zero)"
	if isWindow {
		return noValueError{column + " has no value", " in this window " + way}
	}
	return noValueError{column + " has no value", " in this sample; remove the sample or the sensor " + way}
}

// cutEnd makes values missing that stand for missing ones, and cuts off the time points at the end without any value.
func (f *Form) cutEnd(r *Recording) {
	width := f.Width()
	end := 0 // after the last time point with a value
	for at, v := range r.Values {
		if slices.ContainsFunc(f.Gaps, func(gap float64) bool { return v == gap || v == float64(float32(gap)) }) {
			r.Values[at] = math.NaN()
		} else if !math.IsNaN(v) {
			end = at/width + 1
		}
	}
	r.Values = r.Values[:end*width]
	if r.Times != nil {
		r.Times = r.Times[:end]
	}
}

// fillSeries fills the gaps of a series, which is every stride-th value. It returns the number of gaps, and whether the
// series has any value.
func fillSeries(values []float64, stride int, times []float64) (filled int, any bool) {
	when := func(at int) float64 {
		if times == nil {
			return float64(at / stride)
		}
		return times[at/stride]
	}
	last := -stride // the place of the last value seen; negative before the first
	for at := 0; at < len(values); at += stride {
		if math.IsNaN(values[at]) {
			filled++
			continue
		}
		for gap := last + stride; gap < at; gap += stride {
			if last < 0 {
				values[gap] = values[at]
			} else {
				part := (when(gap) - when(last)) / (when(at) - when(last))
				values[gap] = values[last] + part*(values[at]-values[last])
			}
		}
		last, any = at, true
	}
	for gap := last + stride; any && gap < len(values); gap += stride {
		values[gap] = values[last]
	}
	return filled, any
}
