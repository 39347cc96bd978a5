package ccp_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/clusterpool/ccp/ccp"
	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// level is the size of a level.
type level struct{ clusters, size int }

// parted is a graph of several parts, and levels with places for all nodes.
type parted struct {
	graph  *affinity.Matrix
	levels []level
}

func apart(t *testing.T) map[string]parted {
	path := func(from, to int) (edges []affinity.Edge) {
		for i := from + 1; i < to; i++ {
			edges = append(edges, affinity.Edge{I: i - 1, J: i, Weight: 1})
		}
		return edges
	}
	parts := func(first, n int) (edges []affinity.Edge) { // of four nodes, each linked to each
		for p := range n {
			for i := range 4 {
				for j := range i {
					edges = append(edges, affinity.Edge{I: first + 4*p + j, J: first + 4*p + i, Weight: 1})
				}
			}
		}
		return edges
	}
	cases := map[string]parted{}
	add := func(name string, n int, edges []affinity.Edge, levels ...level) {
		m, err := affinity.New(n, edges)
		require.NoError(t, err)
		cases[name] = parted{m, levels}
	}
	add("an isolated node", 9, path(1, 9), level{3, 4}, level{1, 3})
	add("isolated nodes in between", 13, slices.Concat(path(1, 6), path(8, 12)), level{4, 4}, level{2, 3}, level{1, 2})
	add("four parts", 16, parts(0, 4), level{4, 4}, level{1, 4})
	add("eight parts", 32, parts(0, 8), level{8, 4}, level{4, 2}, level{1, 4})
	add("pairs", 6, []affinity.Edge{{I: 0, J: 1, Weight: 1}, {I: 2, J: 3, Weight: 1}, {I: 4, J: 5, Weight: 1}},
		level{3, 2}, level{2, 2}, level{1, 2})
	add("a part beside a path", 20, slices.Concat(path(0, 16), parts(16, 1)), level{5, 6}, level{2, 4}, level{1, 2})
	add("no edges", 6, nil, level{3, 2}, level{1, 3})
	add("one node", 1, nil, level{1, 1}, level{1, 1})
	return cases
}

// reaches gives the sum of the absolute gradients of a network's output at each node. All gradients, also those of the
// variables called U, must be numbers.
func reaches(t *testing.T, backend compute.Backend, store *model.Store, nodes int,
	network func(scope *model.Scope, x *Node) *Node) []float64 {
	t.Helper()
	out, err := model.CallOnceN(backend, store, func(scope *model.Scope, g *Graph) []*Node {
		x := randomSignal(g, dtypes.Float32, 3, nodes, 2)
		y := network(scope, x)
		loss := ReduceAllSum(Mul(y, Sin(AddScalar(Iota(g, y.Shape(), 1), 1))))
		all := []*Node{x}
		for _, level := range ccp.Levels(store, g) {
			if level.Objective != nil {
				loss = Sub(loss, level.Objective)
				if u := store.GetVariable(level.Path + "/U"); u != nil {
					all = append(all, u.NodeValue(g))
				}
			}
		}
		return append(Gradient(loss, all...), y)
	})
	require.NoError(t, err)
	for _, of := range out {
		for _, v := range values(of) {
			require.False(t, math.IsNaN(v) || math.IsInf(v, 0))
		}
	}
	each := make([]float64, nodes)
	for at, v := range values(out[0]) {
		each[at/2%nodes] += math.Abs(v)
	}
	return each
}

func (p parted) prepare() *ccp.Preparation {
	of := ccp.Prepare(p.graph)
	for _, l := range p.levels {
		of.Level(l.clusters, l.size)
	}
	return of
}

// stack is the network of the levels.
func (p parted) stack(scope *model.Scope, x *Node, a ccp.Affinity) *Node {
	for i, l := range p.levels {
		x, a = ccp.New(scope.In("level_%d", i+1), x, a, l.clusters, 5).Neighbours(l.size).Done()
	}
	return Reshape(x, x.Shape().Dim(0), -1)
}

func (p parted) matrix(scope *model.Scope, x *Node) ccp.Affinity {
	return ccp.FromMatrix(scope.In("graph"), x.Graph(), p.graph.Normalized(), x.DType())
}

func (p parted) sparse(scope *model.Scope, x *Node) ccp.Affinity {
	return ccp.NewSparse(scope.In("graph"), x.Graph(), p.graph.Normalized(), x.DType())
}

// way is how a hierarchy comes about.
type way struct {
	prepare  *ccp.Preparation
	several  int
	affinity func(scope *model.Scope, x *Node) ccp.Affinity // nil: the prepared one
}

func (p parted) ways() map[string]way {
	directed := make([]int, len(p.levels))
	for i := range directed {
		directed[i] = i + 1
	}
	start := func() *ccp.Preparation { return p.prepare().Start() }
	return map[string]way{
		"prepared":    {p.prepare(), 1, nil},
		"directed":    {p.prepare().Directed(directed...), 1, nil},
		"hierarchies": {p.prepare().Hierarchies(3), 1, nil},
		"learned":     {start(), 1, p.matrix},
		"sparse":      {start(), 1, p.sparse},
		"candidates":  {start().Candidates(2, 2, 2), 1, p.sparse},
		"mixed":       {start().Candidates(2), 1, p.sparse},
		"several":     {start(), 2, p.matrix},
	}
}

// covers checks that a hierarchy has all nodes in its neighbourhoods.
func covers(t *testing.T, h *ccp.Hierarchy, which string) {
	t.Helper()
	for _, share := range h.Coverage {
		assert.Equal(t, 1.0, share, "coverage of the %s hierarchy", which)
	}
}

// reachAll checks that each node reaches the output of the network, trained as it is and, if it learns its hierarchy,
// frozen.
func (p parted) reachAll(t *testing.T, of way, padding string) {
	t.Helper()
	backend, n := backendtest.Go(t), p.graph.N()
	h, err := of.prepare.Done(t.Context())
	require.NoError(t, err)
	covers(t, h, "prepared")
	store := newStore(1)
	store.SetParam("/ccp_padding", padding)
	require.NoError(t, h.Keep(store.RootScope()))
	if h.Learned { // from memberships that are almost hard
		for i := range p.levels {
			sharpen(t, store.GetVariable(fmt.Sprintf("/level_%d/U", i+1)), of.several)
		}
		require.NoError(t, of.prepare.Hierarchies(of.several).Hold(backend, store.RootScope()))
		of.prepare.Hierarchies(1)
	}
	network := func(scope *model.Scope, x *Node) *Node {
		if of.affinity == nil {
			return p.stack(scope, x, h.Affinity(scope, x))
		}
		ccp.Several(scope, x, of.several)
		return p.stack(scope, x, of.affinity(scope, x))
	}
	seen := func(each []float64) {
		t.Helper()
		for i, sum := range each {
			assert.Greater(t, sum, 1e-6, "node %d", i)
		}
	}
	seen(reaches(t, backend, store, n, network))
	if !h.Learned {
		return
	}
	freezer, err := ccp.NewFreezer(backend, store, shapes.Make(dtypes.Float32, 1, n, 2), network)
	require.NoError(t, err)
	frozen, err := freezer.Freeze()
	require.NoError(t, err)
	covers(t, frozen, "frozen")
	none := new(ccp.Hierarchy)
	stack := func(scope *model.Scope, x *Node) *Node { return p.stack(scope, x, none.Affinity(scope, x)) }
	seen(reaches(t, backend, store, n, stack))
}

// Every node of a graph of several parts reaches the output, however the hierarchy comes about and whatever fills
// up neighbourhoods: isolated nodes, parts that have become one cluster, and nodes of a graph without edges.
func TestApartNodesReachTheOutput(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	for name, p := range apart(t) {
		for _, padding := range []string{"zeros", "nodes"} {
			for called, of := range p.ways() {
				t.Run(fmt.Sprintf("%s/%s/%s", name, called, padding), func(t *testing.T) { p.reachAll(t, of, padding) })
			}
		}
	}
}

// sharpen makes memberships of about 0.9 ones of almost 1, once for each of n hierarchies.
func sharpen(t *testing.T, u *model.Variable, n int) {
	t.Helper()
	flat, dims := tensors.MustCopyFlatData[float32](u.MustValue()), slices.Clone(u.Shape().Dimensions)
	for i := range flat {
		flat[i] *= 10
	}
	dims[0] *= n
	require.NoError(t, u.SetValue(tensors.FromFlatDataAndDimensions(slices.Repeat(flat, n), dims...)))
}

// A node that is alone has its gate σ(β), and is told apart from a place that holds nobody.
func TestGateOfANodeAlone(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	m, err := affinity.New(4, []affinity.Edge{{I: 0, J: 1, Weight: 1}, {I: 1, J: 2, Weight: 1}})
	require.NoError(t, err)
	h, err := ccp.Prepare(m).Level(1, 4).Level(1, 1).Done(t.Context())
	require.NoError(t, err)
	store := newStore(1)
	store.SetParam("/ccp_padding", "zeros")
	require.NoError(t, h.Keep(store.RootScope()))
	_, err = model.CallOnce(backendtest.Go(t), store, func(scope *model.Scope, g *Graph) *Node {
		x := randomSignal(g, dtypes.Float32, 1, 4, 1)
		x, a := ccp.New(scope.In("level_1"), x, h.Affinity(scope, x), 1, 2).Neighbours(4).Done()
		x, _ = ccp.New(scope.In("level_2"), x, a, 1, 2).Neighbours(1).Done()
		return x
	})
	require.NoError(t, err)
	for i, nodes := range []int{4, 1} {
		scope := store.Scope(fmt.Sprintf("/level_%d", i+1))
		level, err := ccp.ReadLevel(scope, nodes, 1, nodes)
		require.NoError(t, err)
		beta := tensors.MustCopyFlatData[float32](scope.GetVariable("beta").MustValue())[0]
		last := nodes - 1
		assert.Equal(t, int32(last), level.Neighbourhoods[0][last])
		assert.InDelta(t, 1/(1+math.Exp(-float64(beta))), level.Gates[0][last], 1e-6)
	}
}

// A gate of any sign but 0 has the gradient of its definition.
func TestFilterGateGradient(t *testing.T) {
	onBoth(t, func(t *testing.T, backend compute.Backend) {
		got := compute1(t, backend, func(_ *model.Scope, g *Graph) []*Node {
			x, w := Const(g, [][][]float64{{{2}, {3}}}), Const(g, [][][]float64{{{5}, {7}}})
			gate := Const(g, [][]float64{{-0.5, 0.25}})
			return Gradient(ReduceAllSum(ccp.Filter(x, Const(g, [][]int32{{0, 1}}), gate, w)), gate)
		})
		assert.InDeltaSlice(t, []float64{10, 21}, got[0], 1e-12)
	})
}
