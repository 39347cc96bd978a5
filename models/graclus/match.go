package graclus

import (
	"cmp"
	"slices"

	"github.com/clusterpool/ccp/ccp/affinity"
)

// Match pairs the nodes of a graph and gives the cluster of each, `[N]`; clusters are numbered by their lowest node. It is one
// step of Graclus' coarsening (Dhillon et al. 2007). The nodes are visited one after the other. Each that is still free is paired
// with the free neighbour j that lowers the normalised cut most, the one with the largest
//
//	A[i,j] · (1/v_i + 1/v_j)
//
// A node without a free neighbour stays alone. volumes are the v_i, `[N]`: a node's degree, or the sum of the degrees of the nodes
// that were merged into it.
//
// Nodes are visited by increasing volume, of equal volumes and equal gains the lower index first. Dhillon et al. use a random order,
// as do Defferrard et al. (2016) at the first halving. This one gives the same tree each time; on grids, skeletons and graphs of words
// it cut less and left fewer nodes alone. Nodes without any neighbour are paired with each other: else a graph of many components
// would not shrink.
func Match(a *affinity.Matrix, volumes []float64) []int32 {
	n := a.N()
	mate, order := make([]int32, n), make([]int32, n)
	for i := range n {
		mate[i], order[i] = -1, int32(i)
	}
	slices.SortStableFunc(order, func(i, j int32) int { return cmp.Compare(volumes[i], volumes[j]) })
	island := int32(-1) // the last node without neighbours, if it has no mate yet
	for _, i := range order {
		if mate[i] >= 0 {
			continue
		}
		neighbours, weights := a.Row(int(i))
		best, most, lonely := i, 0.0, true
		for k, j := range neighbours {
			if j == i {
				continue
			}
			lonely = false
			if gain := weights[k] * (1/volumes[i] + 1/volumes[j]); mate[j] < 0 && gain > most {
				best, most = j, gain
			}
		}
		if lonely && island < 0 {
			mate[i], island = i, i // until there is another
			continue
		}
		if lonely {
			best, island = island, -1
		}
		mate[i], mate[best] = best, i
	}
	clusters, next := make([]int32, n), int32(0)
	for i, j := range mate {
		if int(j) >= i {
			clusters[i], clusters[j] = next, next
			next++
		}
	}
	return clusters
}
