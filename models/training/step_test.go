package training

import (
	"math"
	"testing"

	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/clusterpool/ccp/internal/messagetest"
	"github.com/clusterpool/ccp/internal/ops"
	"github.com/clusterpool/ccp/models"
	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/model/initializer"
	"github.com/gomlx/gomlx/ml/train/optimizer"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A weight that becomes step² is averaged as the loop in Go does it; what is no weight, or no float, is not averaged.
func TestAverageWeights(t *testing.T) {
	backendtest.Run(t, func(t *testing.T, backend compute.Backend) {
		const decay = 0.4
		store := model.NewStore()
		exec, err := model.NewExec(backend, store, func(scope *model.Scope, g *Graph) []*Node {
			scope.SetTraining(g, true) // pure Go takes variables for constants in other graphs
			step := optimizer.IncrementGlobalStep(g, dtypes.Float32)
			zeros := scope.WithInitializer(initializer.Zero)
			network := zeros.In("model")
			w := network.VariableWithShape("w", shapes.Make(dtypes.Float32, 2))
			w.SetNodeValue(Add(Square(step), Const(g, []float32{0, 1})))
			count := network.VariableWithShape("count", shapes.Make(dtypes.Int32))
			count.SetNodeValue(AddScalar(count.NodeValue(g), 1))
			ops.Constant(network.In("any scope"), g, "degrees", tensors.FromScalar(float32(1)))
			zeros.In("other").VariableWithShape("w", shapes.Make(dtypes.Float32)).NodeValue(g)
			averageWeights(store, g, decay)
			return []*Node{step}
		})
		require.NoError(t, err)
		want := 0.0
		for step := 1.0; step <= 6; step++ {
			_, err := exec.Call()
			require.NoError(t, err)
			d := math.Min(decay, (1+step)/(10+step))
			want = d*want + (1-d)*step*step
			average := store.GetVariable("/average/model/w")
			require.NotNil(t, average)
			assert.False(t, average.Trainable)
			got := average.MustValue().Value().([]float32)
			assert.InDelta(t, want, got[0], 1e-4)
		}
		for _, path := range []string{"/average/model/count", "/average/model/any scope/degrees", "/average/other/w"} {
			assert.Nil(t, store.GetVariable(path), path)
		}
	})
}

// The smoothed loss is the cross entropy to (1 − s)·one-hot + s/K, and without smoothing it is GoMLX's.
func TestSmoothedCrossEntropy(t *testing.T) {
	backendtest.Run(t, func(t *testing.T, backend compute.Backend) {
		for _, share := range []float64{0, 0.1, 0.5} {
			value, err := CallOnce(backend, func(z, y *Node) *Node {
				return ReduceAllMean(smoothedCrossEntropy(share)([]*Node{y}, []*Node{z}))
			}, [][]float32{{1, 2, 0}, {-1, 0, 3}}, [][]int32{{1}, {0}})
			require.NoError(t, err)
			want := 0.0
			for i, z := range [][]float64{{1, 2, 0}, {-1, 0, 3}} {
				sum := math.Exp(z[0]) + math.Exp(z[1]) + math.Exp(z[2])
				for k, v := range z {
					q := share / 3
					if k == []int{1, 0}[i] {
						q += 1 - share
					}
					want -= q * (v - math.Log(sum)) / 2
				}
			}
			assert.InDelta(t, want, value.Value(), 1e-6, "share %g", share)
		}
	})
}

// If a step takes off all of a weight, what is left is Adam's first step, at most the rate; half of that takes off
// half.
func TestWeightDecay(t *testing.T) {
	data := writeRing(t, 80)
	backendtest.Run(t, func(t *testing.T, backend compute.Backend) {
		const rate = 0.02
		after := func(decay float64) []float32 {
			c := ringConfig(data)
			c["steps"], c["epochs"], c["schedule"], c["l2"], c["weight_decay"] = 1, 1, "constant", 0, decay
			dir := t.TempDir()
			trainIn(t, backend, c, dir)
			classifier, err := models.Load(dir, models.LoadOptions{Backend: backend})
			require.NoError(t, err)
			w, err := tensors.CopyFlatData[float32](classifier.Store().GetVariable("/model/level_1/W").MustValue())
			require.NoError(t, err)
			return w
		}
		plain, half, whole := after(0), after(0.5/rate), after(1/rate)
		largest := 0.0
		for i := range plain {
			assert.InDelta(t, (plain[i]+whole[i])/2, half[i], 1e-6)
			assert.LessOrEqual(t, math.Abs(float64(whole[i])), rate+1e-6)
			largest = max(largest, math.Abs(float64(plain[i])))
		}
		assert.Greater(t, largest, 5*rate)
	})
	_, err := Preview(Patch{"model": "transforms", "weight_decay": 0.1})
	messagetest.Option(t, err, "weight_decay", 0.1, "model transforms … one pass … 0")
}
