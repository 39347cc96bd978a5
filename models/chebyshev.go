package models

import (
	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/ccp/nn"
	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
)

// chebyshevConvolution is the filter of Defferrard et al. (2016) with `order` terms, a convolution,
//
//	out = Σ_k T_k(L̃)·x·W_k + b,  T_0(L̃)·x = x,  T_1(L̃)·x = L̃·x,  T_k(L̃)·x = 2 L̃ T_{k−1}(L̃)·x − T_{k−2}(L̃)·x,
//
// where L̃ = 2L/λ − I and L = I − D^−½ A D^−½. λ is 2, which bounds the largest eigenvalue of L: with it L̃ = −D^−½ A D^−½, zero in
// the rows of isolated nodes. Self-loops of the graph do not count.
//
// L̃ is symmetric, so that the same recurrence gives the gradients, and whichever of x and out has fewer channels is what goes over
// the edges. With fewer channels in: out = [T_0 x … T_{K−1} x]·W; dx by Clenshaw's recurrence from the v·W_kᵀ. With fewer out: by
// Clenshaw's from the x·W_k; dx = [T_0 v … T_{K−1} v]·Wᵀ, since T_k(L̃)ᵀ = T_k(L̃).
func chebyshevConvolution(scope *model.Scope, graph *affinity.Matrix, x *Node, filters, order int) *Node {
	nodes, batch, channels := signalOf(graph, x, filters, order)
	g, dtype := x.Graph(), x.DType()
	scope = scope.In("convolution")
	s := newPropagation(scope.In(nn.TablesScope), g, graph.Normalized(), nil, dtype)
	w := kernelOf(scope, g, dtype, order*channels, order, channels, filters)

	narrow, narrowed := min(channels, filters), nn.NarrowDType(scope, x)
	flat := func(x *Node) *Node { return Reshape(x, nodes*batch, x.Shape().Dim(-1)) }
	// basis is [T_0 x … T_{K−1} x]. x: `[nodes, batch, narrow]`, result `[nodes·batch, order·narrow]`.
	basis := func(x *Node) *Node {
		terms := s.chebyshev(Reshape(x, nodes, batch*narrow), order)
		for k, term := range terms {
			terms[k] = Reshape(term, nodes*batch, narrow)
		}
		return Concatenate(terms, 1)
	}
	// sum is Σ_k T_k z_k. z: `[nodes·batch, order·narrow]`, result `[nodes, batch, narrow]`.
	sum := func(z *Node) *Node {
		parts := make([]*Node, order)
		for k := range parts {
			parts[k] = Reshape(Slice(z, AxisRange(), AxisRange(k*narrow, (k+1)*narrow)), nodes, batch*narrow)
		}
		return Reshape(s.clenshaw(parts), nodes, batch, narrow)
	}
	var out *Node
	if channels <= filters {
		w = Reshape(w, order*channels, filters)
		var terms *Node
		out = nn.WithGradient(
			func() *Node {
				terms = basis(x)
				return Reshape(nn.Contract(narrowed, terms, 1, w, 0), nodes, batch, filters)
			},
			func(v *Node) []*Node {
				v = flat(v)
				dx := sum(nn.Contract(narrowed, v, 1, w, 1))
				return []*Node{dx, transposedProduct(narrowed, terms, v)}
			}, x, w)
	} else {
		w = Reshape(TransposeAllDims(w, 1, 0, 2), channels, order*filters)
		out = nn.WithGradient(
			func() *Node { return sum(nn.Contract(narrowed, flat(x), 1, w, 0)) },
			func(v *Node) []*Node {
				terms := basis(v)
				dx := Reshape(nn.Contract(narrowed, terms, 1, w, 1), nodes, batch, channels)
				return []*Node{dx, transposedProduct(narrowed, flat(x), terms)}
			}, x, w)
	}
	return withBias(scope, out)
}

// transposedProduct is aᵀ·b. The narrower is transposed before, because XLA's CPU products are slower along the first axis of both.
func transposedProduct(dtype dtypes.DType, a, b *Node) *Node {
	if a.Shape().Dim(1) > b.Shape().Dim(1) {
		return TransposeAllDims(transposedProduct(dtype, b, a), 1, 0)
	}
	return nn.Contract(dtype, OptimizationBarrier(TransposeAllDims(a, 1, 0)), 1, b, 0)
}

// chebyshev are the terms T_k(−S)·x for k below order. x: `[nodes, K]`.
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

// clenshaw is Σ_k T_k(−S)·z_k by Clenshaw's recurrence, b_k = z_k − 2 S b_{k+1} − b_{k+2}, from the last. z: each `[nodes, K]`.
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
