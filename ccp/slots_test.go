package ccp_test

import (
	"testing"

	"github.com/clusterpool/ccp/ccp"
	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A random order of slots moves nodes within their neighbourhoods, with their ranks, and nothing else.
func TestRandomSlots(t *testing.T) {
	grid, err := affinity.Grid(4, 4, 8)
	require.NoError(t, err)
	onBoth(t, func(t *testing.T, backend compute.Backend) {
		frozen := func(order string) (nodes []int32, ranks []float64, store *model.Store) {
			store = newStore(3)
			store.SetParam("/ccp_slots", order)
			require.NoError(t, ccp.Prepare(grid).Level(5, 4).Level(2, 3).Hold(backend, store.RootScope()))
			freezer, err := ccp.NewFreezer(backend, store, shapes.Make(dtypes.Float32, 1, 16, 3), twoLevels)
			require.NoError(t, err)
			_, err = freezer.Freeze()
			require.NoError(t, err)
			return tensors.MustCopyFlatData[int32](store.GetVariable("/level_1/frozen_neighbourhood").MustValue()),
				values(store.GetVariable("/level_1/frozen_rank").MustValue()), store
		}
		nodes, ranks, _ := frozen("rank")
		shuffledNodes, shuffledRanks, store := frozen("random")
		assert.NotEqual(t, nodes, shuffledNodes)
		for c := range 5 {
			assert.ElementsMatch(t, nodes[4*c:4*c+4], shuffledNodes[4*c:4*c+4])
			for l := range 4 {
				for other := range 4 {
					if nodes[4*c+l] == shuffledNodes[4*c+other] {
						assert.InDelta(t, ranks[4*c+l], shuffledRanks[4*c+other], 1e-6)
					}
				}
			}
		}
		run := func(network func(*model.Scope, *Node) *Node) []float32 {
			out, err := model.CallOnce(backend, store, func(scope *model.Scope, g *Graph) *Node {
				return network(scope, randomSignal(g, dtypes.Float32, 4, 16, 3))
			})
			require.NoError(t, err)
			return tensors.MustCopyFlatData[float32](out)
		}
		assert.InDeltaSlice(t, run(twoFrozen), run(twoLevels), 1e-6, "what is frozen is not shuffled again")
	})
}
