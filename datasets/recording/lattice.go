package recording

import (
	"math"
	"slices"
	"sort"

	"gonum.org/v1/gonum/stat"
)

// roundedWithLosses returns the step of times that were even before they were rounded to ticks, and before some time
// points were lost; 0 if they were not. sorted are their steps. The median step of 60 time points a second at 0.02,
// 0.03 and 0.05 would be that of 50.
func roundedWithLosses(times, sorted []float64) float64 {
	const coarse = 0.02 // of a step: finer ticks hardly change the median
	if len(sorted) < minSteps {
		return 0
	}
	low, usual := sorted[0], sorted[len(sorted)/2]
	tick, normal := 0.0, 0 // the least difference of steps, and how many are a tick apart at most
	for i := range sorted[1:] {
		if apart := sorted[i+1] - sorted[i]; apart > coarse*usual && (tick == 0 || apart < tick) {
			tick = apart
		}
	}
	isTicks := func(step float64) bool {
		ticks := math.Round(step / tick)
		return ticks >= 1 && math.Abs(step/tick-ticks) <= 2*alike
	}
	if tick == 0 || slices.ContainsFunc(sorted, func(step float64) bool { return !isTicks(step) }) {
		return 0
	}
	const many = 8 // steps of two ticks, as in roundedTo
	longer := len(sorted) - sort.SearchFloat64s(sorted, low+tick/2)
	if math.Round(low/tick) == 1 && longer < many && 4*longer < len(sorted) {
		return 0
	}
	for normal < len(sorted) && sorted[normal] <= low+(1+alike)*tick {
		normal++
	}
	longest := 0.0 // of those that fit: the fewest time points would be lost
	for _, guess := range []float64{stat.Mean(sorted[:normal], nil), stat.Mean(sorted, nil)} {
		for _, follows := range []float64{0, 0.05, 0.1, 0.2} {
			longest = max(longest, latticeOf(times, guess, tick, follows))
		}
	}
	return longest
}

// latticeOf fits even times, of which some are lost, to rounded ones, from a first guess of their step on. It counts
// the steps between two times, at least one, from a line that follows the times by a share of their distance, and then
// fits a line to all. It is 0 if times lie further than a tick from that, or if too many would be lost.
func latticeOf(times []float64, step, tick, follows float64) float64 {
	const (
		width    = 1.3 // ticks around the line, as in roundedTo
		mostLost = 0.2 // of the time points
		rounds   = 4
	)
	counts, begin := make([]float64, len(times)), times[0]
	for range rounds {
		at := begin // where the line is at the time point before
		for i := 1; i < len(times); i++ {
			passed := max(1, math.Round((times[i]-at)/step))
			counts[i] = counts[i-1] + passed
			at += passed * step
			at += follows * (times[i] - at)
		}
		begin, step = stat.LinearRegression(counts, times, nil, false)
		if !(step > 0) {
			return 0
		}
	}
	least, most := math.Inf(1), math.Inf(-1)
	for i, time := range times {
		off := time - begin - step*counts[i]
		least, most = min(least, off), max(most, off)
	}
	lost := counts[len(counts)-1] + 1 - float64(len(times))
	if most-least > width*tick || lost > mostLost*float64(len(times)) {
		return 0
	}
	return step
}
