package recordings

import (
	"fmt"
	"math"
	"slices"
)

// tooFewTimes says why many lines of a recording have the time of another one: times were stored as float32, or are
// written in steps that are longer than those between lines. It returns "" if few lines have.
func tooFewTimes(times []float64) string {
	const shared = 0.25 // of the lines
	different := slices.Compact(slices.Sorted(slices.Values(times)))
	lost := len(times) - len(different)
	if float64(lost) < shared*float64(len(times)) {
		return ""
	}
	tick := math.Inf(1)
	for i, time := range different[1:] {
		tick = min(tick, time-different[i])
	}
	seen := fmt.Sprintf("%d of its %d lines have that of another one", lost, len(times))
	last := different[len(different)-1]
	if areFloat32(different, tick) {
		return fmt.Sprintf("%s: these times were stored as float32, in which such as %.0f are %g apart; store them as "+
			"float64, or less the first one", seen, last, stepOfFloat32(last))
	}
	if len(different) == 1 {
		return seen
	}
	return fmt.Sprintf("%s: times are written in steps of %.4g, and lines come more often; write the times with more "+
		"digits", seen, tick)
}

// areFloat32 reports whether different times, ascending and no less than tick apart, are as near to one another as
// float32 lets them be. One time alone must be so large that it is hardly by chance one that float32 holds.
func areFloat32(times []float64, tick float64) bool {
	const large = 64 // times that float64 holds for each that float32 does, of whole numbers
	step := stepOfFloat32(times[len(times)-1])
	near := tick <= 2*step
	if len(times) == 1 {
		near = step >= large
	}
	return near && !slices.ContainsFunc(times, func(time float64) bool { return float64(float32(time)) != time })
}

// stepOfFloat32 returns the distance from a number to the next larger one that float32 holds.
func stepOfFloat32(number float64) float64 {
	return float64(math.Nextafter32(float32(number), math.MaxFloat32)) - float64(float32(number))
}
