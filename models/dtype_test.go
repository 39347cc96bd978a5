package models

import (
	"github.com/clusterpool/ccp/internal/variables"
	"math"
	"testing"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/ccp/nn"
	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// In bfloat16 every model keeps its variables in float32, its gradients are finite and close to those in float32, and
// a classifier predicts nearly the same: it computes as its checkpoint's spec says.
func TestBFloat16(t *testing.T) {
	for _, name := range Names() {
		s, graph := body(t, name)
		if s.Network().Fitted || !s.has("dtype") {
			continue
		}
		t.Run(name, func(t *testing.T) {
			onBackends(t, name == clusterPooling, func(t *testing.T, backend compute.Backend) {
				compareBFloat16(t, backend, s, graph)
			})
		})
	}
	s, _ := body(t, "bayes")
	s.Options = settings(Patch{"dtype": nn.BFloat16})
	require.ErrorContains(t, s.Check(), "model bayes has no dtype")
	s, _ = body(t, clusterPooling)
	s.Options = settings(Patch{"dtype": "float16"})
	require.ErrorContains(t, s.Check(), "it must be one of float32, bfloat16")
}

// compareBFloat16 checks that a network's logits and gradients in bfloat16 are near to those in float32.
func compareBFloat16(t *testing.T, backend compute.Backend, s Spec, graph *affinity.Matrix) {
	t.Helper()
	store := drawn(t, backend, s, graph)
	var flat []float32
	for _, signal := range signals(s, 4, 2) {
		flat = append(flat, signal...)
	}
	batch := tensors.FromFlatDataAndDimensions(flat, 4, s.Nodes, s.Channels)
	results := map[string][][]float32{}
	for _, dtype := range []string{"float32", nn.BFloat16} {
		s := s
		s.Options = settings(Patch{"dtype": dtype})
		require.NoError(t, s.Check())
		store.SetParam("/dtype", dtype)
		out, err := model.CallOnceN(backend, store, func(scope *model.Scope, x *Node) []*Node {
			return logitsAndGradients(t, scope, s, graph, x)
		}, batch)
		require.NoError(t, err)
		for _, o := range out {
			results[dtype] = append(results[dtype], tensors.MustCopyFlatData[float32](o))
		}
	}
	all, differ := norm(results["float32"]...), 0.0
	for i, want := range results["float32"] {
		got := results[nn.BFloat16][i]
		difference := make([]float32, len(want))
		for j := range want {
			require.False(t, math.IsNaN(float64(got[j])) || math.IsInf(float64(got[j]), 0))
			difference[j] = got[j] - want[j]
		}
		// of the logits; gradients have been through the network twice, and some are nearly zero
		most := 0.05
		if i > 0 {
			most = 0.15
		}
		assert.LessOrEqual(t, norm(difference), most*norm(want)+0.01*all, "result %d", i)
		differ += norm(difference)
	}
	if s.Model != "softmax" && s.Model != "svm" { // whose logits are zero at first
		assert.Positive(t, differ, "it was computed otherwise")
	}
}

// logitsAndGradients builds the network, and returns its logits and the gradients of all weights but memberships.
func logitsAndGradients(t *testing.T, scope *model.Scope, s Spec, graph *affinity.Matrix, x *Node) []*Node {
	logits := s.Build(scope, Topology{Matrix: graph}, x)
	require.Equal(t, dtypes.Float32, logits.DType())
	var weights []*Node
	for v := range scope.Store().IterVariables() {
		if variables.IsWeight(v) && v.Trainable && v.Name() != "U" && v.InUseByGraph(x.Graph()) {
			require.Equal(t, dtypes.Float32, v.DType(), v.Path())
			weights = append(weights, v.NodeValue(x.Graph()))
		}
	}
	return append([]*Node{logits}, Gradient(ReduceAllSum(Square(logits)), weights...)...)
}

// norm returns the square root of the sum of all squares.
func norm(all ...[]float32) float64 {
	sum := 0.0
	for _, values := range all {
		for _, v := range values {
			sum += float64(v) * float64(v)
		}
	}
	return math.Sqrt(sum)
}

// In bfloat16 a classifier keeps its kernels rounded. To the last bit it predicts as one that keeps them in float32
// and rounds them in each call. Kernels that were cut off instead of rounded would predict otherwise.
func TestKernelsAreKeptRounded(t *testing.T) {
	onBackends(t, true, func(t *testing.T, backend compute.Backend) {
		predictions := func(c *Classifier, batch int) []float32 {
			var flat []float32
			for _, signal := range signals(c.Spec, batch, 2) {
				flat = append(flat, signal...)
			}
			logits, err := c.Run(tensors.FromFlatDataAndDimensions(flat, batch, c.Spec.Nodes, c.Spec.Channels))
			require.NoError(t, err)
			return tensors.MustCopyFlatData[float32](logits)
		}
		inEachCall, kept := tinyClassifier(t, backend), tinyClassifier(t, backend)
		single := predictions(inEachCall, 3) // keeps its kernels in float32 from now on
		inEachCall.store.SetParam("/dtype", nn.BFloat16)
		kept.store.SetParam("/dtype", nn.BFloat16)
		for _, batch := range []int{1, 4} {
			want := predictions(inEachCall, batch)
			assert.Equal(t, want, predictions(kept, batch), "batch %d", batch)
			assert.NotEqual(t, single[0], want[0], "it is computed in bfloat16")
		}
		for _, layer := range []string{"level_1", "level_2", "fc_1"} {
			kernel := "/model/" + layer + "/tables/kernel"
			assert.Equal(t, dtypes.Float32, inEachCall.store.GetVariable(kernel).DType(), layer)
			assert.Equal(t, dtypes.BFloat16, kept.store.GetVariable(kernel).DType(), layer)
		}
		before := predictions(kept, 1)
		require.NoError(t, kept.Update(inEachCall.store))
		assert.Equal(t, before, predictions(kept, 1), "renewed")
	})
}
