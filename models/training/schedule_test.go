package training

import (
	"testing"

	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/train/optimizer"
	"github.com/gomlx/gomlx/ml/train/optimizer/cosineschedule"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Each rate is that of GoMLX's schedule, to the last bit. The shortest runs have no step in which the rate rises.
func TestScheduleIsGoMLX(t *testing.T) {
	backendtest.Run(t, func(t *testing.T, backend compute.Backend) {
		for _, steps := range []int{1, 3, 4, 37, 150} {
			for _, name := range []string{oneCycle, "cosine"} {
				rates := func(next func(scope *model.Scope, g *Graph) *Node) (all []float32) {
					exec, err := model.NewExec(backend, model.NewStore(), func(scope *model.Scope, g *Graph) *Node {
						scope.Store().SetTraining(g, true)
						rate := next(scope, g)
						optimizer.IncrementGlobalStep(g, dtypes.Int64)
						return rate
					})
					require.NoError(t, err)
					for range steps {
						rate, err := exec.Call1()
						require.NoError(t, err)
						all = append(all, tensors.ToScalar[float32](rate))
					}
					return all
				}
				rise := map[string]int{oneCycle: steps / 4}[name]
				want := rates(func(scope *model.Scope, g *Graph) *Node {
					cosineschedule.New(scope, g,
						dtypes.Float32).WarmUpSteps(rise).PeriodSteps(steps - rise).LearningRate(0.002).Done()
					return optimizer.LearningRateVar(scope, dtypes.Float32, 1).NodeValue(g)
				})
				got := rates(func(scope *model.Scope, g *Graph) *Node {
					return schedule(scope, g, Config{Training: Training{Schedule: name, LearningRate: 0.002}}, steps)
				})
				assert.Equal(t, want, got, "%s over %d steps", name, steps)
			}
		}
	})
}
