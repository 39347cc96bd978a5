package ccp

import (
	"slices"

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
	nodes   int
	buckets []bucket
	place   *Node // [N]: where each node's row stands in the concatenated buckets; nil when there is one bucket
	degrees *Node // [N], of A0
	loops   *Node // [N], the diagonal
}

// bucket holds rows of A0 with about as many neighbours: shape `[rows, width]`, padded with node 0 at weight 0.
type bucket struct{ neighbours, weights *Node }

// NewSparse makes the neighbour lists of m non-trainable variables in scope, so that the graph holds no big constants.
// Rows are grouped by their number of neighbours, rounded up to a power of two from 8 on, which bounds the padding.
func NewSparse(scope *model.Scope, g *Graph, m *affinity.Matrix, dtype dtypes.DType) Sparse {
	if m.N() == 0 {
		exceptions.Panicf("the graph has no nodes")
	}
	a0 := m.WithoutLoops()
	order, width := byWidth(a0)
	s := Sparse{nodes: a0.N()}
	for start := 0; start < len(order); {
		w, end := width[order[start]], start
		for end < len(order) && width[order[end]] == w {
			end++
		}
		rows := end - start
		neighbours, weights := make([]int32, rows*w), make([]float64, rows*w)
		for r, i := range order[start:end] {
			to, weight := a0.Row(i)
			copy(neighbours[r*w:], to)
			copy(weights[r*w:], weight)
		}
		scope := scope.At("width_%d", w)
		s.buckets = append(s.buckets, bucket{
			neighbours: constant(scope, g, "neighbours", tensors.FromFlatDataAndDimensions(neighbours, rows, w)),
			weights:    constant(scope, g, "weights", floats(dtype, weights, rows, w)),
		})
		start = end
	}
	if len(s.buckets) > 1 {
		place := make([]int32, s.nodes)
		for at, i := range order {
			place[i] = int32(at)
		}
		s.place = constant(scope, g, "place", tensors.FromFlatDataAndDimensions(place, s.nodes))
	}
	loops := make([]float64, s.nodes)
	for i := range loops {
		loops[i] = m.At(i, i)
	}
	s.degrees = constant(scope, g, "degrees", floats(dtype, a0.Degrees(), s.nodes))
	s.loops = constant(scope, g, "loops", floats(dtype, loops, s.nodes))
	return s
}

// byWidth gives each row's padded number of neighbours, and the rows in order of it.
func byWidth(m *affinity.Matrix) (order, width []int) {
	order, width = make([]int, m.N()), make([]int, m.N())
	for i := range order {
		order[i], width[i] = i, 8
		for neighbours, _ := m.Row(i); width[i] < len(neighbours); {
			width[i] *= 2
		}
	}
	slices.SortStableFunc(order, func(i, j int) int { return width[i] - width[j] })
	return order, width
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
func (s Sparse) Nodes() int { return s.nodes }

// Times implements Affinity: (A0·x)[i] = Σ_s weight[i,s] · x[neighbour[i,s]].
func (s Sparse) Times(x *Node) *Node {
	return nn.WithGradient(
		func() *Node { return s.product(x) },
		func(v *Node) []*Node { return []*Node{s.product(v)} }, x)
}

func (s Sparse) product(x *Node) *Node {
	parts := make([]*Node, len(s.buckets))
	for i, b := range s.buckets {
		rows := Gather(x, ExpandAxes(b.neighbours, -1)) // [rows, width, K]
		parts[i] = ReduceSum(Mul(rows, ExpandAxes(b.weights, -1)), 1)
	}
	if len(parts) == 1 {
		return parts[0]
	}
	return Gather(Concatenate(parts, 0), ExpandAxes(s.place, -1))
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
