package layout

import (
	"slices"
	"testing"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// over is a path of frames times three sensors, of which the middle one is joined to the others.
func over(t *testing.T, l Layout) *affinity.Matrix {
	t.Helper()
	var edges []affinity.Edge
	join := func(a, b int32, weight float64) {
		edges = append(edges, affinity.Edge{I: int(min(a, b)), J: int(max(a, b)), Weight: weight})
	}
	for f := range l.Frames {
		for s := range l.Sensors {
			if f+1 < l.Frames {
				join(l.Node(f, s), l.Node(f+1, s), 1)
			}
			for other := range s {
				if l.Sensors != 3 || other == 1 || s == 1 {
					join(l.Node(f, other), l.Node(f, s), float64(2+s))
				}
			}
		}
	}
	m, err := affinity.New(l.Frames*l.Sensors, edges)
	require.NoError(t, err)
	return m
}

func TestOf(t *testing.T) {
	chain := func(n int, reach int) *affinity.Matrix {
		var edges []affinity.Edge
		for i := range n {
			for j := i + 1; j <= min(i+reach, n-1); j++ {
				edges = append(edges, affinity.Edge{I: i, J: j, Weight: 1})
			}
		}
		m, err := affinity.New(n, edges)
		require.NoError(t, err)
		return m
	}
	grid, err := affinity.Grid(6, 7, 4)
	require.NoError(t, err)
	linked := func(along func(e affinity.Edge) bool) *affinity.Matrix { // the grid without the other links
		m, err := affinity.New(grid.N(), slices.DeleteFunc(grid.EdgeList(), func(e affinity.Edge) bool { return !along(e) }))
		require.NoError(t, err)
		return m
	}
	rows := linked(func(e affinity.Edge) bool { return e.J == e.I+1 })
	torn := linked(func(e affinity.Edge) bool { return e.J == e.I+1 || e.I != 0 }) // one pixel is not joined downwards
	for name, c := range map[string]struct {
		graph *affinity.Matrix
		grid  []int
		want  Layout
	}{
		"frames of sensors":          {over(t, Layout{16, 4, false}), []int{16, 4}, Layout{16, 4, false}},
		"sensors of frames":          {over(t, Layout{16, 4, true}), []int{4, 16}, Layout{16, 4, true}},
		"another grid":               {over(t, Layout{16, 4, false}), []int{8, 8}, Layout{}},
		"one sensor":                 {chain(16, 1), []int{16, 1}, Layout{16, 1, false}},
		"one sensor, two frames far": {chain(16, 2), []int{16, 1}, Layout{16, 1, false}},
		"an image":                   {grid, []int{6, 7}, Layout{}},
		"a torn image":               {torn, []int{6, 7}, Layout{}},
		"another graph":              {chain(16, 3), []int{16, 1}, Layout{}},
		"rows that are not joined":   {rows, []int{6, 7}, Layout{7, 6, true}},
	} {
		assert.Equal(t, c.want, Of(c.graph, c.grid), name)
		assert.Zero(t, Of(c.graph, nil), "%s, which no grid tells of", name)
		if name != "another grid" && name != "a torn image" {
			assert.Equal(t, c.want, Seems(c.graph), name)
		}
	}
}

func TestLinks(t *testing.T) {
	for _, l := range []Layout{{8, 3, false}, {8, 3, true}} {
		assert.Equal(t, []affinity.Edge{{I: 0, J: 1, Weight: 3}, {I: 1, J: 2, Weight: 4}}, l.Links(over(t, l)).EdgeList())
	}
}

func TestSpans(t *testing.T) {
	assert.Equal(t, [][]int32{{0, 2}, {4}, {1, 3}, {5}}, Layout{Frames: 3, Sensors: 2}.Spans(2))
	assert.Equal(t, [][]int32{{0, 1}, {2}, {3, 4}, {5}}, Layout{Frames: 3, Sensors: 2, SensorWise: true}.Spans(2))
	assert.Equal(t, [][]int32{{0}, {1}, {2}}, Layout{Frames: 1, Sensors: 3}.Spans(2))
}
