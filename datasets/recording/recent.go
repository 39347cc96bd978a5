package recording

import "math"

// recent are the last time points of a stream, by which its own rate shows while it comes.
type recent struct {
	times []float64
	has   []bool // of each time point, whether each sensor has a value
	fresh int    // time points since each was computed
	each  float64
}

// mostRecent bounds how many time points are kept: enough to tell rounding from chance, and few enough that a stream
// whose rate changes is soon known by its new one.
const mostRecent = 64

// add takes a time point, whose sensors have so many channels, and returns the time that one stands for: one over the
// rate of the sensor that is read most often, as Form.Windows has it of a whole recording. It is 0 for one time point.
func (r *recent) add(time float64, values []float64, channels int) float64 {
	sensors := len(values) / channels
	if len(r.times) == mostRecent {
		r.times = r.times[:copy(r.times, r.times[1:])]
		r.has = r.has[:copy(r.has, r.has[sensors:])]
	}
	r.times = append(r.times, time)
	for sensor := range sensors {
		r.has = append(r.has, !math.IsNaN(values[sensor*channels]))
	}
	r.fresh++
	const few = 8 // while each one more may change the usual step
	if n := len(r.times); n <= few || 2*r.fresh >= n {
		_, _, most, _ := ratesOf(r.times, sensors, func(at, sensor int) bool { return r.has[at*sensors+sensor] })
		r.fresh = 0
		if most > 0 {
			r.each = 1 / most
		}
	}
	return r.each
}

// reset forgets all time points.
func (r *recent) reset() { r.times, r.has, r.fresh, r.each = r.times[:0], r.has[:0], 0, 0 }

// offBy is the share of a time point by which rates, and times, may be off for the digits that they are written with.
// No decision about windows hangs on that.
const offBy = 0.01

// tooFewIn reports that less than half of the time points are there that a window of a length holds, which is a whole
// number. Where time points are further apart than a window is long, all are missing.
func tooFewIn(there int, length, each float64) bool {
	holds := int(length/each + offBy)
	return holds == 0 || 2*there < holds
}

// early returns how long before the begin of a window a time point may come that is in it: less than half of what it
// stands for, so that one in the middle of two is in the window before.
func early(each float64) float64 { return (0.5 - offBy) * each }
