package datasets

// This file reads when the time points of an .npz file's series were: the arrays rate and times.

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/gomlx/gomlx/support/xslices"
)

// readTimes reads `rate`, time points for each unit of time, or `times`, [timepoints] or [samples, timepoints].
func (r *npzReader) readTimes() error {
	s := r.series
	if r.Has("rate") {
		a, err := r.Array("rate")
		if err != nil {
			return err
		}
		rate, err := a.Floats()
		if err != nil || len(rate) != 1 || !(rate[0] > 0) || math.IsInf(rate[0], 1) {
			return errors.New("rate must be one number above 0: time points for each second, or other unit of time")
		}
		s.rate = rate[0]
	}
	if !r.Has("times") {
		return nil
	}
	if s.rate > 0 {
		return errors.New("rate and times are both there; keep one")
	}
	a, err := r.Array("times")
	if err != nil {
		return err
	}
	if !slices.Equal(a.Shape, []int{s.timepoints}) && !slices.Equal(a.Shape, []int{r.samples, s.timepoints}) {
		return fmt.Errorf("times has shape %v; want [%d] or [%d, %[2]d], the time points of series", a.Shape,
			s.timepoints, r.samples)
	}
	s.times, err = a.Floats()
	if single, is := a.Data.([]float32); is && coarse(single, s.timepoints) {
		return errors.New("times are float32, which holds some 7 digits, so that time points have the same time; store " +
			"float64, or seconds from the begin of each recording")
	}
	switch whole := a.Data.(type) {
	case []int64:
		s.countFromFirst(whole, r.raw)
	case []uint64: // a difference of two is right beyond the largest int64, too
		s.countFromFirst(xslices.Map(whole, func(at uint64) int64 { return int64(at) }), r.raw)
	}
	if err == nil {
		r.warnValuesWithoutTimes()
	}
	return err
}

// warnValuesWithoutTimes warns of values after the last time of a recording, which are left out.
func (r *npzReader) warnValuesWithoutTimes() {
	s, lost, first := r.series, 0, ""
	for i := range r.samples {
		at := i % (len(s.times) / s.timepoints)
		times := s.times[at*s.timepoints:][:r.timepoints(i)]
		end := len(times)
		for end > 0 && math.IsNaN(times[end-1]) {
			end--
		}
		if end < len(times) && r.hasValue(i, end, len(times)) {
			lost++
			first = cmp.Or(first, fmt.Sprintf("series[%d], from time point %d", i, end))
		}
	}
	if lost > 0 {
		appendf(&r.raw.Warnings, "times are NaN at the ends of %d of %d series that have values there (the first: %s); "+
			"these are left out: store their times, or NaN in series if nothing was measured", lost, r.samples, first)
	}
}

// hasValue reports that a sensor has a value at one of the time points from..to.
func (r *npzReader) hasValue(i, from, to int) bool {
	axes := r.raw.Channels
	if r.series.values == nil {
		return false
	}
	for block := range slices.Chunk(r.sample(i), r.series.timepoints*axes) { // of a sensor
		if slices.ContainsFunc(block[from*axes:to*axes], func(v float32) bool { return v == v }) {
			return true
		}
	}
	return false
}

// countFromFirst counts the times of each recording from its first if some are beyond the integers that float64 holds,
// such as nanoseconds since 1970. Those after the end of a recording do not matter.
func (s *seriesReader) countFromFirst(times []int64, raw *Raw) {
	const exact = 1 << 53
	if len(times) == 0 || !slices.ContainsFunc(times, func(at int64) bool { return at > exact || at < -exact }) {
		return
	}
	for i, at := range times {
		s.times[i] = float64(at - times[i-i%s.timepoints])
	}
	raw.Notes = append(raw.Notes,
		"times have more digits than float64 holds; those of each recording are counted from its first")
}

// coarse reports that the steps of times vanish in float32: two times in a row are equal, and as large as that rounding
// makes them so.
func coarse(times []float32, timepoints int) bool {
	const large = 1 << 20 // steps of an eighth vanish beyond
	for i := 1; i < len(times); i++ {
		if i%timepoints > 0 && times[i] == times[i-1] && math.Abs(float64(times[i])) >= large {
			return true
		}
	}
	return false
}
