package networks

import (
	"testing"

	"github.com/clusterpool/ccp/datasets/signal"
	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/clusterpool/ccp/models"
	"github.com/clusterpool/ccp/models/training"
	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// With attention vectors of zero a layer averages over a node's neighbourhood; batch norm is the identity before
// training.
func TestGATAverage(t *testing.T) {
	graph := grid(t, 1, 3) // a path
	s := models.Spec{Model: "gat-average", Levels: mustLevels("3x2/1,3x1/1"),
		Info:    signal.Info{Nodes: 3, Channels: 1, ClassNames: make([]string, 2)},
		Options: options("gat-average", models.Patch{"batchnorm_epsilon": 1e-12})}
	require.NoError(t, s.Check())
	// W, b, both attention vectors, and batch norm's scale and offset of each layer; then the class layer.
	assert.Equal(t, (2+2+2+2+4)+(2+1+1+1+2)+(2+2), parameters(t, s, graph))
	backendtest.Run(t, func(t *testing.T, backend compute.Backend) {
		store := drawn(t, backend, s, graph)
		set := func(path string, values []float32, dims ...int) {
			require.NoError(t, store.GetVariable(path).SetValue(tensors.FromFlatDataAndDimensions(values, dims...)))
		}
		for level, filters := range map[string]int{"level_1": 2, "level_2": 1} {
			set("/model/"+level+"/convolution/a_source", make([]float32, filters), filters, 1)
			set("/model/"+level+"/convolution/a_target", make([]float32, filters), filters, 1)
			set("/model/"+level+"/batch_norm/mean", make([]float32, filters), filters)
			set("/model/"+level+"/batch_norm/variance", []float32{1, 1}[:filters], filters)
		}
		set("/model/level_1/convolution/W", []float32{1, 2}, 1, 2)
		set("/model/level_2/convolution/W", []float32{1, 10}, 2, 1)
		set("/model/classes/W", []float32{1, -1}, 1, 2)
		set("/model/classes/b", []float32{0, 5}, 2)
		// Averages over neighbourhoods of 0, 6, 12: 3, 6, 9 and then 4.5, 6, 7.5, each times 1·1 + 2·10; their mean is 6.
		got := logitsOf(t, backend, s, store, graph, [][]float32{{0, 6, 12}})
		assert.InDeltaSlice(t, []float32{126, -121}, got[0], 1e-3)
	})
}

func preset(name, data string, nodes int) string {
	levels, _ := training.PresetOf(name, data, training.DefaultRecipe, nodes)
	return levels.String()
}

func TestGATAveragePreset(t *testing.T) {
	assert.Equal(t, "64x32/1,64x64/1,64x128/1", preset("gat-average", "digits", 64))
	assert.Equal(t, "10000x32/1,10000x32/1", preset("gat-average", "20news", 10_000))
}

func TestGraphCNNPreset(t *testing.T) {
	for nodes, want := range map[int]string{1: "1x64/1,1x32/1", 2: "1x64/1,1x32/1", 12: "6x64/1,6x32/1",
		64: "32x64/1,8x32/1", 10_000: "32x64/1,8x32/1"} {
		levels, hidden := training.PresetOf("graph-cnn", "", training.DefaultRecipe, nodes)
		assert.Equal(t, want, levels.String(), "%d nodes", nodes)
		assert.NoError(t, models.Spec{Options: models.DefaultOptions(), Model: "graph-cnn", Levels: levels,
			Hidden: hidden, Info: signal.Info{Nodes: nodes, Channels: 1, ClassNames: make([]string, 2)}}.Check())
	}
}
