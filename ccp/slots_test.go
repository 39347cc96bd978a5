package ccp_test

import (
	"testing"

	"github.com/clusterpool/ccp/ccp"
	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A random order of slots moves nodes within their neighbourhoods, with their ranks, and nothing else; on the host it is the same.
func TestRandomSlots(t *testing.T) {
	onBoth(t, func(t *testing.T, backend compute.Backend) {
		frozen := func(order string) (nodes []int32, ranks []float64, store *model.Store) {
			store = newStore(3)
			store.SetParam("/ccp_slots", order)
			freezer, err := ccp.NewFreezer(backend, store, shapes.Make(dtypes.Float64, 1, 16, 3), twoLevels)
			require.NoError(t, err)
			_, _, err = freezer.Freeze()
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
						assert.InDelta(t, ranks[4*c+l], shuffledRanks[4*c+other], 1e-12)
					}
				}
			}
		}
		host := newStore(3)
		host.SetParam("/ccp_slots", "random")
		require.NoError(t, ccp.SetFrozen(host.Scope("/level_1"), nodes, ranks, 4))
		assert.Equal(t, shuffledNodes, tensors.MustCopyFlatData[int32](host.GetVariable("/level_1/frozen_neighbourhood").MustValue()))
		hostRanks := tensors.MustCopyFlatData[float32](host.GetVariable("/level_1/frozen_rank").MustValue())
		assert.InDeltaSlice(t, shuffledRanks, hostRanks, 1e-6)

		run := func(network func(*model.Scope, *Node) *Node) []float64 {
			out, err := model.CallOnce(backend, store, func(scope *model.Scope, g *Graph) *Node {
				return network(scope, randomSignal(g, dtypes.Float64, 4, 16, 3))
			})
			require.NoError(t, err)
			return tensors.MustCopyFlatData[float64](out)
		}
		assert.InDeltaSlice(t, run(twoFrozen), run(twoLevels), 1e-12, "what is frozen is not shuffled again")
	})
}
