package networks

import (
	"slices"
	"testing"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/datasets/signal"
	"github.com/clusterpool/ccp/internal/messagetest"
	"github.com/clusterpool/ccp/models/training"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Filters of levels and stem and the hidden widths are divided after all else is decided.
func TestNarrow(t *testing.T) {
	grid, err := affinity.Grid(3, 4, 8)
	require.NoError(t, err)
	d := &datasets.Dataset{Name: "mine.npz", Info: signal.Info{Nodes: 12, Channels: 3, ClassNames: []string{"a", "b"}},
		Affinity: grid, Train: make([]int, 160)}
	configOf := func(asked training.Patch) training.Config {
		c, err := training.Resolve(asked, d)
		require.NoError(t, err)
		return c
	}
	whole, narrow := configOf(training.Patch{}), configOf(training.Patch{"narrow": 4, "ccp_stem": 8})
	assert.Equal(t, "3x32/9,1x64/3", whole.Levels.String())
	assert.Equal(t, "3x8/9,1x16/3", narrow.Levels.String())
	assert.Equal(t, []int{64, 16, 2}, []int{whole.Hidden[0], narrow.Hidden[0], narrow.Options.Stem})
	assert.Equal(t, []any{1, 4, false},
		[]any{whole.Values()["narrow"], narrow.Values()["narrow"], whole.Values()["random_graph"]})
	_, err = training.Preview(training.Patch{"narrow": 0})
	messagetest.Names(t, err, "narrow=0 … from 1")
}

// A random graph has none of the data's geometry; the data itself stays as it is.
func TestRandomGraph(t *testing.T) {
	grid, err := affinity.Grid(4, 5, 8)
	require.NoError(t, err)
	d := &datasets.Dataset{Name: "grid", Info: signal.Info{Nodes: 20}, Affinity: grid, Coordinates: make([]float64, 40)}
	c := training.Config{Training: training.Training{Seed: 1}}
	same, err := ablate(&c, d)
	require.NoError(t, err)
	assert.Same(t, d, same)
	c.More = training.Patch{"random_graph": true}
	other, err := ablate(&c, d)
	require.NoError(t, err)
	assert.Equal(t, grid.Edges(), other.Affinity.Edges())
	assert.NotEqual(t, grid.Hash(), other.Affinity.Hash())
	assert.Nil(t, other.Coordinates)
	assert.Len(t, d.Coordinates, 40)
	c.Seed = 2
	again, err := ablate(&c, d)
	require.NoError(t, err)
	assert.NotEqual(t, other.Affinity.Hash(), again.Affinity.Hash(), "another for each seed")
}

// Resolve looks at the graph that is trained on: frames of sensors are series, and a random graph has no frames.
func TestResolveRandomGraph(t *testing.T) {
	chain, err := affinity.SpaceTime(nil, 1, 40)
	require.NoError(t, err)
	d := &datasets.Dataset{Name: "series", Info: signal.Info{Nodes: 40, Channels: 1, ClassNames: []string{"a", "b"},
		Grid: []int{40, 1}},
		Affinity: chain, Train: make([]int, 40)}
	d.Signals, d.Labels = &datasets.Floats{Values: make([]float32, 40*40), Size: 40},
		append(make([]int32, 20), slices.Repeat([]int32{1}, 20)...)
	d.Arrange(chain)
	_, err = training.Resolve(training.Patch{"transforms": "hydra"}, d)
	require.NoError(t, err)
	_, err = training.Resolve(training.Patch{"transforms": "hydra", "random_graph": true}, d)
	messagetest.Names(t, err, `"hydra" … series`)
}
