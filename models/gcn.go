package models

import (
	"math"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/ccp/nn"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/support/exceptions"
)

// gcnConvolution is the layer of Kipf and Welling (2017), a convolution: out = D̂^−½ (A + I) D̂^−½·x·W + b, where D̂ holds the row sums
// of A + I. A self-loop of the graph adds to that of I. Whichever of x and out has fewer channels is what goes over the edges.
func gcnConvolution(scope *model.Scope, graph *affinity.Matrix, x *Node, filters, order int) *Node {
	nodes, batch, channels := signalOf(graph, x, filters, order)
	g, dtype := x.Graph(), x.DType()
	scope = scope.In("convolution")
	s, diagonal := renormalized(graph)
	p := newPropagation(scope.In(nn.TablesScope), g, s, diagonal, dtype)
	w := kernelOf(scope, g, dtype, channels, channels, filters)
	spread := func(x *Node, width int) *Node {
		return Reshape(p.times(Reshape(x, nodes, batch*width)), nodes*batch, width)
	}
	product := func(x *Node) *Node { return nn.Product(scope, x, w) }
	var out *Node
	if channels <= filters {
		out = product(spread(x, channels))
	} else {
		out = spread(product(Reshape(x, nodes*batch, channels)), filters)
	}
	return withBias(scope, Reshape(out, nodes, batch, filters))
}

// renormalized is D̂^−½ (A + I) D̂^−½, see gcnConvolution, in two parts: without its diagonal, and the diagonal.
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
	return s, diagonal
}
