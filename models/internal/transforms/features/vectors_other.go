//go:build !amd64 || purego

package features

import "math"

// filterEights computes nothing here: filter does all.
func filterEights(_, _, _ []float32, _ int) (done int) { return 0 }

// countAboveVectors computes nothing here.
func countAboveVectors([]float32, [4]float32) (counts [4]int32, done bool) { return counts, false }

// nearestEights computes nothing here: nearest does all.
func nearestEights(_, _, _ []float32, _, _ float32) (found nearestWindow, done int) {
	return nearestWindow{least: float32(math.Inf(1))}, 0
}

// competeEights computes nothing here: compete does all.
func competeEights(*[kernelsPerGroup][]float32, int) (counts [2 * kernelsPerGroup]float32, done int) {
	return counts, 0
}
