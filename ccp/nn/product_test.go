package nn_test

import (
	"testing"

	"github.com/clusterpool/ccp/ccp/nn"
	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// In bfloat16, 8 bits, 1 + 2⁻⁸ is rounded to 1 and 3 + 2⁻⁵ stays; 256 + 1 as a sum is float32's. The gradients are products too.
func TestProduct(t *testing.T) {
	backendtest.Run(t, func(t *testing.T, backend compute.Backend) {
		for dtype, want := range map[string][3][][]float32{
			"float32":   {{{256 + 1.00390625*3.03125}}, {{256, 3.03125}}, {{1}, {1.00390625}}},
			nn.BFloat16: {{{256 + 3.03125}}, {{256, 3.03125}}, {{1}, {1}}},
		} {
			store := model.NewStore()
			store.SetParam("/dtype", dtype)
			out, err := model.CallOnceN(backend, store, func(scope *model.Scope, x, w *Node) []*Node {
				y := nn.Product(scope, x, w)
				require.Equal(t, dtypes.Float32, y.DType())
				return append([]*Node{y}, Gradient(ReduceAllSum(y), x, w)...)
			}, [][]float32{{1, 1.00390625}}, [][]float32{{256}, {3.03125}})
			require.NoError(t, err)
			for i := range want {
				assert.Equal(t, want[i], out[i].Value(), "%s: result %d", dtype, i)
			}
		}
	})
}

// What is not float32 is multiplied as it is.
func TestProductOfFloat64(t *testing.T) {
	store := model.NewStore()
	store.SetParam("/dtype", nn.BFloat16)
	out, err := model.CallOnce(backendtest.Go(t), store, func(scope *model.Scope, x, w *Node) *Node {
		return nn.Product(scope, x, w)
	}, [][]float64{{1, 1.00390625}}, [][]float64{{256}, {3.03125}})
	require.NoError(t, err)
	assert.Equal(t, [][]float64{{256 + 1.00390625*3.03125}}, out.Value())
}
