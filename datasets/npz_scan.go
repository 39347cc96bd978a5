package datasets

// This file looks at the values of an array once, as they are read: whether they are finite, and what is extreme in
// each column.

import (
	"math"

	"github.com/clusterpool/ccp/internal/extremes"
	"github.com/clusterpool/ccp/internal/npz"
)

// mostScanned bounds the columns whose extremes are found as values are read, with some 4 KB of memory each. Those of
// more columns are found some columns at a time afterwards.
const mostScanned = 1024

// valueScan is what the values of an array say. They are `[samples, sensors, timepoints, axes]`, and a column is an
// axis of a sensor. The columns of a table are the axes of one sensor at one time point.
type valueScan struct {
	infinite, missing bool
	extremes          []extremes.Column // `[sensors, axes]`; nil: not found here

	sensors, timepoints, axes int
	lengths                   []int64 // of each sample; nil: as long as the longest
	at                        int     // the number of values seen
}

// newScan returns a scan that finds extremes if there are few columns.
func newScan(sensors, timepoints, axes int, lengths []int64) *valueScan {
	s := &valueScan{sensors: sensors, timepoints: timepoints, axes: axes, lengths: lengths}
	if sensors*axes <= mostScanned {
		s.extremes = make([]extremes.Column, sensors*axes)
	}
	return s
}

// see takes the next values.
func (s *valueScan) see(some []float32) {
	if !allFinite(some) {
		for _, v := range some {
			s.missing = s.missing || v != v
			s.infinite = s.infinite || v == v && v-v != 0
		}
	}
	if s.extremes == nil {
		s.at += len(some)
		return
	}
	row := s.timepoints * s.axes // the values of a sensor in a sample
	for len(some) > 0 {
		sensor, from := s.at/row, s.at%row
		to := min(from+len(some), row)
		end := row
		if s.lengths != nil {
			end = int(s.lengths[sensor/s.sensors]) * s.axes
		}
		if from < end {
			s.take(sensor%s.sensors, from%s.axes, some[:min(to, end)-from])
		}
		some, s.at = some[to-from:], s.at+to-from
	}
}

// take adds values of one sensor, of which the first is of an axis, to the extremes.
func (s *valueScan) take(sensor, axis int, values []float32) {
	columns := s.extremes[sensor*s.axes:][:s.axes]
	const few = 4 // rows of a table at a time
	if len(values) < few*s.axes {
		for _, v := range values {
			if v == v {
				columns[axis].Add(float64(v))
			}
			axis++
			if axis == s.axes {
				axis = 0
			}
		}
		return
	}
	for i := range columns {
		columns[(axis+i)%s.axes].AddEvery(values[i:], s.axes)
	}
}

// seeAll takes all values of an array, as many at a time as a processor's cache holds.
func (s *valueScan) seeAll(values []float32) {
	const atOnce = 1 << 16
	for len(values) > 0 {
		n := min(len(values), atOnce)
		s.see(values[:n])
		values = values[n:]
	}
}

// allFinite reports whether no value is missing or infinite: their exponents then have a bit that is 0.
func allFinite(values []float32) bool {
	const sign, exponent = 1 << 31, 1 << 23
	carry := uint32(0)
	for _, v := range values {
		carry |= math.Float32bits(v)&^sign + exponent
	}
	return carry < sign
}

// scanSeries returns a scan of series, which reads into r.scan what it finds. Lengths that are wrong are reported
// later, and their series are looked at whole.
func (r *npzReader) scanSeries() npz.Scan {
	return func(shape []int) func(some []float32) {
		if len(shape) < 2 || len(shape) > 4 {
			return nil
		}
		sensors, timepoints, axes := 1, shape[1], 1
		if len(shape) > 2 {
			sensors, timepoints = shape[1], shape[2]
		}
		if len(shape) == 4 {
			axes = shape[3]
		}
		r.scan = newScan(sensors, timepoints, axes, r.knownLengths(shape[0], timepoints))
		if r.opts.Form != nil { // of a classifier, whose training has told of extremes
			r.scan.extremes = nil
		}
		return r.scan.see
	}
}

// knownLengths reads the array lengths ahead of its turn; nil if there is none or if it is wrong.
func (r *npzReader) knownLengths(samples, timepoints int) []int64 {
	if !r.Has("lengths") {
		return nil
	}
	a, err := r.File.Array("lengths")
	if err != nil || a.Len() != samples {
		return nil
	}
	lengths, err := a.Ints()
	if err != nil {
		return nil
	}
	for _, length := range lengths {
		if length < 1 || length > int64(timepoints) {
			return nil
		}
	}
	return lengths
}
