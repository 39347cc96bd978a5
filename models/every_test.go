package models

import (
	"testing"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/datasets/signal"
	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/gomlx/compute"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// body is a skeleton of 4 joints over 9 frames, a grid too, small enough for all models.
func body(t *testing.T, name string) (Spec, *affinity.Matrix) {
	t.Helper()
	graph, err := affinity.SpaceTime([][2]int{{0, 1}, {1, 2}, {2, 3}}, 4, 9)
	require.NoError(t, err)
	s := Spec{Options: DefaultOptions(), Model: name,
		Info: signal.Info{Nodes: 36, Channels: 2, ClassNames: []string{"a", "b", "c"},
			Grid: []int{9, 4}, Parts: [][]int{{0, 1}, {2, 3}}, Mean: make([]float32, 2), Std: []float32{1, 1}}}
	if n := s.Network(); n.Levels != nil {
		s.Levels = n.Levels(s.Nodes)
	}
	if s.Network().Hidden {
		s.Hidden = []int{64}
	}
	return s, graph
}

// bodyClassifier is a classifier of body's recordings whose weights are drawn, or fitted to three samples.
func bodyClassifier(t *testing.T, backend compute.Backend, s Spec, graph *affinity.Matrix) *Classifier {
	t.Helper()
	store := s.NewStore(1)
	if s.Network().Fitted {
		require.NoError(t, s.Precompute(t.Context(), backend, store, graph, func(yield func([]float32, int32) bool) {
			for k := range int32(3) {
				x := make([]float32, 72)
				x[k] = 1
				yield(x, k)
			}
		}))
	} else {
		store = drawn(t, backend, s, graph)
	}
	c, err := NewClassifier(backend, Metadata{Spec: s, Data: "body"}, graph)
	require.NoError(t, err)
	require.NoError(t, c.Update(store))
	return c
}

// Every model of the registry: its levels fit, it says what it is, and a classifier of it predicts each signal of a
// batch what it predicts for that signal alone.
func TestEveryModel(t *testing.T) {
	backend := backendtest.Go(t)
	require.Len(t, Names(), 10, "two, seven baselines and ExampleRegister's")
	for _, name := range Names() {
		if name == transformsAlone { // training fits what it predicts by, and tests it
			continue
		}
		t.Run(name, func(t *testing.T) {
			s, graph := body(t, name)
			require.NoError(t, s.Check())
			assert.NotEmpty(t, Spec{Model: name}.Network().About)
			c := bodyClassifier(t, backend, s, graph)
			assert.Positive(t, c.Parameters())
			raw := signals(s, 3, 1)
			together, err := c.Classify(t.Context(), raw)
			require.NoError(t, err)
			for i := range raw {
				alone, err := c.Classify(t.Context(), raw[i:i+1])
				require.NoError(t, err)
				assert.InDeltaSlice(t, together[i].Probabilities, alone[0].Probabilities, 1e-5)
			}
			if name == "softmax" || name == "svm" {
				return // their weights begin at zero
			}
			assert.NotEqual(t, together[0].Probabilities, together[1].Probabilities, "the signal matters")
		})
	}
}
