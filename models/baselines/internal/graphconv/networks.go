package graphconv

import (
	"math"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/ccp/nn"
	"github.com/clusterpool/ccp/internal/ops"
	"github.com/clusterpool/ccp/internal/variables"
	"github.com/clusterpool/ccp/models"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/support/exceptions"
)

// Pool returns the features of a network that stacks a filter and max pooling over Graclus' clusters (Defferrard et al.
// 2016). The neighbours of a level are the order of its filters. Each level filters the signal, normalises it over the
// batch and the nodes, applies ELU, and pools. For K clusters the graph of N nodes is halved round(log₂(N/K)) times in
// all. K = N does not pool, K = 1 pools all nodes that are left. x: `[batch, nodes, channels]`, result `[batch, nodes
// left, filters]`.
//
// Nodes that Graclus leaves without a partner get no fake one. Only nodes of the coarse graph are filtered, normalised
// and classified.
func Pool(filter Filter, scope *model.Scope, graph *affinity.Matrix, levels []models.Level, x *Node) *Node {
	nodes, deepest := graph.N(), 0 // deepest is of the last level that is not one cluster: their number never grows
	for _, level := range levels {
		if level.Clusters > 1 {
			deepest = halvings(nodes, level.Clusters)
		}
	}
	tree, err := Coarsen(graph, deepest)
	if err != nil {
		exceptions.Panicf("%v", err)
	}
	tables := scope.In(variables.Tables)
	x = TransposeAllDims(x, 1, 0, 2) // a sparse product reads rows: a node's whole batch
	x = Gather(x, ops.Indices(tables, x.Graph(), "order", tree.Order))
	a := tree.Levels[0]
	h := 0 // how often it was halved
	for i, level := range levels {
		scope := scope.In("level_%d", i+1)
		x = nn.BatchNorm(scope, filter(scope, a, x, level.Filters, level.Neighbours), nil)
		var pairs [][][2]int32
		if level.Clusters > 1 {
			to := halvings(nodes, level.Clusters)
			pairs, a, h = tree.Pairs[h:to], tree.Levels[to], to
		} else {
			pairs = toOne(x.Shape().Dim(0))
			a, _ = affinity.New(1, nil) // one node is no error
		}
		for step, pairs := range pairs {
			x = maxOfPairs(tables.In("level_%d_halving_%d", i+1, step+1), x, pairs)
		}
		x = nn.ELU(x) // of the maximum, which is the maximum of the ELUs
	}
	return TransposeAllDims(x, 1, 0, 2)
}

// halvings returns how often to halve a graph for that many clusters.
func halvings(nodes, clusters int) int {
	return int(math.Round(math.Log2(float64(nodes) / float64(clusters))))
}

// toOne pairs n nodes in their order, then the pairs, until one is left.
func toOne(n int) (halvings [][][2]int32) {
	for ; n > 1; n = (n + 1) / 2 {
		pairs := make([][2]int32, (n+1)/2)
		for k := range pairs {
			pairs[k] = [2]int32{int32(2 * k), int32(2*k + 1)}
		}
		if n%2 == 1 {
			pairs[n/2][1] = -1
		}
		halvings = append(halvings, pairs)
	}
	return halvings
}

// maxOfPairs returns the larger of each pair's values, see Tree.Pairs; a fake node's is never larger. The gradient goes
// to the larger value. Of equal values only the first gets it. Values are equal where a signal is zero. x:
// `[nodes, batch, filters]`, result `[pairs, batch, filters]`.
func maxOfPairs(scope *model.Scope, x *Node, pairs [][2]int32) *Node {
	g, count := x.Graph(), len(pairs)
	first, second, place := make([]int32, count), make([]int32, count), make([]int32, x.Shape().Dim(0))
	for k, pair := range pairs {
		first[k], second[k], place[pair[0]] = pair[0], pair[0], int32(k)
		if pair[1] >= 0 {
			second[k], place[pair[1]] = pair[1], int32(count+k)
		}
	}
	places := ops.Indices(scope, g, "place", place)
	a := Gather(x, ops.Indices(scope, g, "first", first))
	b := Gather(x, ops.Indices(scope, g, "second", second))
	return ops.WithGradient(
		func() *Node { return Max(a, b) },
		func(v *Node) []*Node {
			won, zero := GreaterOrEqual(a, b), ZerosLike(v)
			return []*Node{Gather(Concatenate([]*Node{Where(won, v, zero), Where(won, zero, v)}, 0), places)}
		}, x)
}
