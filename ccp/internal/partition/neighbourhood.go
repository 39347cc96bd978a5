package partition

import (
	"cmp"
	"maps"
	"slices"

	"github.com/clusterpool/ccp/ccp/affinity"
)

// Unlinked is the rank of a node without links, in its own cluster. It is next to nothing, so the gate is σ(β). It is
// not 0, since a rank of 0 marks a place that no node of the cluster takes. Saved hierarchies have such places.
const Unlinked = 0x1p-64

// Rank computes the rank of a node in a cluster: its membership is 1 or 0, links the weight of its links into it.
type Rank func(membership, links float64) float64

// Neighbourhoods selects the `size` nodes of highest rank for each of k clusters of a hard clustering of m. Like in
// the layer, the lower index is first among equals. A node without any links has the rank Unlinked in its cluster. No
// other cluster sees it, so its cluster leaves out others before members. The results are [k, size] row-major. Time
// and memory are linear in the edges. The size must be in 1..N.
func Neighbourhoods(m *affinity.Matrix, cluster []int32, k, size int, rank Rank) (nodes []int32, ranks []float64) {
	type candidate struct {
		node int32
		rank float64
	}
	found, unlinked := make([][]candidate, k), make([]bool, k)
	links := map[int32]float64{}
	for i := range m.N() {
		clear(links)
		addLinks(links, m, cluster, i, 1)
		own := cluster[i]
		if len(links) == 0 {
			unlinked[own] = true
			found[own] = append(found[own], candidate{int32(i), Unlinked})
		}
		for c, weight := range links {
			membership := 0.0
			if c == own {
				membership = 1
			}
			if r := rank(membership, weight); r > 0 {
				found[c] = append(found[c], candidate{int32(i), r})
			}
		}
	}
	for own, list := range found {
		slices.SortFunc(list, func(a, b candidate) int {
			return cmp.Or(cmp.Compare(b.rank, a.rank), cmp.Compare(a.node, b.node))
		})
		for last := len(list) - 1; unlinked[own] && last >= 0 && len(list) > size; last-- {
			if int(cluster[list[last].node]) != own {
				list = slices.Delete(list, last, last+1)
			}
		}
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

// Candidates chooses the c clusters that each node may belong to from a hard clustering of m into k clusters. First
// comes its own cluster, then clusters with most links to it, then the nearest ones in the graph. A cluster is a
// candidate of at most four times its share of N·c, beyond its own nodes and nodes without another choice. The result
// is [N, c], each row ascending. Time and memory are linear in the edges. The count c must be in 1..k.
func Candidates(m *affinity.Matrix, cluster []int32, k, c int) []int32 {
	n := m.N()
	count := make([]int, k)
	for _, own := range cluster {
		count[own]++
	}
	limit := 4*n*c/k + 1
	of := make([]int32, 0, n*c)
	links := map[int32]float64{}
	for i, own := range cluster {
		row := append(make([]int32, 0, c), own)
		add := func(candidate int32, limit int) {
			if len(row) < c && count[candidate] < limit && !slices.Contains(row, candidate) {
				row = append(row, candidate)
				count[candidate]++
			}
		}
		addLinked := func() {
			heaviest := func(a, b int32) int { return cmp.Or(cmp.Compare(links[b], links[a]), cmp.Compare(a, b)) }
			for _, candidate := range slices.SortedFunc(maps.Keys(links), heaviest) {
				add(candidate, limit)
			}
			clear(links)
		}
		addLinks(links, m, cluster, i, 1)
		addLinked()
		if len(row) < c { // two steps away
			neighbours, weights := m.Row(i)
			for e, j := range neighbours {
				addLinks(links, m, cluster, int(j), weights[e])
			}
			addLinked()
		}
		for step := 1; len(row) < c; step++ { // any others, at last without the limit
			if next := int32((int(own) + step) % k); step < k {
				add(next, limit)
			} else {
				add(next, n+1)
			}
		}
		slices.Sort(row)
		of = append(of, row...)
	}
	return of
}
