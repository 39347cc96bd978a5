package ccp

import (
	"fmt"

	"github.com/clusterpool/ccp/ccp/nn"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/support/exceptions"
)

// frozen is the affinity of a graph whose hierarchies no longer change. The neighbourhoods and ranks of a level are
// variables of its scope.
type frozen struct {
	nodes  int             // of the graph, or of one hierarchy's coarse graph
	side   int             // how many hierarchies' nodes the signal has, one after the other
	draw   *model.Scope    // where to draw one of the hierarchies; nil: all are used
	drawn  *Node           // int32 scalar: the one drawn
	levels []preparedLevel // of the levels to come, where their variables do not exist yet
}

// Nodes implements Affinity.
func (f frozen) Nodes() int { return f.nodes * f.side }

func (f frozen) cluster(l *Layer) Level {
	g, k := l.signal.Graph(), l.clusters
	if len(f.levels) > 0 && l.scope.GetVariable(frozenNeighbourhoods) == nil {
		if err := f.levels[0].keep(l.scope); err != nil {
			panic(err)
		}
	}
	coarse := f
	if len(f.levels) > 0 {
		coarse.levels = f.levels[1:]
	}
	if v := l.scope.GetVariable(frozenNeighbourhoods); v != nil && f.draw != nil && f.drawn == nil {
		if n := v.Shape().Dim(0) / k; n > 1 {
			which := MulScalar(nn.Uniform(f.draw, l.signal, "hierarchy"), float64(n))
			f.drawn = ConvertDType(which, dtypes.Int32)
			coarse.drawn = f.drawn
		}
	}
	neighbourhood, rank, hierarchies := f.kept(l.scope, g, frozenNeighbourhoods, frozenRanks, k, l.size)
	coarse.nodes, coarse.side = k, hierarchies
	if f.drawn != nil {
		coarse.side = 1
	}
	return Level{Neighbourhood: neighbourhood, Rank: rank, Coarse: coarse}
}

// kept reads neighbourhoods of k clusters, and their values, from variables of scope. The results are `[H·k, size]`
// for H hierarchies, or `[k, size]` for the one that was drawn.
func (f frozen) kept(scope *model.Scope, g *Graph, name, with string, k, size int) (neighbourhood, values *Node,
	hierarchies int) {
	at, of := scope.GetVariable(name), scope.GetVariable(with)
	if at == nil || of == nil {
		exceptions.Panicf("%s: the hierarchy is to be frozen, but nothing has kept %s there: neither a Hierarchy nor "+
			"a Freezer", scope.Scope(), name)
	}
	kept := at.Shape()
	if kept.Dim(0)%k != 0 || kept.Dim(1) != size {
		exceptions.Panicf("%s: the frozen hierarchy has neighbourhoods %s, the layer needs [%d, %d], or some of them",
			scope.Scope(), kept, k, size)
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
		exceptions.Panicf("%s: it has %d frozen hierarchies, the level before it %d",
			scope.Scope(), hierarchies, f.side)
	}
	return neighbourhood, values, hierarchies
}

// Mean implements Affinity.
func (f frozen) Mean(logits *Node) *Node {
	if f.side == 1 {
		return logits
	}
	rows, classes := logits.Shape().Dim(0), logits.Shape().Dim(1)
	return ReduceMean(Reshape(logits, rows/f.side, f.side, classes), 1)
}

// Times implements Affinity; it panics.
func (f frozen) Times(*Node) *Node { panic(f.noEdges()) }

// Degrees implements Affinity; it panics.
func (f frozen) Degrees() *Node { panic(f.noEdges()) }

func (f frozen) pool(_, _ *Node) *Node { panic(f.noEdges()) }

func (f frozen) noEdges() error {
	return fmt.Errorf("the hierarchy of %d nodes is frozen: it has neighbourhoods, but no edges any more", f.nodes)
}
