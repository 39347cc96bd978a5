package affinity

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/clusterpool/ccp/internal/messagetest"
)

func TestGrid(t *testing.T) {
	m, err := Grid(2, 3, 4) // 0 1 2 / 3 4 5
	require.NoError(t, err)
	assert.Equal(t, []Edge{{0, 1, 1}, {0, 3, 1}, {1, 2, 1}, {1, 4, 1}, {2, 5, 1}, {3, 4, 1}, {4, 5, 1}}, m.EdgeList())

	m, err = Grid(2, 2, 8)
	require.NoError(t, err)
	assert.Equal(t, []Edge{{0, 1, 1}, {0, 2, 1}, {0, 3, 1}, {1, 2, 1}, {1, 3, 1}, {2, 3, 1}}, m.EdgeList())

	for _, c := range []struct{ height, width, neighbours, edges int }{
		{1, 1, 4, 0}, {1, 1, 8, 0}, {1, 5, 8, 4}, {5, 1, 4, 4}, {32, 32, 8, 3906}, {32, 32, 4, 1984}, {8, 8, 8, 210},
	} {
		m, err := Grid(c.height, c.width, c.neighbours)
		require.NoError(t, err)
		assert.Equal(t, c.edges, m.Edges(), "%+v", c)
		assert.Equal(t, c.height*c.width, m.N())
	}

	for _, c := range []struct {
		height, width, neighbours int
		want                      string
	}{
		{0, 3, 8, "grid of 0 x 3"}, {3, -1, 8, "grid of 3 x -1"}, {1 << 40, 1 << 40, 8, "grid of 1099511627776 x"},
		{3, 3, 6, "6 neighbours … 4 or 8"},
	} {
		_, err := Grid(c.height, c.width, c.neighbours)
		messagetest.Names(t, err, c.want)
	}
}

// ntuBones are the 24 bones of the second Kinect's skeleton, joints counted from 1.
var ntuBones = [][2]int{
	{1, 2}, {2, 21}, {3, 21}, {4, 3}, {5, 21}, {6, 5}, {7, 6}, {8, 7}, {9, 21}, {10, 9}, {11, 10}, {12, 11},
	{13, 1}, {14, 13}, {15, 14}, {16, 15}, {17, 1}, {18, 17}, {19, 18}, {20, 19}, {22, 23}, {23, 8}, {24, 25}, {25, 12},
}

func TestSpaceTime(t *testing.T) {
	m, err := SpaceTime([][2]int{{0, 1}, {2, 1}}, 3, 2)
	require.NoError(t, err)
	assert.Equal(t, []Edge{{0, 1, 1}, {0, 3, 1}, {1, 2, 1}, {1, 4, 1}, {2, 5, 1}, {3, 4, 1}, {4, 5, 1}}, m.EdgeList())

	bones := make([][2]int, len(ntuBones))
	for k, bone := range ntuBones {
		bones[k] = [2]int{bone[0] - 1, bone[1] - 1}
	}
	m, err = SpaceTime(bones, 25, 80)
	require.NoError(t, err)
	assert.Equal(t, 2000, m.N())
	assert.Equal(t, 3895, m.Edges())
	assert.Equal(t, 1, m.Stats().Components)

	m, err = SpaceTime(nil, 1, 1)
	require.NoError(t, err)
	assert.Equal(t, 1, m.N())
	assert.Zero(t, m.Edges())

	for _, c := range []struct {
		bones          [][2]int
		joints, frames int
		want           string
	}{
		{nil, 0, 5, "skeleton of 0 joints"}, {nil, 5, 0, "over 0 frames"}, {nil, 1 << 40, 1 << 40, "skeleton of"},
		{[][2]int{{0, 1}, {1, 3}}, 3, 1, "bone 1 … 1 and 3 … 3 joints"},
		{[][2]int{{-1, 1}}, 3, 1, "bone 0 joins -1 and 1"},
		{[][2]int{{1, 1}}, 3, 1, "bone 0 joins 1 and 1"},
	} {
		_, err := SpaceTime(c.bones, c.joints, c.frames)
		messagetest.Names(t, err, c.want)
	}
}

func TestRandomConnected(t *testing.T) {
	for _, c := range []struct{ n, edges int }{
		{0, 0}, {1, 0}, {2, 1}, {3, 2}, {3, 3}, {6, 15}, {50, 49}, {50, 200}, {1024, 3906},
	} {
		m, err := RandomConnected(c.n, c.edges, 7)
		require.NoError(t, err)
		s := m.Stats()
		assert.Equal(t, c.n, s.Nodes)
		assert.Equal(t, c.edges, s.Edges)
		assert.Zero(t, s.Loops)
		assert.LessOrEqual(t, s.Components, 1)
		for _, e := range m.EdgeList() {
			require.Equal(t, 1.0, e.Weight)
		}
		again, err := RandomConnected(c.n, c.edges, 7)
		require.NoError(t, err)
		assert.Equal(t, m, again)
	}
	a, err := RandomConnected(50, 60, 1)
	require.NoError(t, err)
	b, err := RandomConnected(50, 60, 2)
	require.NoError(t, err)
	assert.NotEqual(t, a.Hash(), b.Hash())

	for _, c := range []struct{ n, edges int }{{0, 1}, {1, 1}, {-1, 0}, {4, 2}, {4, 7}, {2, 0}, {maxNodes + 1, maxNodes}} {
		_, err := RandomConnected(c.n, c.edges, 1)
		assert.Error(t, err, "%+v", c)
	}
	_, err = RandomConnected(4, 7, 1)
	messagetest.Names(t, err, "7 edges … 4 nodes … 3 to 6")
}

// TestRandomTreesAreUniform counts how often each of the 16 labelled trees of 4 nodes is drawn.
func TestRandomTreesAreUniform(t *testing.T) {
	counts := map[string]int{}
	const draws = 16 * 500
	for seed := range uint64(draws) {
		m, err := RandomConnected(4, 3, seed)
		require.NoError(t, err)
		counts[m.Hash()]++
	}
	require.Len(t, counts, 16) // Cayley: n^(n-2) trees.
	for _, count := range counts {
		assert.InDelta(t, 500, count, 110) // 5 standard deviations; the seeds are fixed.
	}
}

func TestStats(t *testing.T) {
	s := small(t).Stats()
	assert.Equal(t, Stats{
		Nodes: 4, Edges: 2, Loops: 1, Density: 5.0 / 16,
		Neighbours: Spread{0, 1, 2}, Degree: Spread{0, 1.25, 2.5},
		Components: 2, LargestComponent: 3, Isolated: 1,
	}, s)

	loop, err := New(2, []Edge{{0, 0, 3}})
	require.NoError(t, err)
	s = loop.Stats()
	assert.Equal(t, 2, s.Isolated, "a self-loop joins a node to nothing")
	assert.Equal(t, 2, s.Components)
}

func ExampleGrid() {
	m, err := Grid(32, 32, 8)
	if err != nil {
		fmt.Println(err)
		return
	}
	s := m.Stats()
	fmt.Println(s.Nodes, s.Edges, s.Loops, s.Components, s.Isolated)
	fmt.Printf("%.4g %.4g\n", s.Neighbours, s.Degree)
	// Output:
	// 1024 3906 0 1 0
	// {3 7.629 8} {3 7.629 8}
}

func ExampleSpaceTime() {
	m, err := SpaceTime([][2]int{{0, 1}}, 2, 3) // One bone over three frames: a ladder.
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(m.N(), m.Edges())
	// Output: 6 7
}

func ExampleRandomConnected() {
	m, err := RandomConnected(1024, 3906, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(m.Edges(), m.Stats().Components)
	// Output: 3906 1
}
