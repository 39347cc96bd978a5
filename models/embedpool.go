package models

import (
	"github.com/clusterpool/ccp/ccp"
	"github.com/clusterpool/ccp/ccp/nn"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
)

// edges is an affinity matrix A as a product: A·x for x `[batch, N, C]`. Same shape out.
type edges func(x *Node) *Node

// graphCNN is the Graph-CNN of Such et al. (2017), "Robust Spatial Filtering with Graph Convolutional Neural Networks": at each
// level a graph filter, batch norm and ELU, then graph embed pooling, batch norm and ELU. The readout follows.
//
// The pooling embeds N nodes in K clusters, anew for each sample: with V the softmax over the nodes of a graph filter of K
// outputs, the signal becomes Vᵀ·x and the affinity Vᵀ·A·V, so that each cluster's value is a weighted mean of the nodes'.
// A is the data's affinity, normalised, in the first level; it is the only one that all samples share. A level's L plays
// no part here.
//
// Departures: ELU for ReLU, as in the other networks here. The paper leaves open along which axis the softmax goes; the
// authors' program takes it over the nodes, and so do we.
func graphCNN(scope *model.Scope, spec Spec, graph Topology, signal *Node) *Node {
	x := signal // [batch, N, C]
	a := shared(ccp.FromMatrix(scope.In(GraphScope), x.Graph(), graph.Normalized(), x.DType()))
	for i, level := range spec.Levels {
		scope := scope.In("level_%d", i+1)
		filtered, bias := graphFilter(scope, x, a, level.Filters)
		x = nn.ELU(nn.BatchNorm(scope, filtered, bias))
		embedding, bias := graphFilter(scope.In("embedding"), x, a, level.Clusters)
		v := Softmax(Add(embedding, ExpandLeftToRank(bias, 3)), 1) // [batch, N, K]
		if i < len(spec.Levels)-1 {
			a = pooled(onto(v, a(v)))
		}
		x = nn.ELU(nn.BatchNorm(scope.In("pool"), onto(v, x), nil))
	}
	return readout(scope, spec, x)
}

// graphFilter is a filter H = h₀·I + h₁·A for each pair of an input and an output channel: x·W₀ + A·x·W₁, and the bias b. x: `[batch,
// N, C]`, result `[batch, N, out]` and `[out]`. The variable W holds W₀ above W₁.
func graphFilter(scope *model.Scope, x *Node, a edges, out int) (filtered, bias *Node) {
	batch, n := x.Shape().Dim(0), x.Shape().Dim(1)
	taps := Concatenate([]*Node{x, a(x)}, -1) // [batch, N, 2C]
	product, bias := nn.Linear(scope, Reshape(taps, batch*n, taps.Shape().Dim(2)), out, 1)
	return Reshape(product, batch, n, out), bias
}

// shared is the affinity of all samples, without its diagonal, which h₀ has.
func shared(a ccp.Affinity) edges {
	return func(x *Node) *Node {
		batch, n, channels := x.Shape().Dim(0), x.Shape().Dim(1), x.Shape().Dim(2)
		columns := Reshape(TransposeAllDims(x, 1, 0, 2), n, batch*channels)
		return TransposeAllDims(Reshape(a.Times(columns), n, batch, channels), 1, 0, 2)
	}
}

// pooled is the affinity of each sample apart. a: `[batch, N, N]`.
func pooled(a *Node) edges {
	return func(x *Node) *Node { return Dot(a, x).General([]int{2}, []int{0}, []int{1}, []int{0}) }
}

// onto is Vᵀ·x of each sample. v: `[batch, N, K]`, x: `[batch, N, C]`, result `[batch, K, C]`.
func onto(v, x *Node) *Node { return Dot(v, x).General([]int{1}, []int{0}, []int{1}, []int{0}) }
