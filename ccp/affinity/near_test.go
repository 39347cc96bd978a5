package affinity

import (
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func plane(n, dims int) []float64 {
	rng, points := rand.New(rand.NewPCG(1, 1)), make([]float64, n*dims)
	for i := range points {
		points[i] = rng.Float64()
	}
	return points
}

// Few points are compared with each other; of many nearly all neighbours are found, the same ones each time.
func TestNearKNN(t *testing.T) {
	few := plane(nearLeaf, 3)
	want, err := KNN(few, nearLeaf, 3, 4, Euclidean)
	require.NoError(t, err)
	got, err := NearKNN(few, nearLeaf, 3, 4, 7)
	require.NoError(t, err)
	assert.Equal(t, want.Hash(), got.Hash())

	const n = 6_000
	many := plane(n, 3)
	want, err = KNN(many, n, 3, 4, Euclidean)
	require.NoError(t, err)
	got, err = NearKNN(many, n, 3, 4, 7)
	require.NoError(t, err)
	again, err := NearKNN(many, n, 3, 4, 7)
	require.NoError(t, err)
	assert.Equal(t, got.Hash(), again.Hash())
	both := 0
	for _, edge := range want.EdgeList() {
		if got.At(edge.I, edge.J) > 0 {
			both++
		}
	}
	assert.Greater(t, both, want.Edges()*97/100)
	for i := range n {
		neighbours, _ := got.Row(i)
		assert.GreaterOrEqual(t, len(neighbours), 4)
	}
}

// What is allocated grows with the points, not with their square.
func TestNearKNNTakesLinearMemory(t *testing.T) {
	allocated := func(n int) float64 {
		points := plane(n, 3)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := NearKNN(points, n, 3, 4, 7)
		runtime.ReadMemStats(&after)
		require.NoError(t, err)
		return float64(after.TotalAlloc - before.TotalAlloc)
	}
	assert.Less(t, allocated(16_000), 3*allocated(8_000))
}

func TestNearKNNErrors(t *testing.T) {
	_, err := NearKNN(make([]float64, 6), 3, 2, 3, 0)
	assert.ErrorContains(t, err, "k=3 nearest neighbours among 3 points")
	_, err = NearKNN(make([]float64, 6), 4, 2, 1, 0)
	assert.ErrorContains(t, err, "6 coordinates, want 4 points of 2")
}
