package nn_test

import (
	"math"
	"slices"
	"testing"

	"github.com/clusterpool/ccp/ccp/nn"
	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/clusterpool/ccp/internal/messagetest"
	"github.com/clusterpool/ccp/internal/ops"
	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/train/optimizer"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func flat(t *tensors.Tensor) []float64 { return tensors.MustCopyFlatData[float64](t) }

func call(t *testing.T, backend compute.Backend, store *model.Store,
	fn func(scope *model.Scope, g *Graph) []*Node) []*tensors.Tensor {
	t.Helper()
	out, err := model.CallOnceN(backend, store, fn)
	require.NoError(t, err)
	return out
}

func TestELU(t *testing.T) {
	backendtest.Run(t, func(t *testing.T, backend compute.Backend) {
		out := call(t, backend, model.NewStore(), func(_ *model.Scope, g *Graph) []*Node {
			x := Const(g, []float64{-1000, -1, 0, 2, 1000})
			y := nn.ELU(x)
			return []*Node{y, Gradient(ReduceAllSum(y), x)[0]}
		})
		assert.InDeltaSlice(t, []float64{-1, math.Exp(-1) - 1, 0, 2, 1000}, flat(out[0]), 1e-15)
		gradient := flat(out[1])
		assert.InDeltaSlice(t, []float64{0, math.Exp(-1), 1, 1},
			[]float64{gradient[0], gradient[1], gradient[3], gradient[4]}, 1e-15)
		assert.False(t, math.IsNaN(gradient[2]))
	})
}

// XLA would compute a cheap ending anew for each node that a gather reads.
func TestELUEndsInACostlyOperation(t *testing.T) {
	call(t, backendtest.Go(t), model.NewStore(), func(_ *model.Scope, g *Graph) []*Node {
		y := nn.ELU(Const(g, []float32{-1, 2, 1e18}))
		roots := slices.IndexFunc(g.Nodes(), func(n *Node) bool { return n.Type() == NodeTypeSqrt })
		exponentials := slices.IndexFunc(g.Nodes(), func(n *Node) bool { return n.Type() == NodeTypeExp })
		assert.Greater(t, roots, exponentials)
		return []*Node{y}
	})
}

// BatchNorm's value is checked by hand, its gradient by central differences through the batch's own statistics.
func TestBatchNorm(t *testing.T) {
	x := [][][]float64{{{1, 10}, {2, -20}}, {{4, 30}, {9, 0}}} // [2, 2, 2]
	weight := [][][]float64{{{1, -2}, {0.5, 3}}, {{-1, 0.25}, {2, 1}}}
	backendtest.Run(t, func(t *testing.T, backend compute.Backend) {
		loss := func(scope *model.Scope, x *Node) *Node {
			return ReduceAllSum(Mul(Square(nn.BatchNorm(scope, x, nil)), Const(x.Graph(), weight)))
		}
		store := model.NewStore()
		store.SetParam("/batchnorm_epsilon", 0.5)
		out := call(t, backend, store, func(scope *model.Scope, g *Graph) []*Node {
			store.SetTraining(g, true)
			in := Const(g, x)
			total := loss(scope, in)
			return []*Node{nn.BatchNorm(scope.In("again"), in, nil), Gradient(total, in)[0]}
		})
		mean, variance := (1.0+2+4+9)/4, (9.0+4+0+25)/4
		assert.InDelta(t, (1-mean)/math.Sqrt(variance+0.5), flat(out[0])[0], 1e-12)
		const h = 1e-5
		gradient := flat(out[1])
		for i := range 8 {
			at := func(delta float64) float64 {
				moved := tensors.MustFromAnyValue(x)
				tensors.MustMutableFlatData(moved, func(v []float64) { v[i] += delta })
				store := model.NewStore()
				store.SetParam("/batchnorm_epsilon", 0.5)
				return call(t, backend, store, func(scope *model.Scope, g *Graph) []*Node {
					store.SetTraining(g, true)
					return []*Node{loss(scope, ConstTensor(g, moved))}
				})[0].Value().(float64)
			}
			assert.InDelta(t, (at(h)-at(-h))/(2*h), gradient[i], 1e-6, "gradient %d", i)
		}
	})
}

// The running statistics start as plain averages, then forget at the rate of the momentum, and are what inference uses.
func TestBatchNormRunningStatistics(t *testing.T) {
	backendtest.Run(t, func(t *testing.T, backend compute.Backend) {
		store := model.NewStore()
		want := 0.0
		for step := 1; step <= 16; step++ {
			value := float64(step * step)
			call(t, backend, store, func(scope *model.Scope, g *Graph) []*Node {
				store.SetTraining(g, true)
				return []*Node{nn.BatchNorm(scope, Const(g, [][]float64{{value - 1}, {value + 1}}), nil)}
			})
			keep := math.Min(0.9, 1-1/float64(step))
			want = keep*want + (1-keep)*value
		}
		assert.InDelta(t, want, flat(store.GetVariable("/batch_norm/mean").MustValue())[0], 1e-12)
		assert.InDelta(t, 1, flat(store.GetVariable("/batch_norm/variance").MustValue())[0], 1e-12)
		out := call(t, backend, store, func(scope *model.Scope, g *Graph) []*Node {
			return []*Node{nn.BatchNorm(scope, Const(g, [][]float64{{want + 3}}), nil)}
		})
		assert.InDelta(t, 3/math.Sqrt(1+1e-5), flat(out[0])[0], 1e-12)
	})
}

func TestDropout(t *testing.T) {
	const n, rate = 1 << 16, 0.25
	masks := map[string][]float64{}
	backendtest.Run(t, func(t *testing.T, backend compute.Backend) {
		at := func(step, seed int64, training bool) []float64 {
			store := model.NewStore()
			store.SetParam("/"+model.ParamInitialSeed, seed)
			require.NoError(t, optimizer.GetGlobalStepVar(store).SetValue(tensors.FromScalar(step)))
			return flat(call(t, backend, store, func(scope *model.Scope, g *Graph) []*Node {
				store.SetTraining(g, training)
				return []*Node{nn.Dropout(scope, Ones(g, shapes.Make(dtypes.Float64, n/4, 4)), rate)}
			})[0])
		}
		x := at(5, 1, true)
		kept := 0
		for _, v := range x {
			if v != 0 {
				require.Equal(t, 1/(1-rate), v)
				kept++
			}
		}
		assert.InDelta(t, 1-rate, float64(kept)/n, 4*math.Sqrt(rate*(1-rate)/n), "four standard deviations")
		assert.Equal(t, x, at(5, 1, true), "the same step draws the same mask")
		assert.NotEqual(t, x, at(6, 1, true))
		assert.NotEqual(t, x, at(5, 2, true))
		assert.NotContains(t, at(5, 1, false), 0.0, "nothing is dropped in inference")
		masks[t.Name()[len("TestDropout/"):]] = x
	})
	if len(masks) == 2 {
		assert.Equal(t, masks["go"], masks["xla"], "all backends draw the same")
	}
	_, err := model.CallOnce(backendtest.Go(t), model.NewStore(), func(scope *model.Scope, g *Graph) *Node {
		return nn.Dropout(scope, Const(g, []float64{1}), 1)
	})
	assert.ErrorContains(t, err, "dropout rate 1 is outside [0, 1)")
}

func TestNormal(t *testing.T) {
	const n = 1 << 16
	backendtest.Run(t, func(t *testing.T, backend compute.Backend) {
		draw := func(seed int64, name string, dims ...int) []float64 {
			store := model.NewStore()
			store.SetParam("/"+model.ParamInitialSeed, seed)
			return flat(call(t, backend, store, func(scope *model.Scope, g *Graph) []*Node {
				return []*Node{ops.NormalVariable(scope, name, 3, 2, dtypes.Float64, dims...).NodeValue(g)}
			})[0])
		}
		x := draw(1, "U", n)
		var mean, variance, skew, beyond float64
		for _, v := range x {
			mean += v / n
		}
		for _, v := range x {
			z := (v - mean) / 2
			variance += z * z / n
			skew += z * z * z / n
			if math.Abs(z) > 1.959964 {
				beyond += 1.0 / n
			}
		}
		assert.InDelta(t, 3, mean, 4*2/math.Sqrt(n))
		assert.InDelta(t, 1, variance, 4*math.Sqrt(2.0/n))
		assert.InDelta(t, 0, skew, 4*math.Sqrt(6.0/n))
		assert.InDelta(t, 0.05, beyond, 4*math.Sqrt(0.05*0.95/n))
		assert.Equal(t, x, draw(1, "U", n))
		assert.NotEqual(t, x, draw(2, "U", n))
		assert.NotEqual(t, x, draw(1, "V", n))
		assert.Len(t, draw(1, "scalar"), 1)
	})
}

// Decay adds λ·w to the gradient, and Dense's gradient carries it.
func TestDenseAndDecay(t *testing.T) {
	backendtest.Run(t, func(t *testing.T, backend compute.Backend) {
		store := model.NewStore()
		store.SetParam("/l2", 0.1)
		out := call(t, backend, store, func(scope *model.Scope, g *Graph) []*Node {
			y := nn.Dense(scope, Const(g, [][]float64{{1, 2}}), 1, 1)
			w := scope.GetVariable("W").NodeValue(g)
			return []*Node{w, y, Gradient(ReduceAllSum(y), w)[0]}
		})
		w := flat(out[0])
		assert.InDelta(t, w[0]+2*w[1], flat(out[1])[0], 1e-12)
		assert.InDeltaSlice(t, []float64{1 + 0.1*w[0], 2 + 0.1*w[1]}, flat(out[2]), 1e-12)
	})
}

// A signal that is not flat is refused by the layer's name.
func TestDenseOfThreeAxes(t *testing.T) {
	_, err := model.CallOnce(backendtest.Go(t), model.NewStore(),
		func(scope *model.Scope, x *Node) *Node { return nn.Dense(scope.In("hidden"), x, 2, 1) },
		[][][]float32{{{1}, {2}}})
	messagetest.Names(t, err, "/hidden … [batch, in] … [1, 2, 1] … reshape")
}

// Unstack's slices, and the gradient of those that something depends on.
func TestUnstack(t *testing.T) {
	backendtest.Run(t, func(t *testing.T, backend compute.Backend) {
		out := call(t, backend, model.NewStore(), func(_ *model.Scope, g *Graph) []*Node {
			x := Const(g, [][]float64{{1, 2}, {3, 4}, {5, 6}})
			slices := ops.Unstack(x)
			return []*Node{slices[1], Gradient(ReduceAllSum(Mul(slices[0], Square(slices[2]))), x)[0],
				Gradient(ReduceAllSum(slices[1]), x)[0]}
		})
		assert.Equal(t, []float64{0, 0, 1, 1, 0, 0}, flat(out[2]))
		assert.Equal(t, []float64{3, 4}, flat(out[0]))
		assert.Equal(t, []float64{25, 36, 0, 0, 10, 24}, flat(out[1]))
	})
}

// A layer with weights reads its own parameters and leaves those of other packages alone, whatever was read before.
func TestLayersLeaveParametersOfOthersAlone(t *testing.T) {
	store := model.NewStore()
	store.RootScope().SetParam("ccp_dropout", 0.5)
	out := call(t, backendtest.Go(t), store, func(scope *model.Scope, g *Graph) []*Node {
		return []*Node{nn.Dense(scope, Const(g, [][]float32{{1, 2}}), 3, 1)}
	})
	assert.Equal(t, []int{1, 3}, out[0].Shape().Dimensions)
}
