package ccp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/clusterpool/ccp/ccp"
	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/internal/messagetest"
	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/layers"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Three hierarchies of a grid, prepared before the network is built. The prediction is the mean over them.
func ExamplePrepare() {
	grid, err := affinity.Grid(8, 8, 8)
	if err != nil {
		panic(err)
	}
	h, err := ccp.Prepare(grid).Level(16, 9).Level(1, 16).Hierarchies(3).Done(context.Background())
	if err != nil {
		panic(err)
	}
	backend, err := compute.NewWithConfig("go")
	if err != nil {
		panic(err)
	}
	out, err := model.CallOnceN(backend, model.NewStore(), func(scope *model.Scope, g *Graph) []*Node {
		x := Ones(g, shapes.Make(dtypes.Float32, 5, 64, 3)) // 5 signals, 64 nodes, 3 channels
		a := h.Affinity(scope, x)
		x, a = ccp.New(scope.In("level_1"), x, a, 16, 32).Neighbours(9).Done()
		x, a = ccp.New(scope.In("level_2"), x, a, 1, 64).Neighbours(16).Done()
		logits := layers.Dense(scope.In("classes"), Reshape(x, -1, 64), true, 10)
		return []*Node{x, logits, a.Mean(logits)}
	})
	if err != nil {
		panic(err)
	}
	for _, x := range out {
		fmt.Println(x.Shape())
	}
	// Output:
	// (Float32)[5, 3, 64]
	// (Float32)[15, 10]
	// (Float32)[5, 10]
}

// A hierarchy that was written and read again, one that is kept in the store before the network is built, and one
// that the layers take their arrays from give the same outputs. So does a network without a Hierarchy on a store that
// has the arrays.
func TestHierarchyIsKept(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	grid, err := affinity.Grid(5, 6, 8)
	require.NoError(t, err)
	h, err := ccp.Prepare(grid).Level(6, 5).Level(2, 3).Hierarchies(2).Around(4, 0, 1).Directed(0, 1).Done(t.Context())
	require.NoError(t, err)
	assert.Len(t, h.Objective, 2)
	assert.Len(t, h.Coverage, 2)
	raw, err := json.Marshal(h)
	require.NoError(t, err)
	read := new(ccp.Hierarchy)
	require.NoError(t, json.Unmarshal(raw, read))
	assert.Equal(t, h, read)
	onBoth(t, func(t *testing.T, backend compute.Backend) {
		run := func(store *model.Store, h *ccp.Hierarchy) []float32 {
			out, err := model.CallOnce(backend, store, func(scope *model.Scope, g *Graph) *Node {
				x := ccp.Prepare(grid).Around(4).Directed(0).Stem(scope, randomSignal(g, dtypes.Float32, 3, 30, 2), 4, 1)
				a := h.Affinity(scope, x)
				x, a = ccp.New(scope.In("level_1"), x, a, 6, 5).Neighbours(5).Blocks(2).Done()
				x, a = ccp.New(scope.In("level_2"), x, a, 2, 7).Neighbours(3).Done()
				return a.Mean(Reshape(x, -1, 14))
			})
			require.NoError(t, err)
			assert.Equal(t, []int{3, 14}, out.Shape().Dimensions)
			return tensors.MustCopyFlatData[float32](out)
		}
		store := newStore(4)
		want := run(store, h)
		assert.Equal(t, want, run(store, new(ccp.Hierarchy)), "the variables have the arrays")
		assert.Equal(t, want, run(newStore(4), read))
		kept := newStore(4)
		require.NoError(t, h.Keep(kept.RootScope()))
		assert.NotNil(t, kept.GetVariable("/stem/around"))
		assert.Equal(t, want, run(kept, new(ccp.Hierarchy)))
		named := newStore(4)
		require.NoError(t, h.Keep(named.RootScope().In("tower"), "part/first", "part/second"))
		assert.NotNil(t, named.GetVariable("/tower/part/second/frozen_rank"))
	})
}

// A hierarchy keeps what a stem with directed slots sees, whether or not Around also names the input.
func TestStemOfAHierarchy(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	grid, err := affinity.Grid(5, 6, 8)
	require.NoError(t, err)
	var hierarchies [2]*ccp.Hierarchy
	for i, around := range [][]int{{0}, nil} {
		hierarchies[i], err = ccp.Prepare(grid).Level(6, 5).Around(4, around...).Directed(0).Done(t.Context())
		require.NoError(t, err)
		assert.NotEmpty(t, hierarchies[i].Input.Nodes)
	}
	assert.Equal(t, hierarchies[0], hierarchies[1])
	for _, p := range []*ccp.Preparation{
		ccp.Prepare(grid).Level(6, 5).Directed(0),
		ccp.Prepare(grid).Level(6, 5).Around(4),
	} {
		h, err := p.Done(t.Context())
		require.NoError(t, err)
		assert.Empty(t, h.Input.Nodes, "nothing that the graph does not give on any machine")
	}
}

// Which hierarchies there are depends on the graph and the seed alone.
func TestPrepareSeeds(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	grid, err := affinity.Grid(5, 6, 8)
	require.NoError(t, err)
	prepare := func(seed uint64, n int) *ccp.Hierarchy {
		h, err := ccp.Prepare(grid).Level(6, 5).Seed(seed).Hierarchies(n).Done(t.Context())
		require.NoError(t, err)
		return h
	}
	both, second := prepare(0, 2), prepare(1, 1)
	assert.Equal(t, both.Levels[0].Clusters[30:], second.Levels[0].Clusters)
	assert.NotEqual(t, both.Levels[0].Clusters[:30], second.Levels[0].Clusters)
}

// The layer takes the data's graph, normalised or not. The search refuses a normalised one.
func TestNormalizedOrNot(t *testing.T) {
	grid, err := affinity.Grid(3, 4, 8)
	require.NoError(t, err)
	_, err = ccp.Prepare(grid.Normalized()).Level(4, 3).Done(t.Context())
	messagetest.Names(t, err, "graph … normalised")
	onBoth(t, func(t *testing.T, backend compute.Backend) {
		degrees, err := model.CallOnceN(backend, model.NewStore(), func(scope *model.Scope, g *Graph) (all []*Node) {
			for i, m := range []*affinity.Matrix{grid, grid.Normalized()} {
				scope := scope.In("graph_%d", i)
				all = append(all, ccp.FromMatrix(scope, g, m, dtypes.Float64).Degrees(),
					ccp.NewSparse(scope.In("sparse"), g, m, dtypes.Float64).Degrees())
			}
			return all
		})
		require.NoError(t, err)
		for _, d := range degrees {
			require.InDeltaSlice(t, grid.Normalized().Degrees(), d.Value(), 1e-12)
		}
	})
}

func TestPrepareErrors(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	grid, err := affinity.Grid(3, 3, 8)
	require.NoError(t, err)
	_, err = ccp.Prepare(grid).Level(4, 10).Done(t.Context())
	messagetest.Names(t, err, "level 1 … L=10 … 9 nodes … lower L")
	_, err = ccp.Prepare(grid).Level(4, 3).Level(5, 2).Done(t.Context())
	require.ErrorContains(t, err, "level 2: 5 clusters of 4 nodes")
	_, err = ccp.Prepare(grid).Level(4, 3).Hierarchies(0).Done(t.Context())
	messagetest.Names(t, err, "0 hierarchies … at least 1")
	_, err = ccp.Prepare(grid).Level(4, 3).Hierarchies(2).Cuts().Done(t.Context())
	messagetest.Names(t, err, "2 hierarchies … cuts … 1 only")
	_, err = ccp.Prepare(grid).Level(4, 3).Directed(1).Coordinates([]float64{1, 2}).Done(t.Context())
	messagetest.Names(t, err, "2 coordinates … 9 nodes")
	_, err = ccp.Prepare(nil).Level(4, 3).Coordinates([]float64{1, 2}).Done(t.Context())
	require.ErrorContains(t, err, "there is no graph")
	require.ErrorContains(t, ccp.Prepare(nil).Level(4, 3).Hold(nil, model.NewStore().RootScope()), "there is no graph")
	_, err = ccp.Prepare(grid).Done(t.Context())
	require.ErrorContains(t, err, "there are no levels")
	_, err = ccp.Prepare(grid).Level(4, 3).Directed(7).Done(t.Context())
	messagetest.Names(t, err, "levels [7] … Directed … [] … Around … 1 levels")
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = ccp.Prepare(grid).Level(4, 3).Done(ended)
	require.ErrorIs(t, err, context.Canceled)
	onBoth(t, func(t *testing.T, backend compute.Backend) {
		h, err := ccp.Prepare(grid).Level(4, 3).Done(t.Context())
		require.NoError(t, err)
		for want, build := range map[string]func(a ccp.Affinity, scope *model.Scope, x *Node) *ccp.Layer{
			"/level: … frozen hierarchy … [4, 3] … [4, 2]": func(a ccp.Affinity,
				scope *model.Scope, x *Node) *ccp.Layer {
				return ccp.New(scope.In("level"), x, a, 4, 2).Neighbours(2)
			},
			"/level: … frozen … kept around": func(a ccp.Affinity,
				scope *model.Scope, x *Node) *ccp.Layer {
				return ccp.New(scope.In("level"), x, a, 4, 2).Neighbours(3).Blocks(1)
			},
		} {
			_, err = model.CallOnce(backend, newStore(1), func(scope *model.Scope, g *Graph) *Node {
				x := randomSignal(g, dtypes.Float32, 1, 9, 1)
				x, _ = build(h.Affinity(scope, x), scope, x).Done()
				return x
			})
			messagetest.Names(t, err, want)
		}
	})
}
