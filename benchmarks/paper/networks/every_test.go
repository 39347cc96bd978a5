package networks

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"

	_ "github.com/clusterpool/ccp/benchmarks/paper/data"
	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/ccp/nn"
	"github.com/clusterpool/ccp/datasets/signal"
	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/clusterpool/ccp/internal/variables"
	"github.com/clusterpool/ccp/models"
	"github.com/clusterpool/ccp/models/training"
	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// registered lists the networks of this package.
func registered(t *testing.T) []string {
	names := slices.DeleteFunc(models.Names(),
		func(name string) bool { return !bytes.Equal(models.Spec{Model: name}.Network().Recipes, recipes) })
	require.Len(t, names, 12)
	return names
}

// everySpec is a skeleton of 4 joints over 9 frames, a grid too, small enough for all networks.
func everySpec(t *testing.T, name string) (models.Spec, *affinity.Matrix) {
	t.Helper()
	graph, err := affinity.SpaceTime([][2]int{{0, 1}, {1, 2}, {2, 3}}, 4, 9)
	require.NoError(t, err)
	s := models.Spec{Options: models.DefaultOptions(),
		Model: name, Info: signal.Info{Nodes: 36, Channels: 2, ClassNames: []string{"a", "b", "c"},
			Grid: []int{9, 4}, Parts: [][]int{{0, 1}, {2, 3}}, Mean: make([]float32, 2), Std: []float32{1, 1}}}
	if name == "c-cnn" || name == "lie-group" { // x, y and z
		s.Channels, s.Bodies = 3, 1
	}
	if n := s.Network(); n.Levels != nil {
		s.Levels = n.Levels(s.Nodes)
	}
	if s.Network().Hidden {
		s.Hidden = []int{64}
	}
	return s, graph
}

// Every network: its levels fit, it says what it is, a classifier of it predicts for each signal of a batch what it
// predicts for that signal alone, and its predictions can be explained.
func TestEveryNetwork(t *testing.T) {
	backend := backendtest.Go(t)
	for _, name := range registered(t) {
		t.Run(name, func(t *testing.T) {
			s, graph := everySpec(t, name)
			require.NoError(t, s.Check())
			assert.NotEmpty(t, s.Network().About)
			c, err := models.NewClassifier(backend, models.Metadata{Spec: s, Data: "body"}, graph)
			require.NoError(t, err)
			require.NoError(t, c.Update(drawn(t, backend, s, graph)))
			assert.Positive(t, c.Parameters())
			raw := signals(s, 3, 1)
			together, err := c.Classify(t.Context(), raw)
			require.NoError(t, err)
			for i := range raw {
				alone, err := c.Classify(t.Context(), raw[i:i+1])
				require.NoError(t, err)
				assert.InDeltaSlice(t, together[i].Probabilities, alone[0].Probabilities, 1e-5)
			}
			why, err := c.Attribute(t.Context(), raw[:2],
				models.AttributionOptions{Method: models.IntegratedGradients, Steps: 64})
			require.NoError(t, err)
			for _, a := range why {
				if name != "c-cnn" { // its angles jump at the baseline, where all joints are in one place
					assert.LessOrEqual(t, a.Gap, 0.05*math.Abs(a.Logit-a.Baseline)+1e-4)
				}
			}
			if name != "lie-group" { // its weights begin at zero
				assert.NotEqual(t, together[0].Probabilities, together[1].Probabilities, "the signal matters")
				assert.NotEqual(t, why[0].Nodes, why[1].Nodes)
			}
		})
	}
}

// In bfloat16 every network keeps its variables in float32, and its logits and gradients are finite and close to those
// in float32.
func TestBFloat16(t *testing.T) {
	backend := backendtest.Go(t)
	for _, name := range registered(t) {
		s, graph := everySpec(t, name)
		if s.Values()["dtype"] == nil {
			continue
		}
		t.Run(name, func(t *testing.T) {
			store := drawn(t, backend, s, graph)
			batch := tensors.FromFlatDataAndDimensions(slices.Concat(signals(s, 4, 2)...), 4, s.Nodes, s.Channels)
			results := map[string][][]float32{}
			for _, dtype := range []string{"float32", nn.BFloat16} {
				s := s
				s.Options = options(name, models.Patch{"dtype": dtype})
				require.NoError(t, s.Check())
				store.SetParam("/dtype", dtype)
				out, err := model.CallOnceN(backend, store, func(scope *model.Scope, x *Node) []*Node {
					logits := s.Build(scope, models.Topology{Matrix: graph}, x)
					require.Equal(t, dtypes.Float32, logits.DType())
					var weights []*Node
					for v := range scope.Store().IterVariables() {
						if variables.IsWeight(v) && v.Trainable && v.InUseByGraph(x.Graph()) {
							require.Equal(t, dtypes.Float32, v.DType(), v.Path())
							weights = append(weights, v.NodeValue(x.Graph()))
						}
					}
					return append([]*Node{logits}, Gradient(ReduceAllSum(Square(logits)), weights...)...)
				}, batch)
				require.NoError(t, err)
				for _, o := range out {
					results[dtype] = append(results[dtype], tensors.MustCopyFlatData[float32](o))
				}
			}
			norm := func(values []float32) (sum float64) {
				for _, v := range values {
					sum += float64(v) * float64(v)
				}
				return math.Sqrt(sum)
			}
			differ, all := 0.0, norm(slices.Concat(results["float32"]...))
			for i, want := range results["float32"] {
				distance := make([]float32, len(want))
				for j, got := range results[nn.BFloat16][i] {
					require.False(t, math.IsNaN(float64(got)) || math.IsInf(float64(got), 0))
					distance[j] = got - want[j]
				}
				most := 0.05 // of the logits; gradients have been through the network twice, and some are nearly zero
				if i > 0 {
					most = 0.15
				}
				assert.LessOrEqual(t, norm(distance), most*norm(want)+0.01*all, "result %d", i)
				differ += norm(distance)
			}
			assert.Positive(t, differ, "it was computed otherwise")
		})
	}
}

// Every change of the recipes is written in words that a recipe has, and names models that there are. All networks are
// trained, whatever the data.
func TestRecipes(t *testing.T) {
	reader := json.NewDecoder(bytes.NewReader(recipes))
	reader.DisallowUnknownFields()
	var changes []struct {
		Data, Models, Why string
		Set               map[string]any
	}
	require.NoError(t, reader.Decode(&changes))
	for _, c := range changes {
		assert.Subset(t, registered(t), strings.Fields(c.Models))
	}
	for _, data := range []string{"digits", "cifar10", "20news", "ntu", "nw-ucla", "mnist", "fashion-mnist", "ring.npz"} {
		for _, name := range registered(t) {
			c, err := training.Preview(training.Patch{"data": data, "model": name})
			require.NoError(t, err, "%s %s", data, name)
			assert.NotEqual(t, 1, c.Epochs)
		}
	}
}
