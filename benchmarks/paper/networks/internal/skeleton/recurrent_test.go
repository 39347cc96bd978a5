package skeleton

import (
	"math"
	"testing"

	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/gomlx/compute"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Two steps of two parts with one unit each, by the formulas.
func TestPartLSTM(t *testing.T) {
	first, second := [][]float64{{0.5, -1}, {2, 0.25}}, [][]float64{{1.5}, {-0.75}} // by step
	sigmoid := func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
	own := [][][]float64{{{0.3, -0.2, 0.7}, {0.1, 0.4, -0.5}}, {{-0.6, 0.8, 0.9}}} // W by part, value and gate i, f, g
	output := [][]float64{{0.2, -0.3}, {0.5, 0.6}, {-0.7, 0.1}}
	b := []float64{0.1, 0.2, -0.1, 0.3, 0.05, -0.2, 0.4, -0.4} // i, f, g, o of both parts
	u := [][]float64{{0.5, -0.4, 0.3, 0.2, -0.1, 0.6, 0.7, -0.8}, {-0.9, 0.8, 0.1, -0.5, 0.4, 0.3, -0.2, 0.6}}
	var want [][]float64
	h, c := []float64{0, 0}, []float64{0, 0}
	for t := range 2 {
		values := [][]float64{first[t], second[t]}
		next, all := make([]float64, 2), append(append([]float64{}, first[t]...), second[t]...)
		for p := range 2 {
			z := [4]float64{b[p], b[2+p] + 1, b[4+p], b[6+p]}
			for gate := range 4 {
				z[gate] += h[0]*u[0][2*gate+p] + h[1]*u[1][2*gate+p]
			}
			for i, x := range values[p] {
				for gate := range 3 {
					z[gate] += x * own[p][i][gate]
				}
			}
			for i, x := range all {
				z[3] += x * output[i][p]
			}
			c[p] = sigmoid(z[1])*c[p] + sigmoid(z[0])*math.Tanh(z[2])
			next[p] = sigmoid(z[3]) * math.Tanh(c[p])
		}
		h = next
		want = append(want, h)
	}
	backendtest.Run(t, func(t *testing.T, backend compute.Backend) {
		store := model.NewStore()
		run := func() *tensors.Tensor {
			out, err := model.CallOnce(backend, store, func(scope *model.Scope, g *Graph) *Node {
				return partLSTM(scope, []*Node{Const(g, [][][]float64{{first[0]}, {first[1]}}),
					Const(g, [][][]float64{{second[0]}, {second[1]}})}, 1)
			})
			require.NoError(t, err)
			return out
		}
		run() // makes the variables
		for path, value := range map[string]any{"/part_1/W": own[0], "/part_2/W": own[1], "/output/W": output, "/b": b,
			"/recurrent/W": u} {
			require.NoError(t, store.GetVariable(path).SetValue(tensors.MustFromAnyValue(value)))
		}
		for i, step := range run().Value().([][][]float64) {
			assert.InDeltaSlice(t, want[i], step[0], 1e-12)
		}
	})
}

// In training each step is a frame of its own segment, and all of them have their turn; elsewhere it is the one in the
// middle.
func TestSegmentFrames(t *testing.T) {
	const batch = 512
	backendtest.Run(t, func(t *testing.T, backend compute.Backend) {
		pick := func(training bool, steps int) [][][]float32 {
			store := model.NewStore()
			out, err := model.CallOnce(backend, store, func(scope *model.Scope, g *Graph) *Node {
				store.SetTraining(g, training)
				frames := BroadcastToDims(Const(g, [][][]float32{{{0}, {1}, {2}, {3}, {4}, {5}, {6}}}), batch, 7, 1)
				return segmentFrames(scope, frames, steps)
			})
			require.NoError(t, err)
			return out.Value().([][][]float32)
		}
		for _, sample := range pick(false, 3) {
			assert.Equal(t, [][]float32{{1}, {3}, {5}}, sample)
		}
		seen := []map[float32]bool{{}, {}, {}}
		for _, sample := range pick(true, 3) {
			for step, frame := range sample {
				seen[step][frame[0]] = true
			}
		}
		assert.Equal(t, []map[float32]bool{{0: true, 1: true}, {2: true, 3: true}, {4: true, 5: true, 6: true}}, seen)
		assert.Equal(t, [][]float32{{0}, {1}, {2}, {3}, {4}, {5}, {6}}, pick(true, 7)[3])
	})
}
