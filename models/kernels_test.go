package models

import (
	"testing"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Beside the network there are kernels on series of nine frames or more, and on few images; alone there are always some.
func TestSuitedKernels(t *testing.T) {
	series, err := affinity.SpaceTime([][2]int{{0, 1}, {1, 2}, {0, 2}}, 3, 20)
	require.NoError(t, err)
	image, err := affinity.Grid(6, 10, 8)
	require.NoError(t, err)
	assert.Equal(t, usualKernels, AutoKernels("ccp", series, nil, 300))
	assert.Equal(t, usualKernels, AutoKernels("ccp", series, []int{20, 3}, 300))
	assert.Equal(t, manyKernels, AutoKernels("ccp", series, nil, 3000))
	long, err := affinity.SpaceTime([][2]int{{0, 1}}, 2, 1024)
	require.NoError(t, err)
	assert.Equal(t, usualKernels/2, AutoKernels("ccp", long, nil, 300))
	short, err := affinity.SpaceTime([][2]int{{0, 1}}, 2, 8)
	require.NoError(t, err)
	assert.Zero(t, AutoKernels("ccp", short, nil, 300))
	assert.Equal(t, manyKernels, AutoKernels("kernels", short, nil, 3000))
	assert.Equal(t, usualKernels, AutoKernels("ccp", image, []int{6, 10}, 300))
	assert.Zero(t, AutoKernels("ccp", image, []int{6, 10}, 3000), "of many images the network knows more")
	general, err := affinity.RandomConnected(60, 90, 1)
	require.NoError(t, err)
	assert.Zero(t, AutoKernels("ccp", general, nil, 300))
	assert.Equal(t, usualKernels, AutoKernels("kernels", image, []int{6, 10}, 300))
}

// The answer is the mean of the network's probabilities and, three times, the kernels'. Another seed draws other kernels.
func TestKernelsBesideTheNetwork(t *testing.T) {
	backend := backendtest.Go(t)
	answers := func(name string, kernels int, seed int64) []float64 {
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
	network, alone, both := answers("ccp", 0, 1), answers("kernels", 200, 1), answers("ccp", 200, 1)
	assert.NotEqual(t, alone, answers("kernels", 200, 2))
	for k := range both {
		assert.InDelta(t, (network[k]+3*alone[k])/4, both[k], 1e-5)
	}
}
