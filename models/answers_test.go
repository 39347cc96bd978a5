package models

import (
	"math"
	"testing"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/gomlx/compute"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
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

// In training such a network gives all answers, elsewhere one.
func TestAnswersInTraining(t *testing.T) {
	backend := backendtest.Go(t)
	for name, answers := range map[string]int{"st-lstm": 36, "c-cnn": 2} {
		s := bodySpecs()[name]
		graph := bodyGraph(t, s)
		store := drawn(t, backend, s, graph)
		for _, training := range []bool{true, false} {
			out, err := model.CallOnce(backend, store, func(scope *model.Scope, x *Node) *Node {
				store.SetTraining(x.Graph(), training)
				return s.Build(scope, Topology{Matrix: graph}, x)
			}, tensors.FromFlatDataAndDimensions(signals(s, 1, 3)[0], 1, s.Nodes, s.Channels))
			require.NoError(t, err)
			want := []int{1, 3}
			if training {
				want = []int{1, answers, 3}
			}
			assert.Equal(t, want, out.Shape().Dimensions, name)
		}
	}
}

// A graph without enough bones is refused.
func TestCheckGraph(t *testing.T) {
	s := bodySpecs()["lie-group"]
	single, err := affinity.SpaceTime([][2]int{{0, 1}}, 5, 9)
	require.NoError(t, err)
	assert.EqualError(t, s.CheckGraph(single),
		"model lie-group needs the bones of a skeleton; the graph has 1 edges between the 5 joints of the first frame")
	require.NoError(t, s.CheckGraph(bodyGraph(t, s)))
}
