package datasets

// This file reads the array series of an .npz file, [samples, sensors, timepoints, axes].

import (
	"errors"
	"fmt"
	"slices"

	"github.com/clusterpool/ccp/internal/npz"
)

// seriesReader holds the recordings of a file as they are there, `[samples, sensors, timepoints, axes]`.
type seriesReader struct {
	values     []float32
	timepoints int     // of the longest
	lengths    []int64 // of each sample; nil: NaN after its end
	names      []string
	rate       float64   // time points for each unit of time; 0: unknown
	times      []float64 // `[timepoints]` or `[samples, timepoints]`; nil: even
	buffer     []float64 // of the last recording
	room       []float32 // for a sample that is turned
	untimed    bool      // Options.Form has a rate, and the file has neither that nor times
	other      bool      // its sensors are not those of Options.Form in their order, and are taken by their names
}

// readSeries reads `series`, [samples, timepoints] of one sensor, [samples, sensors, timepoints] or [samples, sensors,
// timepoints, axes], and what belongs to it.
func (r *npzReader) readSeries() error {
	if r.Has("features") {
		return errors.New("features and series are both there; keep one: series if the samples are recordings in time")
	}
	a, err := r.Narrow("series", r.scanSeries())
	if err == nil {
		r.taken = append(r.taken, ArrayInfo{"series", a.Shape, a.Kind()})
		err = r.takeSeries(a)
	}
	s := r.series
	if s == nil {
		return err
	}
	bad := [4]error{err}
	s.lengths, bad[1] = optional(r, "lengths", r.samples, "samples of series", (*npz.Array).Ints)
	s.names, bad[2] = optional(r, "sensor_names", r.nodes, "sensors of series", (*npz.Array).Strings)
	bad[3] = r.readTimes()
	var wrong npz.Wrong
	for i, length := range s.lengths {
		if length < 1 || length > int64(s.timepoints) {
			wrong.Add("lengths[%d] is %d; want 1 to the %d time points of series", i, length, s.timepoints)
		}
	}
	r.warnTurned()
	err = errors.Join(append(bad[:], wrong.Err("lengths"))...)
	if err != nil {
		s.values = nil
	}
	return err
}

// takeSeries takes the values of series and their shape.
func (r *npzReader) takeSeries(a *npz.Array) error {
	if len(a.Shape) == 2 { // of one sensor
		a.Shape = slices.Insert(slices.Clone(a.Shape), 1, 1)
	}
	if len(a.Shape) < 3 || len(a.Shape) > 4 || slices.Contains(a.Shape, 0) {
		return fmt.Errorf("series has shape %v; want [samples, timepoints] of one sensor, [samples, sensors, timepoints] or "+
			"[samples, sensors, timepoints, axes], none of them 0", a.Shape)
	}
	values, _, err := r.float32s("series", a, true, "replace it, or store NaN for a missing value")
	if values == nil {
		return err
	}
	axes := 1
	if len(a.Shape) == 4 {
		axes = a.Shape[3]
	}
	r.samples, r.nodes, r.raw.Nodes, r.raw.Channels = a.Shape[0], a.Shape[1], a.Shape[1], axes
	r.series = &seriesReader{values: values, timepoints: a.Shape[2]}
	if r.skip != nil {
		err = nil // prepareSeries leaves out the samples whose values are wrong
	}
	if err != nil {
		r.series.values = nil
	}
	return err
}

// seriesOfFeatures makes recordings of one time point of features with missing values: nodes are sensors.
func (r *npzReader) seriesOfFeatures(values []float32) {
	// readNames tells what is wrong
	names, _ := optional(r, "node_names", r.nodes, "nodes of features", (*npz.Array).Strings)
	r.series = &seriesReader{values: values, timepoints: 1, names: names}
}
