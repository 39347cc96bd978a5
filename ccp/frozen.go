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
	neighbourhood, rank, hierarchies := f.kept(l.scope, l.signal.Graph(), frozenNeighbourhoods, frozenRanks, l.clusters, l.size)
	coarse := frozen{l.clusters, hierarchies, f.drawn}
	if f.drawn != nil {
		coarse.side = 1
	}
	return Level{Neighbourhood: neighbourhood, Rank: rank, Coarse: coarse}
}

// kept are neighbourhoods of k clusters for each hierarchy, `[H·k, size]`, or of those drawn, `[k, size]`, with the values that belong to
// them, as variables of scope hold them.
func (f frozen) kept(scope *model.Scope, g *Graph, name, with string, k, size int) (neighbourhood, values *Node, hierarchies int) {
	at, of := scope.GetVariable(name), scope.GetVariable(with)
	if at == nil || of == nil {
		exceptions.Panicf("%s: the hierarchy is to be frozen, but no Freeze has kept it", scope.Scope())
	}
	kept := at.Shape()
	if kept.Dim(0)%k != 0 || kept.Dim(1) != size {
		exceptions.Panicf("%s: the frozen hierarchy has neighbourhoods %s, the layer needs [%d, %d], or some of them", scope.Scope(), kept, k, size)
	}
	hierarchies = kept.Dim(0) / k
	neighbourhood, values = at.SetTrainable(false).NodeValue(g), of.SetTrainable(false).NodeValue(g)
	switch {
	case f.drawn != nil:
		rows := Add(Iota(g, shapes.Make(dtypes.Int32, k, 1), 0), MulScalar(f.drawn, k)) // pure Go has no DynamicSlice
		neighbourhood, values = Gather(neighbourhood, rows), Gather(values, rows)
	case f.side == hierarchies && hierarchies > 1: // each hierarchy has nodes of its own
		neighbourhood = Add(neighbourhood, MulScalar(DivScalar(Iota(g, kept, 0), k), f.nodes))
	case f.side > 1:
		exceptions.Panicf("%s: it has %d frozen hierarchies, the level before it %d", scope.Scope(), hierarchies, f.side)
	}
	return neighbourhood, values, hierarchies
}

// Times implements Affinity; it panics.
func (f frozen) Times(*Node) *Node { panic(f.noEdges()) }

// Degrees implements Affinity; it panics.
func (f frozen) Degrees() *Node { panic(f.noEdges()) }

func (f frozen) pool(_, _ *Node) *Node { panic(f.noEdges()) }

func (f frozen) noEdges() error {
	return fmt.Errorf("the hierarchy of %d nodes is frozen: it has neighbourhoods, but no edges any more", f.nodes)
}
