package recording

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// spacing says how times follow each other.
type spacing struct {
	step float64 // the usual one; the mean of all if they are even
	even bool    // the times are as if a clock had ticked evenly, but for small deviations and for rounding
	tick float64 // what the times were rounded to; 0 if that does not matter
}

const (
	mostJitter = 0.1 // of a step, by which an even time may be off
	minSteps   = 10  // of times that tell rounding from chance
)

// spacingOf returns the spacing of at least two ascending times. Times that deviate by up to mostJitter from even ones
// are even, and so are rounded ones. The step of even times is the mean, which rounding hardly changes, and else the
// median, which a pause does not change.
func spacingOf(times []float64) spacing {
	steps := make([]float64, len(times)-1)
	for i := range steps {
		steps[i] = times[i+1] - times[i]
	}
	mean, off := (times[len(steps)]-times[0])/float64(len(steps)), 0.0
	for i, time := range times {
		off = max(off, math.Abs(time-times[0]-mean*float64(i)))
	}
	slices.Sort(steps)
	s := spacing{step: stat.Quantile(0.5, stat.Empirical, steps, nil), even: off <= mostJitter*mean}
	if !s.even {
		s.tick = roundedTo(times, steps)
		s.even = s.tick > 0
	}
	const same = 1e-6 // the rounding of float64 changes no step
	if s.even && math.Abs(s.step-mean) > same*mean {
		s.step = mean
	}
	if s.even {
		s.step = stepInDigitsOf(s.step, mean, times)
	}
	if !s.even {
		if step := roundedWithLosses(times, steps); step > 0 && math.Abs(s.step-step) > same*step {
			s.step = step
		}
	}
	return s
}

// stepInDigitsOf returns the step of even times, in the digits that they tell. float64 rounds dates, seconds since
// 1970, by up to 1e-7, so that steps of 0.01 differ in the sixth digit. Then the mean is taken, in no more digits than
// times so far from 0 tell.
func stepInDigitsOf(step, mean float64, times []float64) float64 {
	last := max(math.Abs(times[0]), math.Abs(times[len(times)-1]))
	off := math.Nextafter(last, math.Inf(1)) - last
	const matters = 1e-9 // of a step
	if off <= matters*step {
		return step
	}
	unit := math.Pow(10, -math.Ceil(math.Log10(2*off/float64(len(times)-1)))) // 1 over a power of ten
	return cmp.Or(math.Round(mean*unit)/unit, mean)
}

// roundedTo returns the tick to which even times were rounded, such as 0.01 for 60 time points a second at 0.02, 0.03
// and 0.05; 0 if they were not even. All steps are then n or n+1 ticks, spread so evenly that the times stay within a
// tick of a line. Where these are one tick and two, a few of two may as well be lost time points: they count only if
// they are many. Times of whole ticks that were cut, as R cuts 0.02, 0.04 and 0.06 to 0.01, 0.04 and 0.05, have steps
// of n-1, n and n+1 ticks.
func roundedTo(times, sorted []float64) (tick float64) {
	const (
		width    = 1.3 // of the ticks around the line, which the least squares fit a little askew
		cutWidth = 1.5 // and more so where the ticks that were cut off come in rows
		many     = 8   // lost time points are not so evenly spread by chance
	)
	low, high := sorted[0], sorted[len(sorted)-1]
	tick = high - low
	cut := wasCut(sorted)
	if cut {
		tick /= 2
	}
	n := math.Round(low / tick)
	if len(sorted) < minSteps || !(n >= 1) || math.Abs(low/tick-n) > alike {
		return 0
	}
	longer := 0
	for _, step := range sorted {
		switch {
		case step-low <= alike*tick:
		case high-step <= alike*tick:
			longer++
		case math.Abs(step-low-tick) <= alike*tick:
		default:
			return 0
		}
	}
	if n == 1 && !cut && longer < many && 4*longer < len(sorted) {
		return 0
	}
	counts := make([]float64, len(times))
	for i := range counts {
		counts[i] = float64(i)
	}
	begin, step := stat.LinearRegression(counts, times, nil, false)
	least, most := math.Inf(1), math.Inf(-1)
	for i, time := range times {
		off := time - begin - step*float64(i)
		least, most = min(least, off), max(most, off)
	}
	if most-least > width*tick && !(cut && most-least <= cutWidth*tick) {
		return 0
	}
	return tick
}

const alike = 0.05 // of a tick, by which steps of as many ticks differ

// wasCut reports that sorted steps are of n-1, n and n+1 ticks, many of them n, and some of the others.
func wasCut(sorted []float64) bool {
	low, high := sorted[0], sorted[len(sorted)-1]
	middle := (low + high) / 2
	near := alike * (high - low) / 2
	shorter, longer := 0, 0
	for _, step := range sorted {
		switch {
		case step-low <= near:
			shorter++
		case high-step <= near:
			longer++
		case math.Abs(step-middle) > near:
			return false
		}
	}
	usual := len(sorted) - shorter - longer
	return min(shorter, longer) > 1 && 4*usual >= len(sorted) // one of each may as well be a late time point
}

// rateOf returns the time points for each unit of time: one over the usual step, which is the mean of even times and
// the median of others. Even times may be rounded. It is 0 for fewer than two times.
func rateOf(times []float64) float64 {
	if len(times) < 2 {
		return 0
	}
	return 1 / spacingOf(times).step
}

// Rate returns rateOf the times of a recording. If each sensor is read at times of its own, these may lie close
// together by chance, and the rate is at most the sum of the sensors' own rates.
func (r Recording) Rate() float64 {
	all, sum, _, _ := r.rates()
	return min(all, sum)
}

// rates returns rateOf all times, the sum of the sensors' own rates, and the greatest of them, with that sensor's
// times. They are one if a sensor is read at all times.
func (r Recording) rates() (all, sum, most float64, times []float64) {
	channels, width := max(1, r.Channels), 0
	if len(r.Times) > 0 {
		width = len(r.Values) / len(r.Times)
	}
	return ratesOf(r.Times, (width+channels-1)/channels, func(at, sensor int) bool {
		return !math.IsNaN(r.Values[at*width+sensor*channels])
	})
}

// ratesOf returns the rates of times at which sensors have values or not.
func ratesOf(all []float64, sensors int, has func(at, sensor int) bool) (rate, sum, most float64, times []float64) {
	rate = rateOf(all)
	if rate == 0 {
		return 0, 0, 0, nil
	}
	for sensor := range sensors {
		own := make([]float64, 0, len(all))
		for i, time := range all {
			if has(i, sensor) {
				own = append(own, time)
			}
		}
		if len(own) == len(all) {
			return rate, rate, rate, own
		}
		if tooFew(len(own), len(all)) {
			continue
		}
		one := rateOf(own)
		sum += one
		if one > most {
			most, times = one, own
		}
	}
	if times == nil {
		most, times = rate, all
	}
	return rate, cmp.Or(sum, rate), most, times
}

// Rate returns the median rate of n recordings, see Recording.Rate. Those without times do not count. It is 0 if none
// has times.
func Rate(n int, one func(i int) Recording) float64 {
	var rates []float64
	for i := range n {
		if rate := one(i).Rate(); rate > 0 {
			rates = append(rates, rate)
		}
	}
	slices.Sort(rates)
	if rates == nil {
		return 0
	}
	return rates[len(rates)/2]
}

// counted returns the times of time points, the first at 0, that many to a second.
func counted(timepoints int, rate float64) []float64 {
	times := make([]float64, timepoints)
	for i := range times {
		times[i] = float64(i) / rate
	}
	return times
}

// tooFew reports that a sensor has so few values, in a recording of so many time points, that they show no step.
func tooFew(values, rows int) bool {
	const few = 5
	return values < few && few*values <= rows
}

// usualStep returns the usual step of ascending times: their median. Where time points come in bursts, as from a radio
// that sends several at once, long steps are many and alike, and these are the usual ones. It is 0 for one time.
func usualStep(times []float64) float64 {
	const (
		share = 0.15 // of the steps, which losses hardly make
		alike = 1.5  // the ratio of their quartiles
	)
	if len(times) < 2 {
		return 0
	}
	steps := make([]float64, len(times)-1)
	for i := range steps {
		steps[i] = times[i+1] - times[i]
	}
	slices.Sort(steps)
	median := steps[len(steps)/2]
	from, _ := slices.BinarySearch(steps, longStep*median)
	long := steps[from:]
	if n := len(long); n > 1 && float64(n) >= share*float64(len(steps)) && long[n-1-n/4] < alike*long[n/4] {
		return long[n/2]
	}
	return median
}
