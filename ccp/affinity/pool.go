package affinity

import "math"

// Coarsen computes the next level's affinity under a hard clustering, as the layer does: D^−½·P·D^−½ with P = Mᵀ·A0·M
// and D its row sums, its diagonal included. The result has k nodes.
func (m *Matrix) Coarsen(cluster []int32, k int) (*Matrix, error) {
	edges, sums := m.Pool(cluster, k)
	for e, edge := range edges {
		edges[e].Weight /= math.Sqrt(sums[edge.I] * sums[edge.J])
	}
	return New(k, edges)
}

// Pool lists the entries P[a,b], a <= b, of P = Mᵀ·A0·M for a hard clustering into k clusters, in no order. It also
// returns the row sums of P, `[k]`.
func (m *Matrix) Pool(cluster []int32, k int) (edges []Edge, sums []float64) {
	sums = make([]float64, k)
	pooled := map[[2]int32]float64{}
	for i, a := range cluster {
		neighbours, weights := m.Row(i)
		for e, j := range neighbours {
			if int(j) == i {
				continue
			}
			b := cluster[j]
			sums[a] += weights[e]
			if a <= b {
				pooled[[2]int32{a, b}] += weights[e]
			}
		}
	}
	for pair, weight := range pooled {
		edges = append(edges, Edge{I: int(pair[0]), J: int(pair[1]), Weight: weight})
	}
	return edges, sums
}

// Objective is C of a hard clustering into k clusters, C = ½ Σ_k cohesion_k / volume_k. The cohesion of a cluster is
// twice the weight of the edges inside it, and its volume is the sum of its nodes' degrees. Self-loops are left out.
func (m *Matrix) Objective(cluster []int32, k int) (c float64) {
	m = m.WithoutLoops()
	cohesion, volume, degrees := make([]float64, k), make([]float64, k), m.Degrees()
	for i, own := range cluster {
		inside := 0.0
		neighbours, weights := m.Row(i)
		for e, j := range neighbours {
			if cluster[j] == own {
				inside += weights[e]
			}
		}
		cohesion[own] += inside
		volume[own] += degrees[i]
	}
	for k, v := range volume {
		if v > 0 {
			c += cohesion[k] / v / 2
		}
	}
	return c
}
