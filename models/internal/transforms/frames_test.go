package transforms

import (
	"math/rand/v2"
	"testing"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/datasets/signal"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// rivers are two paths of ten nodes each, the second behind the first.
func rivers(t *testing.T) *affinity.Matrix {
	t.Helper()
	var edges []affinity.Edge
	for i := range 19 {
		if i != 9 {
			edges = append(edges, affinity.Edge{I: i, J: i + 1, Weight: 1})
		}
	}
	m, err := affinity.New(20, edges)
	require.NoError(t, err)
	return m
}

// Two rivers look like two sensors in ten frames, and are places unless a grid says that they are frames.
func TestNodesAreFramesOnlyByTheGrid(t *testing.T) {
	info := signal.Info{Nodes: 20, Channels: 1, ClassNames: []string{"a", "b"}}
	info.Arrange(rivers(t))
	c, err := For(&info, rivers(t), All)
	require.NoError(t, err)
	assert.True(t, c.Table)
	assert.Equal(t, []int{20, 0, 0}, []int{c.Columns, c.Turned, c.Frames})
	info.Grid = []int{2, 10}
	info.Arrange(rivers(t))
	c, err = For(&info, rivers(t), All)
	require.NoError(t, err)
	assert.False(t, c.Table)
	assert.Equal(t, []int{2, 10, 10}, []int{c.Columns, c.Turned, c.Frames})
}

// A checkpoint of 0.1.0, which told frames by the edges, predicts as it did.
func TestFramesWithoutGridStayReadable(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	info := signal.Info{Nodes: 20, Channels: 1, ClassNames: []string{"a", "b"}, Grid: []int{2, 10}}
	info.Arrange(rivers(t))
	c, err := For(&info, rivers(t), "power,links")
	require.NoError(t, err)
	samples := noise(rng, 30, 2, always(10))
	kept := fitted(t, c, samples)
	store := model.NewStore()
	require.NoError(t, kept.Keep(store, Scope))
	info.Grid = nil
	info.Arrange(rivers(t))
	c, err = For(&info, rivers(t), All)
	require.NoError(t, err)
	opened, err := Open(store, Scope, c)
	require.NoError(t, err)
	for _, s := range samples {
		assert.Equal(t, kept.Read(s.Values).Ridge, opened.Read(s.Values).Ridge)
	}
}
