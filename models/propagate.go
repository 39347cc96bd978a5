package models

import (
	"math"

	"github.com/clusterpool/ccp/ccp"
	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/ccp/nn"
	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/support/exceptions"
)

// convolution filters a signal on a graph. x: `[nodes, batch, channels]`, node-major so that a node's row is contiguous; result
// `[nodes, batch, filters]`, with a bias, without activation. graph is the raw affinity; order is the number of terms of Chebyshev
// filters, the others ignore it. Weights and, as variables that are not kept, the graph's tables are below `convolution` in scope.
type convolution func(scope *model.Scope, graph *affinity.Matrix, x *Node, filters, order int) *Node

// signalOf checks that x is a signal on the graph and gives its sizes.
func signalOf(graph *affinity.Matrix, x *Node, filters, order int) (nodes, batch, channels int) {
	if x.Rank() != 3 || x.Shape().Dim(0) != graph.N() {
		exceptions.Panicf("a signal of shape %s is not [%d nodes, batch, channels]", x.Shape(), graph.N())
	}
	if filters < 1 || order < 1 {
		exceptions.Panicf("a convolution needs at least 1 filter and order 1, not %d and %d", filters, order)
	}
	return x.Shape().Dim(0), x.Shape().Dim(1), x.Shape().Dim(2)
}

// kernelOf makes a decayed kernel of the given shape, for `in` inputs an output: W ~ N(0, 2/in) (He et al. 2015).
func kernelOf(scope *model.Scope, g *Graph, dtype dtypes.DType, in int, dims ...int) *Node {
	return nn.Decay(scope, nn.NormalVariable(scope, "W", 0, math.Sqrt(2/float64(in)), dtype, dims...).NodeValue(g))
}

// withBias adds a trained bias, zero at first, to x. x: `[nodes, batch, filters]`.
func withBias(scope *model.Scope, x *Node) *Node {
	return Add(x, ExpandLeftToRank(nn.Bias(scope, x, x.Shape().Dim(2)), 3))
}

// propagation is a symmetric matrix that is applied to signals: S with a diagonal.
type propagation struct {
	s        ccp.Affinity
	diagonal *Node // [nodes, 1]; nil: zero
	rows     *Node // [nodes, 1]: 0, 1, 2 and so on
}

// newPropagation makes the tables of s, whose own diagonal is left out, in variables of scope. diagonal takes its place; nil: zero.
func newPropagation(scope *model.Scope, g *Graph, s *affinity.Matrix, diagonal []float64, dtype dtypes.DType) propagation {
	rows := make([]int32, s.N())
	for i := range rows {
		rows[i] = int32(i)
	}
	p := propagation{s: ccp.FromMatrix(scope, g, s, dtype), rows: nn.Indices(scope, g, "rows", rows)}
	if diagonal != nil {
		values := nn.Constant(scope, g, "diagonal", tensors.FromFlatDataAndDimensions(diagonal, len(diagonal), 1))
		p.diagonal = ConvertDType(values, dtype)
	}
	return p
}

// times is S·x. x: `[nodes, K]`, result `[nodes, K]`. Its gradient is S·v.
func (p propagation) times(x *Node) *Node {
	return nn.WithGradient(
		func() *Node { return p.combine(1, x, nil) },
		func(v *Node) []*Node { return []*Node{p.combine(1, v, nil)} }, x)
}

// combine is a·S·x + z in one pass over memory; z nil: zero. It has no gradient.
//
// XLA's CPU compiler computes what is cheap anew for each of its uses, and in a recurrence that is all the terms before. It
// does not do so with what was gathered, so the result is: every row from its own place.
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
