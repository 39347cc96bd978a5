package partition

import (
	"cmp"
	"slices"

	"github.com/clusterpool/ccp/ccp/affinity"
)

// Neighbourhoods selects the `size` nodes of highest rank for each of k clusters of a hard clustering of m, like the
// layer: the lower index is first among equals. The rank of a node is the weight of its links into the cluster, twice
// the weight if it is a member. nodes and ranks are [k, size] row-major. Time and memory are linear in the edges.
// size must be in 1..N.
func Neighbourhoods(m *affinity.Matrix, cluster []int32, k, size int) (nodes []int32, ranks []float64) {
	type candidate struct {
		node int32
		rank float64
	}
	found := make([][]candidate, k)
	links := map[int32]float64{}
	for i := range m.N() {
		clear(links)
		addLinks(links, m, cluster, i, 1)
		links[cluster[i]] *= 2
		for c, w := range links {
			if w > 0 {
				found[c] = append(found[c], candidate{int32(i), w})
			}
		}
	}
	for _, list := range found {
		slices.SortFunc(list, func(a, b candidate) int {
			return cmp.Or(cmp.Compare(b.rank, a.rank), cmp.Compare(a.node, b.node))
		})
		list = list[:min(size, len(list))]
		for i := int32(0); len(list) < size; i++ { // the rest have rank zero
			if !slices.ContainsFunc(list, func(c candidate) bool { return c.node == i }) {
				list = append(list, candidate{node: i})
			}
		}
		for _, c := range list {
			nodes, ranks = append(nodes, c.node), append(ranks, c.rank)
		}
	}
	return nodes, ranks
}

// addLinks adds the weights of node i's edges, multiplied by factor, to the clusters that they lead to. Self-loops
// are left out.
func addLinks(links map[int32]float64, m *affinity.Matrix, cluster []int32, i int, factor float64) {
	neighbours, weights := m.Row(i)
	for e, j := range neighbours {
		if int(j) != i {
			links[cluster[j]] += factor * weights[e]
		}
	}
}
