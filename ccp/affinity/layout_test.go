package affinity

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// over is a path of frames times three sensors, of which the middle one is joined to the others.
func over(t *testing.T, l Layout) *Matrix {
	t.Helper()
	var edges []Edge
	join := func(a, b int32, weight float64) {
		edges = append(edges, Edge{I: int(min(a, b)), J: int(max(a, b)), Weight: weight})
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
	m, err := New(l.Frames*l.Sensors, edges)
	require.NoError(t, err)
	return m
}

func TestLayoutOf(t *testing.T) {
	chain := func(n int, reach int) *Matrix {
		var edges []Edge
		for i := range n {
			for j := i + 1; j <= min(i+reach, n-1); j++ {
				edges = append(edges, Edge{I: i, J: j, Weight: 1})
			}
		}
		m, err := New(n, edges)
		require.NoError(t, err)
		return m
	}
	grid, err := Grid(6, 7, 4)
	require.NoError(t, err)
	linked := func(along func(e Edge) bool) *Matrix { // the grid without the other links
		m, err := New(grid.N(), slices.DeleteFunc(grid.EdgeList(), func(e Edge) bool { return !along(e) }))
		require.NoError(t, err)
		return m
	}
	rows := linked(func(e Edge) bool { return e.J == e.I+1 })
	torn := linked(func(e Edge) bool { return e.J == e.I+1 || e.I != 0 }) // one pixel is not joined downwards
	for name, c := range map[string]struct {
		graph *Matrix
		grid  []int
		want  Layout
	}{
		"frames of sensors": {over(t, Layout{Frames: 16, Sensors: 4}), []int{16, 4}, Layout{Frames: 16, Sensors: 4}},
		"sensors of frames": {over(t, Layout{Frames: 16, Sensors: 4, SensorWise: true}), []int{4, 16},
			Layout{Frames: 16, Sensors: 4, SensorWise: true}},
		"another grid":               {over(t, Layout{Frames: 16, Sensors: 4}), []int{8, 8}, Layout{}},
		"one sensor":                 {chain(16, 1), []int{16, 1}, Layout{Frames: 16, Sensors: 1}},
		"one sensor, two frames far": {chain(16, 2), []int{16, 1}, Layout{Frames: 16, Sensors: 1}},
		"an image":                   {grid, []int{6, 7}, Layout{}},
		"a torn image":               {torn, []int{6, 7}, Layout{}},
		"another graph":              {chain(16, 3), []int{16, 1}, Layout{}},
		"rows that are not joined":   {rows, []int{6, 7}, Layout{Frames: 7, Sensors: 6, SensorWise: true}},
	} {
		stated, guessed := LayoutOf(c.graph, c.grid), LayoutOf(c.graph, nil)
		assert.Equal(t, c.want.Frames > 0, stated.InTime(), name)
		if stated.InTime() {
			assert.Equal(t, c.want, stated, name)
		}
		assert.False(t, guessed.InTime(), "%s, which no grid tells of", name)
		if name != "another grid" && name != "a torn image" {
			c.want.Guessed = c.want.Frames > 0
			assert.Equal(t, c.want, guessed, name)
		}
	}
}

func TestLinks(t *testing.T) {
	for _, l := range []Layout{{Frames: 8, Sensors: 3}, {Frames: 8, Sensors: 3, SensorWise: true}} {
		assert.Equal(t, []Edge{{I: 0, J: 1, Weight: 3}, {I: 1, J: 2, Weight: 4}}, l.Links(over(t, l)).EdgeList())
	}
}

func TestSpans(t *testing.T) {
	assert.Equal(t, [][]int32{{0, 2}, {4}, {1, 3}, {5}}, Layout{Frames: 3, Sensors: 2}.Spans(2))
	assert.Equal(t, [][]int32{{0, 1}, {2}, {3, 4}, {5}}, Layout{Frames: 3, Sensors: 2, SensorWise: true}.Spans(2))
	assert.Equal(t, [][]int32{{0}, {1}, {2}}, Layout{Frames: 1, Sensors: 3}.Spans(2))
}
