package ccp

import (
	"sync"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/internal/ops"
	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/support/exceptions"
)

// sparse is an affinity held as a list of edges. Their weights are given, for the input's graph, or computed, for the
// coarse graph of a level with candidates. Memory and time are linear in the edges.
type sparse struct {
	nodes   int
	edges   edgeList
	times   func() operator // made when it is first needed
	degrees *Node           // [N], of A0
}

// edgeList holds the edges of a graph, the lower node of each first, and their weights: numbers, or the result of a
// computation.
type edgeList struct {
	pairs   []pair
	weights []float64 // given; else nil
	values  *Node     // [E], computed; else nil
}

// pair says that entries (a, b) and (b, a) of a symmetric matrix are the weight of an edge.
type pair struct{ a, b, edge int32 }

// NewSparse brings a host-side graph into the computation, Normalized, as a list of edges, in variables of scope that
// are not trained. Time and memory of its products are linear in the edges. A level with candidates needs it.
func NewSparse(scope *model.Scope, g *Graph, m *affinity.Matrix, dtype dtypes.DType) Affinity {
	if m.N() == 0 {
		exceptions.Panicf("the graph has no nodes")
	}
	a0 := m.Normalized().WithoutLoops()
	n, list := a0.N(), edgeList{weights: []float64{}}
	for at, e := range a0.EdgeList() {
		list.pairs = append(list.pairs, pair{int32(e.I), int32(e.J), int32(at)})
		list.weights = append(list.weights, e.Weight)
	}
	return newSparse(scope, g, n, list, ops.Constant(scope, g, "degrees", floats(dtype, a0.Degrees(), n)))
}

func newSparse(scope *model.Scope, g *Graph, n int, list edgeList, degrees *Node) sparse {
	times := func() operator { return newOperator(scope, g, n, list.pairs, list, degrees.DType()) }
	return sparse{nodes: n, edges: list, times: sync.OnceValue(times), degrees: degrees}
}

// Nodes implements Affinity.
func (s sparse) Nodes() int { return s.nodes }

// Times implements Affinity.
func (s sparse) Times(x *Node) *Node { return s.times()(x) }

// Mean implements Affinity.
func (s sparse) Mean(logits *Node) *Node { return logits }

// Degrees implements Affinity.
func (s sparse) Degrees() *Node { return s.degrees }

func (s sparse) pool(m, links *Node) *Node {
	forward := func() *Node { return gram(m, links) }
	if s.edges.values == nil { // A0 has no gradient
		links = StopGradient(links)
		return ops.WithGradient(forward, func(v *Node) []*Node { return []*Node{Dot(links, bothWays(v)).Product()} }, m)
	}
	return ops.WithGradient(forward, func(v *Node) []*Node { // and A0's through the links
		return []*Node{Dot(links, TransposeAllDims(v, 1, 0)).Product(), Dot(m, v).Product()}
	}, m, links)
}

// operator multiplies a symmetric sparse matrix, without a diagonal, by x. Its entries are weights of edges; an edge
// can have many entries. x: `[N, K]`, same shape out.
type operator func(x *Node) *Node

// newOperator makes the operator of a matrix of n rows whose entries are pairs.
func newOperator(scope *model.Scope, g *Graph, n int, pairs []pair, list edgeList, dtype dtypes.DType) operator {
	t := newTables(scope, g, rowsOf(pairs, n), list, dtype)
	if list.values == nil {
		return func(x *Node) *Node {
			backward := func(v *Node) []*Node { return []*Node{t.times(v, nil)} }
			return ops.WithGradient(func() *Node { return t.times(x, nil) }, backward, x)
		}
	}
	dValues := func(v, x *Node) *Node {
		a, b, edge := make([]int32, len(pairs)), make([]int32, len(pairs)), make([]int32, len(pairs))
		for at, p := range pairs {
			a[at], b[at], edge[at] = p.a, p.b, p.edge
		}
		first, second := ops.Indices(scope, g, "first", a), ops.Indices(scope, g, "second", b)
		each := Add(Mul(Gather(v, first), Gather(x, second)), Mul(Gather(v, second), Gather(x, first)))
		return newGrouping(scope.In("gradient"), g, edge, len(list.pairs), dtype).sum(ReduceSum(each, 1))
	}
	return func(x *Node) *Node {
		return ops.WithGradient(
			func() *Node { return t.times(x, list.values) },
			func(v *Node) []*Node { return []*Node{t.times(v, list.values), dValues(v, x)} }, x, list.values)
	}
}

// rowsOf lists the n rows of the matrix with these entries: each node's neighbours, and the edges to them.
func rowsOf(pairs []pair, n int) []row {
	ends := make([]int32, 2*len(pairs))
	for at, p := range pairs {
		ends[2*at], ends[2*at+1] = p.a, p.b
	}
	rows := make([]row, n)
	for i, own := range inverse(ends, n) {
		rows[i] = row{from: own, edges: make([]int32, len(own))}
		for at, end := range own {
			own[at], rows[i].edges[at] = ends[end^1], pairs[end/2].edge
		}
	}
	return rows
}
