package training

import (
	"fmt"
	"testing"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/datasets/signal"
	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/clusterpool/ccp/models"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// parameters counts the trainable values of a network.
func parameters(t *testing.T, s models.Spec, graph *affinity.Matrix) int {
	t.Helper()
	c, err := models.NewClassifier(backendtest.Go(t), models.Metadata{Spec: s}, graph)
	require.NoError(t, err)
	return c.Parameters()
}

// A stem's convolutions count, the parameters and what they gather; the graph's nodes bound their reach. Several
// hierarchies share all weights, and a training step has one.
func TestFootprintOfStem(t *testing.T) {
	graph, err := affinity.RandomConnected(12, 20, 1)
	require.NoError(t, err)
	s := models.Spec{Model: "ccp", Info: signal.Info{Nodes: graph.N(), Channels: 2, ClassNames: make([]string, 3)},
		Levels: []models.Level{{Clusters: 1, Filters: 6, Neighbours: 4}}, Options: models.DefaultOptions()}
	for path, value := range (Patch{"ccp_hierarchy": "prepared", "ccp_hierarchies": 3, "ccp_stem": 5, "ccp_blocks": 1,
		"ccp_reach": 4}) {
		require.NoError(t, s.Put(path, value))
	}
	var shapes []string
	for _, a := range activations(s, 7) {
		shapes = append(shapes, fmt.Sprint(a.Name, " ", a.Shape))
	}
	n := graph.N()
	assert.Equal(t, []string{fmt.Sprintf("stem's gathered neighbourhoods (Float32)[7, %d, 4, 2]", n),
		fmt.Sprintf("block_1/1's gathered neighbourhoods (Float32)[7, %d, 4, 5]", n),
		fmt.Sprintf("block_1/2's gathered neighbourhoods (Float32)[7, %d, 4, 5]", n),
		"level_1's gathered neighbourhoods (Float32)[7, 1, 4, 5]"}, shapes)
	convolution := func(size, in, out int) int { return size*in*out + 3*out } // and the bias, scale and offset
	want := convolution(4, 2, 5) + 2*convolution(4, 5, 5) + convolution(4, 5, 6) + 2 + (6*3 + 3)
	assert.Equal(t, want, parameters(t, s, graph))
	s.Options.Reach = 10 * n
	assert.Contains(t, activations(s, 7)[0].Shape, fmt.Sprintf("[7, %d, %d, 2]", n, n))
}
