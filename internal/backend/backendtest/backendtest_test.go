package backendtest_test

import (
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/stretchr/testify/require"

	"github.com/clusterpool/ccp/internal/backend/backendtest"
)

func TestRunGivesEachBackendAWorkingGraph(t *testing.T) {
	var ran []string
	backendtest.Run(t, func(t *testing.T, backend compute.Backend) {
		ran = append(ran, backend.Name())
		got, err := graph.CallOnce(backend, func(x *graph.Node) *graph.Node {
			return graph.MatMul(x, graph.Transpose(x, 0, 1))
		}, [][]float32{{1, 2}, {3, 4}})
		require.NoError(t, err)
		require.Equal(t, [][]float32{{5, 11}, {11, 25}}, got.Value())
	})
	require.Same(t, backendtest.Go(t), backendtest.Go(t), "backends are opened once")
	require.Same(t, backendtest.XLA(t), backendtest.XLA(t))
	require.Len(t, ran, 2)
}
