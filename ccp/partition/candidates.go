package partition

import (
	"cmp"
	"slices"

	"github.com/clusterpool/ccp/ccp/affinity"
)

// Candidates chooses, from a hard clustering of m into k clusters, the c clusters that each node may belong to: its own, then
// those that it has most links to, then those nearest in the graph. No cluster becomes a candidate of more than four times
// its share of N·c, except of its own nodes and where nothing else is left. The result is [N, c], each row ascending; time and
// memory are linear in the edges. c must be in 1..k.
func Candidates(m *affinity.Matrix, cluster []int32, k, c int) []int32 {
	n := m.N()
	count := make([]int, k)
	for _, own := range cluster {
		count[own]++
	}
	limit := 4*n*c/k + 1
	of := make([]int32, 0, n*c)
	links := map[int32]float64{}
	for i := range n {
		row := make([]int32, 1, c)
		row[0] = cluster[i]
		add := func(candidate int32, limit int) {
			if len(row) < c && count[candidate] < limit && !slices.Contains(row, candidate) {
				row = append(row, candidate)
				count[candidate]++
			}
		}
		clear(links)
		neighbours, weights := m.Row(i)
		for e, j := range neighbours {
			links[cluster[j]] += weights[e]
		}
		for _, candidate := range byWeight(links) {
			add(candidate, limit)
		}
		if len(row) < c { // two steps away
			clear(links)
			for e, j := range neighbours {
				next, nextWeights := m.Row(int(j))
				for f, l := range next {
					links[cluster[l]] += weights[e] * nextWeights[f]
				}
			}
			for _, candidate := range byWeight(links) {
				add(candidate, limit)
			}
		}
		for step := 1; len(row) < c && step < k; step++ {
			add(int32((int(cluster[i])+step)%k), limit)
		}
		for step := 1; len(row) < c; step++ {
			add(int32((int(cluster[i])+step)%k), n+1)
		}
		slices.Sort(row)
		of = append(of, row...)
	}
	return of
}

// byWeight lists the clusters of links by descending weight, the lower index first among equals.
func byWeight(links map[int32]float64) []int32 {
	clusters := make([]int32, 0, len(links))
	for c := range links {
		clusters = append(clusters, c)
	}
	slices.SortFunc(clusters, func(a, b int32) int { return cmp.Or(cmp.Compare(links[b], links[a]), cmp.Compare(a, b)) })
	return clusters
}
