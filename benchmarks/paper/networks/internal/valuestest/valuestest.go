// Package valuestest makes values for tests that need the same ones in Go and in Python.
package valuestest

import "math"

// Named returns n values that differ by a name, as testdata/grids.py and testdata/skeletons.py make them.
func Named(name string, n int) []float64 {
	values, start := make([]float64, n), 0
	for _, c := range []byte(name) {
		start += int(c)
	}
	for j := range values {
		i := float64(j)
		values[j] = math.Sin(float64(start) + 0.01*i*i + i)
	}
	return values
}
