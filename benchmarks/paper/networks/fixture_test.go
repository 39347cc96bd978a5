package networks

import (
	"testing"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/clusterpool/ccp/models"
	"github.com/clusterpool/ccp/models/training"
	"github.com/gomlx/compute"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/stretchr/testify/require"
)

// options are those of a model with values by path.
func options(name string, values models.Patch) models.Options {
	s := models.Spec{Model: name, Options: models.DefaultOptions()}
	for path, value := range values {
		if err := s.Put(path, value); err != nil {
			panic(err)
		}
	}
	return s.Options
}

// parameters counts the trainable values of a network.
func parameters(t *testing.T, s models.Spec, graph *affinity.Matrix) int {
	t.Helper()
	c, err := models.NewClassifier(backendtest.Go(t), models.Metadata{Spec: s}, graph)
	require.NoError(t, err)
	return c.Parameters()
}

func mustLevels(text string) []models.Level {
	var levels training.Levels
	if err := levels.UnmarshalText([]byte(text)); err != nil {
		panic(err)
	}
	return levels
}

// built is the network that a spec builds on a graph.
func built(s models.Spec, graph *affinity.Matrix) backendtest.Network {
	return func(scope *model.Scope, x *Node) *Node { return s.Build(scope, models.Topology{Matrix: graph}, x) }
}

// drawn is a store with a spec's weights as they are drawn at the start, see backendtest.Network.Draw.
func drawn(t testing.TB, backend compute.Backend, s models.Spec, graph *affinity.Matrix) *model.Store {
	t.Helper()
	return built(s, graph).Draw(t, backend, s.NewStore(3), s.Nodes, s.Channels)
}

func grid(t testing.TB, height, width int) *affinity.Matrix {
	t.Helper()
	graph, err := affinity.Grid(height, width, 8)
	require.NoError(t, err)
	return graph
}

func onBackends(t *testing.T, both bool, f func(t *testing.T, backend compute.Backend)) {
	if both {
		backendtest.Run(t, f)
	} else {
		f(t, backendtest.Go(t))
	}
}

// logitsOf are a network's logits `[batch][classes]` for signals, with the weights in store.
func logitsOf(t testing.TB, backend compute.Backend, s models.Spec, store *model.Store, graph *affinity.Matrix,
	batch [][]float32) [][]float32 {
	t.Helper()
	return built(s, graph).Logits(t, backend, store, s.Channels, batch...)
}

// signals are `n` random signals of a spec's shape.
func signals(s models.Spec, n int, seed uint64) [][]float32 {
	return backendtest.Signals(n, s.Nodes*s.Channels, seed)
}
