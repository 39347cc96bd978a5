package ccp

import (
	. "github.com/gomlx/gomlx/core/graph"
)

// Memberships are the soft assignments of nodes to clusters: M = softmax of each row of u. u: `[N, K]`, result `[N, K]`.
func Memberships(u *Node) *Node { return Softmax(u, -1) }

// Links are A0·M: how strongly each node is tied to the members of each cluster. m: `[N, K]`, result `[N, K]`.
// Everything else a level needs of its graph follows from them.
func Links(a Affinity, m *Node) *Node { return a.Times(m) }

// Coarsen is the pooled affinity P = Mᵀ·A0·M, links being A0·M. m, links: `[N, K]`, result `[K, K]`, symmetric, its
// entries summing to those of A0.
//
// With G the gradient of P, and A0 symmetric, that of M is A0·M·(G + Gᵀ), one product with the links at hand, and that of A0
// is M·G·Mᵀ, through which the later levels reach the memberships of the earlier ones.
func Coarsen(a Affinity, m, links *Node) *Node { return a.pool(m, links) }

// gram is mᵀ·links, which is symmetric. Where it is large only the blocks on and above its diagonal are computed, 10 of 16.
// m is transposed first because XLA's CPU products are slower along the first axis.
func gram(m, links *Node) *Node {
	const blocks, large = 4, 1024
	k := m.Shape().Dim(1)
	rows := OptimizationBarrier(TransposeAllDims(m, 1, 0)) // [K, N]
	if k < large || k%blocks != 0 {
		return Dot(rows, links).Product()
	}
	size := k / blocks
	var upper [blocks][blocks]*Node
	for j := range blocks {
		column := Dot(Slice(rows, AxisRange(0, (j+1)*size)), Slice(links, AxisRange(), AxisRange(j*size, (j+1)*size))).Product()
		for i := range j + 1 {
			upper[i][j] = Slice(column, AxisRange(i*size, (i+1)*size))
		}
	}
	var whole []*Node
	for i := range blocks {
		var row []*Node
		for j := range blocks {
			if j >= i {
				row = append(row, upper[i][j])
			} else {
				row = append(row, TransposeAllDims(upper[j][i], 1, 0))
			}
		}
		whole = append(whole, Concatenate(row, 1))
	}
	return Concatenate(whole, 0)
}

// Normalize is D^−½·P·D^−½, D the row sums of P with its diagonal: the next level's affinity. p: `[K, K]`, same shape
// out. A row of sum zero stays zero.
func Normalize(p *Node) *Node {
	inverse := inverseRoot(ReduceSum(p, 1))
	return Mul(Mul(p, ExpandAxes(inverse, 1)), ExpandAxes(inverse, 0))
}

// inverseRoot is 1/√sums, and zero where the sum is not present. sums: `[K]`, same shape out.
func inverseRoot(sums *Node) *Node {
	some := present(sums)
	// The inner Where keeps the gradient of the branch not taken finite.
	return Where(some, Reciprocal(Sqrt(Where(some, sums, OnesLike(sums)))), ZerosLike(sums))
}
