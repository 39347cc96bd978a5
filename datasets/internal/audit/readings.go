package audit

import (
	"math"
	"slices"
)

// This file looks at the readings of one sensor in one recording: how finely they are graded, whether they were
// clipped, whether they change at all, and whether they only rise.

// fewestDistinct is the number of different readings from which on something can be said of how they are graded.
const fewestDistinct = 16

// readings are the different values of a sensor that are not missing, ascending, and how often each comes.
type readings struct {
	distinct []float64
	counts   []int
	all      int
}

// readingsOf counts a value once that stays for some time.
func readingsOf(values []float32) (r readings) {
	sorted := make([]float64, 0, len(values))
	for i, value := range values {
		if !missing(value) && (i == 0 || value != values[i-1]) {
			sorted = append(sorted, float64(value))
		}
	}
	slices.Sort(sorted)
	r.all = len(sorted)
	for i, value := range sorted {
		if i == 0 || value != sorted[i-1] {
			r.distinct, r.counts = append(r.distinct, value), append(r.counts, 0)
		}
		r.counts[len(r.counts)-1]++
	}
	return r
}

// rounded says whether readings are rounded: 1 if they are multiples of a step or come again, 0 if hardly one comes
// again, a half between these, NaN if there are too few to tell. The least, the largest and the most frequent one do
// not count: a sensor may be clipped, and there may be zeros, as of rain.
func (r readings) rounded(step float64) float64 {
	const hardly, often = 0.01, 0.05 // of the readings
	if len(r.distinct) < fewestDistinct {
		return math.NaN()
	}
	last := len(r.counts) - 1
	others := r.all - r.counts[0] - r.counts[last]
	most := slices.Max(r.counts[1:last])
	again := 1 - float64(len(r.distinct)-3)/float64(others-most)
	switch {
	case step > 0 || again > often:
		return 1
	case again > hardly:
		return 0.5
	}
	return 0
}

// clipped returns the share of the readings that have the largest value, if that is there so often as only a sensor at
// the end of its range gives it: at least fewestClipped times, and clippedTimes as often as any other value.
func (r readings) clipped() float64 {
	const fewestClipped, clippedTimes = 4, 4
	last := len(r.counts) - 1
	if last+1 < fewestDistinct || r.counts[last] < fewestClipped {
		return 0
	}
	if r.counts[last] < clippedTimes*slices.Max(r.counts[1:last]) { // the least value may be a zero, as of rain
		return 0
	}
	return float64(r.counts[last]) / float64(r.all)
}

// step returns the step of which all differences of the readings are multiples, such as 0.25; 0 if there is none. known
// is false if there are too few readings to tell.
func (r readings) step() (step float64, known bool) {
	const (
		mostSteps = 1e5 // between the least and the largest value: beyond, float32 says nothing
		mostParts = 32  // that the least difference of two readings is of
	)
	if len(r.distinct) < fewestDistinct {
		return 0, false
	}
	gaps := make([]float64, 0, len(r.distinct)-1)
	for i, value := range r.distinct[1:] {
		gaps = append(gaps, value-r.distinct[i])
	}
	slices.Sort(gaps)
	span := r.distinct[len(r.distinct)-1] - r.distinct[0]
	for parts := 1.0; parts <= mostParts && span*parts <= mostSteps*gaps[0]; parts++ {
		if step, ok := commonStep(gaps, gaps[0]/parts); ok {
			return step, true
		}
	}
	return 0, true
}

// commonStep returns a step near the given one of which all ascending gaps are multiples, if there is one. The given
// one is known to a rounding; each gap tells it better.
func commonStep(gaps []float64, step float64) (float64, bool) {
	const off = 0.1 // of a step, by which multiples may be rounded
	sum, steps := 0.0, 0.0
	for _, gap := range gaps {
		whole := math.Round(gap / step)
		if math.Abs(gap/step-whole) > off {
			return 0, false
		}
		sum, steps = sum+gap, steps+whole
		step = sum / steps
	}
	return step, true
}

// noStep is below the logarithm of every step.
const noStep = -40

// gradedBy returns the logarithm of a step; noStep if there is none. A power of ten is none: it is how numbers are
// written, which their decimals say.
func gradedBy(step float64) float64 {
	const tenth = 0.005 // of a power of ten
	power := math.Log10(step)
	if step == 0 || math.Abs(power-math.Round(power)) < tenth {
		return noStep
	}
	return power
}

// fewestTimePoints is the number from which on a sensor that never changes, or only rises, says something.
const fewestTimePoints = 16

// lookAtSensors sets Constant and Rising.
func (m *Making) lookAtSensors(values []float32, width int) {
	if len(values)/width < fewestTimePoints {
		return
	}
	for sensor := range width {
		constant, rising := true, true
		for at := sensor + width; at < len(values) && (constant || rising); at += width {
			constant = constant && values[at] == values[sensor]
			rising = rising && values[at] > values[at-width]
		}
		if constant {
			m.Constant = append(m.Constant, sensor)
		}
		if rising {
			m.Rising = append(m.Rising, Rise{sensor, float64(values[sensor])})
		}
	}
}

// Rise is a sensor whose values rise at every time point of a recording, and the first of them.
type Rise struct {
	Sensor int
	First  float64
}

func missing(value float32) bool { return value != value }
