package ccp

import (
	"sync"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/ccp/nn"
	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/support/exceptions"
)

// Sparse is an affinity held as a list of edges. Their weights are given, for the input's graph, or computed, for what a level
// with candidates leaves for the next. Memory and time are linear in the edges.
type Sparse struct {
	nodes   int
	edges   edgeList
	a0      func() operator // made when it is first needed
	degrees *Node           // [N], of A0
	loops   *Node           // [N], the diagonal
}

// edgeList are the edges of a graph, the lower node of each first, and their weights, as numbers or as the result of a computation.
type edgeList struct {
	ends    [][2]int32
	weights []float64 // given; else nil
	values  *Node     // [E], computed; else nil
}

// NewSparse makes the neighbour lists of m non-trainable variables in scope, so that the graph holds no big constants.
func NewSparse(scope *model.Scope, g *Graph, m *affinity.Matrix, dtype dtypes.DType) Sparse {
	if m.N() == 0 {
		exceptions.Panicf("the graph has no nodes")
	}
	a0 := m.WithoutLoops()
	n, list := a0.N(), edgeList{weights: []float64{}}
	loops := make([]float64, n)
	for _, e := range a0.EdgeList() {
		list.ends, list.weights = append(list.ends, [2]int32{int32(e.I), int32(e.J)}), append(list.weights, e.Weight)
	}
	for i := range loops {
		loops[i] = m.At(i, i)
	}
	return newSparse(scope, g, n, list, constant(scope, g, "degrees", floats(dtype, a0.Degrees(), n)), constant(scope, g, "loops", floats(dtype, loops, n)))
}

func newSparse(scope *model.Scope, g *Graph, n int, list edgeList, degrees, loops *Node) Sparse {
	a0 := func() operator {
		pairs := make([]pair, len(list.ends))
		for at, ends := range list.ends {
			pairs[at] = pair{ends[0], ends[1], int32(at)}
		}
		return newOperator(scope, g, n, pairs, list, degrees.DType())
	}
	return Sparse{nodes: n, edges: list, a0: sync.OnceValue(a0), degrees: degrees, loops: loops}
}

// Nodes implements Affinity.
func (s Sparse) Nodes() int { return s.nodes }

func (s Sparse) cluster(l *Layer) Level {
	of := l.scope.GetVariable(candidateClusters)
	if of == nil || l.scope.GetVariable(hardClusters) != nil {
		return l.soft(s)
	}
	c := candidates{of: tensors.MustCopyFlatData[int32](of.SetTrainable(false).MustValue()), c: of.Shape().Dim(1), k: l.clusters}
	return clusterAmong(l.scope.In(TablesScope), s, l.memberships(c.c), c, l.size, l.options.VolumeLoops)
}

// Times implements Affinity.
func (s Sparse) Times(x *Node) *Node { return s.a0().times(x) }

// Degrees implements Affinity.
func (s Sparse) Degrees(loops bool) *Node {
	if loops {
		return Add(s.degrees, s.loops)
	}
	return s.degrees
}

func (s Sparse) pool(m, links *Node) *Node {
	forward := func() *Node { return gram(m, links) }
	if s.edges.values == nil { // A0 has no gradient
		links = StopGradient(links)
		return nn.WithGradient(forward, func(v *Node) []*Node { return []*Node{Dot(links, bothWays(v)).Product()} }, m)
	}
	return nn.WithGradient(forward, func(v *Node) []*Node { // and A0's through the links
		return []*Node{Dot(links, TransposeAllDims(v, 1, 0)).Product(), Dot(m, v).Product()}
	}, m, links)
}

// pair says that entries (a, b) and (b, a) of a symmetric matrix are the weight of an edge.
type pair struct{ a, b, edge int32 }

// operator is a symmetric sparse matrix without a diagonal whose entries are weights of edges; an edge can have many entries.
type operator struct {
	tables   tables
	values   *Node                  // [E], of the edges, where they are computed
	gradient func(v, x *Node) *Node // with respect to the values
}

// newOperator makes a matrix of n rows.
func newOperator(scope *model.Scope, g *Graph, n int, pairs []pair, list edgeList, dtype dtypes.DType) operator {
	rows, count := make([]row, n), make([]int, n)
	for _, p := range pairs {
		count[p.a]++
		count[p.b]++
	}
	for i := range rows {
		rows[i].from = make([]int32, 0, count[i])
	}
	add := func(i, j, edge int32) {
		rows[i].from = append(rows[i].from, j)
		if list.values != nil {
			rows[i].edges = append(rows[i].edges, edge)
		} else {
			rows[i].weights = append(rows[i].weights, list.weights[edge])
		}
	}
	for _, p := range pairs {
		add(p.a, p.b, p.edge)
		add(p.b, p.a, p.edge)
	}
	if list.values == nil {
		return operator{tables: newTables(scope, g, rows, 0, dtype)}
	}
	edges := len(list.ends)
	o := operator{tables: newTables(scope, g, rows, edges, dtype), values: list.values}
	o.gradient = func(v, x *Node) *Node {
		a, b, edge := make([]int32, len(pairs)), make([]int32, len(pairs)), make([]int32, len(pairs))
		for at, p := range pairs {
			a[at], b[at], edge[at] = p.a, p.b, p.edge
		}
		index := func(name string, of []int32) *Node {
			return constant(scope, g, name, tensors.FromFlatDataAndDimensions(of, len(of), 1))
		}
		first, second := index("first", a), index("second", b)
		each := Add(Mul(Gather(v, first), Gather(x, second)), Mul(Gather(v, second), Gather(x, first)))
		return newGrouping(scope.In("gradient"), g, edge, edges, dtype).sum(ReduceSum(each, 1))
	}
	return o
}

// times is the matrix times x. x: `[N, K]`, result `[N, K]`.
func (o operator) times(x *Node) *Node {
	forward := func() *Node { return o.tables.times(x, o.values) }
	if o.values == nil {
		return nn.WithGradient(forward, func(v *Node) []*Node { return []*Node{o.tables.times(v, nil)} }, x)
	}
	return nn.WithGradient(forward, func(v *Node) []*Node {
		return []*Node{o.tables.times(v, o.values), o.gradient(v, x)}
	}, x, o.values)
}
