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

// Affinity is a level's graph as the layer sees it: a symmetric, non-negative matrix A of N nodes, of which only two
// things are ever needed. A0 is A with its diagonal set to zero.
type Affinity interface {
	// Nodes is N.
	Nodes() int
	// Times is A0·x. x: `[N, K]`, result `[N, K]`. Its gradient is A0·v, since A0 is symmetric.
	Times(x *Node) *Node
	// Degrees are the row sums, shape `[N]`: of A0, or of A where loops is set.
	Degrees(loops bool) *Node
}

// Dense is an affinity held as a matrix, shape `[N, N]`. Every level but the first is one.
type Dense struct{ A *Node }

// Nodes implements Affinity.
func (d Dense) Nodes() int { return d.A.Shape().Dim(0) }

// Times implements Affinity.
func (d Dense) Times(x *Node) *Node { return Dot(withoutDiagonal(d.A), x).Product() }

// Degrees implements Affinity.
func (d Dense) Degrees(loops bool) *Node {
	if loops {
		return ReduceSum(d.A, 1)
	}
	return ReduceSum(withoutDiagonal(d.A), 1)
}

// withoutDiagonal is A − I⊙A. a: `[N, N]`.
func withoutDiagonal(a *Node) *Node {
	return Where(Diagonal(a.Graph(), a.Shape().Dim(0)), ZerosLike(a), a)
}

// Sparse is an affinity held as neighbour lists; memory and time are linear in its edges.
type Sparse struct {
	matrix  *affinity.Matrix // A0
	scope   *model.Scope     // of its variables
	tables  tables           // A0
	degrees *Node            // [N], of A0
	loops   *Node            // [N], the diagonal
}

// NewSparse makes the neighbour lists of m non-trainable variables in scope, so that the graph holds no big constants.
func NewSparse(scope *model.Scope, g *Graph, m *affinity.Matrix, dtype dtypes.DType) Sparse {
	if m.N() == 0 {
		exceptions.Panicf("the graph has no nodes")
	}
	a0 := m.WithoutLoops()
	n := a0.N()
	rows, loops := make([]row, n), make([]float64, n)
	for i := range rows {
		rows[i].from, rows[i].weights = a0.Row(i)
		loops[i] = m.At(i, i)
	}
	return Sparse{
		matrix: a0, scope: scope,
		tables:  newTables(scope, g, rows, 0, dtype),
		degrees: constant(scope, g, "degrees", floats(dtype, a0.Degrees(), n)),
		loops:   constant(scope, g, "loops", floats(dtype, loops, n)),
	}
}

func constant(scope *model.Scope, g *Graph, name string, value *tensors.Tensor) *Node {
	return scope.VariableWithValue(name, value).SetTrainable(false).NodeValue(g)
}

func floats(dtype dtypes.DType, values []float64, dims ...int) *tensors.Tensor {
	if dtype == dtypes.Float64 {
		return tensors.FromFlatDataAndDimensions(values, dims...)
	}
	if dtype != dtypes.Float32 {
		exceptions.Panicf("the layer computes in float32 or float64, not in %s", dtype)
	}
	narrow := make([]float32, len(values))
	for i, v := range values {
		narrow[i] = float32(v)
	}
	return tensors.FromFlatDataAndDimensions(narrow, dims...)
}

// Nodes implements Affinity.
func (s Sparse) Nodes() int { return s.matrix.N() }

// Times implements Affinity.
func (s Sparse) Times(x *Node) *Node {
	product := func(x *Node) *Node { return s.tables.times(x, nil) }
	return nn.WithGradient(
		func() *Node { return product(x) },
		func(v *Node) []*Node { return []*Node{product(v)} }, x)
}

// Degrees implements Affinity.
func (s Sparse) Degrees(loops bool) *Node {
	if loops {
		return Add(s.degrees, s.loops)
	}
	return s.degrees
}

// FromMatrix brings a host-side graph into the computation: sparse where at most 5% of its entries are set, dense
// elsewhere, in variables of scope.
func FromMatrix(scope *model.Scope, g *Graph, m *affinity.Matrix, dtype dtypes.DType) Affinity {
	if m.Density() <= 0.05 {
		return NewSparse(scope, g, m, dtype)
	}
	return Dense{A: constant(scope, g, "affinity", floats(dtype, m.Dense(), m.N(), m.N()))}
}
