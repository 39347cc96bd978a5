package loop_test

import (
	"sync/atomic"
	"testing"

	"github.com/clusterpool/ccp/internal/loop"
	"github.com/stretchr/testify/assert"
)

func TestIndices(t *testing.T) {
	assert.Equal(t, []int{0, 1, 2}, loop.Indices(3))
	assert.Empty(t, loop.Indices(0))
}

// Each number comes once, and a worker's buffer is its own.
func TestParallel(t *testing.T) {
	for _, n := range []int{0, 1, 1000} {
		times, workers := make([]int, n), atomic.Int64{}
		loop.Workers(n, func() func(i int) {
			workers.Add(1)
			own := 0
			return func(i int) {
				own = i
				times[own]++
			}
		})
		loop.Parallel(n, func(i int) { times[i]++ })
		assert.LessOrEqual(t, workers.Load(), int64(n))
		for i, count := range times {
			assert.Equal(t, 2, count, i)
		}
	}
}

func TestSpread(t *testing.T) {
	assert.Equal(t, []string{"a", "b", "d"}, loop.Spread([]string{"a", "b", "c", "d", "e"}, 3))
	assert.Equal(t, []int{1, 2}, loop.Spread([]int{1, 2}, 3))
	assert.Empty(t, loop.Spread([]int{1}, 0))
}

func TestConvert(t *testing.T) {
	assert.Equal(t, []int64{3, -1}, loop.Convert[int64]([]float32{3.5, -1.5}))
}
