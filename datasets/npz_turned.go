package datasets

// This file warns of series whose axes of sensors and of time points seem to be exchanged.

import "math"

// warnTurned warns of series that may be [samples, timepoints, sensors]: there are many more sensors than time points,
// or more, and series change much less from sensor to sensor than in time. No array says which axis is which.
func (r *npzReader) warnTurned() {
	s, why := r.series, ""
	switch {
	case s.timepoints < 2 || s.names != nil || r.nodes <= s.timepoints:
		return
	case r.nodes > 8*s.timepoints:
	case r.smootherOverSensors():
		why = ", and changes much less from sensor to sensor than in time"
	default:
		return
	}
	appendf(&r.raw.Warnings, "series has %d sensors at %d time points%s; if it is [samples, timepoints, sensors], "+
		"transpose it (series.transpose(0, 2, 1))", r.nodes, s.timepoints, why)
}

// smootherOverSensors reports that series change less than half as much from sensor to sensor as from time point to
// time point.
func (r *npzReader) smootherOverSensors() bool {
	const some = 100 // samples are enough
	axes := r.raw.Channels
	perSensor := r.series.timepoints * axes
	sensors, times := 0.0, 0.0
	for i := range min(some, r.samples) {
		sample := r.sample(i)
		for at := range sample {
			inTime, overSensors := at%perSensor+axes < perSensor, at+perSensor < len(sample)
			if !inTime || !overSensors {
				continue
			}
			overTime := math.Abs(float64(sample[at+axes] - sample[at]))
			across := math.Abs(float64(sample[at+perSensor] - sample[at]))
			if both := overTime + across; both == both { // else a value is missing
				times, sensors = times+overTime, sensors+across
			}
		}
	}
	return 2*sensors < times
}
