package hierarchy

import (
	"fmt"
	"math"
	"slices"
)

// Memberships say how strongly each node belongs to each cluster: a sparse matrix `[nodes, clusters]`, not negative, whose rows
// sum to 1.
type Memberships struct {
	clusters int
	ends     []int // node i's entries end here
	of       []int32
	weights  []float32
}

// negligible is the share of a node's largest membership below which another is taken as none.
const negligible = 1e-6

// Hard are the memberships that put each node whole into its cluster, one of k.
func Hard(cluster []int32, k int) Memberships {
	m := Memberships{clusters: k}
	for _, c := range cluster {
		m.add(c, 1)
		m.end()
	}
	return m
}

// Soft are the memberships softmax(rate·u), row by row, of `nodes` nodes in k clusters. u: `[nodes, k]` row-major, or `[nodes, c]`
// with the c clusters that each node may belong to, in ascending order, listed in among, of the same shape. The error says
// which node's memberships are not numbers.
func Soft(u []float32, rate float64, nodes, k int, among []int32) (Memberships, error) {
	m, choices := Memberships{clusters: k}, len(u)/nodes
	row := make([]float64, choices)
	for i := range nodes {
		high, sum := math.Inf(-1), 0.0
		for s, v := range u[i*choices : (i+1)*choices] {
			row[s] = rate * float64(v)
			high = max(high, row[s])
		}
		for s, v := range row {
			row[s] = math.Exp(v - high)
			sum += row[s]
		}
		if math.IsNaN(sum) {
			return m, fmt.Errorf("the memberships of node %d are not numbers; the training has diverged, lower its learning rate", i)
		}
		for s, v := range row {
			if v < negligible { // of the largest, which is 1
				continue
			}
			cluster := int32(s)
			if among != nil {
				cluster = among[i*choices+s]
			}
			m.add(cluster, v/sum)
		}
		m.end()
	}
	return m, nil
}

// add gives the node under way a weight in a cluster; end goes on to the next.
func (m *Memberships) add(cluster int32, weight float64) {
	m.of, m.weights = append(m.of, cluster), append(m.weights, float32(weight))
}

func (m *Memberships) end() { m.ends = append(m.ends, len(m.of)) }

// Nodes and Clusters are the shape of the matrix.
func (m Memberships) Nodes() int { return len(m.ends) }

// Clusters and Nodes are the shape of the matrix.
func (m Memberships) Clusters() int { return m.clusters }

// Row lists the clusters of node i in ascending order, with its weights in them. Those of less than a millionth of its largest are
// left out. Both are views: do not change them.
func (m Memberships) Row(i int) (clusters []int32, weights []float32) {
	from := 0
	if i > 0 {
		from = m.ends[i-1]
	}
	to := m.ends[i]
	return m.of[from:to:to], m.weights[from:to:to]
}

// Weight is node i's membership in a cluster, 0 if it has none.
func (m Memberships) Weight(i int, cluster int32) float32 {
	clusters, weights := m.Row(i)
	if at, ok := slices.BinarySearch(clusters, cluster); ok {
		return weights[at]
	}
	return 0
}

// Hard is the cluster that each node belongs to most, the first among equals.
func (m Memberships) Hard() []int32 {
	hard := make([]int32, m.Nodes())
	for i := range hard {
		clusters, weights := m.Row(i)
		best := 0
		for s, w := range weights {
			if w > weights[best] {
				best = s
			}
		}
		hard[i] = clusters[best]
	}
	return hard
}

// times is the matrix product: memberships of m's nodes in the clusters that m's clusters are nodes of.
func (m Memberships) times(next Memberships) Memberships {
	product := Memberships{clusters: next.clusters}
	row := make([]float64, next.clusters)
	for i := range m.Nodes() {
		clear(row)
		clusters, weights := m.Row(i)
		for s, k := range clusters {
			above, shares := next.Row(int(k))
			for t, j := range above {
				row[j] += float64(weights[s]) * float64(shares[t])
			}
		}
		least := negligible * slices.Max(row)
		for j, w := range row {
			if w > least {
				product.add(int32(j), w)
			}
		}
		product.end()
	}
	return product
}
