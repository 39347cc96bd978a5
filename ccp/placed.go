package ccp

import (
	"sync"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/ccp/nn"
	"github.com/clusterpool/ccp/ccp/place"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
)

// placed is an affinity whose nodes have places on a line. Directed slots are in their order. So a slot has about one
// direction from every cluster, and hardly changes its node while memberships are learned.
type placed struct {
	Affinity
	at func() *Node // [N]
}

// onLine gives the nodes of a graph places on a line through the positions that package place finds. The line is no
// axis, so that the nodes of a grid have places of their own.
func onLine(a Affinity, scope *model.Scope, g *Graph, m *affinity.Matrix, dtype dtypes.DType) Affinity {
	return placed{a, sync.OnceValue(func() *Node {
		line := make([]float64, m.N())
		for i, position := range place.Embed(m) {
			part := 1.0
			for _, x := range position {
				line[i] += part * x
				part *= 0.3
			}
		}
		return nn.Constant(scope, g, "places", floats(dtype, line, m.N()))
	})}
}

func (p placed) cluster(l *Layer) Level {
	level := p.Affinity.cluster(l)
	neighbourhood, weights := level.Neighbourhood, StopGradient(level.Rank)
	at := sync.OnceValue(func() *Node { return Gather(p.at(), ExpandAxes(neighbourhood, -1)) }) // [K, L]
	level.Coarse = placed{level.Coarse, sync.OnceValue(func() *Node {
		return Div(ReduceSum(Mul(weights, at()), 1), MaxScalar(ReduceSum(weights, 1), 1e-30))
	})}
	if l.options.Slots == directedSlots {
		level = level.reordered(ascending(at()))
	}
	return level
}

// ascending gives the order of each row's values, the first among equals first. x: `[K, L]`, result int32 `[K, L]`.
func ascending(x *Node) *Node {
	columns := Neg(TransposeAllDims(x, 1, 0)) // [L, K]
	slots := Iota(x.Graph(), shapes.Make(dtypes.Int32, columns.Shape().Dimensions...), 0)
	return TransposeAllDims(largest(columns, slots, x.Shape().Dim(1)), 1, 0)
}

// reordered puts the neighbourhoods' nodes into another order, int32 `[K, L]`.
func (level Level) reordered(order *Node) Level {
	at := Stack([]*Node{Iota(order.Graph(), order.Shape(), 0), order}, -1)
	level.Neighbourhood, level.Rank = Gather(level.Neighbourhood, at), Gather(level.Rank, at)
	return level
}
