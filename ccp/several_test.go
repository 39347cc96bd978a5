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

// One of three learned hierarchies gives what its memberships give alone, also to the next level, and gradients to no
// memberships but its own. Frozen, all three predict, one after the other.
func TestSeveral(t *testing.T) {
	grid, err := affinity.Grid(4, 4, 8)
	require.NoError(t, err)
	onBoth(t, func(t *testing.T, backend compute.Backend) {
		// several gives both levels' part of the network of n hierarchies, of which one is drawn.
		several := func(n int) func(scope *model.Scope, x *Node) *Node {
			return func(scope *model.Scope, x *Node) *Node {
				a := ccp.FromMatrix(scope.In("graph"), x.Graph(), grid.Normalized(), x.DType())
				ccp.Several(scope, x, n)
				return twoLevelsOn(a, scope, x)
			}
		}
		// run gives the network's result, C of both levels, and the gradients of their sum to both U.
		run := func(store *model.Store, n, which int) (out [][]float64) {
			of, err := model.CallOnceN(backend, store, func(scope *model.Scope, drawn *Node) []*Node {
				g := drawn.Graph()
				scope.SetGraphParam(g, "ccp_drawn", drawn)
				y := several(n)(scope, randomSignal(g, dtypes.Float64, 4, 16, 3))
				levels := ccp.Levels(store, g)
				first, second := levels[0].Objective, levels[1].Objective
				u := []*Node{store.GetVariable("/level_1/U").NodeValue(g), store.GetVariable("/level_2/U").NodeValue(g)}
				return append([]*Node{y, first, second}, Gradient(Add(ReduceAllSum(Square(y)), Add(first, second)), u...)...)
			}, int32(which))
			require.NoError(t, err)
			for _, tensor := range of {
				if tensor.Shape().Rank() == 0 {
					out = append(out, []float64{tensors.ToScalar[float64](tensor)})
				} else {
					out = append(out, tensors.MustCopyFlatData[float64](tensor))
				}
			}
			return out
		}
		const n = 3
		store := newStore(5)
		store.SetParam("/l2", 0.0)
		run(store, n, 0) // makes the variables
		require.Equal(t, []int{n * 16, 5}, store.GetVariable("/level_1/U").Shape().Dimensions)
		frozen, err := ccp.NewFreezer(backend, store, shapes.Make(dtypes.Float64, 1, 16, 3), several(n))
		require.NoError(t, err)
		_, err = frozen.Freeze()
		require.NoError(t, err)
		together, err := model.CallOnce(backend, store, func(scope *model.Scope, g *Graph) *Node {
			return twoFrozen(scope, randomSignal(g, dtypes.Float64, 4, 16, 3))
		})
		require.NoError(t, err)
		all := tensors.MustCopyFlatData[float64](together) // [4, n·2, 7]
		var results [][]float64
		for which := range n {
			alone, err := store.Clone()
			require.NoError(t, err)
			for i, size := range []int{16 * 5, 5 * 2} {
				path := []string{"/level_1/U", "/level_2/U"}[i]
				u := tensors.MustCopyFlatData[float64](store.GetVariable(path).MustValue())[which*size : (which+1)*size]
				require.NoError(t, alone.DeleteVariable(path))
				value := tensors.FromFlatDataAndDimensions(u, []int{16, 5}[i], []int{5, 2}[i])
				_, err := alone.Scope(path[:8]).CreateVariable("U", value)
				require.NoError(t, err)
			}
			want, got := run(alone, 1, 0), run(store, n, which)
			for i := range 3 {
				assert.InDeltaSlice(t, want[i], got[i], 1e-12, "hierarchy %d, result %d", which, i)
			}
			for i, gradient := range got[3:] {
				own := make([]float64, len(gradient))
				copy(own[which*len(own)/n:], want[3+i])
				assert.InDeltaSlice(t, own, gradient, 1e-10, "hierarchy %d, gradient %d", which, i)
				assert.NotZero(t, want[3+i][0])
			}
			for sample := range 4 {
				assert.InDeltaSlice(t, want[0][sample*14:(sample+1)*14], all[(sample*n+which)*14:(sample*n+which+1)*14], 1e-6)
			}
			one, err := frozen.Hierarchy(which)
			require.NoError(t, err)
			assert.InDeltaSlice(t, []float64{want[1][0], want[2][0]}, one.Objective, 1e-6)
			results = append(results, want[0])
		}
		assert.NotEqual(t, results[0], results[1])
		assert.NotEqual(t, results[1], results[2])
	})
}
