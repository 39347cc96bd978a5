package transforms

import (
	"context"

	"github.com/clusterpool/ccp/internal/loop"
	"github.com/clusterpool/ccp/models/internal/transforms/features"
	"gonum.org/v1/gonum/blas/blas32"
)

// work is a recording and what classifiers compute of it, with buffers. Each goroutine has its own.
type work struct {
	features.Recording
	known    map[string][]float32 // the features that the forest has read, by transforms
	features []float32            // of one transform
	compared []float32            // the kernel values of one transform
}

// takeSample makes the standardised recording that of a sample, of which no features are known yet.
func (w *work) takeSample(s features.Scaling, values []float32) {
	s.Read(&w.Recording, values)
	w.known = map[string][]float32{}
}

// sized returns a slice of n zeros, in the memory of the old one if that suffices.
func sized(old []float32, n int) []float32 {
	if cap(old) < n {
		return make([]float32, n)
	}
	old = old[:n]
	clear(old)
	return old
}

// asInt returns 1 for true and 0 for false. The compiler makes no branch of it.
func asInt(yes bool) (n int) {
	if yes {
		n = 1
	}
	return n
}

// finite reports whether a value is neither infinite nor NaN.
func finite(x float32) bool { return x-x == 0 }

// vector returns the values as gonum's linear algebra takes them.
func vector(x []float32) blas32.Vector { return blas32.Vector{N: len(x), Data: x, Inc: 1} }

// inParallel calls do with the numbers 0..n-1 on all processors, each goroutine with buffers of its own. It stops
// with the context's error.
func inParallel(ctx context.Context, n int, do func(w *work, i int)) error {
	loop.Workers(n, func() func(i int) {
		w := new(work)
		return func(i int) {
			if ctx.Err() == nil {
				do(w, i)
			}
		}
	})
	return ctx.Err()
}
