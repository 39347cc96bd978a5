package experiment

import (
	"math"
	"testing"

	"github.com/clusterpool/ccp/internal/backend/backendtest"
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

// A weight that becomes step² is averaged as the loop in Go does it; what is no weight, or no float, is not averaged.
func TestAverageWeights(t *testing.T) {
	backendtest.Run(t, func(t *testing.T, backend compute.Backend) {
		const decay = 0.4
		store := model.NewStore()
		exec, err := model.NewExec(backend, store, func(scope *model.Scope, g *Graph) []*Node {
			step := optimizer.IncrementGlobalStep(g, dtypes.Float32)
			zeros := scope.WithInitializer(initializer.Zero)
			network := zeros.In("model")
			w := network.VariableWithShape("w", shapes.Make(dtypes.Float32, 2))
			w.SetNodeValue(Add(Square(step), Const(g, []float32{0, 1})))
			count := network.VariableWithShape("count", shapes.Make(dtypes.Int32))
			count.SetNodeValue(AddScalar(count.NodeValue(g), 1))
			network.In("graph").VariableWithShape("degrees", shapes.Make(dtypes.Float32)).NodeValue(g)
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
		for _, path := range []string{"/average/model/count", "/average/model/graph/degrees", "/average/other/w"} {
			assert.Nil(t, store.GetVariable(path), path)
		}
	})
}
