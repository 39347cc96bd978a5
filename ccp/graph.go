package ccp

import (
	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/ccp/nn"
	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/support/exceptions"
)

// Affinity is the graph of a level's nodes, a symmetric, non-negative matrix A. It is a matrix, see Dense, or a list
// of edges, see NewSparse, or what Hierarchy.Affinity gives, which has no edges. A0 is A with its diagonal set to
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
	// alone is parts.alone.
	alone() (alone *Node, coarse parts)
	// pool computes Coarsen on this graph.
	pool(m, links *Node) *Node
	// cluster computes the cluster step of a level on this graph.
	cluster(l *Layer) Level
}

// Dense is an affinity held as a matrix, `[N, N]`. Every level after the first has one, unless levels have
// candidates.
type Dense struct {
	A     *Node
	parts parts
}

// Nodes implements Affinity.
func (d Dense) Nodes() int { return d.A.Shape().Dim(0) }

func (d Dense) cluster(l *Layer) Level {
	if l.scope.GetVariable(candidateClusters) != nil && l.scope.GetVariable(hardClusters) == nil {
		exceptions.Panicf("%s: candidates need an affinity whose edges are known, not a %T; the level before must "+
			"have candidates too", l.scope.Scope(), d)
	}
	return l.soft(d)
}

// Times implements Affinity.
func (d Dense) Times(x *Node) *Node { return Dot(withoutDiagonal(d.A), x).Product() }

// Mean implements Affinity.
func (d Dense) Mean(logits *Node) *Node { return logits }

// Degrees implements Affinity.
func (d Dense) Degrees() *Node { return ReduceSum(withoutDiagonal(d.A), 1) }

func (d Dense) alone() (alone *Node, coarse parts) { return d.parts.alone(d.Degrees(), cohesion(d.A)) }

func (d Dense) pool(m, links *Node) *Node {
	links = StopGradient(links)
	return nn.WithGradient(func() *Node { return gram(m, links) }, func(v *Node) []*Node {
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

// FromMatrix brings a host-side graph into the computation, in variables of scope. It is sparse if at most 5% of its
// entries are set, else dense.
func FromMatrix(scope *model.Scope, g *Graph, m *affinity.Matrix, dtype dtypes.DType) Affinity {
	if m.Density() <= 0.05 {
		return NewSparse(scope, g, m, dtype)
	}
	a := nn.Constant(scope, g, "affinity", floats(dtype, m.Dense(), m.N(), m.N()))
	dense := Dense{a, partsOf(m)}
	return onLine(dense, scope, g, m, dtype)
}

// floats makes a tensor of values in dtype.
func floats(dtype dtypes.DType, values []float64, dims ...int) *tensors.Tensor {
	if dtype == dtypes.Float64 {
		return tensors.FromFlatDataAndDimensions(values, dims...)
	}
	if dtype != dtypes.Float32 {
		exceptions.Panicf("the layer computes in float32 or float64, not in %s", dtype)
	}
	return tensors.FromFlatDataAndDimensions(narrow(values), dims...)
}

func widen(values []float32) []float64 {
	double := make([]float64, len(values))
	for i, v := range values {
		double[i] = float64(v)
	}
	return double
}

func narrow(values []float64) []float32 {
	single := make([]float32, len(values))
	for i, v := range values {
		single[i] = float32(v)
	}
	return single
}
