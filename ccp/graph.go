package ccp

import (
	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/internal/loop"
	"github.com/clusterpool/ccp/internal/ops"
	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/support/exceptions"
)

// Affinity is the graph of a level's nodes, a symmetric, non-negative matrix A. It is a matrix or a list of edges, see
// FromMatrix, or what Hierarchy.Affinity gives, which has no edges. A0 is A with its diagonal set to
// zero.
type Affinity interface {
	// Nodes is N.
	Nodes() int
	// Times computes A0·x. x: `[N, K]`, result `[N, K]`. Its gradient is A0·v, since A0 is symmetric.
	Times(x *Node) *Node
	// Degrees computes the row sums of A0, `[N]`.
	Degrees() *Node
	// Mean takes the mean of the logits over the H hierarchies, see Hierarchy.Affinity: `[batch·H, classes]` becomes
	// `[batch, classes]`. If there is one hierarchy, or one was drawn, it returns logits.
	Mean(logits *Node) *Node
	// pool computes the pooled affinity P = Mᵀ·A0·M, with links = A0·M. m, links: `[N, K]`, result `[K, K]`. P is
	// symmetric, and its entries sum to the sum of A0.
	//
	// Let G be the gradient of P. The gradient of M is A0·M·(G + Gᵀ): one product with the links at hand. The gradient of
	// A0 is M·G·Mᵀ; by it the later levels reach the memberships of the earlier ones.
	pool(m, links *Node) *Node
}

// dense is an affinity held as a matrix, `[N, N]`. Every level after the first has one, unless levels have
// candidates.
type dense struct{ A *Node }

// Nodes implements Affinity.
func (d dense) Nodes() int { return d.A.Shape().Dim(0) }

// Times implements Affinity.
func (d dense) Times(x *Node) *Node { return Dot(withoutDiagonal(d.A), x).Product() }

// Mean implements Affinity.
func (d dense) Mean(logits *Node) *Node { return logits }

// Degrees implements Affinity.
func (d dense) Degrees() *Node { return ReduceSum(withoutDiagonal(d.A), 1) }

func (d dense) pool(m, links *Node) *Node {
	links = StopGradient(links)
	return ops.WithGradient(func() *Node { return gram(m, links) }, func(v *Node) []*Node {
		dA := Dot(Dot(m, v).Product(), TransposeAllDims(m, 1, 0)).Product()
		return []*Node{Dot(links, bothWays(v)).Product(), withoutDiagonal(dA)}
	}, m, d.A)
}

// withoutDiagonal is A − I⊙A. a: `[N, N]`.
func withoutDiagonal(a *Node) *Node {
	return Where(Diagonal(a.Graph(), a.Shape().Dim(0)), ZerosLike(a), a)
}

// bothWays is v + vᵀ.
func bothWays(v *Node) *Node { return Add(v, TransposeAllDims(v, 1, 0)) }

// FromMatrix brings a host-side graph into the computation, Normalized, in variables of scope. It is sparse if at
// most 5% of its entries are set, else dense.
func FromMatrix(scope *model.Scope, g *Graph, m *affinity.Matrix, dtype dtypes.DType) Affinity {
	m = m.Normalized()
	if m.Density() <= 0.05 {
		return NewSparse(scope, g, m, dtype)
	}
	return dense{ops.Constant(scope, g, "affinity", floats(dtype, m.Dense(), m.N(), m.N()))}
}

// floats makes a tensor of values in dtype.
func floats(dtype dtypes.DType, values []float64, dims ...int) *tensors.Tensor {
	if dtype == dtypes.Float64 {
		return tensors.FromFlatDataAndDimensions(values, dims...)
	}
	if dtype != dtypes.Float32 {
		exceptions.Panicf("the layer computes in float32 or float64, not in %s", dtype)
	}
	return tensors.FromFlatDataAndDimensions(loop.Convert[float32](values), dims...)
}
