package audit

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// Making says how a recording was made, as its values and times before any preparation tell. Nothing of it is what the
// sensors measured, though some of it may go with that: see [Descriptor.Artefact].
type Making struct {
	TimePoints int        // its own, before it was brought to another rate
	Missing    float64    // the share of its values that are missing
	MissingOf  []float64  // that share for each sensor; nil if nothing is missing
	Late       int        // time points before its first value
	RunStart   int        // time points after the first one that repeat it, in all sensors
	RunEnd     int        // time points before the last one that equal it, in all sensors
	RunWithin  int        // the longest run of repeated time points between these two, in all sensors
	Repeat     int        // the most time points in a row at which a sensor keeps one value
	Step       float64    // the logarithm of the step of a sensor's values, see gradedBy; NaN if unknown
	Rounded    float64    // the share of its sensors that are rounded, see readings.rounded; NaN if unknown
	Clipped    float64    // the share of a sensor's values that lie at the end of its range
	Constant   []int      // sensors that never change
	Rising     []Rise     // sensors that rise at every time point
	Begin      float64    // the first of its own times; 0 if it has none
	Decimals   int        // of its values
	Digits     int        // of its values, with those before the point
	Scale      float64    // the logarithm of the deviation of its values
	Rate       float64    // time points for each unit of time by its own times; 0 if it has none
	Jitter     float64    // deviation of the steps of its own times, as a share of their mean
	MadeUp     float64    // the share of its values that lie in holes, where nothing was measured
	Hum        [2]float64 // the logarithm of the power at 50 and 60 Hz beside that of the frequencies around; 0 if unknown
}

// someSensors and someTimePoints bound what is looked at of a recording where that is long or wide.
const (
	someSensors       = 8
	someTimePoints    = 1024
	writtenTimePoints = 100 // of which the digits are counted
)

// Made describes a recording of width values at each time point, `[time points, width]`, in which NaN is missing.
// Time points without any value at its end are not its own. The rate in Hz is 0 if it is unknown.
func Made(values []float32, width int, rate float64) (m Making) {
	length := len(values) / width
	for length > 0 && allMissing(values[(length-1)*width:length*width]) {
		length--
	}
	values = values[:length*width]
	m.TimePoints, m.Step, m.Rounded = length, math.NaN(), math.NaN()
	for m.Late < length && allMissing(values[m.Late*width:(m.Late+1)*width]) {
		m.Late++
	}
	m.countMissing(values, width)
	m.measureScale(values)
	m.countRuns(values, width)
	m.lookAtSensors(values[m.Late*width:], width)
	var steps []float64
	rounded := 0.0
	sensor := make([]float32, 0, min(length, someTimePoints))
	for at := 0; at < width; at += (width + someSensors - 1) / someSensors {
		sensor = sensor[:0]
		for time := range min(length, someTimePoints) {
			sensor = append(sensor, values[time*width+at])
		}
		m.Repeat = max(m.Repeat, longestRepeat(sensor))
		decimals, digits := digitsOf(sensor[:min(len(sensor), writtenTimePoints)])
		m.Decimals, m.Digits = max(m.Decimals, decimals), max(m.Digits, digits)
		for line := range m.Hum {
			m.Hum[line] += hum(sensor, rate, mains[line]) / float64(min(width, someSensors))
		}
		r := readingsOf(sensor)
		m.Clipped = max(m.Clipped, r.clipped())
		if step, known := r.step(); known {
			steps = append(steps, gradedBy(step))
			rounded += r.rounded(step)
		}
	}
	if steps != nil {
		slices.Sort(steps)
		m.Step = steps[len(steps)/2]
		m.Rounded = rounded / float64(len(steps))
	}
	return m
}

func allMissing(values []float32) bool {
	return !slices.ContainsFunc(values, func(v float32) bool { return !missing(v) })
}

// countMissing sets Missing and MissingOf.
func (m *Making) countMissing(values []float32, width int) {
	for at, value := range values {
		if !missing(value) {
			continue
		}
		if m.MissingOf == nil {
			m.MissingOf = make([]float64, width)
		}
		m.Missing += 1 / float64(len(values))
		m.MissingOf[at%width] += float64(width) / float64(len(values))
	}
}

// measureScale sets Scale.
func (m *Making) measureScale(values []float32) {
	count, sum, squares := 0.0, 0.0, 0.0
	for _, value := range values {
		if !missing(value) {
			count, sum = count+1, sum+float64(value)
		}
	}
	mean := sum / max(1, count)
	for _, value := range values {
		if !missing(value) {
			squares += (float64(value) - mean) * (float64(value) - mean)
		}
	}
	const least = 1e-12 // so that a constant recording has a logarithm
	m.Scale = math.Log10(math.Sqrt(squares/max(1, count)) + least)
}

// countRuns sets RunStart, RunEnd and RunWithin.
func (m *Making) countRuns(values []float32, width int) {
	length := len(values) / width
	equal := func(one, other int) bool {
		for at := range width {
			a, b := values[one*width+at], values[other*width+at]
			if a != b && !(missing(a) && missing(b)) {
				return false
			}
		}
		return true
	}
	first := min(m.Late, max(0, length-1))
	for first+m.RunStart+1 < length && equal(first, first+m.RunStart+1) {
		m.RunStart++
	}
	for m.RunEnd+1 < length && equal(length-1, length-2-m.RunEnd) {
		m.RunEnd++
	}
	run := 0
	for at := first + m.RunStart + 1; at < length-m.RunEnd-1; at++ {
		if equal(at, at-1) {
			run++
		} else {
			run = 0
		}
		m.RunWithin = max(m.RunWithin, run)
	}
}

// longestRepeat returns the most values in a row that are equal.
func longestRepeat(values []float32) (longest int) {
	run := 0
	for i, value := range values {
		if i > 0 && value == values[i-1] {
			run++
		} else {
			run = 1
		}
		if !missing(value) {
			longest = max(longest, run)
		}
	}
	return longest
}

// digitsOf returns how many decimals the values are written with, and how many digits in all, as the shortest decimal
// numbers that are these values tell.
func digitsOf(values []float32) (decimals, digits int) {
	buffer := make([]byte, 0, 32)
	for _, value := range values {
		if missing(value) {
			continue
		}
		buffer = strconv.AppendFloat(buffer[:0], math.Abs(float64(value)), 'e', -1, 32) // such as 1.234e-02
		mantissa, exponent, _ := strings.Cut(string(buffer), "e")
		power, _ := strconv.Atoi(exponent) // what AppendFloat wrote is a number
		count := len(strings.Replace(mantissa, ".", "", 1))
		digits = max(digits, count)
		decimals = max(decimals, count-1-power)
	}
	return max(0, decimals), digits
}

// mains are the frequencies of the mains in Hz.
var mains = [2]float64{50, 60}

// hum returns the logarithm of the power of a sensor at a frequency beside that of the frequencies around it; 0 where
// the rate, both in Hz, is too low to say, or is not known.
func hum(values []float32, rate, frequency float64) float64 {
	const reach = 8 // bins of the spectrum to either side
	n := len(values)
	width := rate / float64(n) // of a bin
	if n < 4*reach || !(frequency+reach*width < rate/2) {
		return 0
	}
	mean, count := 0.0, 0.0
	for _, value := range values {
		if !missing(value) {
			mean, count = mean+float64(value), count+1
		}
	}
	mean /= max(1, count)
	at, around := 0.0, 0.0
	for bin := -reach; bin <= reach; bin++ {
		power := powerAt(values, mean, (frequency+float64(bin)*width)/rate)
		switch {
		case bin >= -1 && bin <= 1:
			at += power / 3
		case bin < -2 || bin > 2:
			around += power / (2 * (reach - 2))
		}
	}
	if !(at > 0 && around > 0) {
		return 0
	}
	return math.Log10(at / around)
}

// powerAt returns the power of values at a frequency in cycles for each time point, after Hann's window, by Goertzel's
// algorithm.
func powerAt(values []float32, mean, frequency float64) float64 {
	turn := 2 * math.Cos(2*math.Pi*frequency)
	before, last := 0.0, 0.0
	for i, value := range values {
		x := 0.0
		if !missing(value) {
			x = (float64(value) - mean) * (1 - math.Cos(2*math.Pi*(float64(i)+0.5)/float64(len(values))))
		}
		before, last = last, x+turn*last-before
	}
	return last*last + before*before - turn*last*before
}
