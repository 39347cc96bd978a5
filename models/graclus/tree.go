// Package graclus coarsens a graph by halves, as graph networks that pool with Graclus do (Defferrard, Bresson and Vandergheynst
// 2016): the greedy matching of Graclus (Dhillon, Guan and Kulis 2007) pairs nodes, each pair becomes one node of a coarser graph,
// and so on. Its nodes are renumbered so that those which are merged stand next to each other.
//
//	tree, err := graclus.Coarsen(graph, 3)
//	coarse := tree.Levels[3] // about an eighth of the nodes
//
// Everything here runs on the host; the package knows nothing of tensors or computation graphs.
package graclus

import (
	"fmt"

	"github.com/clusterpool/ccp/ccp/affinity"
)

// Tree is a graph coarsened again and again.
//
// Where a node stayed without a partner, Defferrard et al. give it a fake one, and that one two fake nodes at the level below, and
// so on, until the tree is a balanced one. Here a fake node is only a mark in Pairs: it is in no graph, so that it cannot
// disturb a computation, nor cost any.
type Tree struct {
	// Order says which node of the graph given each node of Levels[0] is, `[N]`.
	Order []int32
	// Levels[h] is the graph after h halvings. The weight of an edge is the sum of the weights that it stands for; there are no
	// self-loops.
	Levels []*affinity.Matrix
	// Pairs[h] are, for each node of Levels[h+1], the two nodes of Levels[h] that it was made of. They follow each other. The second
	// is −1, a fake node, if the first stayed alone.
	Pairs [][][2]int32
}

// Coarsen halves a graph that often: Levels has halvings+1 graphs. See Match for who is paired with whom; the volumes are the
// degrees in the graph given, without its self-loops. Time and memory are O(E log E) a halving. It is an error if halvings is
// negative, or if weights add up to more than a float64 holds.
func Coarsen(a *affinity.Matrix, halvings int) (*Tree, error) {
	if halvings < 0 {
		return nil, fmt.Errorf("coarsening by %d halvings; there are at least 0", halvings)
	}
	a = a.WithoutLoops()
	volumes := a.Degrees()
	graphs, members := []*affinity.Matrix{a}, make([][][2]int32, halvings)
	for h := range halvings {
		clusters := Match(a, volumes)
		members[h] = membersOf(clusters)
		var err error
		if a, err = merge(a, clusters, members[h]); err != nil {
			return nil, fmt.Errorf("coarsening, halving %d: %w", h+1, err)
		}
		merged := make([]float64, a.N())
		for i, k := range clusters {
			merged[k] += volumes[i]
		}
		graphs, volumes = append(graphs, a), merged
	}
	return arrange(graphs, members)
}

// membersOf lists the one or two nodes of each cluster, the lower first, −1 where there is no second.
func membersOf(clusters []int32) (members [][2]int32) {
	for i, k := range clusters { // clusters are numbered by their lower nodes
		if int(k) == len(members) {
			members = append(members, [2]int32{int32(i), -1})
		} else {
			members[k][1] = int32(i)
		}
	}
	return members
}

// merge is the graph of the clusters: the weight between two is the sum of the weights between their members.
func merge(a *affinity.Matrix, clusters []int32, members [][2]int32) (*affinity.Matrix, error) {
	var edges []affinity.Edge
	sums := make([]float64, len(members))
	var met []int32
	for k, pair := range members {
		for _, i := range pair {
			if i < 0 {
				continue
			}
			neighbours, weights := a.Row(int(i))
			for at, j := range neighbours {
				other := clusters[j]
				if int(other) <= k { // its edges were counted, or are inside
					continue
				}
				if sums[other] == 0 {
					met = append(met, other)
				}
				sums[other] += weights[at]
			}
		}
		for _, other := range met {
			edges = append(edges, affinity.Edge{I: k, J: int(other), Weight: sums[other]})
			sums[other] = 0
		}
		met = met[:0]
	}
	return affinity.New(len(members), edges)
}

// arrange renumbers the nodes of all levels from the coarsest down, whose order stays, so that members of a node follow each other.
func arrange(graphs []*affinity.Matrix, members [][][2]int32) (*Tree, error) {
	halvings := len(members)
	t := &Tree{Levels: make([]*affinity.Matrix, halvings+1), Pairs: make([][][2]int32, halvings)}
	order := make([]int, graphs[halvings].N())
	for i := range order {
		order[i] = i
	}
	t.Levels[halvings] = graphs[halvings]
	for h := halvings - 1; h >= 0; h-- {
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
