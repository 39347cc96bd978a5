package models

import (
	"fmt"
	"math"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/ccp/nn"
	"github.com/clusterpool/ccp/models/graclus"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/support/exceptions"
)

// graphStack is the network that stacks a convolution on graphs and max pooling over Graclus' clusters (Defferrard et al. 2016), of
// the sizes that CCP has: each level filters the signal, with the level's filters and L as the order, normalises it over the batch
// and the nodes, applies ELU, and pools; then comes the readout. K clusters mean a graph that was halved round(log₂(N/K)) times, N
// being the input's nodes, so K = N does not pool; K = 1 pools all that is left.
//
// Nodes that Graclus leaves without a partner get no fake one: what is filtered, normalised and classified are the nodes of the
// coarse graph, no more.
func graphStack(filter convolution) Network {
	return func(scope *model.Scope, spec Spec, graph Topology, signal *Node) *Node {
		deepest := 0 // the last level that is not one cluster: their number never grows
		for _, level := range spec.Levels {
			if level.Clusters > 1 {
				deepest = halvings(spec.Nodes, level.Clusters)
			}
		}
		tree, err := graclus.Coarsen(graph.Matrix, deepest)
		if err != nil {
			exceptions.Panicf("model %s: %v", spec.Model, err)
		}
		tables := scope.In(GraphScope)
		x := TransposeAllDims(signal, 1, 0, 2) // what a sparse product reads are rows: a node's whole batch
		x = Gather(x, nn.Indices(tables, x.Graph(), "order", tree.Order))
		a := tree.Levels[0]
		h := 0 // how often it was halved
		for i, level := range spec.Levels {
			scope := scope.In("level_%d", i+1)
			x = nn.BatchNorm(scope, filter(scope, a, x, level.Filters, level.Neighbours), nil)
			var pairs [][][2]int32
			if level.Clusters > 1 {
				to := halvings(spec.Nodes, level.Clusters)
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
		return readout(scope, spec, TransposeAllDims(x, 1, 0, 2))
	}
}

// checkShrinking says which level has more clusters than nodes, which pooling cannot make.
func (s Spec) checkShrinking() error {
	nodes := s.Nodes
	for i, level := range s.Levels {
		if level.Clusters > nodes {
			return fmt.Errorf("level %d: %d clusters of %d nodes; model %s pools, so that there can be no more clusters than nodes", i+1, level.Clusters, nodes, s.Model)
		}
		nodes = level.Clusters
	}
	return nil
}

// halvings is how often to halve a graph for that many clusters.
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

// maxOfPairs is the larger of each pair's values, see graclus.Tree.Pairs; a fake node never is. x: `[nodes, batch, filters]`, result
// `[pairs, batch, filters]`. Its gradient goes to the larger value, of equal ones to the first alone: far from all that is not zero
// in a signal, values are equal.
func maxOfPairs(scope *model.Scope, x *Node, pairs [][2]int32) *Node {
	g := x.Graph()
	n, count := x.Shape().Dim(0), len(pairs)
	first, second, place := make([]int32, count), make([]int32, count), make([]int32, n)
	for k, pair := range pairs {
		first[k], second[k], place[pair[0]] = pair[0], pair[0], int32(k)
		if pair[1] >= 0 {
			second[k], place[pair[1]] = pair[1], int32(count+k)
		}
	}
	places := nn.Indices(scope, g, "place", place)
	a := Gather(x, nn.Indices(scope, g, "first", first))
	b := Gather(x, nn.Indices(scope, g, "second", second))
	return nn.WithGradient(
		func() *Node { return Max(a, b) },
		func(v *Node) []*Node {
			won, zero := GreaterOrEqual(a, b), ZerosLike(v)
			return []*Node{Gather(Concatenate([]*Node{Where(won, v, zero), Where(won, zero, v)}, 0), places)}
		}, x)
}
