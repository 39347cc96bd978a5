package affinity_test

import (
	"math"
	"testing"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
)

func grid(t *testing.T, h, w, neighbours int) *affinity.Matrix {
	t.Helper()
	m, err := affinity.Grid(h, w, neighbours)
	require.NoError(t, err)
	return m
}

// pixels are the true positions of a grid's nodes.
func pixels(h, w int) (positions [][]float64) {
	for i := range h * w {
		positions = append(positions, []float64{float64(i / w), float64(i % w)})
	}
	return positions
}

// likeness is the correlation of all distances in two spaces.
func likeness(a, b [][]float64) float64 {
	var in, of []float64
	for i := range a {
		for j := range i {
			in, of = append(in, floats.Distance(a[i], a[j], 2)), append(of, floats.Distance(b[i], b[j], 2))
		}
	}
	return stat.Correlation(in, of, nil)
}

func TestPositionsOfAPath(t *testing.T) {
	for i, x := range grid(t, 1, 5, 4).Positions(2) {
		assert.InDeltaSlice(t, []float64{float64(i) - 2, 0}, x, 1e-6)
	}
}

// A grid comes back, its edges along the axes.
func TestPositionsOfGrids(t *testing.T) {
	for _, size := range [][3]int{{8, 8, 4}, {8, 8, 8}, {32, 32, 4}, {32, 32, 8}, {16, 48, 4}, {6, 40, 4}} {
		h, w := size[0], size[1]
		m := grid(t, h, w, size[2])
		positions := m.Positions(2)
		assert.Greater(t, likeness(positions, pixels(h, w)), 0.995, "%v", size)
		along, across := 0.0, 0.0
		for _, e := range m.EdgeList() {
			if step := e.J - e.I; step != 1 && step != w {
				continue // a diagonal
			}
			step := floats.SubTo(make([]float64, 2), positions[e.I], positions[e.J])
			along += max(math.Abs(step[0]), math.Abs(step[1]))
			across += min(math.Abs(step[0]), math.Abs(step[1]))
		}
		assert.Less(t, across, 0.15*along, "%v", size)
	}
}

// Components lie side by side, and nodes without edges are components.
func TestPositionsOfComponents(t *testing.T) {
	m, err := affinity.New(6, []affinity.Edge{{I: 0, J: 1, Weight: 1}, {I: 4, J: 5, Weight: 3}, {I: 3, J: 3, Weight: 1}})
	require.NoError(t, err)
	got := m.Positions(2)
	for i, want := range [][]float64{{-0.5, 0}, {0.5, 0}, {0, 2}, {0, 4}, {-0.5, 6}, {0.5, 6}} {
		assert.InDeltaSlice(t, want, got[i], 1e-9, "node %d", i)
	}
	assert.Empty(t, grid(t, 1, 1, 4).Positions(2)[1:])
}

// A grid and a skeleton over time are flat. Four sensors that are all linked are a tetrahedron, and time is a fourth
// axis.
func TestEmbedAxes(t *testing.T) {
	limbs := [][2]int{{0, 1}, {1, 2}, {2, 3}, {1, 4}, {4, 5}, {1, 6}, {6, 7}}
	sensors := [][2]int{{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}}
	for axes, graph := range map[int]func() (*affinity.Matrix, error){
		2: func() (*affinity.Matrix, error) { return affinity.SpaceTime(limbs, 8, 20) },
		4: func() (*affinity.Matrix, error) { return affinity.SpaceTime(sensors, 4, 20) },
	} {
		m, err := graph()
		require.NoError(t, err)
		assert.Len(t, m.Embed()[0], axes)
	}
	assert.Equal(t, grid(t, 8, 8, 8).Positions(2), grid(t, 8, 8, 8).Embed())
}

func TestNearest(t *testing.T) {
	// 0 - 1 - 2 - 3 with a heavy edge 1-4, and 5 alone.
	m, err := affinity.New(6, []affinity.Edge{{I: 0, J: 1, Weight: 1}, {I: 1, J: 2, Weight: 1}, {I: 2, J: 3, Weight: 1},
		{I: 1, J: 4, Weight: 2}, {I: 2, J: 2, Weight: 9}})
	require.NoError(t, err)
	nearest, hops := m.Nearest(4)
	assert.Equal(t, []int32{
		0, 1, 4, 2,
		1, 4, 0, 2,
		2, 1, 3, 4,
		3, 2, 1, 4,
		4, 1, 0, 2,
		5, -1, -1, -1,
	}, nearest)
	assert.Equal(t, []int32{
		0, 1, 2, 2,
		0, 1, 1, 1,
		0, 1, 1, 2,
		0, 1, 2, 3,
		0, 1, 2, 2,
		0, -1, -1, -1,
	}, hops)
}

func BenchmarkPositions(b *testing.B) {
	m, err := affinity.Grid(250, 400, 8)
	require.NoError(b, err)
	for b.Loop() {
		m.Positions(2)
	}
}
