package ccp_test

import (
	"testing"

	"github.com/clusterpool/ccp/ccp"
	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Held neighbourhoods are those of the prepared clusters that memberships begin at, and stay while these move. Ranks
// follow the memberships; without links they are still positive. With all clusters as candidates nothing else comes
// out.
func TestHold(t *testing.T) {
	matrix, err := affinity.New(9, []affinity.Edge{
		{I: 0, J: 1, Weight: 1}, {I: 1, J: 2, Weight: 1}, {I: 2, J: 3, Weight: 1},
		{I: 3, J: 4, Weight: 1}, {I: 4, J: 5, Weight: 1}, {I: 5, J: 6, Weight: 1}, {I: 6, J: 7, Weight: 1}}) // 8 is alone
	require.NoError(t, err)
	onBoth(t, func(t *testing.T, backend compute.Backend) {
		prepare := func() *ccp.Preparation {
			return ccp.Prepare(matrix).Level(3, 5).Level(1, 2).Hierarchies(2).Around(2, 1).Directed(1)
		}
		prepared, err := prepare().Done(t.Context())
		require.NoError(t, err)
		started, err := prepare().Start().Done(t.Context())
		require.NoError(t, err)
		store := newStore(1)
		require.NoError(t, started.Keep(store.RootScope()))
		require.NoError(t, prepare().Hold(backend, store.RootScope()))
		around := func() []int32 {
			return tensors.MustCopyFlatData[int32](store.GetVariable("/level_1/around").MustValue())
		}
		assert.Equal(t, prepared.Levels[0].Around.Nodes, around())
		assert.Equal(t, prepared.Levels[0].Around.Ranks,
			widened(tensors.MustCopyFlatData[float32](store.GetVariable("/level_1/around_present").MustValue())))
		level := func(which int) (nodes []int32, ranks []float32) {
			out, err := model.CallOnceN(backend, store, func(scope *model.Scope, drawn *Node) []*Node {
				g := drawn.Graph()
				scope.SetGraphParam(g, "ccp_drawn", drawn)
				x := randomSignal(g, dtypes.Float32, 2, 9, 2)
				a := ccp.NewSparse(scope.In("graph"), g, matrix.Normalized(), dtypes.Float32)
				ccp.Several(scope, x, 2)
				ccp.New(scope.In("level_1"), x, a, 3, 4).Neighbours(5).Blocks(1).Done()
				first := ccp.Levels(store, g)[0]
				return []*Node{first.Neighbourhood, first.Rank}
			}, int32(which))
			require.NoError(t, err)
			return tensors.MustCopyFlatData[int32](out[0]), tensors.MustCopyFlatData[float32](out[1])
		}
		for which := range 2 {
			nodes, ranks := level(which)
			assert.Equal(t, prepared.Levels[0].Pooled.Nodes[which*15:(which+1)*15], nodes)
			for i, want := range prepared.Levels[0].Pooled.Ranks[which*15 : (which+1)*15] {
				assert.Equal(t, want > 0, ranks[i] > 0, "hierarchy %d, place %d", which, i)
			}
		}
		nodes, ranks := level(0)
		u := store.GetVariable("/level_1/U")
		values := tensors.MustCopyFlatData[float32](u.MustValue())
		for i := range values {
			values[i] *= -1
		}
		require.NoError(t, u.SetValue(tensors.FromFlatDataAndDimensions(values, 18, 3)))
		stay, moved := level(0)
		assert.Equal(t, nodes, stay)
		assert.NotEqual(t, ranks, moved)
		of := []int32{}
		for range 9 {
			of = append(of, 0, 1, 2)
		}
		require.NoError(t, ccp.SetCandidates(store.Scope("/level_1"), of, 3))
		_, among := level(0)
		assert.InDeltaSlice(t, moved, among, 1e-6)
		require.NoError(t, prepare().Hold(backend, store.RootScope()))
		after, _ := level(0)
		assert.NotEqual(t, nodes, after, "taken anew")
	})
}

func widened(values []float32) (wide []float64) {
	for _, v := range values {
		wide = append(wide, float64(v))
	}
	return wide
}
