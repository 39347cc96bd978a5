package partition

import (
	"cmp"
	"slices"

	"github.com/clusterpool/ccp/ccp/affinity"
)

// Neighbourhoods selects, for a hard clustering of m into k clusters, each cluster's `size` nodes of highest rank, the lower
// index first among equals, as the layer does: with M one-hot the rank of a member is twice its links into the cluster,
// of any other node its links into it. nodes and ranks are [k, size] row-major. Time and memory are linear in the edges. size must
// be in 1..N.
func Neighbourhoods(m *affinity.Matrix, cluster []int32, k, size int) (nodes []int32, ranks []float64) {
	type candidate struct {
		node int32
		rank float64
	}
	found := make([][]candidate, k)
	links := map[int32]float64{}
	for i := range m.N() {
		clear(links)
		links[cluster[i]] = 0 // a member counts as such even without links
		neighbours, weights := m.Row(i)
		for e, j := range neighbours {
			if int(j) != i {
				links[cluster[j]] += weights[e]
			}
		}
		for c, w := range links {
			if c == cluster[i] {
				w *= 2
			}
			if w > 0 {
				found[c] = append(found[c], candidate{int32(i), w})
			}
		}
	}
	nodes, ranks = make([]int32, 0, k*size), make([]float64, 0, k*size)
	for _, list := range found {
		slices.SortFunc(list, func(a, b candidate) int {
			return cmp.Or(cmp.Compare(b.rank, a.rank), cmp.Compare(a.node, b.node))
		})
		taken := map[int32]bool{}
		for _, c := range list[:min(size, len(list))] {
			nodes, ranks, taken[c.node] = append(nodes, c.node), append(ranks, c.rank), true
		}
		for i, left := int32(0), size-min(size, len(list)); left > 0; i++ { // the rest have rank zero
			if !taken[i] {
				nodes, ranks = append(nodes, i), append(ranks, 0)
				left--
			}
		}
	}
	return nodes, ranks
}
