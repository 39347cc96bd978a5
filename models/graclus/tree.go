// Package graclus coarsens a graph by halves, as graph networks that pool with Graclus do (Defferrard, Bresson and Vandergheynst
// 2016): the greedy matching of Graclus (Dhillon, Guan and Kulis 2007) pairs nodes, each pair becomes one node of a coarser graph,
// and so on. Nodes are renumbered so that those that are merged follow each other.
//
//	tree, err := graclus.Coarsen(graph, 3)
//	coarse := tree.Levels[3] // about an eighth of the nodes
//
// Everything here runs on the host; the package knows nothing of tensors or computation graphs.
package graclus

import (
	"fmt"
	"slices"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/ccp/partition"
)

// Tree is a graph coarsened again and again.
//
// Defferrard et al. give a node without a partner a fake one, which has two fake nodes at the level below, and so on, until the tree
// is balanced. Here a fake node is only a mark in Pairs. It is in no graph, and takes part in no computation.
type Tree struct {
	// Order says which node of the graph given each node of Levels[0] is, `[N]`.
	Order []int32
	// Levels[h] is the graph after h halvings. The weight of an edge is the sum of the weights that it stands for; there are no
	// self-loops.
	Levels []*affinity.Matrix
	// Pairs[h] are, for each node of Levels[h+1], the two nodes of Levels[h] in it, one after the other; −1 is a fake second node.
	Pairs [][][2]int32
}

// Coarsen halves a graph that often: Levels has halvings+1 graphs. See Match for which nodes are paired; the volumes are the
// degrees in the graph given, without its self-loops. Time and memory are O(E log E) a halving. It is an error if weights add up to
// more than a float64 holds.
func Coarsen(a *affinity.Matrix, halvings int) (*Tree, error) {
	a = a.WithoutLoops()
	volumes := a.Degrees()
	graphs, members := []*affinity.Matrix{a}, make([][][2]int32, halvings)
	for h := range halvings {
		clusters := Match(a, volumes)
		var merged []float64
		for i, k := range clusters { // clusters are numbered by their lower nodes
			if int(k) == len(merged) {
				members[h], merged = append(members[h], [2]int32{int32(i), -1}), append(merged, volumes[i])
			} else {
				members[h][k][1] = int32(i)
				merged[k] += volumes[i]
			}
		}
		edges, _ := partition.Pool(a, clusters, len(merged))
		inside := func(e affinity.Edge) bool { return e.I == e.J }
		var err error
		if a, err = affinity.New(len(merged), slices.DeleteFunc(edges, inside)); err != nil {
			return nil, fmt.Errorf("coarsening, halving %d: %w", h+1, err)
		}
		graphs, volumes = append(graphs, a), merged
	}
	return arrange(graphs, members)
}

// arrange renumbers the nodes of all levels from the coarsest down, whose order stays, so that members of a node follow each other.
// members[h] are, for each node of graphs[h+1], the one or two nodes of graphs[h] in it, the lower first; −1 is no second.
func arrange(graphs []*affinity.Matrix, members [][][2]int32) (*Tree, error) {
	t := &Tree{Levels: slices.Clone(graphs), Pairs: make([][][2]int32, len(members))}
	order := make([]int, graphs[len(members)].N())
	for i := range order {
		order[i] = i
	}
	for h := len(members) - 1; h >= 0; h-- {
		var below []int
		for _, k := range order {
			pair := [2]int32{int32(len(below)), -1}
			below = append(below, int(members[h][k][0]))
			if second := members[h][k][1]; second >= 0 {
				pair[1] = int32(len(below))
				below = append(below, int(second))
			}
			t.Pairs[h] = append(t.Pairs[h], pair)
		}
		order = below
		var err error
		if t.Levels[h], err = graphs[h].Permuted(order); err != nil {
			return nil, err
		}
	}
	t.Order = make([]int32, len(order))
	for at, i := range order {
		t.Order[at] = int32(i)
	}
	return t, nil
}
