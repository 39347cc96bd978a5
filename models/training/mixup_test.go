package training

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/train"
	"github.com/gomlx/gomlx/ml/train/optimizer"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// mixedAt mixes signals in the step of a training that has that seed.
func mixedAt(t *testing.T, backend compute.Backend, seed, step int64, a float64, signals any) (mixed any, lambda []float32) {
	t.Helper()
	store := model.NewStore()
	store.SetParam(model.ParamInitialSeed, seed)
	require.NoError(t, optimizer.GetGlobalStepVar(store).SetValue(tensors.FromScalar(step)))
	exec, err := model.NewExec(backend, store, func(scope *model.Scope, x *Node) []*Node {
		mixed, lambda := mixup(scope, x, a)
		return []*Node{mixed, lambda}
	})
	require.NoError(t, err)
	out, err := exec.Call(signals)
	require.NoError(t, err)
	return out[0].Value(), tensors.MustCopyFlatData[float32](out[1])
}

// Each sample is mixed with the one at its place from the batch's end, by shares that depend on the seed and the step.
func TestMixup(t *testing.T) {
	backendtest.Run(t, func(t *testing.T, backend compute.Backend) {
		x := [][][]float32{{{1, 2}, {3, 4}}, {{10, 20}, {30, 40}}, {{-5, 0}, {5, 7}}}
		mixed, lambda := mixedAt(t, backend, 1, 4, 0.5, x)
		require.Len(t, lambda, 3)
		for i := range x {
			require.True(t, lambda[i] >= 0.5 && lambda[i] <= 1, lambda)
			for node := range x[i] {
				for c, own := range x[i][node] {
					want := lambda[i]*own + (1-lambda[i])*x[2-i][node][c]
					assert.InDelta(t, want, mixed.([][][]float32)[i][node][c], 1e-5)
				}
			}
		}
		again, same := mixedAt(t, backend, 1, 4, 0.5, x)
		assert.Equal(t, mixed, again)
		assert.Equal(t, lambda, same)
		_, next := mixedAt(t, backend, 1, 5, 0.5, x)
		assert.NotEqual(t, lambda, next)
		_, seeded := mixedAt(t, backend, 2, 4, 0.5, x)
		assert.NotEqual(t, lambda, seeded)
	})
}

// The even moments about ½ are those of Beta(a, a): 1/(4(2a + 1)), and the fourth 3/(16(2a + 1)(2a + 3)). Both backends draw alike.
func TestMixupShares(t *testing.T) {
	const n = 1 << 16
	all := map[string][]float32{}
	backendtest.Run(t, func(t *testing.T, backend compute.Backend) {
		for _, a := range []float64{0.01, 0.2, 0.5, 1, 4, 100} {
			_, lambda := mixedAt(t, backend, 1, 1, a, tensors.FromShape(shapes.Make(dtypes.Float32, n, 1, 1)))
			second, fourth := 0.0, 0.0
			for _, v := range lambda {
				require.True(t, v >= 0.5 && v <= 1, "a %g: %g", a, v)
				d := float64(v) - 0.5
				second, fourth = second+d*d/n, fourth+d*d*d*d/n
			}
			assert.InEpsilon(t, 1/(4*(2*a+1)), second, 0.03, "a %g", a)
			assert.InEpsilon(t, 3/(16*(2*a+1)*(2*a+3)), fourth, 0.05, "a %g", a)
			name := fmt.Sprint(a)
			if other := all[name]; other != nil {
				require.InDeltaSlice(t, other, lambda, 2e-4, name) // 1/a-th powers differ in their last bits
			}
			all[name] = lambda
		}
	})
}

// The hardest numbers: none of them gives what is not a number.
func TestLargerShareAtTheEnds(t *testing.T) {
	const most = 1 - 1.0/(1<<24)
	backendtest.Run(t, func(t *testing.T, backend compute.Backend) {
		for _, a := range []float64{1e-3, 0.2, 1, 1e3} {
			value, err := CallOnce(backend, func(u, v *Node) *Node { return largerShare(u, v, a) },
				[]float32{0, 0, 0, most, most, 0.5}, []float32{0, 0.25, 0.75, 0, 0.25, 0.25})
			require.NoError(t, err)
			for i, lambda := range value.Value().([]float32) {
				assert.True(t, lambda >= 0.5 && lambda <= 1, "a %g, %d: %g", a, i, lambda)
			}
		}
	})
}

// By hand: the cross entropy to λ·(own label) + (1 − λ)·(label of the reversed batch), smoothed or not, and without λ that of the label.
func TestMixedCrossEntropy(t *testing.T) {
	logits, labels, lambda := [][]float32{{1, 2, 0}, {-1, 0, 3}, {0.5, 0.5, -2}}, [][]int32{{1}, {0}, {2}}, []float32{0.7, 1, 0.55}
	backendtest.Run(t, func(t *testing.T, backend compute.Backend) {
		for _, share := range []float64{0, 0.1} {
			of := mixedCrossEntropy(share)
			value, err := CallOnce(backend, func(z, y, l *Node) *Node {
				return ReduceAllMean(of([]*Node{y}, []*Node{z, l}))
			}, logits, labels, lambda)
			require.NoError(t, err)
			want := 0.0
			for i, z := range logits {
				sum := 0.0
				for _, v := range z {
					sum += math.Exp(float64(v))
				}
				for k, v := range z {
					q := share / 3
					if k == int(labels[i][0]) {
						q += (1 - share) * float64(lambda[i])
					}
					if k == int(labels[2-i][0]) {
						q += (1 - share) * (1 - float64(lambda[i]))
					}
					want -= q * (float64(v) - math.Log(sum)) / 3
				}
			}
			assert.InDelta(t, want, value.Value(), 1e-6, "share %g", share)

			plain, err := CallOnce(backend, func(z, y *Node) *Node {
				return ReduceAllMean(Sub(of([]*Node{y}, []*Node{z}), smoothedCrossEntropy(share)([]*Node{y}, []*Node{z})))
			}, logits, labels)
			require.NoError(t, err)
			assert.Zero(t, plain.Value())
		}
	})
}

// A training step mixes; an evaluation by the same trainer does not, and its loss is that of the labels.
func TestMixupInTrainingOnly(t *testing.T) {
	graph, err := affinity.Grid(3, 3, 8)
	require.NoError(t, err)
	backendtest.Run(t, func(t *testing.T, backend compute.Backend) {
		c := Defaults("noise", "softmax")
		c.Mixup, c.Batch = 1, 32
		d := noisyData(graph, 1)
		spec, err := c.spec(d)
		require.NoError(t, err)
		x, y := tensors.FromShape(shapes.Make(dtypes.Float32, 4, 9, 1)), tensors.FromShape(shapes.Make(dtypes.Int32, 4, 1))
		store := spec.NewStore(1)
		_, err = NewTrainer(backend, store, c, spec, graph, 5).EvalStep(train.Batch{Inputs: []*tensors.Tensor{x}, Labels: []*tensors.Tensor{y}})
		require.NoError(t, err)

		mixed, _ := stepsOn(t, backend, c, d, 1, 2)
		c.Mixup = 0
		plain, _ := stepsOn(t, backend, c, d, 1, 2)
		assert.NotEqual(t, plain[1][2], mixed[1][2])
	})
}

// Four devices mix what one mixes, although the pairs lie on two of them, and samples kept on the device are mixed, too.
func TestMixupElsewhere(t *testing.T) {
	graph, err := affinity.Grid(6, 6, 8)
	require.NoError(t, err)
	c := Defaults("noise", "fc") // compiles fast
	c.Hidden, c.Batch, c.Mixup, c.LabelSmoothing = []int{8}, 16, 0.4, 0.1
	want, _ := stepsOn(t, backendtest.XLA(t), c, noisyData(graph, 1), 1, 20)
	got, _ := stepsOn(t, backendtest.XLA(t), c, noisyData(graph, 1), 4, 20)
	for step := range want {
		require.InDeltaSlice(t, want[step], got[step], 1e-5, "step %d", step+1)
	}

	c.Epochs, c.Augment = 2, true
	backendtest.Run(t, func(t *testing.T, backend compute.Backend) {
		var losses [2][]float64
		for i, resident := range []bool{false, true} {
			var err error
			losses[i], err = lossesOf(t, context.Background(), backend, c, pictures(t, 64), Options{Dir: t.TempDir(), Resident: resident}, func(int) {})
			require.NoError(t, err)
		}
		require.NotEmpty(t, losses[0])
		require.InDeltaSlice(t, losses[0], losses[1], 1e-6)
	})
}
