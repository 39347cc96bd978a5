package prob

import (
	"math"
	"testing"

	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The mean of the predictions' probabilities, also where one of them is sure of another class.
func TestAverage(t *testing.T) {
	backendtest.Run(t, func(t *testing.T, backend compute.Backend) {
		out, err := graph.CallOnceN(backend, func(x *graph.Node) []*graph.Node {
			first := graph.Squeeze(graph.SliceAxis(x, 1, graph.AxisElem(0)), 1)
			return []*graph.Node{graph.Softmax(Average(x), -1), Average(first)}
		},
			[][][]float32{{{0, 0}, {float32(math.Log(3)), 0}}, {{500, 0}, {-500, 0}}})
		require.NoError(t, err)
		assert.InDeltaSlice(t, []float32{0.625, 0.375}, out[0].Value().([][]float32)[0], 1e-6)
		assert.InDeltaSlice(t, []float32{0.5, 0.5}, out[0].Value().([][]float32)[1], 1e-6)
		assert.Equal(t, [][]float32{{0, 0}, {500, 0}}, out[1].Value(), "one prediction stays as it is")
	})
}

func TestTemper(t *testing.T) {
	assert.InDeltaSlice(t, []float64{0.25 / 0.38, 0.09 / 0.38, 0.04 / 0.38}, Temper([]float64{0.5, 0.3, 0.2}, 0.5), 1e-12)
	assert.InDeltaSlice(t, []float64{1, 0}, Temper([]float64{1, 0}, 0.5), 0)
	assert.InDeltaSlice(t, []float64{0.5, 0.5}, Temper([]float64{1e-300, 1e-300}, 0.5), 1e-12)
}
