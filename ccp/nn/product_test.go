package nn_test

import (
	"testing"

	"github.com/clusterpool/ccp/ccp/nn"
	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/clusterpool/ccp/internal/ops"
	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// In bfloat16, 8 bits, 1 + 2⁻⁸ is rounded to 1 and 3 + 2⁻⁵ stays; 256 + 1 as a sum is float32's. The gradients are
// products too.
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
					ops.TransposedProduct(dtype, a, b),
					ops.TransposedProduct(dtype, b, a),
					turned(ops.Contract(dtype, a, 0, b, 0)),
					turned(ops.Contract(dtype, ops.Turned(a), 1, b, 0)),
					ops.Contract(dtype, turned(a), 1, b, 0),
					ops.Contract(dtype, Reshape(turned(a), narrow, 1, rows), 2, turned(b), 1),
					ops.Contract(dtype, Reshape(turned(Reshape(a, rows, narrow)), narrow, rows), 1,
						Reshape(turned(turned(b)), rows, wide), 0),
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

// Folded weights halfway between two values of bfloat16 become the even one: 1 + 2⁻⁸ is 1, and 1 + 3·2⁻⁸ is 1 + 2⁻⁶.
func TestFoldedWeightsAreRoundedToEven(t *testing.T) {
	backendtest.Run(t, func(t *testing.T, backend compute.Backend) {
		store := model.NewStore()
		store.SetParam("/dtype", nn.BFloat16)
		store.SetParam("/batchnorm_epsilon", 0.5) // and the variance is 0.5: the factor is 1
		for path, value := range map[string]any{
			"/W": [][]float32{{1.00390625, 1.01171875, -1.00390625}}, "/b": make([]float32, 3),
			"/batch_norm/scale": []float32{1, 1, 1}, "/batch_norm/variance": []float32{0.5, 0.5, 0.5},
			"/batch_norm/offset": make([]float32, 3), "/batch_norm/mean": make([]float32, 3),
		} {
			tensor, err := tensors.FromAnyValue(value)
			require.NoError(t, err)
			_, err = store.CreateVariable(path, tensor)
			require.NoError(t, err)
		}
		out, err := model.CallOnce(backend, store, func(scope *model.Scope, x *Node) *Node {
			scope.SetGraphParam(x.Graph(), ops.InferenceParam, new(ops.Inference))
			return nn.DenseNorm(scope, x, 3, 1)
		}, [][]float32{{1}})
		require.NoError(t, err)
		assert.Equal(t, [][]float32{{1, 1.015625, -1}}, out.Value())
		assert.Equal(t, dtypes.BFloat16, store.GetVariable("/tables/kernel").DType())
	})
}
