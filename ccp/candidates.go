package ccp

import (
	"math"
	"slices"

	"github.com/clusterpool/ccp/internal/ops"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/support/exceptions"
)

// candidates holds the clusters that each node may belong to: c of the K for each of N nodes. Memberships, links and
// ranks are numbers for each node and candidate. "Slot" i·c+s is candidate s of node i. A node adds to the affinity
// between two clusters only if both are among its candidates. With c = K the level is the dense one.
type candidates struct {
	of   []int32 // [N, c], the clusters of each node in ascending order
	c, k int
}

func (c candidates) nodes() int { return len(c.of) / c.c }

// row lists node i's candidates.
func (c candidates) row(i int32) []int32 { return c.of[int(i)*c.c : (int(i)+1)*c.c] }

// pairs lists the entries of A0 over slots: two linked nodes with the same cluster.
func (c candidates) pairs(edges []pair) (pairs []pair) {
	for _, e := range edges {
		first, second := c.row(e.a), c.row(e.b)
		for s, t := 0, 0; s < c.c && t < c.c; {
			switch {
			case first[s] < second[t]:
				s++
			case first[s] > second[t]:
				t++
			default:
				pairs = append(pairs, pair{e.a*int32(c.c) + int32(s), e.b*int32(c.c) + int32(t), e.edge})
				s, t = s+1, t+1
			}
		}
	}
	return pairs
}

// combinations lists the pairs s <= t of a node's slots, first the pairs with s = t.
func (c candidates) combinations() (pairs [][2]int) {
	for s := range c.c {
		pairs = append(pairs, [2]int{s, s})
	}
	for s := range c.c {
		for t := s + 1; t < c.c; t++ {
			pairs = append(pairs, [2]int{s, t})
		}
	}
	return pairs
}

// coarse finds the edges of the pooled affinity: two clusters are linked if both are candidates of some node. The
// second result holds an entry for each combination and node, combination-major: k for the diagonal of cluster k, K +
// e for edge e.
func (c candidates) coarse() (edges []pair, entry []int32) {
	var clusters []uint64 // the two of each combination and node, the first one in the upper half
	for _, slots := range c.combinations() {
		for i := range c.nodes() {
			row := c.row(int32(i))
			clusters = append(clusters, uint64(row[slots[0]])<<32|uint64(row[slots[1]]))
		}
	}
	number := map[uint64]int32{}
	for _, both := range slices.Compact(slices.Sorted(slices.Values(clusters))) {
		a, b := int32(both>>32), int32(both&math.MaxUint32)
		if a == b {
			number[both] = a
		} else {
			number[both] = int32(c.k + len(edges))
			edges = append(edges, pair{a, b, int32(len(edges))})
		}
	}
	for _, both := range clusters {
		entry = append(entry, number[both])
	}
	return edges, entry
}

// clusterAmong is cluster with memberships restricted to candidates; its coarse affinity is sparse. m: `[N, c]`.
func clusterAmong(scope *model.Scope, a sparse, m *Node, c candidates) Level {
	g, dtype, n := m.Graph(), m.DType(), a.nodes
	if c.nodes() != n || m.Shape().Dim(1) != c.c {
		exceptions.Panicf("memberships %s and candidates of %d nodes do not fit %d nodes", m.Shape(), c.nodes(), n)
	}
	flat := Reshape(m, n*c.c, 1)
	slots := newOperator(scope.In("slots"), g, n*c.c, c.pairs(a.edges.pairs), a.edges, dtype)
	links := Reshape(slots(flat), n, c.c)

	edges, entry := c.coarse()
	var products []*Node // of each node, by combination
	for _, p := range c.combinations() {
		column := func(x *Node, s int) *Node { return Reshape(Slice(x, AxisRange(), AxisRange(s, s+1)), n) }
		product := Mul(column(m, p[0]), column(links, p[1]))
		if p[0] != p[1] {
			product = MulScalar(Add(product, Mul(column(m, p[1]), column(links, p[0]))), 0.5)
		}
		products = append(products, product)
	}
	pooled := newGrouping(scope.In("pooled"), g, entry, c.k+len(edges), dtype).sum(Concatenate(products, 0))
	cohesion := Slice(pooled, AxisRange(0, c.k))
	weighed := Mul(m, ExpandAxes(a.Degrees(), 1))
	volume := newGrouping(scope.In("clusters"), g, c.of, c.k, dtype).sum(Reshape(weighed, n*c.c))

	rank := centrality(m, links)
	return Level{
		Objective: objective(cohesion, volume),
		Coarse:    normalizeEdges(scope.In("coarse"), cohesion, pooled, edges, c.k),
		rankOf:    func(nodes *Node) *Node { return c.at(scope, rank, nodes) },
	}
}

// at gives the ranks of nodes in their clusters, 0 if that is no candidate. rank: `[N, c]`, nodes: int32 `[K, L]`.
func (c candidates) at(scope *model.Scope, rank, nodes *Node) *Node {
	of := ops.Indices(scope, rank.Graph(), "of", c.of, c.nodes(), c.c)
	rows := ExpandAxes(nodes, -1)
	same := Equal(Gather(of, rows), Iota(rank.Graph(), shapes.Make(dtypes.Int32, c.k, nodes.Shape().Dim(1), c.c), 0))
	ranks := Gather(rank, rows)
	return ReduceSum(Where(same, ranks, ZerosLike(ranks)), -1)
}

// normalizeEdges normalises a pooled affinity, see normalize. diagonal: `[K]`; the edges' weights follow it in
// pooled.
func normalizeEdges(scope *model.Scope, diagonal, pooled *Node, between []pair, k int) sparse {
	g, dtype := pooled.Graph(), pooled.DType()
	if len(between) == 0 { // one candidate each: nothing is between clusters
		between = []pair{{0, int32(k - 1), 0}}
		pooled = Concatenate([]*Node{pooled, Zeros(g, diagonal.Shape())}, 0)
	}
	n := len(between)
	either := make([]int32, 2*n) // both ends of each edge
	for e, p := range between {
		either[e], either[n+e] = p.a, p.b
	}
	byEnd := newGrouping(scope, g, either, k, dtype)
	edges := Slice(pooled, AxisRange(k, k+n))
	sums := Add(diagonal, byEnd.sum(Concatenate([]*Node{edges, edges}, 0)))
	inverse := inverseRoot(sums)
	at := Gather(inverse, byEnd.group) // [2E]
	edges = Mul(edges, Mul(Slice(at, AxisRange(0, n)), Slice(at, AxisRange(n))))
	degrees := byEnd.sum(Concatenate([]*Node{edges, edges}, 0))
	return newSparse(scope.In("times"), g, k, edgeList{pairs: between, values: edges}, degrees)
}
