package trees

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/clusterpool/ccp/internal/loop"
	"github.com/stretchr/testify/assert"
)

// A tree tells its own samples, and new ones of the same two features; samples that are alike get one of their classes.
func TestTree(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	const n = 200
	columns, labels := make([]float32, 2*n), make([]int32, n)
	for i := range n {
		columns[i], columns[n+i] = rng.Float32(), rng.Float32()
		if columns[i] > 0.5 != (columns[n+i] > 0.5) {
			labels[i] = 1
		}
	}
	tree := NewSamples(columns, labels, 2).Grow(loop.Indices(n), 2, rng)
	for i := range n {
		assert.EqualValues(t, labels[i], tree.Class([]float32{columns[i], columns[n+i]}))
	}
	assert.Equal(t, 1, tree.Class([]float32{0.1, 0.9}))
	assert.Equal(t, 0, tree.Class([]float32{0.9, 0.9}))
	alike := NewSamples(make([]float32, 4), []int32{2, 0, 2, 0}, 3).Grow(loop.Indices(4), 1, rng)
	assert.Len(t, alike, 3, "one leaf")
	assert.True(t, slices.Contains([]int{0, 2}, alike.Class([]float32{0})))
}

// Samples are ordered by class in one way, whether the classes are fewer than the samples or more.
func TestSamplesByClass(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, classes := range []int{1, 3, 20, 60, 1_000} {
		g := &growth{Samples: NewSamples(nil, make([]int32, 60), classes)}
		for i := range g.labels {
			g.labels[i] = int32(rng.IntN(classes))
		}
		some := rng.Perm(60)[:40]
		ordered, ends := g.byClass(some)
		var want, wantEnds []int
		for class := range classes {
			for _, i := range some {
				if g.labels[i] == int32(class) {
					want = append(want, i)
				}
			}
			if len(want) > 0 && (wantEnds == nil || len(want) > wantEnds[len(wantEnds)-1]) {
				wantEnds = append(wantEnds, len(want))
			}
		}
		assert.Equal(t, want, ordered, classes)
		assert.Equal(t, wantEnds, ends, classes)
	}
}

// A node of few samples allocates as much among a hundred thousand classes as among a hundred.
func TestNodesOfAForestDoNotGrowWithClasses(t *testing.T) {
	allocated := func(classes int) float64 {
		g := &growth{Samples: NewSamples(nil, make([]int32, 20), classes)}
		for i := range g.labels {
			g.labels[i] = int32(i * classes / 20)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range 100 {
			g.byClass(loop.Indices(20))
		}
		runtime.ReadMemStats(&after)
		return float64(after.TotalAlloc - before.TotalAlloc)
	}
	assert.Less(t, allocated(100_000), 1.5*allocated(100))
}
