package features

import "math"

// Scaling standardises the columns of recordings by the mean and the standard deviation of each column over all time
// points of the training recordings. It also knows the order of a sample's values.
type Scaling struct {
	Mean  []float32
	Scale []float32 // one over the standard deviation; zero for a constant column
	// Channels is the number of columns of a sensor.
	Channels int
	// SensorFrames is the number of time points of samples `[sensors, timepoints, channels]`; 0 stands for samples
	// `[timepoints, columns]`.
	SensorFrames int

	stretch int // time points that recordings are stretched to, if above zero
}

// NewScaling returns the scaling of samples with so many columns, with zeros for Measure or a reader of checkpoints
// to fill.
func NewScaling(columns, channels, sensorFrames int) Scaling {
	mean, scale := make([]float32, columns), make([]float32, columns)
	return Scaling{Mean: mean, Scale: scale, Channels: channels, SensorFrames: sensorFrames}
}

// timepoints returns how many time points a sample of so many values has. One without values counts as one time point.
func (s Scaling) timepoints(values int) int { return max(1, values/len(s.Mean)) }

// index returns where a sample has the value of a column at a time point.
func (s Scaling) index(timepoint, column int) int {
	if s.SensorFrames > 0 {
		sensor, channel := column/s.Channels, column%s.Channels
		return (sensor*s.SensorFrames+timepoint)*s.Channels + channel
	}
	return timepoint*len(s.Mean) + column
}

// column returns the column of a sample's value.
func (s Scaling) column(index int) int {
	if s.SensorFrames > 0 {
		sensor, channel := index/(s.Channels*s.SensorFrames), index%s.Channels
		return sensor*s.Channels + channel
	}
	return index % len(s.Mean)
}

// Read makes r the standardised recording of a sample. A value that is missing or not finite becomes the column's
// mean, which is zero.
func (s Scaling) Read(r *Recording, values []float32) {
	r.Timepoints = s.timepoints(len(values))
	r.resize(len(s.Mean))
	for c, x := range r.Columns {
		for p := range x {
			at := s.index(p, c)
			if at < len(values) && finite(values[at]) {
				x[p] = (values[at] - s.Mean[c]) * s.Scale[c]
			}
		}
		r.setDifferences(c)
	}
	if s.stretch > 0 {
		asRecorded := *r
		r.flat, r.Columns, r.differences = nil, nil, nil // which asRecorded has
		r.stretch(&asRecorded, s.stretch)
	}
}

// Measure sets the Mean of each column and, unless it is constant, its Scale, from all values of samples that are
// finite.
func (s Scaling) Measure(samples [][]float32) {
	columns := len(s.Mean)
	count, mean, variance := make([]float64, columns), make([]float64, columns), make([]float64, columns)
	for _, values := range samples {
		for i, x := range values {
			if finite(x) {
				c := s.column(i)
				count[c]++
				mean[c] += (float64(x) - mean[c]) / count[c]
			}
		}
	}
	for _, values := range samples {
		for i, x := range values {
			if finite(x) {
				c := s.column(i)
				variance[c] += (float64(x) - mean[c]) * (float64(x) - mean[c]) / count[c]
			}
		}
	}
	for c := range columns {
		s.Mean[c] = float32(mean[c])
		// A column also counts as constant if its deviation may be the rounding of a large mean, or is so small that
		// 1/deviation is no float32.
		deviation := math.Sqrt(variance[c])
		if deviation > max(1e-7*math.Abs(mean[c]), 1/math.MaxFloat32) {
			s.Scale[c] = float32(1 / deviation)
		}
	}
}
