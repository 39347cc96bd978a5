package training

import (
	"math"
	"testing"

	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/clusterpool/ccp/internal/ops"
	"github.com/clusterpool/ccp/internal/variables"
	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/model/initializer"
	"github.com/gomlx/gomlx/ml/train/optimizer"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// movingLoss makes weights of these sizes, and returns a loss whose gradients change from step to step. It does not
// depend on the bias.
func movingLoss(scope *model.Scope, g *Graph, sizes map[string][]int) *Node {
	network, loss := scope.In("model").WithInitializer(initializer.Zero),
		ScalarZero(g, dtypes.Float32)
	for _, name := range []string{"scale", "bias", "W", "gate", "kernel"} {
		w := network.VariableWithShape(name,
			shapes.Make(dtypes.Float32, sizes[name]...)).NodeValue(g)
		if name != "bias" {
			now := ConvertDType(optimizer.GetGlobalStepVar(scope).NodeValue(g), dtypes.Float32)
			loss = Add(loss, ReduceAllSum(Mul(w,
				ops.Apart(Sin(Add(IotaFull(g, w.Shape()), AddScalar(now, 0.7)))))))
		}
	}
	return loss
}

// Weights move as GoMLX's Adam moves them, to the last bit, also if the first steps were GoMLX's, whose moments are
// each weight's own. A bias that the loss does not depend on stays zero.
func TestAdamIsGoMLX(t *testing.T) {
	sizes := map[string][]int{"bias": {3}, "gate": {1, 1}, "scale": {5}, "W": {smallWeight/8 + 1, 8},
		"kernel": {2, 3, 4}}
	backendtest.Run(t, func(t *testing.T, backend compute.Backend) {
		for _, decay := range []float64{0, 0.1} {
			gomlx := optimizer.Adam().LearningRate(0.01).WeightDecay(decay).Done()
			rate := func(_ *model.Scope, g *Graph) *Node { return Scalar(g, dtypes.Float32, 0.01) }
			ours := adamW{gomlx, rate, decay}
			trained := func(by ...optimizer.Interface) *model.Store {
				store := model.NewStore()
				for _, by := range by {
					exec, err := model.NewExec(backend, store, func(scope *model.Scope, g *Graph) *Node {
						scope.SetTraining(g, true)
						loss := movingLoss(scope, g, sizes)
						by.UpdateGraph(scope, g, loss)
						return loss
					})
					require.NoError(t, err)
					for range 4 {
						_, err = exec.Call()
						require.NoError(t, err)
					}
				}
				return store
			}
			want, fresh, resumed := trained(gomlx, gomlx), trained(ours, ours), trained(gomlx, ours)
			for name, dims := range sizes {
				read := func(store *model.Store) []float32 {
					w, err := variables.Read[float32](store.Scope("/model"), name, dims...)
					require.NoError(t, err)
					return w
				}
				assert.Equal(t, read(want), read(fresh), "%s, decay %g", name, decay)
				assert.Equal(t, read(want), read(resumed), "%s resumed, decay %g", name, decay)
				moved := math.Abs(float64(read(want)[0])) + math.Abs(float64(read(want)[len(read(want))-1]))
				assert.Equal(t, name != "bias", moved > 0.01, name)
				own := fresh.GetVariable("/AdamOptimizer/model/" + name + "_1st_moment")
				assert.Equal(t, name == "W", own != nil, "%s has moments of its own", name)
			}
			assert.Nil(t, resumed.GetVariable("/AdamOptimizer/model/scale_2nd_moment"))
			step, err := variables.Read[float32](resumed.Scope("/AdamOptimizer"), "step")
			require.NoError(t, err)
			assert.Equal(t, []float32{8}, step)
		}
	})
}
