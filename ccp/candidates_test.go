package ccp_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/clusterpool/ccp/ccp"
	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/internal/messagetest"
	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// hubGraph is a grid of 5 x 8 nodes with uneven weights, a hub that is joined to all of it, so that rows of more than
// 32 entries occur, and a node without any edge: 42 nodes.
func hubGraph(t *testing.T) *affinity.Matrix {
	grid, err := affinity.Grid(5, 8, 8)
	require.NoError(t, err)
	edges := grid.EdgeList()
	for i := range edges {
		edges[i].Weight = 1 + 0.3*math.Sin(float64(7*i))
	}
	for i := range 40 {
		edges = append(edges, affinity.Edge{I: i, J: 40, Weight: 0.2 + 0.01*float64(i)})
	}
	m, err := affinity.New(42, edges)
	require.NoError(t, err)
	return m.Normalized()
}

// threeLevels pools hubGraph to 9 clusters, 4 and 2, and returns the output and the sum of the objectives.
func threeLevels(scope *model.Scope, g *Graph, m *affinity.Matrix, dtype dtypes.DType) (out, objective *Node) {
	x := randomSignal(g, dtype, 2, m.N(), 3)
	a := ccp.NewSparse(scope.In("graph"), g, m, dtype)
	for i, clusters := range []int{9, 4, 2} {
		x, a = ccp.New(scope.In("level_%d", i+1), x, a, clusters, 5).Neighbours(4 - i).Done()
	}
	for _, level := range ccp.Levels(scope.Store(), g) {
		if objective == nil {
			objective = level.Objective
		} else {
			objective = Add(objective, level.Objective)
		}
	}
	return x, objective
}

// allowAllClusters makes every cluster of one of the three levels a candidate of every node.
func allowAllClusters(t *testing.T, store *model.Store, level int, selected []int32) {
	t.Helper()
	nodes, k := []int{42, 9, 4}[level-1], []int{9, 4, 2}[level-1]
	all := make([]int32, nodes*k)
	for at := range all {
		all[at] = int32(at % k)
	}
	scope := store.Scope(fmt.Sprintf("/level_%d", level))
	require.NoError(t, ccp.SetCandidates(scope, all, k))
	require.NoError(t, ccp.SetHeld(scope, selected, 5-level))
}

// With every cluster a candidate of every node the level is the dense one: the same outputs, objectives and gradients.
func TestCandidatesOfAllClusters(t *testing.T) {
	m := hubGraph(t)
	onBoth(t, func(t *testing.T, backend compute.Backend) {
		run := func(restricted []int, selected [][]int32) []*tensors.Tensor {
			store := newStore(3)
			for _, level := range restricted {
				allowAllClusters(t, store, level, selected[level-1])
			}
			values, err := model.CallOnceN(backend, store, func(scope *model.Scope, g *Graph) []*Node {
				out, objective := threeLevels(scope, g, m, dtypes.Float64)
				var us []*Node
				for i := range 3 {
					us = append(us, store.GetVariable(fmt.Sprintf("/level_%d/U", i+1)).NodeValue(g))
				}
				outputs := append([]*Node{out, objective}, Gradient(Sub(ReduceAllSum(Mul(out, Sin(out))), objective), us...)...)
				for _, level := range ccp.Levels(store, g) {
					outputs = append(outputs, level.Neighbourhood)
				}
				return outputs
			})
			require.NoError(t, err)
			return values
		}
		want := run(nil, nil)
		var selected [][]int32
		for _, neighbourhood := range want[5:] {
			selected = append(selected, tensors.MustCopyFlatData[int32](neighbourhood))
		}
		for _, restricted := range [][]int{{1}, {1, 2}, {1, 2, 3}} { // the level above one with candidates can be dense
			for i, value := range run(restricted, selected) {
				assert.True(t, value.InDelta(want[i], 1e-10), "levels %v, output %d: %s, not %s", restricted, i, value, want[i])
			}
		}
	})
}

// candidatesAround gives each node c of k clusters, those of its own run of nodes and around.
func candidatesAround(n, k, c int) []int32 {
	var of []int32
	for i := range n {
		start := min(max(0, i*k/n-c/2), k-c)
		for s := range c {
			of = append(of, int32(start+s))
		}
	}
	return of
}

// runs gives each of k clusters `size` of the n nodes, one after the other.
func runs(n, k, size int) (nodes []int32) {
	for cluster := range k {
		for s := range size {
			nodes = append(nodes, int32(min(cluster*n/k, n-size)+s))
		}
	}
	return nodes
}

// Of restricted memberships, objective and ranks are those of the dense level whose memberships are zero elsewhere.
func TestCandidatesAreZeroElsewhere(t *testing.T) {
	m := hubGraph(t)
	const k, c = 9, 3
	of := candidatesAround(m.N(), k, c)
	onBoth(t, func(t *testing.T, backend compute.Backend) {
		store := newStore(5)
		require.NoError(t, ccp.SetCandidates(store.Scope("/level_1"), of, c))
		require.NoError(t, ccp.SetHeld(store.Scope("/level_1"), runs(m.N(), k, 4), 4))
		values, err := model.CallOnceN(backend, store, func(scope *model.Scope, g *Graph) []*Node {
			a := ccp.NewSparse(scope.In("graph"), g, m, dtypes.Float64)
			out, _ := ccp.New(scope.In("level_1"), randomSignal(g, dtypes.Float64, 2, m.N(), 3), a, k, 5).Neighbours(4).Done()
			level := ccp.Levels(store, g)[0]
			u := MulScalar(store.GetVariable("/level_1/U").NodeValue(g), 10)
			among := OneHot(Const(g, tensors.FromFlatDataAndDimensions(of, m.N(), c)), k, dtypes.Float64)
			whole := Mul(among, ExpandAxes(ccp.Memberships(u), 2))
			whole = ReduceSum(whole, 1)
			dense := ccp.Cluster(a, whole, 4)
			return []*Node{level.Objective, dense.Objective, level.Neighbourhood, level.Rank,
				denseRank(a, whole, level.Neighbourhood), out}
		})
		require.NoError(t, err)
		assert.InDelta(t, values[1].Value(), values[0].Value(), 1e-12)
		nodes := values[2].Value().([][]int32)
		got, want := values[3].Value().([][]float64), values[4].Value().([][]float64)
		for cluster, neighbourhood := range nodes {
			for l, i := range neighbourhood {
				if slices.Contains(of[int(i)*c:(int(i)+1)*c], int32(cluster)) {
					assert.InDelta(t, want[cluster][l], got[cluster][l], 1e-12, "cluster %d, node %d", cluster, i)
				} else {
					assert.Less(t, got[cluster][l], 1e-15, "cluster %d is no candidate of node %d", cluster, i)
				}
			}
		}
	})
}

// denseRank is the rank of every node in every cluster, at a neighbourhood.
func denseRank(a ccp.Affinity, m, neighbourhood *Node) *Node {
	return ccp.At(ccp.Rank(m, a.Times(m)), neighbourhood)
}

// The gradient of the memberships of the first level, by way of those above it as well, is what finite differences
// give: with candidates at no level, at the first, and at two.
func TestGradientThroughLevels(t *testing.T) {
	m := hubGraph(t)
	for restricted := range 3 {
		onBoth(t, func(t *testing.T, backend compute.Backend) {
			store := newStore(9)
			if restricted > 0 {
				require.NoError(t, ccp.SetCandidates(store.Scope("/level_1"), candidatesAround(42, 9, 3), 3))
				require.NoError(t, ccp.SetHeld(store.Scope("/level_1"), runs(42, 9, 4), 4))
			}
			if restricted > 1 {
				require.NoError(t, ccp.SetCandidates(store.Scope("/level_2"), candidatesAround(9, 4, 2), 2))
				require.NoError(t, ccp.SetHeld(store.Scope("/level_2"), runs(9, 4, 3), 3))
			}
			exec, err := model.NewExec(backend, store, func(scope *model.Scope, g *Graph) []*Node {
				out, objective := threeLevels(scope, g, m, dtypes.Float64)
				total := Sub(ReduceAllSum(Mul(out, Sin(out))), MulScalar(objective, 10))
				return []*Node{total, Gradient(total, store.GetVariable("/level_1/U").NodeValue(g))[0]}
			})
			require.NoError(t, err)
			values, err := exec.Call()
			require.NoError(t, err)
			gradient := tensors.MustCopyFlatData[float64](values[1])
			v := store.GetVariable("/level_1/U")
			start := tensors.MustCopyFlatData[float64](v.MustValue())
			rng := rand.New(rand.NewPCG(1, 1))
			for range 8 {
				at := rng.IntN(len(start))
				loss := func(step float64) float64 {
					u := slices.Clone(start)
					u[at] += step
					require.NoError(t, v.SetValue(tensors.FromFlatDataAndDimensions(u, v.Shape().Dimensions...)))
					values, err := exec.Call()
					require.NoError(t, err)
					return values[0].Value().(float64)
				}
				const h = 1e-7 // small enough that no selection changes
				assert.InDelta(t, (loss(h)-loss(-h))/(2*h), gradient[at], 1e-5*(1+math.Abs(gradient[at])),
					"%d levels with candidates, entry %d", restricted, at)
			}
		})
	}
}

func TestCandidatesNeedEdges(t *testing.T) {
	onBoth(t, func(t *testing.T, backend compute.Backend) {
		store := newStore(1)
		require.NoError(t, ccp.SetCandidates(store.Scope("/level_1"), []int32{0, 0, 0, 0}, 1))
		_, err := model.CallOnceN(backend, store, func(scope *model.Scope, g *Graph) []*Node {
			x, _ := ccp.New(scope.In("level_1"), randomSignal(g, dtypes.Float32, 1, 4, 1),
				ccp.Dense{A: Ones(g, shapes.Make(dtypes.Float32, 4, 4))}, 1, 1).Neighbours(1).Done()
			return []*Node{x}
		})
		messagetest.Names(t, err, "candidates … affinity … edges")
	})
}
