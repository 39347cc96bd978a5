package ccp

import (
	"github.com/clusterpool/ccp/ccp/nn"
	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
)

// Edged is a sparse affinity whose edges are known, and whose weights may be the result of a computation: the input graph,
// or what a level with candidates leaves for the next. Memory and time are linear in the edges.
type Edged struct {
	nodes    int
	ends     [][2]int32 // of each edge, the lower node first
	values   *Node      // [E]
	degrees  *Node      // [N], of A0
	loops    *Node      // [N], the diagonal
	constant bool       // values have no gradient
	scope    *model.Scope
}

// edged is the same graph with its edges told apart.
func (s Sparse) edged() Edged {
	g, dtype := s.degrees.Graph(), s.degrees.DType()
	e := Edged{nodes: s.Nodes(), degrees: s.degrees, loops: s.loops, constant: true, scope: s.scope}
	var weights []float64
	for i := range e.nodes {
		neighbours, w := s.matrix.Row(i)
		for at, j := range neighbours {
			if int(j) > i {
				e.ends, weights = append(e.ends, [2]int32{int32(i), j}), append(weights, w[at])
			}
		}
	}
	if len(weights) == 0 { // an empty tensor cannot be
		weights, e.ends = []float64{0}, [][2]int32{{0, int32(e.nodes - 1)}}
	}
	e.values = constant(s.scope, g, "edge_weights", floats(dtype, weights, len(weights)))
	return e
}

// Nodes implements Affinity.
func (e Edged) Nodes() int { return e.nodes }

// Times implements Affinity.
func (e Edged) Times(x *Node) *Node {
	pairs := make([]pair, len(e.ends))
	for at, ends := range e.ends {
		pairs[at] = pair{ends[0], ends[1], int32(at)}
	}
	return newOperator(e.scope.In("times"), x.Graph(), e.nodes, pairs, len(e.ends), e.constant, x.DType()).times(x, e.values)
}

// Degrees implements Affinity.
func (e Edged) Degrees(loops bool) *Node {
	if loops {
		return Add(e.degrees, e.loops)
	}
	return e.degrees
}

// pair says that entries (a, b) and (b, a) of a symmetric matrix are the value of an edge.
type pair struct{ a, b, edge int32 }

// operator is a symmetric sparse matrix without a diagonal whose entries are values of edges; an edge can have many entries.
type operator struct {
	tables   tables
	constant bool                   // the values have no gradient
	gradient func(v, x *Node) *Node // of the values
}

func newOperator(scope *model.Scope, g *Graph, n int, pairs []pair, edges int, constantValues bool, dtype dtypes.DType) operator {
	rows, count := make([]row, n), make([]int, n)
	for _, p := range pairs {
		count[p.a]++
		count[p.b]++
	}
	from, which := make([]int32, 2*len(pairs)), make([]int32, 2*len(pairs))
	for i, at := 0, 0; i < n; i++ {
		end := at + count[i]
		rows[i] = row{from: from[at:at:end], edges: which[at:at:end]}
		at = end
	}
	add := func(i, j, edge int32) {
		rows[i].from, rows[i].edges = append(rows[i].from, j), append(rows[i].edges, edge)
	}
	for _, p := range pairs {
		add(p.a, p.b, p.edge)
		add(p.b, p.a, p.edge)
	}
	o := operator{tables: newTables(scope, g, rows, edges, dtype), constant: constantValues}
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

// times is the matrix times x. x: `[N, K]`, values: `[E]`, result `[N, K]`.
func (o operator) times(x, values *Node) *Node {
	return nn.WithGradient(
		func() *Node { return o.tables.times(x, values) },
		func(v *Node) []*Node {
			dx := o.tables.times(v, values)
			if o.constant {
				return []*Node{dx, nil}
			}
			return []*Node{dx, o.gradient(v, x)}
		}, x, values)
}
