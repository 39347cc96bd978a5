package models

import (
	"testing"

	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The prediction is the mean of the network's probabilities and, three times, the kernels'. Another seed draws other kernels.
func TestKernelsBesideTheNetwork(t *testing.T) {
	backend := backendtest.Go(t)
	predictions := func(name string, kernels int, seed int64) []float64 {
		s, graph := body(t, name)
		s.Options = settings(Patch{"kernels": float64(kernels)})
		store := s.NewStore(seed)
		require.NoError(t, s.Precompute(t.Context(), backend, store, graph, func(yield func([]float32, int32) bool) {
			for i, x := range signals(s, 12, 3) {
				yield(x, int32(i%3))
			}
		}))
		if name == "ccp" {
			network := drawn(t, backend, s, graph)
			for v := range store.IterVariables() {
				if of := network.GetVariable(v.Path()); of != nil { // left_out is for people
					require.NoError(t, of.SetValue(v.MustValue()))
				}
			}
			store = network
		}
		c, err := NewClassifier(backend, Metadata{Spec: s}, graph)
		require.NoError(t, err)
		require.NoError(t, c.Update(store))
		p, err := c.Classify(t.Context(), signals(s, 1, 9))
		require.NoError(t, err)
		return p[0].Probabilities
	}
	network, alone, both := predictions("ccp", 0, 1), predictions("kernels", 200, 1), predictions("ccp", 200, 1)
	assert.NotEqual(t, alone, predictions("kernels", 200, 2))
	for k := range both {
		assert.InDelta(t, (network[k]+3*alone[k])/4, both[k], 1e-5)
	}
}
