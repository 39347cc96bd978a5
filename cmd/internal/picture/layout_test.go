package picture

import (
	"math"
	"testing"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestLayout(t *testing.T) {
	graph, err := affinity.New(3, []affinity.Edge{{I: 0, J: 1, Weight: 1}, {I: 1, J: 2, Weight: 1}})
	require.NoError(t, err)

	lay := func(coordinates []float64) (x, y []float64) {
		l := NewLayout(graph, nil, nil, coordinates, nil)
		return l.X, l.Y
	}
	x, y := lay([]float64{5, 7, 6})
	assert.Equal(t, []float64{5, 7, 6}, x)
	assert.Equal(t, []float64{0, 0, 0}, y)

	x, y = lay([]float64{0, 1, 2, 3, 4, 5})
	assert.Equal(t, []float64{0, 2, 4}, x)
	assert.Equal(t, []float64{1, 3, 5}, y)

	// In a plane of space: distances in it are kept.
	places := []float64{0, 0, 0, 3, 0, 4, 0, 2, 0}
	x, y = lay(places)
	for _, pair := range [][2]int{{0, 1}, {0, 2}, {1, 2}} {
		want := 0.0
		for axis := range 3 {
			want = math.Hypot(want, places[3*pair[0]+axis]-places[3*pair[1]+axis])
		}
		assert.InDelta(t, want, math.Hypot(x[pair[0]]-x[pair[1]], y[pair[0]]-y[pair[1]]), 1e-9)
	}

	x, y = lay(nil)
	assert.InDeltaSlice(t, []float64{-0.78, 0, 0.78}, []float64{x[0] - x[1], 0, x[2] - x[1]}, 0.01, "a path is a line")
	assert.InDeltaSlice(t, []float64{y[0], y[0], y[0]}, y, 0.01)
}
