package affinity

import (
	"cmp"
	"slices"
)

// Nearest lists the `size` nodes nearest to each node, itself first, and their hops from it: `[N, size]`, row-major.
// Places are -1 if fewer nodes can be reached. Nearer means fewer hops, then a greater weight of the edges from nodes
// one hop nearer, then the lower index. Time is linear in N·size·edges per node.
func (m *Matrix) Nearest(size int) (nearest, hops []int32) {
	nearest, hops = slices.Repeat([]int32{-1}, m.N()*size), slices.Repeat([]int32{-1}, m.N()*size)
	seen, weight := slices.Repeat([]int32{-1}, m.N()), make([]float64, m.N())
	for i := range m.N() {
		found, ring := nearest[i*size:i*size:(i+1)*size], []int32{int32(i)}
		seen[i] = int32(i)
		for far := int32(0); len(found) < size && len(ring) > 0; far++ {
			slices.SortFunc(ring, func(a, b int32) int {
				return cmp.Or(cmp.Compare(weight[b], weight[a]), cmp.Compare(a, b))
			})
			for _, j := range ring[:min(len(ring), size-len(found))] {
				hops[i*size+len(found)] = far
				found = append(found, j)
			}
			ring = beyond(m, ring, int32(i), seen, weight)
		}
	}
	return nearest, hops
}

// beyond lists the nodes a hop beyond a ring around node i. It marks the ring as seen from i, and sums the weights
// that lead to each node.
func beyond(m *Matrix, ring []int32, i int32, seen []int32, weight []float64) (next []int32) {
	for _, j := range ring {
		seen[j] = i
	}
	inner := len(ring)
	for _, j := range ring[:inner] {
		neighbours, weights := m.Row(int(j))
		for e, k := range neighbours {
			if seen[k] != i {
				seen[k], weight[k] = i, 0
				next = append(next, k)
			}
			weight[k] += weights[e]
		}
	}
	return next
}
