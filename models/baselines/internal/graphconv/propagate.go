// Package graphconv has the networks that filter a signal on a graph, their filters, and the coarsening of graphs by
// halves.
package graphconv

import (
	"math"

	"github.com/clusterpool/ccp/ccp"
	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/ccp/nn"
	"github.com/clusterpool/ccp/internal/ops"
	"github.com/clusterpool/ccp/internal/variables"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/support/exceptions"
)

// Filter filters a signal x on a graph and adds a bias. graph has the raw affinities. order is for Chebyshev filters:
// the number of their terms. x: `[nodes, batch, channels]`, result `[nodes, batch, filters]`. The nodes come first, so
// that a node's row is contiguous. The variables are below "convolution" in scope. Tables of the graph are not saved.
type Filter func(scope *model.Scope, graph *affinity.Matrix, x *Node, filters, order int) *Node

// signalOf checks that x is a signal on the graph and returns its sizes.
func signalOf(graph *affinity.Matrix, x *Node, filters, order int) (nodes, batch, channels int) {
	if x.Rank() != 3 || x.Shape().Dim(0) != graph.N() {
		exceptions.Panicf("a signal of shape %s is not [%d nodes, batch, channels]", x.Shape(), graph.N())
	}
	if filters < 1 || order < 1 {
		exceptions.Panicf("a convolution needs at least 1 filter and order 1, not %d and %d", filters, order)
	}
	return x.Shape().Dim(0), x.Shape().Dim(1), x.Shape().Dim(2)
}

// kernel returns decayed weights of scope, W ~ N(0, 2/in) for `in` inputs an output (He et al. 2015).
func kernel(scope *model.Scope, x *Node, in int, dims ...int) *Node {
	return nn.Kernel(scope, x, math.Sqrt(2/float64(in)), dims...)
}

// withBias adds a trained bias, zero at first, to x. x: `[nodes, batch, filters]`.
func withBias(scope *model.Scope, x *Node) *Node {
	return Add(x, ExpandLeftToRank(nn.Bias(scope, x, x.Shape().Dim(2)), 3))
}

// linear returns f(x) for a linear f, with the gradient adjoint(v).
func linear(x *Node, f, adjoint func(*Node) *Node) *Node {
	return ops.WithGradient(func() *Node { return f(x) }, func(v *Node) []*Node { return []*Node{adjoint(v)} }, x)
}

// propagation applies a symmetric matrix S to signals.
type propagation struct {
	s        ccp.Affinity // without its diagonal
	diagonal *Node        // [nodes, 1]; nil: zero
	rows     *Node        // [nodes, 1]: 0, 1, 2 and so on
}

// newPropagation returns the propagation by the matrix s with another diagonal, nil for one of zeros. It keeps the
// edges of s and the diagonal as tables, in variables of scope that are not saved.
func newPropagation(scope *model.Scope, x *Node, s *affinity.Matrix, diagonal []float64) propagation {
	g, rows := x.Graph(), make([]int32, s.N())
	for i := range rows {
		rows[i] = int32(i)
	}
	scope = scope.In(variables.Tables)
	p := propagation{s: ccp.FromMatrix(scope, g, s, x.DType()), rows: ops.Indices(scope, g, "rows", rows)}
	if diagonal != nil {
		values := ops.Constant(scope, g, "diagonal", tensors.FromFlatDataAndDimensions(diagonal, len(diagonal), 1))
		p.diagonal = ConvertDType(values, x.DType())
	}
	return p
}

// times returns S·x. x: `[nodes, K]`, result `[nodes, K]`.
func (p propagation) times(x *Node) *Node {
	product := func(x *Node) *Node { return p.combine(1, x, nil) }
	return linear(x, product, product)
}

// combine returns a·S·x + z in one pass over memory; z nil: zero. It has no gradient.
//
// XLA's CPU compiler computes cheap values anew for each of their uses. In a recurrence these are all the terms before.
// The compiler keeps what was gathered, so the result is gathered, every row from its own place.
func (p propagation) combine(a float64, x, z *Node) *Node {
	y := p.s.Times(x)
	if p.diagonal != nil {
		y = Add(y, Mul(p.diagonal, x))
	}
	y = MulScalar(y, a)
	if z != nil {
		y = Add(y, z)
	}
	return Gather(y, p.rows)
}

// GCN is the Filter of Kipf and Welling (2017), out = D̂^−½ (A + I) D̂^−½·x·W + b. D̂ holds the row sums of A + I. A
// self-loop of the graph adds to the loop of I. If x has more channels than out, the product with W comes first. Fewer
// values go over the edges then.
func GCN(scope *model.Scope, graph *affinity.Matrix, x *Node, filters, order int) *Node {
	nodes, batch, channels := signalOf(graph, x, filters, order)
	scope = scope.In("convolution")
	s, diagonal := renormalized(graph)
	p := newPropagation(scope, x, s, diagonal)
	w := kernel(scope, x, channels, channels, filters)
	spread := func(x *Node, width int) *Node {
		return Reshape(p.times(Reshape(x, nodes, batch*width)), nodes*batch, width)
	}
	var out *Node
	if channels <= filters {
		out = nn.Product(scope, spread(x, channels), w)
	} else {
		out = spread(nn.Product(scope, Reshape(x, nodes*batch, channels), w), filters)
	}
	return withBias(scope, Reshape(out, nodes, batch, filters))
}

// renormalized returns D̂^−½ (A + I) D̂^−½, see GCN, without its diagonal, and the diagonal.
func renormalized(a *affinity.Matrix) (s *affinity.Matrix, diagonal []float64) {
	degrees := a.Degrees()
	diagonal = make([]float64, a.N())
	for i := range degrees {
		loop := a.At(i, i) + 1
		degrees[i] += loop
		diagonal[i] = loop / degrees[i]
	}
	edges := a.WithoutLoops().EdgeList()
	for k, e := range edges {
		edges[k].Weight = e.Weight / math.Sqrt(degrees[e.I]*degrees[e.J])
	}
	s, err := affinity.New(a.N(), edges)
	if err != nil {
		exceptions.Panicf("%v", err) // cannot be: the edges are those of a graph
	}
	return s.AsNormalized(), diagonal
}

// Chebyshev is the Filter of Defferrard et al. (2016) with `order` terms.
//
//	out = Σ_k T_k(L̃)·x·W_k + b,  T_0(L̃)·x = x,  T_1(L̃)·x = L̃·x,  T_k(L̃)·x = 2 L̃ T_{k−1}(L̃)·x − T_{k−2}(L̃)·x.
//
// Here L̃ = 2L/λ − I and L = I − D^−½ A D^−½. λ = 2 bounds the largest eigenvalue of L. So L̃ = −D^−½ A D^−½, with
// zeros in the rows of isolated nodes. Self-loops of the graph do not count.
//
// If x has more channels than out, the products with W_k come first. Fewer values go over the edges then. The terms are
// then summed by Clenshaw's recurrence. L̃ is symmetric. So the sum of terms is the gradient of the list of terms, and
// vice versa.
func Chebyshev(scope *model.Scope, graph *affinity.Matrix, x *Node, filters, order int) *Node {
	nodes, batch, channels := signalOf(graph, x, filters, order)
	scope = scope.In("convolution")
	s := newPropagation(scope, x, graph.Normalized(), nil)
	w := kernel(scope, x, order*channels, order, channels, filters)
	narrow := min(channels, filters)
	// basis is [T_0 x … T_{K−1} x]. x: `[nodes·batch, narrow]`, result `[nodes·batch, order·narrow]`.
	basis := func(x *Node) *Node {
		terms := s.chebyshev(Reshape(x, nodes, batch*narrow), order)
		for k, term := range terms {
			terms[k] = Reshape(term, nodes*batch, narrow)
		}
		return Concatenate(terms, 1)
	}
	// sum is Σ_k T_k z_k. z: `[nodes·batch, order·narrow]`, result `[nodes·batch, narrow]`.
	sum := func(z *Node) *Node {
		parts := make([]*Node, order)
		for k := range parts {
			parts[k] = Reshape(SliceAxis(z, 1, AxisRange(k*narrow, (k+1)*narrow)), nodes, batch*narrow)
		}
		return Reshape(s.clenshaw(parts), nodes*batch, narrow)
	}
	x = Reshape(x, nodes*batch, channels)
	if channels <= filters {
		x = product(scope, linear(x, basis, sum), Reshape(w, order*channels, filters))
	} else {
		w = Reshape(TransposeAllDims(w, 1, 0, 2), channels, order*filters)
		x = linear(product(scope, x, w), sum, basis)
	}
	return withBias(scope, Reshape(x, nodes, batch, filters))
}

// product returns x·w like nn.Product, with a gradient that is faster where x has many rows.
func product(scope *model.Scope, x, w *Node) *Node {
	dtype := nn.NarrowDType(scope, x)
	return ops.WithGradient(
		func() *Node { return ops.Contract(dtype, x, 1, w, 0) },
		func(v *Node) []*Node {
			return []*Node{ops.Contract(dtype, v, 1, w, 1), ops.TransposedProduct(dtype, x, v)}
		}, x, w)
}

// chebyshev returns the terms T_k(−S)·x for k below order. x: `[nodes, K]`.
func (p propagation) chebyshev(x *Node, order int) []*Node {
	terms := []*Node{x}
	for k := 1; k < order; k++ {
		if k == 1 {
			terms = append(terms, p.combine(-1, x, nil))
		} else {
			terms = append(terms, p.combine(-2, terms[k-1], Neg(terms[k-2])))
		}
	}
	return terms
}

// clenshaw returns Σ_k T_k(−S)·z_k by Clenshaw's recurrence, b_k = z_k − 2 S b_{k+1} − b_{k+2}. z: each `[nodes, K]`.
func (p propagation) clenshaw(z []*Node) *Node {
	sum, before := z[len(z)-1], (*Node)(nil) // b_{k+1}, b_{k+2}
	for k := len(z) - 2; k >= 0; k-- {
		rest, factor := z[k], -2.0
		if before != nil {
			rest = Sub(rest, before)
		}
		if k == 0 {
			factor = -1
		}
		sum, before = p.combine(factor, sum, rest), sum
	}
	return sum
}
