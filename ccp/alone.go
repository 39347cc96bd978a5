package ccp

import (
	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/ccp/partition"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
)

// parts says what is known of a graph's components.
type parts int

const (
	unknown parts = iota
	one
	many
	manyPooled // clusters of such a graph
)

// partsOf counts the components of a graph.
func partsOf(m *affinity.Matrix) parts {
	if len(m.Components()) == 1 {
		return one
	}
	return many
}

// nextToNone is the share of a cluster's own weight below which its links to others count as none. While memberships are
// soft, a part that is one cluster keeps such links: a quarter at memberships of 0.9. A block of a grid has more.
const nextToNone = 0.3

// alone finds the nodes without links to others: isolated nodes, and parts of the graph that have become one cluster.
// degrees: `[N]`; own: A[i,i], `[N]` or a scalar; result: bool `[N]`, or nil if no node is alone. It also returns what
// is known of the coarse graph.
func (p parts) alone(degrees, own *Node) (alone *Node, coarse parts) {
	switch {
	case p == one && degrees.Shape().Dim(0) > 1:
		return nil, one
	case p == manyPooled:
		return LessOrEqual(StopGradient(degrees), MulScalar(StopGradient(own), nextToNone)), manyPooled
	}
	return LessOrEqual(StopGradient(degrees), ZerosLike(degrees)), map[parts]parts{one: one, many: manyPooled}[p]
}

// No cluster would select a node that is alone by its rank. So one cluster is its home and selects it before others.
// There its rank is partition.Unlinked, which is next to nothing. So its gate is σ(β).
//
// homes chooses the homes. alone: bool `[N]`, or nil if no node is alone. m: `[N, K]`. result: bool `[N, K]`, or nil. The
// nodes that are alone fill up the clusters in turn, to N/K nodes each. The other nodes count where their membership is
// largest.
func homes(alone, m *Node) *Node {
	if alone == nil {
		return nil
	}
	g, n, k := m.Graph(), m.Shape().Dim(0), m.Shape().Dim(1)
	count := func(is *Node) *Node { return ConvertDType(is, dtypes.Int32) }
	best := Equal(ExpandAxes(ArgMax(StopGradient(m), 1), 1), Iota(g, shapes.Make(dtypes.Int32, n, k), 1))
	members := ReduceSum(count(LogicalAnd(best, LogicalNot(ExpandAxes(alone, 1)))), 0) // [K]
	room := MaxScalar(Sub(Const(g, int32((n+k-1)/k)), members), 0)
	end, number := ExpandAxes(running(room), 0), ExpandAxes(running(count(alone)), 1) // numbers from 1
	inside := LogicalAnd(LessOrEqual(number, end), GreaterThan(number, Sub(end, ExpandAxes(room, 0))))
	return LogicalAnd(ExpandAxes(alone, 1), inside)
}

// running computes the sums of each value and all before it. x: int32 `[N]`, same shape out.
func running(x *Node) *Node {
	const width = 128
	n := x.Shape().Dim(0)
	rows := (n + width - 1) / width
	x = Concatenate([]*Node{x, Zeros(x.Graph(), shapes.Make(x.DType(), rows*width-n))}, 0)
	within := CumSum(Reshape(x, rows, width), 1)
	sums := Reshape(Slice(within, AxisRange(), AxisElem(width-1)), rows)
	within = Add(within, ExpandAxes(Sub(CumSum(sums, 0), sums), 1))
	return Slice(Reshape(within, rows*width), AxisRange(0, n))
}

// preferred returns the ranks to select by and the true ranks. To select by, a node in its home comes before all others.
// rank: `[N, K]`; homes: bool, the same shape, or nil if no node is alone.
func preferred(rank, homes *Node) (order, ranks *Node) {
	if homes == nil {
		return rank, rank
	}
	order = Where(homes, Infinity(rank.Graph(), rank.DType(), 1), StopGradient(rank))
	return order, Add(rank, MulScalar(ConvertDType(homes, rank.DType()), partition.Unlinked))
}

// sorted puts the most central nodes first again, after a selection with homes.
func (level Level) sorted(homes *Node) Level {
	if homes == nil {
		return level
	}
	return level.reordered(ascending(Neg(StopGradient(level.Rank))))
}
