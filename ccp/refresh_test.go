package ccp_test

import (
	"testing"

	"github.com/clusterpool/ccp/ccp"
	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Between refreshes the neighbourhoods stay while U, and the ranks at them, move on. The level has candidates in one of the
// runs.
func TestRefresh(t *testing.T) {
	m := hubGraph(t)
	for _, restricted := range []bool{false, true} {
		onBoth(t, func(t *testing.T, backend compute.Backend) {
			store := newStore(4)
			store.SetParam("/"+ccp.ParamRefresh, 3.0)
			if restricted {
				require.NoError(t, ccp.SetCandidates(store.Scope("/level_1"), candidatesAround(42, 9, 3), 3))
			}
			step := func(reuse bool) *model.Exec {
				exec, err := model.NewExec(backend, store, func(scope *model.Scope, g *Graph) []*Node {
					store.SetTraining(g, true)
					if reuse {
						ccp.ReuseSelection(scope, g)
					}
					a := ccp.NewSparse(scope.In("graph"), g, m, dtypes.Float32)
					out, _ := ccp.New(scope.In("level_1"), randomSignal(g, dtypes.Float32, 2, 42, 3), a, 9, 4).Neighbours(5).Done()
					level := ccp.Levels(store, g)[0]
					return []*Node{level.Neighbourhood, level.Rank, out}
				})
				require.NoError(t, err)
				return exec
			}
			selecting, reusing := step(false), step(true)
			var kept [][]int32
			var ranks [][]float32
			for step := range 7 {
				exec := reusing
				if step%3 == 0 {
					exec = selecting
				}
				values, err := exec.Call()
				require.NoError(t, err)
				kept = append(kept, tensors.MustCopyFlatData[int32](values[0]))
				ranks = append(ranks, tensors.MustCopyFlatData[float32](values[1]))
				v := store.GetVariable("/level_1/U")
				u := tensors.MustCopyFlatData[float32](v.MustValue())
				for i := range u {
					u[i] = float32((7*i+13*step)%17) / 20 // elsewhere altogether
				}
				require.NoError(t, v.SetValue(tensors.FromFlatDataAndDimensions(u, v.Shape().Dimensions...)))
			}
			for step := range 7 {
				assert.Equal(t, kept[step-step%3], kept[step], "step %d", step)
			}
			assert.NotEqual(t, kept[2], kept[3])
			assert.NotEqual(t, ranks[1], ranks[2])
		})
	}
}
