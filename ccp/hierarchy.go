package ccp

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/clusterpool/ccp/internal/ops"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/support/exceptions"
)

// Hierarchy holds prepared or frozen hierarchies of one graph. It is a plain value: encoding/json and encoding/gob
// keep it. Affinity hands it to the layers, which keep each level's arrays in variables of their scope. A checkpoint
// has these variables, and needs no Hierarchy.
type Hierarchy struct {
	// Objective is C of each level of the first hierarchy. Coverage is the share of the level's nodes that some
	// neighbourhood holds at a positive rank. The other nodes are lost to all later levels.
	Objective, Coverage []float64
	// Learned says that the memberships will be learned: only the candidates are kept, and with Start where they begin.
	Learned, Start bool
	// Input is what the filter of a Stem with directed slots sees.
	Input Neighbourhoods
	// Levels holds the arrays of each level.
	Levels []HierarchyLevel
}

// HierarchyLevel holds a level of all hierarchies, the first one's part first.
type HierarchyLevel struct {
	Width      int            // K
	Clusters   []int32        // `[H·N]`: the cluster of each node
	Pooled     Neighbourhoods // the nodes around each cluster
	Around     Neighbourhoods // the clusters around each cluster, for residual blocks
	Candidates []int32        // `[N, c]`: the clusters that each node may belong to, ascending; none: all
}

// Affinity gives the affinity for the first level of a network on the prepared hierarchies. signal: `[batch, N, C]`.
//
// In training each step draws one hierarchy, by the seed, the scope and the global step alone. Otherwise all
// hierarchies are computed at once, with the same weights: a level of K clusters gives H·K, first those in the first
// hierarchy. So
//
//	x = Reshape(x, -1, clusters*filters)
//
// gives a row for each sample and hierarchy in both cases. Mean of the last level's affinity takes their mean.
//
// A level takes its arrays from h, unless its scope has variables with them. If h is empty, the variables must exist.
func (h *Hierarchy) Affinity(scope *model.Scope, signal *Node) Affinity {
	if h.Learned {
		exceptions.Panicf("%s: the memberships of this hierarchy are to be learned: Keep its candidates, and build on "+
			"NewSparse of the graph", scope.Scope())
	}
	f := frozen{nodes: signal.Shape().Dim(1), side: 1, levels: h.Levels}
	if scope.IsTraining(signal.Graph()) {
		f.draw = scope
	}
	return f
}

// Keep puts the hierarchies into variables, for a store that must hold them before the network is built. The levels'
// scopes are below scope. Their paths there are names, or level_1, level_2 and so on.
func (h *Hierarchy) Keep(scope *model.Scope, names ...string) error {
	var errs []error
	for i, level := range h.Levels {
		scope := levelScope(scope, i, names)
		if h.Learned {
			errs = append(errs, level.keepLearned(scope, h.Start))
		} else {
			errs = append(errs, level.keep(scope))
		}
	}
	return errors.Join(append(errs, h.Input.keep(scope.In(stemName), aroundNodes, aroundPresent))...)
}

// levelScope is the scope of a level, from 0, below scope.
func levelScope(scope *model.Scope, i int, names []string) *model.Scope {
	name := fmt.Sprintf("level_%d", i+1)
	if i < len(names) {
		name = names[i]
	}
	return scope.Store().Scope(model.JoinPath(scope.Scope(), name))
}

// keepLearned puts the level's candidates, if there are any, into a variable of scope. With start it puts memberships
// into U: 0.9 of a node is in its cluster, or in none if that is no candidate.
func (l HierarchyLevel) keepLearned(scope *model.Scope, start bool) (err error) {
	nodes, width := len(l.Clusters), l.Width
	if l.Candidates != nil {
		width = len(l.Candidates) / nodes
		err = keep(scope, candidateClusters, tensors.FromFlatDataAndDimensions(l.Candidates, nodes, width))
	}
	if err != nil || !start {
		return err
	}
	u := make([]float32, nodes*width)
	for i, cluster := range l.Clusters {
		at := int(cluster)
		if l.Candidates != nil {
			at = slices.Index(l.Candidates[i*width:(i+1)*width], cluster)
		}
		if at >= 0 && width > 1 {
			u[i*width+at] = float32(math.Log(9*float64(width-1)) / optionsOf(scope).MembershipRate)
		}
	}
	_, err = scope.CreateVariable(membershipsName, tensors.FromFlatDataAndDimensions(u, nodes, width))
	return err
}

// keep puts the level into variables of scope.
func (l HierarchyLevel) keep(scope *model.Scope) error {
	return errors.Join(keep(scope, hardClusters, tensors.FromFlatDataAndDimensions(l.Clusters, len(l.Clusters))),
		l.keepPooled(scope, frozenNeighbourhoods, frozenRanks), l.Around.keep(scope, aroundNodes, aroundPresent))
}

// keepPooled puts the level's neighbourhoods and their ranks into variables of scope.
func (l HierarchyLevel) keepPooled(scope *model.Scope, at, with string) error {
	n := l.Pooled
	if optionsOf(scope).Slots == randomSlots {
		n = shuffled(scope.Scope(), n)
	}
	return n.keep(scope, at, with)
}

// keep puts neighbourhoods, if there are any, into variables of scope.
func (n Neighbourhoods) keep(scope *model.Scope, at, with string) error {
	if len(n.Nodes) == 0 {
		return nil
	}
	k := len(n.Nodes) / n.Size
	return errors.Join(keep(scope, at, tensors.FromFlatDataAndDimensions(n.Nodes, k, n.Size)),
		keep(scope, with, floats(dtypes.Float32, n.Ranks, k, n.Size)))
}

// keep sets a variable that is not trained.
func keep(scope *model.Scope, name string, value *tensors.Tensor) error {
	if v := scope.GetVariable(name); v != nil {
		return v.SetTrainable(false).SetValue(value)
	}
	v, err := scope.CreateVariable(name, value)
	if err == nil {
		v.SetTrainable(false)
	}
	return err
}

// frozen is the affinity of a graph whose hierarchies no longer change. The neighbourhoods and ranks of a level are
// variables of its scope.
type frozen struct {
	nodes  int              // of the graph, or of one hierarchy's coarse graph
	side   int              // how many hierarchies' nodes the signal has, one after the other
	draw   *model.Scope     // where to draw one of the hierarchies; nil: all are used
	drawn  *Node            // int32 scalar: the one drawn
	levels []HierarchyLevel // of the levels to come, where their variables do not exist yet
}

// Nodes implements Affinity.
func (f frozen) Nodes() int { return f.nodes * f.side }

// cluster makes a level whose clusters and neighbourhoods are constants. At the first use they are taken from f.levels
// into the scope; after that the scope has them, also when it comes from a checkpoint. Of several hierarchies a
// training draws one for the batch.
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
	of, v := l.scope.GetVariable(hardClusters), l.scope.GetVariable(frozenNeighbourhoods)
	if of != nil && v != nil && of.Shape().Dim(0)*k != v.Shape().Dim(0)*f.nodes { // H·N·K on both sides
		exceptions.Panicf("%s: the hierarchy was prepared for other levels, or for another graph, than %d clusters of "+
			"%d nodes", l.scope.Scope(), k, f.nodes)
	}
	if v != nil && f.draw != nil && f.drawn == nil {
		if n := v.Shape().Dim(0) / k; n > 1 {
			f.drawn = draw(f.draw, l.signal, n)
			coarse.drawn = f.drawn
		}
	}
	neighbourhood, rank, hierarchies := f.kept(l.scope, g, frozenNeighbourhoods, frozenRanks, k, l.size)
	coarse.nodes, coarse.side = k, hierarchies
	if f.drawn != nil {
		coarse.side = 1
	}
	return Level{Neighbourhood: neighbourhood, Rank: ConvertDType(rank, l.signal.DType()), Coarse: coarse}
}

// kept reads neighbourhoods of k clusters, and their values, from variables of scope. The results are `[H·k, size]`
// for H hierarchies, or `[k, size]` for the one that was drawn. If size is 0, it is that of the variables.
func (f frozen) kept(scope *model.Scope, g *Graph, name, with string, k, size int) (neighbourhood, values *Node,
	hierarchies int) {
	at, of := scope.GetVariable(name), scope.GetVariable(with)
	if reach := model.GetParamOr(scope, ops.SurveyParam, 0); reach > 0 && at == nil {
		size = cmp.Or(size, min(reach, k))
		at = scope.VariableWithValue(name, tensors.FromShape(shapes.Make(dtypes.Int32, k, size)))
		of = scope.VariableWithValue(with, tensors.FromShape(shapes.Make(dtypes.Float32, k, size)))
	}
	if at == nil || of == nil {
		exceptions.Panicf("%s: the hierarchy is to be frozen, but nothing has kept %s there: neither a Hierarchy, whose "+
			"Around names levels with residual blocks, nor a Freezer", scope.Scope(), name)
	}
	kept := at.Shape()
	if kept.Dim(0)%k != 0 || kept.Dim(1) != cmp.Or(size, kept.Dim(1)) {
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
