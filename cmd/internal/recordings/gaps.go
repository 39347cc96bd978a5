package recordings

import (
	"fmt"
	"math"
	"slices"
)

// Filled counts the values that were missing.
type Filled struct {
	Values  int `json:"values"`  // interpolated in time, or repeated at an end
	Zeros   int `json:"zeros"`   // set to zero, because the sensor has no value in the sample
	Samples int `json:"samples"` // with missing values
	Of      int `json:"of"`      // all values
}

// fill fills the gaps of each series: linearly in time between two values, and at an end with the nearest value.
// Moments without any value at the ends of a sample are padding, which fill cuts off. A sensor without any value in a
// sample is an error or, with zeros, set to zero.
func (s *set) fill(zeros bool) (f Filled, err error) {
	for i := range s.samples {
		sample := &s.samples[i]
		s.trim(sample)
		if len(sample.values) == 0 {
			return f, fmt.Errorf("%s: no sensor has a value; remove the sample", sample.where)
		}
		width := len(s.sensors) * s.channels
		interpolated, zeroed := f.Values, f.Zeros
		for column := range width {
			filled, any := fillSeries(sample.values[column:], width, sample.times)
			switch {
			case any:
				f.Values += filled
			case zeros:
				f.Zeros += filled
				for at := column; at < len(sample.values); at += width {
					sample.values[at] = 0
				}
			default:
				return f, fmt.Errorf("%s: %s has no value in this sample; "+
					"remove the sample or the sensor, or set it to zero with --missing zero", sample.where, s.column(column))
			}
		}
		f.Of += len(sample.values)
		if f.Values > interpolated || f.Zeros > zeroed {
			f.Samples++
		}
	}
	return f, nil
}

// column names a sensor, and its channel if it has several.
func (s *set) column(at int) string {
	name := fmt.Sprintf("sensor %q", s.sensors[at/s.channels])
	if s.channels > 1 {
		name += fmt.Sprintf(" channel %d", at%s.channels)
	}
	return name
}

// trim cuts off moments without any value at both ends.
func (s *set) trim(x *sample) {
	width := len(s.sensors) * s.channels
	missing := func(moment []float64) bool {
		return !slices.ContainsFunc(moment, func(v float64) bool { return !math.IsNaN(v) })
	}
	for len(x.values) > 0 && missing(x.values[len(x.values)-width:]) {
		x.values = x.values[:len(x.values)-width]
	}
	for len(x.values) > 0 && missing(x.values[:width]) {
		x.values = x.values[width:]
		if x.times != nil {
			x.times = x.times[1:]
		}
	}
	if x.times != nil {
		x.times = x.times[:len(x.values)/width]
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
