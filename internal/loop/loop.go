// Package loop has loops that several packages need: over the numbers below n, and over lists.
package loop

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// Indices lists the numbers from 0 to n-1.
func Indices(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

// Parallel calls do with each number from 0 to n-1, on all cores.
func Parallel(n int, do func(i int)) { Workers(n, func() func(i int) { return do }) }

// Workers is Parallel with buffers: each goroutine calls worker once, and takes numbers for what that returns.
func Workers(n int, worker func() func(i int)) {
	var taken atomic.Int64
	var all sync.WaitGroup
	for range min(n, runtime.GOMAXPROCS(0)) {
		all.Go(func() {
			do := worker()
			for i := int(taken.Add(1)) - 1; i < n; i = int(taken.Add(1)) - 1 {
				do(i)
			}
		})
	}
	all.Wait()
}

// Spread takes n of a list, evenly spread, the first among them; all, if there are no more.
func Spread[T any](list []T, n int) []T {
	taken := make([]T, min(n, len(list)))
	for i := range taken {
		taken[i] = list[i*len(list)/len(taken)]
	}
	return taken
}

// Convert returns values as numbers of another type.
func Convert[To, From int | int32 | int64 | float32 | float64](values []From) []To {
	converted := make([]To, len(values))
	for i, v := range values {
		converted[i] = To(v)
	}
	return converted
}
