package datasets

import (
	"fmt"
	"slices"

	"github.com/clusterpool/ccp/datasets/recording"
)

// NewSeries returns recordings in memory as raw samples. series[i] is recording i, `[timepoints, sensors]` row by row in raw
// units; recordings may differ in length. NaN is a missing value, which is interpolated in time. labels[i] is the class of
// recording i by its name. The slices are not changed, and those without gaps are not copied.
//
// Set Groups, Graph (the links of the sensors; nil joins those that correlate) and other fields as need be, and [Make] the data
// set: with a [Split] of your own, or with [Drawn] of the raw samples' Labels and Groups.
//
// It is an error if the lengths do not fit together, or if a sensor has no value in a recording. The error names the recording,
// the sensor and the time point.
func NewSeries(name string, series [][]float32, sensors, labels []string) (*Raw, error) {
	r := &Raw{Name: name, Series: slices.Clone(series), Labels: make([]int32, len(labels)), Provenance: "made in memory",
		Recorded: &recording.Form{Sensors: sensors, Channels: 1}}
	switch {
	case len(sensors) == 0:
		return nil, fmt.Errorf("data set %s: no sensors; name each column of a recording", name)
	case len(series) == 0 || len(series) != len(labels):
		return nil, fmt.Errorf("data set %s: %d recordings and %d labels; there must be one label for each recording", name, len(series), len(labels))
	}
	r.Nodes, r.Channels = len(sensors), 1
	r.ClassNames = slices.Compact(slices.Sorted(slices.Values(labels)))
	for i, label := range labels {
		at, _ := slices.BinarySearch(r.ClassNames, label)
		r.Labels[i] = int32(at)
	}
	for i, values := range series {
		if !slices.ContainsFunc(values, func(v float32) bool { return v-v != 0 }) && len(values) > 0 && len(values)%len(sensors) == 0 {
			continue
		}
		one := recording.Recording{Sensors: sensors, Channels: 1, Values: make([]float64, len(values))}
		for j, v := range values {
			one.Values[j] = float64(v)
		}
		if _, err := r.Recorded.Prepare(&one); err != nil {
			return nil, fmt.Errorf("data set %s: series[%d]: %w", name, i, err)
		}
		r.Series[i] = r.Recorded.Even(one, nil)
	}
	return r, nil
}
