package graphconv

import (
	"math"
	"testing"

	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/gomlx/compute"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Of equal values the first gets the gradient; a node alone always; one that is less never.
func TestMaxOfPairs(t *testing.T) {
	inf := float32(math.Inf(-1))
	pairs := [][2]int32{{0, 1}, {2, -1}, {3, 4}}
	backendtest.Run(t, func(t *testing.T, backend compute.Backend) {
		out, err := model.CallOnceN(backend, model.NewStore(), func(scope *model.Scope, x *Node) []*Node {
			y := maxOfPairs(scope, x, pairs)
			v := Const(x.Graph(), [][][]float32{{{1, 2}}, {{3, 4}}, {{5, 6}}})
			return []*Node{y, Gradient(ReduceAllSum(Mul(y, v)), x)[0]}
		}, [][][]float32{{{-2, 3}}, {{-1, 3}}, {{-7, inf}}, {{0, 1}}, {{0, 2}}})
		require.NoError(t, err)
		assert.Equal(t, [][][]float32{{{-1, 3}}, {{-7, inf}}, {{0, 2}}}, out[0].Value())
		assert.Equal(t, [][][]float32{{{0, 2}}, {{1, 0}}, {{3, 4}}, {{5, 0}}, {{0, 6}}}, out[1].Value())
	})
}

func TestHalvings(t *testing.T) {
	for _, c := range [][3]int{{1, 1, 0}, {10, 10, 0}, {10000, 2048, 2}, {10000, 512, 4}, {1024, 256, 2}, {1024, 4, 8},
		{2000, 8, 8}, {3, 2, 1}, {64, 32, 1}, {64, 50, 0}} {
		assert.Equal(t, c[2], halvings(c[0], c[1]), "%d to %d", c[0], c[1])
	}
	assert.Empty(t, toOne(1))
	assert.Equal(t, [][][2]int32{{{0, 1}}}, toOne(2))
	assert.Equal(t, [][][2]int32{{{0, 1}, {2, 3}, {4, -1}}, {{0, 1}, {2, -1}}, {{0, 1}}}, toOne(5))
}
