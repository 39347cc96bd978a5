package hierarchy

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// Memberships is a sparse matrix `[nodes, clusters]`: how strongly each node belongs to each cluster. No entry is
// negative, and the rows sum to 1.
type Memberships struct {
	columns int
	// The clusters of each node, ascending, and its weights in them.
	clusters [][]int32
	weights  [][]float32
}

// negligible is a share of a node's largest membership; a smaller membership counts as none.
const negligible = 1e-6

// Hard puts each node whole into its cluster, one of k.
func Hard(cluster []int32, k int) Memberships {
	m, whole := Memberships{columns: k}, []float32{1}
	for i := range cluster {
		m.clusters, m.weights = append(m.clusters, cluster[i:i+1:i+1]), append(m.weights, whole)
	}
	return m
}

// Soft computes softmax(rate·u), row by row, for `nodes` nodes in k clusters. The logits u are `[nodes, k]`
// row-major, or `[nodes, c]` if a node may belong to c clusters only. Then among, of the same shape, lists the
// clusters in ascending order. The error names a node whose memberships are not numbers.
func Soft(u []float32, rate float64, nodes, k int, among []int32) (Memberships, error) {
	m, choices := Memberships{columns: k}, len(u)/nodes
	row := make([]float64, choices)
	for i := range nodes {
		logits := u[i*choices : (i+1)*choices]
		high := rate * float64(slices.Max(logits))
		for s, v := range logits {
			row[s] = math.Exp(rate*float64(v) - high)
		}
		sum := floats.Sum(row)
		if math.IsNaN(sum) {
			return m, fmt.Errorf("the memberships of node %d are not numbers; the training has diverged, lower its "+
				"learning rate", i)
		}
		floats.Scale(1/sum, row)
		var own []int32
		if among != nil {
			own = among[i*choices : (i+1)*choices]
		}
		m.add(row, own)
	}
	return m, nil
}

// add appends a node's weights in the clusters listed in among, or in all of them if that is nil.
func (m *Memberships) add(row []float64, among []int32) {
	var clusters []int32
	var weights []float32
	least := negligible * slices.Max(row)
	for s, w := range row {
		if w <= least {
			continue
		}
		cluster := int32(s)
		if among != nil {
			cluster = among[s]
		}
		clusters, weights = append(clusters, cluster), append(weights, float32(w))
	}
	m.clusters, m.weights = append(m.clusters, clusters), append(m.weights, weights)
}

// Nodes counts the rows.
func (m Memberships) Nodes() int { return len(m.clusters) }

// Row lists the clusters of node i in ascending order, and its weights in them. It leaves out weights of less than a
// millionth of the largest. Both are views: do not change them.
func (m Memberships) Row(i int) (clusters []int32, weights []float32) {
	return m.clusters[i], m.weights[i]
}

// Weight is node i's membership in a cluster, 0 if it has none.
func (m Memberships) Weight(i int, cluster int32) float32 {
	if at, ok := slices.BinarySearch(m.clusters[i], cluster); ok {
		return m.weights[i][at]
	}
	return 0
}

// Hard finds the cluster that each node belongs to most, the first among equals.
func (m Memberships) Hard() []int32 {
	hard := make([]int32, m.Nodes())
	for i, weights := range m.weights {
		hard[i] = m.clusters[i][slices.Index(weights, slices.Max(weights))]
	}
	return hard
}

// times multiplies the matrices: memberships of m's nodes in the clusters above m's clusters.
func (m Memberships) times(next Memberships) Memberships {
	product := Memberships{columns: next.columns}
	row := make([]float64, next.columns)
	for i := range m.Nodes() {
		clear(row)
		for s, k := range m.clusters[i] {
			for t, above := range next.clusters[k] {
				row[above] += float64(m.weights[i][s]) * float64(next.weights[k][t])
			}
		}
		product.add(row, nil)
	}
	return product
}
