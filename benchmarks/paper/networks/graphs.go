package networks

import (
	"github.com/clusterpool/ccp/ccp"
	"github.com/clusterpool/ccp/ccp/nn"
	"github.com/clusterpool/ccp/internal/variables"
	"github.com/clusterpool/ccp/models"
	"github.com/clusterpool/ccp/models/baselines"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
)

func init() {
	models.Register("graph-cnn",
		models.Network{Recipes: recipes, About: "Graph-CNN with graph embed pooling (Such et al. 2017)",
			Build: network(graphCNN).readout, Levels: graphCNNLevels, Hidden: true})
	models.Register("gat-average", models.Network{Recipes: recipes,
		About: "graph attention and global average pooling (Veličković et al. 2018)",
		Build: network(gatAverage).readout, Levels: gatAverageLevels, Hidden: true})
}

// graphCNNLevels returns the levels of the authors' network for NCI1: a filter of 64 channels, 32 clusters, a filter of
// 32 channels, 8 clusters. Small graphs get fewer clusters.
func graphCNNLevels(nodes int) []models.Level {
	level := func(clusters, filters int) models.Level {
		return models.Level{Clusters: min(clusters, (nodes+1)/2), Filters: filters, Neighbours: 1}
	}
	return []models.Level{level(32, 64), level(8, 32)}
}

// gatAverageLevels returns three levels of 32, 64 and 128 filters. Each level convolves all nodes, so that a large
// graph gets only two levels of 32. The average is classified without a hidden layer.
func gatAverageLevels(nodes int) (levels []models.Level) {
	filters := []int{32, 64, 128}
	if nodes > 4096 {
		filters = []int{32, 32}
	}
	for _, f := range filters {
		levels = append(levels, models.Level{Clusters: nodes, Filters: f, Neighbours: 1})
	}
	return levels
}

// gatAverage returns the features of graph attention without coarsening (Veličković et al. 2018). Each level is a graph
// attention layer, batch norm and ELU. The features are the averages over the nodes. x: `[batch, nodes, channels]`,
// result `[batch, 1, filters]`.
func gatAverage(scope *model.Scope, spec models.Spec, graph models.Topology, x *Node) *Node {
	x = TransposeAllDims(x, 1, 0, 2) // what is gathered are rows: a node's whole batch
	for i, level := range spec.Levels {
		scope := scope.In("level_%d", i+1)
		x = nn.ELU(nn.BatchNorm(scope, baselines.GAT(scope, graph.Matrix, x, level.Filters), nil))
	}
	return ExpandAxes(ReduceMean(x, 0), 1)
}

// graphCNN returns the features of the Graph-CNN of Such et al. (2017), "Robust Spatial Filtering with Graph
// Convolutional Neural Networks". Each level has a graph filter and graph embed pooling, both with batch norm and ELU.
// The neighbours of a level are not used. x: `[batch, N, channels]`, result `[batch, clusters, filters]`.
//
// The pooling embeds N nodes in K clusters, anew for each sample. V is the softmax over the nodes of a graph filter of
// K outputs. The signal becomes Vᵀ·x, weighted means over the nodes, and the affinity Vᵀ·A·V. In the first level A is
// the data's affinity, normalised. This is the only one that all samples share.
//
// We have ELU, they have ReLU. The paper does not say along which axis the softmax goes. The authors' program takes it
// over the nodes, and so do we.
func graphCNN(scope *model.Scope, spec models.Spec, graph models.Topology, x *Node) *Node {
	a := shared(ccp.FromMatrix(scope.In(variables.Tables), x.Graph(), graph.Normalized(), x.DType()))
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
	return x
}

// edges is an affinity matrix A as a product: it returns A·x for x `[batch, N, C]`, of the same shape.
type edges func(x *Node) *Node

// graphFilter is a filter H = h₀·I + h₁·A for each pair of an input and an output channel. It returns x·W₀ + A·x·W₁ and
// the bias b. x: `[batch, N, C]`, results `[batch, N, out]` and `[out]`. The variable W holds W₀ above W₁.
func graphFilter(scope *model.Scope, x *Node, a edges, out int) (filtered, bias *Node) {
	batch, n := x.Shape().Dim(0), x.Shape().Dim(1)
	taps := Concatenate([]*Node{x, a(x)}, -1) // [batch, N, 2C]
	product, bias := nn.Linear(scope, Reshape(taps, batch*n, taps.Shape().Dim(2)), out, 1)
	return Reshape(product, batch, n, out), bias
}

// shared returns the affinity of all samples, without its diagonal, which h₀ has.
func shared(a ccp.Affinity) edges {
	return func(x *Node) *Node {
		batch, n, channels := x.Shape().Dim(0), x.Shape().Dim(1), x.Shape().Dim(2)
		columns := Reshape(TransposeAllDims(x, 1, 0, 2), n, batch*channels)
		return TransposeAllDims(Reshape(a.Times(columns), n, batch, channels), 1, 0, 2)
	}
}

// pooled returns the affinities of the samples, each its own. a: `[batch, N, N]`.
func pooled(a *Node) edges {
	return func(x *Node) *Node { return Dot(a, x).General([]int{2}, []int{0}, []int{1}, []int{0}) }
}

// onto returns Vᵀ·x of each sample. v: `[batch, N, K]`, x: `[batch, N, C]`, result `[batch, K, C]`.
func onto(v, x *Node) *Node { return Dot(v, x).General([]int{1}, []int{0}, []int{1}, []int{0}) }
