//go:build !purego

package features

import (
	"math"

	"golang.org/x/sys/cpu"
)

// The inner loops of random convolutions take half of the time of a fit, and Go's compiler makes one multiplication at
// a time of them. With AVX2, which nearly all processors for servers and desktops have since 2015, they do eight. They
// round as the loops in Go do, but for the order in which competeEights adds.
var hasAVX2 = cpu.X86.HasAVX2

//go:noescape
func filterAVX2(out, x, weights *float32, eights, taps, step int)

//go:noescape
func countAboveAVX2(values *float32, n int, thresholds *[4]float32, counts *[4]int32)

//go:noescape
func nearestAVX2(products, squares, scale *float32, eights int, limits *[2]float32, found *nearestLanes)

//go:noescape
func competeAVX2(responses *[kernelsPerGroup]*float32, eights int, kernels *[kernelsPerGroup + 2][8]int32,
	soft *[kernelsPerGroup][8]float32, hard *[kernelsPerGroup][8]int32)

// filterEights is filter for the first positions, and returns how many these are.
func filterEights(out, x, weights []float32, step int) (done int) {
	eights := len(out) / 8
	if !hasAVX2 || eights == 0 {
		return 0
	}
	_ = x[8*eights-1+(len(weights)-1)*step]
	filterAVX2(&out[0], &x[0], &weights[0], eights, len(weights), step)
	return 8 * eights
}

// countAboveVectors is countAbove, where there are vectors; done says so.
func countAboveVectors(values []float32, thresholds [4]float32) (counts [4]int32, done bool) {
	if !hasAVX2 || len(values) == 0 {
		return counts, false
	}
	countAboveAVX2(&values[0], len(values), &thresholds, &counts)
	return counts, true
}

// nearestLanes is what nearestAVX2 knows of every eighth position.
type nearestLanes struct {
	least    [8]float32
	at, near [8]int32
	first    [8]int32 // position of each lane
}

// nearestEights is nearest for the first positions, and returns how many these are.
func nearestEights(products, squares, scale []float32, square, threshold float32) (found nearestWindow, done int) {
	found.least = float32(math.Inf(1))
	eights := len(products) / 8
	if !hasAVX2 || eights == 0 {
		return found, 0
	}
	_, _ = squares[8*eights-1], scale[8*eights-1]
	lanes := nearestLanes{first: [8]int32{0, 1, 2, 3, 4, 5, 6, 7}}
	for i := range lanes.least {
		lanes.least[i] = found.least
	}
	nearestAVX2(&products[0], &squares[0], &scale[0], eights, &[2]float32{square, threshold}, &lanes)
	for i, least := range lanes.least {
		at := int(lanes.at[i])
		if least < found.least || least == found.least && at < found.at {
			found.least, found.at = least, at
		}
		found.near += int(lanes.near[i])
	}
	return found, 8 * eights
}

// orderedKernels has the number of each kernel in eight lanes, and then the least and the greatest order of all.
var orderedKernels = func() (lanes [kernelsPerGroup + 2][8]int32) {
	for i := range 8 {
		for k := range kernelsPerGroup {
			lanes[k][i] = int32(k)
		}
		lanes[kernelsPerGroup][i], lanes[kernelsPerGroup+1][i] = math.MinInt32, math.MaxInt32
	}
	return lanes
}()

// competeEights is compete for the first positions, and returns how many these are.
func competeEights(responses *[kernelsPerGroup][]float32, n int) (counts [2 * kernelsPerGroup]float32, done int) {
	eights := n / 8
	if !hasAVX2 || eights == 0 {
		return counts, 0
	}
	var first [kernelsPerGroup]*float32
	for k, response := range responses {
		_ = response[8*eights-1]
		first[k] = &response[0]
	}
	var soft [kernelsPerGroup][8]float32
	var hard [kernelsPerGroup][8]int32
	competeAVX2(&first, eights, &orderedKernels, &soft, &hard)
	for k := range kernelsPerGroup {
		for i := range 8 {
			counts[2*k] += soft[k][i]
			counts[2*k+1] += float32(hard[k][i])
		}
	}
	return counts, 8 * eights
}
