package ccp

import (
	"math"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/support/exceptions"
)

// The rank of a node in a cluster is its centrality, (1 + M[i,k]) · Σ_{j≠i} A[i,j] M[j,k]: centrality computes it in a
// graph, and centralityOnHost for the clusters of a search. Nothing else knows the function.

// centrality computes the ranks of all nodes. m and links = A0·M: `[N, K]`, same shape out.
func centrality(m, links *Node) *Node { return Mul(OnePlus(m), links) }

// centralityOnHost computes the rank of a node with this membership in a cluster, and links of this weight into it.
func centralityOnHost(membership, links float64) float64 { return (1 + membership) * links }

// selectNodes picks the neighbourhood of each cluster: the `size` nodes of highest rank, the most central first, the
// lower index first among equals. The ranks are `[N, K]`, the result int32 indices `[K, size]`. It has no gradient.
// It panics if size is not in 1..N.
//
// It does not sort. It takes nodes in blocks and passes over all ranks once, for the maximum of each block. The nodes
// of highest rank lie in the `size` blocks of highest maximum. Each of these blocks has a node that comes before all
// nodes of the others. So it looks at these blocks only.
func selectNodes(rank *Node, size int) *Node {
	n := rank.Shape().Dim(0)
	if size < 1 || size > n {
		exceptions.Panicf("a neighbourhood of L=%d nodes cannot be selected out of %d", size, n)
	}
	rank = StopGradient(rank)
	k := rank.Shape().Dim(1)
	nodes := Iota(rank.Graph(), shapes.Make(dtypes.Int32, n, k), 0)
	if width := blockWidth(n, size); width > 1 {
		rank, nodes = finalists(rank, size, width)
	}
	return TransposeAllDims(largest(rank, nodes, size), 1, 0)
}

// blockWidth balances the two stages, n/width blocks and size·width candidates. It is 1 for a graph too small to
// gain.
func blockWidth(n, size int) int {
	width := 1
	for n >= 256 && 4*width*width*size <= n {
		width *= 2
	}
	return width
}

// finalists gives the nodes of the `size` blocks of highest maximum, and their ranks. rank: `[N, K]`, results
// `[size·width, K]`.
func finalists(rank *Node, size, width int) (values, nodes *Node) {
	g, k := rank.Graph(), rank.Shape().Dim(1)
	lowest := Scalar(g, rank.DType(), math.Inf(-1))
	if rest := rank.Shape().Dim(0) % width; rest > 0 {
		rank = Concatenate([]*Node{rank, BroadcastToDims(lowest, width-rest, k)}, 0)
	}
	count := rank.Shape().Dim(0) / width
	maxima := ReduceMax(Reshape(rank, count, width, k), 1) // [count, K]
	blocks := largest(maxima, Iota(g, shapes.Make(dtypes.Int32, count, k), 0), size)
	inner := Iota(g, shapes.Make(dtypes.Int32, 1, width, 1), 1)
	nodes = Reshape(Add(MulScalar(Reshape(blocks, size, 1, k), width), inner), size*width, k)
	clusters := Iota(g, nodes.Shape(), 1)
	return Gather(rank, Stack([]*Node{nodes, clusters}, -1)), nodes
}

// largest gives the keys of the `size` largest values of each column in descending order, the lowest key first among
// equals. It takes the largest that is left, `size` times. The shapes are: values and keys `[M, K]`, result `[size,
// K]`.
func largest(values, keys *Node, size int) *Node {
	g := values.Graph()
	taken := Scalar(g, values.DType(), math.Inf(-1))
	none := Scalar(g, dtypes.Int32, math.MaxInt32)
	left := OnesLike(keys)
	picks := make([]*Node, size)
	for l := range picks {
		free := IsPositive(left)
		open := Where(free, values, taken)
		top := ReduceAndKeep(open, ReduceMax, 0)
		picks[l] = ReduceAndKeep(Where(LogicalAnd(free, Equal(open, top)), keys, none), ReduceMin, 0)
		left = Where(Equal(keys, picks[l]), ZerosLike(left), left)
	}
	return Concatenate(picks, 0)
}

// at gives the values of a per-node, per-cluster quantity at the selected nodes. x: `[N, K]`, neighbourhood: `[K, L]`,
// result `[K, L]`.
func at(x, neighbourhood *Node) *Node {
	clusters := Iota(x.Graph(), neighbourhood.Shape(), 0)
	return Gather(x, Stack([]*Node{neighbourhood, clusters}, -1))
}
