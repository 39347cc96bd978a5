package datasets

// This file gives the samples of the array series of an .npz file, as they are there.

import (
	"math"
	"slices"

	"github.com/clusterpool/ccp/datasets/recording"
)

// timepoints counts the time points of sample i.
func (r *npzReader) timepoints(i int) int {
	if r.series.lengths == nil {
		return r.series.timepoints
	}
	return int(r.series.lengths[i])
}

// sample returns the values of sample i, `[sensors, timepoints, axes]`.
func (r *npzReader) sample(i int) []float32 {
	size := r.nodes * r.series.timepoints * r.raw.Channels
	return r.series.values[i*size : (i+1)*size : (i+1)*size]
}

// recording returns sample i, `[timepoints, sensors, axes]`. It is valid until the next call.
func (r *npzReader) recording(i int) recording.Recording {
	s, sensors, axes, timepoints := r.series, r.nodes, r.raw.Channels, r.timepoints(i)
	sample, values := r.sample(i), s.buffer[:0]
	for timepoint := range timepoints {
		for sensor := range sensors {
			for _, v := range sample[(sensor*s.timepoints+timepoint)*axes:][:axes] {
				values = append(values, float64(v))
			}
		}
	}
	s.buffer = values
	if s.times != nil {
		times := s.timesOf(i, timepoints)
		return recording.Recording{Values: values[:len(times)*sensors*axes], Times: times}
	}
	x := recording.Recording{Values: values}
	if r.retimed() {
		x.Times = r.counted(i)
	}
	return x
}

// counted returns the times of a recording without any by its rate.
func (r *npzReader) counted(i int) (times []float64) {
	for timepoint := range r.timepoints(i) {
		times = append(times, float64(timepoint)/r.series.rate)
	}
	return times
}

// timesOf returns the times of a recording of that many time points, without those that are NaN at its end: nothing was
// measured there. All recordings may share their times.
func (s *seriesReader) timesOf(i, timepoints int) []float64 {
	rows := len(s.times) / s.timepoints // 1, or one for each recording
	times := slices.Clone(s.times[i%rows*s.timepoints:][:timepoints])
	for len(times) > 0 && math.IsNaN(times[len(times)-1]) {
		times = times[:len(times)-1]
	}
	return times
}

// retimed reports that recordings without times get some by their rate, since a classifier has another.
func (r *npzReader) retimed() bool {
	s, form := r.series, r.opts.Form
	return s.rate > 0 && form != nil && form.Rate > 0 && (form.Rate != s.rate || s.other)
}

// visit calls add with the values of the columns from..to, `[sensors, axes]`, of all recordings up to their ends.
func (r *npzReader) visit(from, to int, add func(column int, value float32)) {
	axes := r.raw.Channels
	for i := range r.samples {
		sample, timepoints := r.sample(i), r.timepoints(i)
		for sensor := from / axes; sensor*axes < to; sensor++ {
			first, end := max(from, sensor*axes), min(to, (sensor+1)*axes)
			for timepoint := range timepoints {
				row := sample[(sensor*r.series.timepoints+timepoint)*axes:]
				for column := first; column < end; column++ {
					add(column, row[column-sensor*axes])
				}
			}
		}
	}
}

// gaps reports whether a sensor has no value in a sample.
func (r *npzReader) gaps() bool {
	axes := r.raw.Channels
	for i := range r.samples {
		for block := range slices.Chunk(r.sample(i), r.series.timepoints*axes) { // of a sensor
			for axis := range axes {
				there := false
				for at := axis; at < r.timepoints(i)*axes && !there; at += axes {
					there = !math.IsNaN(float64(block[at]))
				}
				if !there {
					return true
				}
			}
		}
	}
	return false
}
