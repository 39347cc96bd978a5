package models

import (
	"math"
	"testing"

	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/gomlx/compute"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The mean of the answers' probabilities, also where one of them is sure of another class.
func TestAnswer(t *testing.T) {
	backendtest.Run(t, func(t *testing.T, backend compute.Backend) {
		out, err := CallOnceN(backend, func(x *Node) []*Node {
			return []*Node{Softmax(Answer(x), -1), Answer(Squeeze(SliceAxis(x, 1, AxisElem(0)), 1))}
		},
			[][][]float32{{{0, 0}, {float32(math.Log(3)), 0}}, {{500, 0}, {-500, 0}}})
		require.NoError(t, err)
		assert.InDeltaSlice(t, []float32{0.625, 0.375}, out[0].Value().([][]float32)[0], 1e-6)
		assert.InDeltaSlice(t, []float32{0.5, 0.5}, out[0].Value().([][]float32)[1], 1e-6)
		assert.Equal(t, [][]float32{{0, 0}, {500, 0}}, out[1].Value(), "one answer stays as it is")
	})
}
