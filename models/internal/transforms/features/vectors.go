package features

import (
	"context"

	"github.com/clusterpool/ccp/internal/loop"
	"gonum.org/v1/gonum/blas/blas32"
)

// vector returns the values as gonum's linear algebra takes them.
func vector(x []float32) blas32.Vector { return blas32.Vector{N: len(x), Data: x, Inc: 1} }

// shiftAdd adds weight · x[p + shift] to each sum[p]. Beyond its ends x is zero.
func shiftAdd(sum []float32, weight float32, x []float32, shift int) {
	from, to := max(0, -shift), min(len(sum), len(x)-shift)
	if to > from {
		blas32.Axpy(weight, vector(x[from+shift:to+shift]), vector(sum[from:to]))
	}
}

// moments returns the mean of values, and the mean square of their differences from it.
func moments(x []float32) (mean, variance float64) {
	for _, v := range x {
		mean += float64(v) / float64(len(x))
	}
	for _, v := range x {
		variance += (float64(v) - mean) * (float64(v) - mean) / float64(len(x))
	}
	return mean, variance
}

// asInt returns 1 for true and 0 for false. The compiler makes no branch of it, which matters in counts of
// comparisons: a branch that depends on values of a recording is mispredicted half of the time.
func asInt(yes bool) (n int) {
	if yes {
		n = 1
	}
	return n
}

// sized returns a slice of n zeros, in the memory of the old one if that suffices.
func sized[T float32 | uint64](old []T, n int) []T {
	if cap(old) < n {
		return make([]T, n)
	}
	old = old[:n]
	clear(old)
	return old
}

// finite reports whether a value is neither infinite nor NaN.
func finite(x float32) bool { return x-x == 0 }

// inParallel calls do with the numbers 0..n-1 on all processors, each goroutine with a Recording of its own. It stops
// with the context's error.
func inParallel(ctx context.Context, n int, do func(r *Recording, i int)) error {
	loop.Workers(n, func() func(i int) {
		r := new(Recording)
		return func(i int) {
			if ctx.Err() == nil {
				do(r, i)
			}
		}
	})
	return ctx.Err()
}
