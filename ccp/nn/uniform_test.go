package nn_test

import (
	"math"
	"testing"

	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/clusterpool/ccp/internal/ops"
	"github.com/gomlx/compute"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/train/optimizer"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The values fill [0, 1) evenly, alike on all backends, and are drawn anew for each step and name.
func TestUniform(t *testing.T) {
	const n = 1 << 14
	all := map[string][]float64{}
	backendtest.Run(t, func(t *testing.T, backend compute.Backend) {
		at := func(step int64, name string) []float64 {
			store := model.NewStore()
			require.NoError(t, optimizer.GetGlobalStepVar(store).SetValue(tensors.FromScalar(step)))
			return flat(call(t, backend, store, func(scope *model.Scope, g *Graph) []*Node {
				return []*Node{ops.Uniform(scope, Const(g, 0.0), name, n/4, 4)}
			})[0])
		}
		x := at(5, "a")
		tenths := make([]float64, 10)
		for _, v := range x {
			require.True(t, v >= 0 && v < 1, v)
			tenths[int(10*v)]++
		}
		for i, count := range tenths {
			assert.InDelta(t, 0.1, count/n, 4*math.Sqrt(0.1*0.9/n), "tenth %d, four standard deviations", i)
		}
		assert.Equal(t, x, at(5, "a"))
		assert.NotEqual(t, x, at(6, "a"))
		assert.NotEqual(t, x, at(5, "b"))
		all[t.Name()[len("TestUniform/"):]] = x
	})
	if len(all) == 2 {
		assert.Equal(t, all["go"], all["xla"], "all backends draw the same")
	}
}
