package ccp

import (
	"math"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/support/exceptions"
)

// Rank is a node's centrality to a cluster, (1 + M[i,k]) · Σ_{j≠i} A[i,j] M[j,k]. m and links = A0·M: `[N, K]`, same
// shape out.
func Rank(m, links *Node) *Node { return Mul(OnePlus(m), links) }

// Select picks for each cluster its neighbourhood, the `size` nodes of highest rank, most central first, the lower
// index first among equals. rank: `[N, K]`, result: int32 indices `[K, size]`. It has no gradient.
//
// It panics if size is not in 1..N.
func Select(rank *Node, size int) *Node {
	g := rank.Graph()
	n, k := rank.Shape().Dim(0), rank.Shape().Dim(1)
	if size < 1 || size > n {
		exceptions.Panicf("a neighbourhood of L=%d nodes cannot be selected out of %d", size, n)
	}
	left := StopGradient(TransposeAllDims(rank, 1, 0)) // [K, N]: what is not yet taken
	nodes := Iota(g, shapes.Make(dtypes.Int32, k, n), 1)
	taken := Scalar(g, rank.DType(), math.Inf(-1))
	picks := make([]*Node, size)
	for l := range picks {
		pick := ArgMax(left, -1, dtypes.Int32) // [K]
		picks[l] = ExpandAxes(pick, 1)
		left = Where(Equal(nodes, picks[l]), taken, left)
	}
	return Concatenate(picks, 1)
}

// At gives the values of a per-node, per-cluster quantity at the selected nodes. x: `[N, K]`, neighbourhood: `[K, L]`,
// result `[K, L]`.
func At(x, neighbourhood *Node) *Node {
	clusters := Iota(x.Graph(), neighbourhood.Shape(), 0)
	return Gather(x, Stack([]*Node{neighbourhood, clusters}, -1))
}

// Gate is σ(α·rank + β), which scales a node's signal by its centrality. rank: `[K, L]` at the selected nodes; alpha and
// beta broadcast to it: scalars, or `[K, 1]`, or `[K, L]`. Result `[K, L]`.
func Gate(rank, alpha, beta *Node) *Node { return Sigmoid(Add(Mul(alpha, rank), beta)) }
