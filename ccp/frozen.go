package ccp

import (
	"fmt"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/support/exceptions"
)

// frozen stands for a graph under hierarchies that no longer change.
type frozen struct {
	nodes int   // of the graph, or of one hierarchy's coarse graph
	side  int   // how many hierarchies' nodes the signal has, one after the other
	drawn *Node // int32 scalar: the only hierarchy used; nil: all of them
}

// Frozen stands for a graph of that many nodes under hierarchies that no longer change: the level's neighbourhoods and ranks are
// those that a Freezer or SetFrozen kept in its scope, and so are those of the levels after it. It has no edges: Times and Degrees
// panic.
//
// Where SetFrozen was given H hierarchies, a level of K clusters gives H·K, those of the first hierarchy first, with the same
// weights for all: a pass then computes all of them at once.
func Frozen(nodes int) Affinity { return frozen{nodes: nodes, side: 1} }

// FrozenDraw is Frozen of one of the hierarchies, which is drawn anew for every step: each level gives its K clusters. which: int32
// scalar, from 0.
func FrozenDraw(nodes int, which *Node) Affinity { return frozen{nodes, 1, which} }

// Nodes implements Affinity.
func (f frozen) Nodes() int { return f.nodes * f.side }

func (f frozen) cluster(l *Layer) Level {
	neighbourhood, rank := l.scope.GetVariable(frozenNeighbourhoods), l.scope.GetVariable(frozenRanks)
	if neighbourhood == nil || rank == nil {
		exceptions.Panicf("%s: the hierarchy is to be frozen, but no Freeze has kept it", l.scope.Scope())
	}
	kept := neighbourhood.Shape()
	if kept.Dim(0)%l.clusters != 0 || kept.Dim(1) != l.size {
		exceptions.Panicf("%s: the frozen hierarchy has neighbourhoods %s, the layer needs [%d, %d], or some of them", l.scope.Scope(), kept, l.clusters, l.size)
	}
	hierarchies := kept.Dim(0) / l.clusters
	value := func(v *model.Variable) *Node { return v.SetTrainable(false).NodeValue(l.signal.Graph()) }
	level := Level{Neighbourhood: value(neighbourhood), Rank: value(rank), Coarse: frozen{l.clusters, hierarchies, nil}}
	switch {
	case f.drawn != nil:
		rows := Add(Iota(l.signal.Graph(), shapes.Make(dtypes.Int32, l.clusters, 1), 0), MulScalar(f.drawn, l.clusters)) // pure Go has no DynamicSlice
		level.Neighbourhood, level.Rank, level.Coarse = Gather(level.Neighbourhood, rows), Gather(level.Rank, rows), frozen{l.clusters, 1, f.drawn}
	case f.side == hierarchies && hierarchies > 1: // each hierarchy has nodes of its own
		before := MulScalar(DivScalar(Iota(l.signal.Graph(), kept, 0), l.clusters), f.nodes)
		level.Neighbourhood = Add(level.Neighbourhood, before)
	case f.side > 1:
		exceptions.Panicf("%s: it has %d frozen hierarchies, the level before it %d", l.scope.Scope(), hierarchies, f.side)
	}
	return level
}

// Times implements Affinity; it panics.
func (f frozen) Times(*Node) *Node { panic(f.noEdges()) }

// Degrees implements Affinity; it panics.
func (f frozen) Degrees(bool) *Node { panic(f.noEdges()) }

func (f frozen) pool(_, _ *Node) *Node { panic(f.noEdges()) }

func (f frozen) noEdges() error {
	return fmt.Errorf("the hierarchy of %d nodes is frozen: it has neighbourhoods, but no edges any more", f.nodes)
}
