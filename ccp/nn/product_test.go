package nn_test

import (
	"testing"

	"github.com/clusterpool/ccp/ccp/nn"
	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
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

// Products of bfloat16 stay right where something around them transposes: XLA's CPU compiler moves transposes into
// products. The factors are small whole numbers, so that all types give the same sums.
func TestProductBesideTransposes(t *testing.T) {
	const rows, narrow, wide = 256, 48, 320
	factor := func(rows, columns, step int) [][]float32 {
		x := make([][]float32, rows)
		for i := range x {
			x[i] = make([]float32, columns)
			for j := range x[i] {
				x[i][j] = float32((i*step+j*7)%5 - 2)
			}
		}
		return x
	}
	turned := func(x *Node) *Node { return TransposeAllDims(x, 1, 0) }
	backendtest.Run(t, func(t *testing.T, backend compute.Backend) {
		compute := func(dtype dtypes.DType) []*tensors.Tensor {
			out, err := CallOnceN(backend, func(a, b *Node) []*Node {
				return []*Node{
					nn.TransposedProduct(dtype, a, b),
					nn.TransposedProduct(dtype, b, a),
					turned(nn.Contract(dtype, a, 0, b, 0)),
					turned(nn.Contract(dtype, nn.Turned(a), 1, b, 0)),
					nn.Contract(dtype, turned(a), 1, b, 0),
					nn.Contract(dtype, Reshape(turned(a), narrow, 1, rows), 2, turned(b), 1),
					nn.Contract(dtype, Reshape(turned(Reshape(a, rows, narrow)), narrow, rows), 1, Reshape(turned(turned(b)), rows, wide), 0),
				}
			}, factor(rows, narrow, 3), factor(rows, wide, 11))
			require.NoError(t, err)
			return out
		}
		want, found := compute(dtypes.Float32), compute(dtypes.BFloat16)
		for i := range want {
			assert.Equal(t, want[i].Value(), found[i].Value(), "result %d", i)
		}
	})
}
