package newsgroups

import (
	"math"
	"testing"

	"github.com/gomlx/compute"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/clusterpool/ccp/internal/backend/backendtest"
)

// TestStepByHand: word 0 predicts word 1, twice, against the noise words 2 and 1, of which 1 is passed over. All
// products are 0, so that every sigmoid is 1/2; each pair counts 2 noise words out of 2, that is, each noise word once.
func TestStepByHand(t *testing.T) {
	backendtest.Run(t, func(t *testing.T, backend compute.Backend) {
		got, err := CallOnceN(backend, func(vectors, outputs, rate *Node) []*Node {
			g := vectors.Graph()
			newVectors, newOutputs, loss, pairs := step(vectors, outputs, batch{
				input: Const(g, []int32{0, 0, 2}), output: Const(g, []int32{1, 1, 0}), rate: rate,
				negative: Const(g, []int32{2, 1}),
			}, 2)
			return []*Node{newVectors, newOutputs, loss, pairs}
		}, [][]float32{{1, 0}, {7, 8}, {9, 10}}, [][]float32{{5, 6}, {0, 2}, {0, -4}}, []float32{0.1, 0.2, 0})
		require.NoError(t, err)
		// For a pair of rate r: u0 += r/2 (v1 − v2), v1 += r/2 u0, v2 −= r/2 u0; the loss is log 2 for v1 and for v2.
		assertNear(t, []float32{1, 0.9, 7, 8, 9, 10}, got[0])
		assertNear(t, []float32{5, 6, 0.15, 2, -0.15, -4}, got[1])
		assertNear(t, []float32{4 * math.Ln2}, got[2])
		assertNear(t, []float32{2}, got[3])
	})
}

// TestStepFollowsTheGradient compares a step with the gradient that GoMLX derives from the loss.
func TestStepFollowsTheGradient(t *testing.T) {
	const rate = 0.05
	backendtest.Run(t, func(t *testing.T, backend compute.Backend) {
		got, err := CallOnceN(backend, func(vectors, outputs *Node) []*Node {
			g := vectors.Graph()
			newVectors, newOutputs, loss, _ := step(vectors, outputs, batch{
				input: Const(g, []int32{0, 3, 3, 1}), output: Const(g, []int32{1, 1, 2, 0}),
				rate: Const(g, []float32{rate, rate, rate, rate}), negative: Const(g, []int32{2, 1, 2, 3, 3}),
			}, 3)
			gradient := Gradient(loss, vectors, outputs)
			return []*Node{newVectors, newOutputs, Sub(vectors, MulScalar(gradient[0], rate)),
				Sub(outputs, MulScalar(gradient[1], rate))}
		}, [][]float32{{1, -2}, {0.5, 3}, {9, 9}, {-1, -1.5}}, [][]float32{{0.3, 1}, {-1, 0.2}, {1.5, -0.5}, {2, 0.1}})
		require.NoError(t, err)
		assertNear(t, flat(t, got[2]), got[0])
		assertNear(t, flat(t, got[3]), got[1])
		assert.NotEqual(t, []float32{1, -2, 0.5, 3, 9, 9, -1, -1.5}, flat(t, got[0]))
	})
}

// TestLoop: a loop of two steps, with a third that is not to be run, is one step after the other.
func TestLoop(t *testing.T) {
	input, output := [][]int32{{0, 1}, {1, 2}, {2, 2}}, [][]int32{{1, 2}, {0, 0}, {1, 1}}
	rate, negative := [][]float32{{0.1, 0.2}, {0.3, 0}, {9, 9}}, [][]int32{{0, 2}, {1, 1}, {0, 0}}
	vectors, outputs := [][]float32{{1, -2}, {0.5, 3}, {2, 1}}, [][]float32{{0.3, 1}, {-1, 0.2}, {1.5, -0.5}}
	backendtest.Run(t, func(t *testing.T, backend compute.Backend) {
		got, err := CallOnceN(backend, func(vectors, outputs, steps *Node) []*Node {
			g := vectors.Graph()
			newVectors, newOutputs, loss := runSteps(vectors, outputs, steps,
				batch{Const(g, input), Const(g, output), Const(g, rate), Const(g, negative)}, 5)
			return []*Node{newVectors, newOutputs, loss}
		}, vectors, outputs, int32(2))
		require.NoError(t, err)
		want, err := CallOnceN(backend, func(vectors, outputs *Node) []*Node {
			g := vectors.Graph()
			losses, pairs := ScalarZero(g, vectors.DType()), ScalarZero(g, vectors.DType())
			for i := range 2 {
				var loss, n *Node
				vectors, outputs, loss, n = step(vectors,
					outputs, batch{Const(g, input[i]), Const(g, output[i]), Const(g, rate[i]), Const(g, negative[i])}, 5)
				losses, pairs = Add(losses, loss), Add(pairs, n)
			}
			return []*Node{vectors, outputs, losses, pairs}
		}, vectors, outputs)
		require.NoError(t, err)
		assertNear(t, flat(t, want[0]), got[0])
		assertNear(t, flat(t, want[1]), got[1])
		require.Equal(t, float32(3), flat(t, want[3])[0], "pairs that are not padding")
		assertNear(t, []float32{flat(t, want[2])[0] / 3}, got[2])
	})
}

func flat(t *testing.T, x *tensors.Tensor) []float32 {
	t.Helper()
	values, err := tensors.CopyFlatData[float32](x)
	require.NoError(t, err)
	return values
}

func assertNear(t *testing.T, want []float32, got *tensors.Tensor) {
	t.Helper()
	assert.InDeltaSlice(t, want, flat(t, got), 1e-5)
}
