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
// For a symmetric A0 the gradient of P is A0·M·(G + Gᵀ), so it is one product with the links at hand; the links
// themselves are left out of the differentiation here.
func Coarsen(m, links *Node) *Node {
	p := Dot(m, StopGradient(links)).EinsumAxes([][2]int{{0, 0}}, nil)
	return IdentityWithCustomGradient(p, func(_, v *Node) *Node { return Add(v, TransposeAllDims(v, 1, 0)) })
}

// Normalize is D^−½·P·D^−½, D the row sums of P with its diagonal: the next level's affinity. p: `[K, K]`, same shape
// out. A row of sum zero stays zero.
func Normalize(p *Node) *Node {
	sums := ReduceSum(p, 1)
	some := present(sums)
	// The inner Where keeps the gradient of the branch not taken finite.
	inverse := Where(some, Reciprocal(Sqrt(Where(some, sums, OnesLike(sums)))), ZerosLike(sums))
	return Mul(Mul(p, ExpandAxes(inverse, 1)), ExpandAxes(inverse, 0))
}
