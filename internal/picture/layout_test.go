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
		l := NewLayout(graph, Nodes{Coordinates: coordinates})
		return l.X, l.Y
	}
	x, y := lay([]float64{5, 7, 6})
	assert.Equal(t, []float64{0, 1, 0.5}, x, "in a square of side 1")
	assert.Equal(t, []float64{0.5, 0.5, 0.5}, y)

	x, y = lay([]float64{0, 1, 2, 3, 4, 4})
	assert.Equal(t, []float64{0, 0.5, 1}, x)
	assert.Equal(t, []float64{0.125, 0.625, 0.875}, y, "in the middle, in the scale of x")

	// In a plane of space: distances in it keep their proportions.
	positions := []float64{0, 0, 0, 3, 0, 4, 0, 2, 0}
	x, y = lay(positions)
	scale := math.Hypot(x[0]-x[1], y[0]-y[1]) / 5
	for _, pair := range [][2]int{{0, 2}, {1, 2}} {
		want := 0.0
		for axis := range 3 {
			want = math.Hypot(want, positions[3*pair[0]+axis]-positions[3*pair[1]+axis])
		}
		assert.InDelta(t, scale*want, math.Hypot(x[pair[0]]-x[pair[1]], y[pair[0]]-y[pair[1]]), 1e-3)
	}

	x, y = lay(nil)
	assert.InDeltaSlice(t, []float64{0, 0.5, 1}, x, 0.01, "a path is a line")
	assert.InDeltaSlice(t, []float64{0.5, 0.5, 0.5}, y, 0.01)

	one, err := affinity.New(1, nil)
	require.NoError(t, err)
	assert.Equal(t, []float64{0.5}, NewLayout(one, Nodes{}).X)
}

func TestLayoutOfCells(t *testing.T) {
	graph, err := affinity.SpaceTime([][2]int{{0, 1}, {1, 2}}, 3, 2)
	require.NoError(t, err)
	l := NewLayout(graph, skeleton([][]int{{2}, {0, 1}}, 2, "head", "hip", "foot"))
	assert.Equal(t, OverTime, l.Kind)
	assert.Equal(t, []int{3, 2}, []int{l.Rows, l.Columns})
	assert.Equal(t, []int32{2, 5, 0, 3, 1, 4}, l.Cells,
		"a row for each joint, those of a part together, a column for each frame")
	assert.Equal(t, []string{"foot", "head", "hip"}, l.RowNames)

	l = NewLayout(graph, Nodes{Grid: []int{2, 3}})
	assert.Equal(t, []any{OnGrid, 2, 3}, []any{l.Kind, l.Rows, l.Columns})
}
