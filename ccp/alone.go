package ccp

import (
	"github.com/clusterpool/ccp/ccp/partition"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
)

// nextToNone is the share of a node's own weight, A[i,i], below which its links to all others count as none. Learned
// memberships in other clusters leave a part of the graph such links: a hundredth, where they are nearly hard.
const nextToNone = 0.1

// A node is alone if it has next to no links to others: an isolated node, or a part of the graph that has become one
// cluster. No cluster would select it by rank. So one cluster is its home and selects it before others, at a rank
// that is next to nothing, see partition.Unlinked. There its gate is σ(β).
//
// homes chooses the homes of nodes with soft memberships. alone: bool `[N]`, m: `[N, K]`, result: bool `[N, K]`. The
// nodes that are alone fill up the clusters in turn, to N/K nodes each. The other nodes count where their membership
// is largest.
func homes(alone, m *Node) *Node {
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

// preferred gives nodes their homes: it returns ranks that put a node before all others in its home, to select by, and
// the true ranks. rank: `[N, K]`, homes: bool, the same shape, or nil if no node is alone.
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
