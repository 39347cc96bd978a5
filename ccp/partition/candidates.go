package partition

import (
	"cmp"
	"maps"
	"slices"

	"github.com/clusterpool/ccp/ccp/affinity"
)

// Candidates chooses the c clusters that each node may belong to from a hard clustering of m into k clusters. Its own
// cluster comes first, then the clusters with most links to it, then the nearest ones in the graph. A cluster is a
// candidate of at most four times its share of N·c, beyond its own nodes and nodes without another choice. The result
// is [N, c], each row ascending. Time and memory are linear in the edges. c must be in 1..k.
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
