package recording

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// fill fills the gaps of each series: linearly in time between two values, and at an end with the nearest value.
// Moments without any value at the ends of a recording are padding, which fill cuts off. A sensor without any value is
// an error or, with Zeros, becomes zeros.
func (f *Form) fill(r *Recording, c *Changes) error {
	width := len(f.Sensors) * f.Channels
	r.trim(width)
	if len(r.Values) == 0 {
		return errors.New("no sensor has a value; remove the sample")
	}
	for column := range width {
		filled, any := fillSeries(r.Values[column:], width, r.Times)
		switch {
		case any:
			c.Interpolated += filled
		case f.Zeros:
			c.Zeros += filled
			for at := column; at < len(r.Values); at += width {
				r.Values[at] = 0
			}
		default:
			return fmt.Errorf("%s has no value in this sample; remove the sample or the sensor "+
				"(ccp data import --missing zero would make it zero)", Column(f.Sensors, f.Channels, column))
		}
	}
	return nil
}

// trim cuts off moments without any value at both ends. A moment has width values.
func (r *Recording) trim(width int) {
	missing := func(moment []float64) bool {
		return !slices.ContainsFunc(moment, func(v float64) bool { return !math.IsNaN(v) })
	}
	for len(r.Values) > 0 && missing(r.Values[len(r.Values)-width:]) {
		r.Values = r.Values[:len(r.Values)-width]
	}
	for len(r.Values) > 0 && missing(r.Values[:width]) {
		r.Values = r.Values[width:]
		if r.Times != nil {
			r.Times = r.Times[1:]
		}
	}
	if r.Times != nil {
		r.Times = r.Times[:len(r.Values)/width]
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
	last := -stride // the last value seen
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
