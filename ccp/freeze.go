package ccp

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/clusterpool/ccp/ccp/hierarchy"
	"github.com/clusterpool/ccp/internal/loop"
	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
)

// The names of a level's variables that do not change in training.
const (
	frozenNeighbourhoods = "frozen_neighbourhood" // int32 [H·K, L]
	frozenRanks          = "frozen_rank"          // [H·K, L]
	hardClusters         = "clusters"             // int32 [H·N]: each node's cluster, in place of U
	candidateClusters    = "candidates"           // int32 [N, c]: the clusters that each node may belong to
)

// levelKey names a level among the parameters of its graph.
const levelKey = "ccp_level"

// Levels lists the levels in g, in the order in which they were built.
func Levels(store *model.Store, g *Graph) (levels []Level) {
	for p := range store.IterGraphParams(g) {
		if level, ok := p.Value.(Level); ok && p.Key == levelKey {
			level.Path = p.Scope
			levels = append(levels, level)
		}
	}
	slices.SortFunc(levels, func(a, b Level) int { return cmp.Compare(a.built, b.built) })
	return levels
}

// Freezer computes every level's neighbourhoods and ranks from its memberships, and keeps them as variables beside
// the level's others. On the Affinity of an empty Hierarchy, layers then use these variables. Their cost no longer
// depends on the number of nodes.
type Freezer struct {
	store       *model.Store
	exec        *model.Exec
	levels      []Level
	hierarchies int
}

// NewFreezer makes a Freezer for the layers that network builds on the graph itself. The network gets a signal of the
// given shape, `[1, N, C]`, and returns its result.
func NewFreezer(backend compute.Backend, store *model.Store, signal shapes.Shape,
	network func(scope *model.Scope, signal *Node) *Node) (*Freezer, error) {
	f := &Freezer{store: store}
	var err error
	f.exec, err = model.NewExec(backend, store, func(scope *model.Scope, drawn *Node) []*Node {
		g := drawn.Graph()
		scope.SetGraphParam(g, drawnKey, drawn)
		network(scope, Zeros(g, signal))
		// Nobody reads drawn as an output; but a program has one at least.
		outputs := []*Node{drawn}
		f.levels = slices.DeleteFunc(Levels(store, g), func(l Level) bool { return l.Objective == nil }) // frozen already
		for _, level := range f.levels {
			f.hierarchies = severalOf(store.Scope(level.Path), g).n
			single := func(x *Node) *Node { return ConvertDType(x, dtypes.Float32) }
			outputs = append(outputs, single(level.Objective), level.Neighbourhood, single(level.Rank))
		}
		return outputs
	})
	return f, err
}

// Close frees the compiled programs. Call it last.
func (f *Freezer) Close() { f.exec.Finalize() }

// Hierarchy computes one of several hierarchies, from 0, by the present memberships. It keeps nothing. Its levels have
// neighbourhoods and ranks only.
func (f *Freezer) Hierarchy(which int) (*Hierarchy, error) {
	values, err := f.exec.Call(int32(which))
	if err != nil {
		return nil, fmt.Errorf("freezing the hierarchy: %w", err)
	}
	defer func() {
		for _, t := range values { // the memory is the device's: the garbage collector does not know how large it is
			t.MustFinalizeAll()
		}
	}()
	h := &Hierarchy{Levels: make([]HierarchyLevel, len(f.levels))}
	for i, level := range f.levels {
		of, n := values[1+3*i:], &h.Levels[i].Pooled
		nodes, wrongNodes := tensors.CopyFlatData[int32](of[1])
		ranks, wrongRanks := tensors.CopyFlatData[float32](of[2])
		if err := cmp.Or(wrongNodes, wrongRanks); err != nil {
			return nil, err
		}
		n.Size = of[1].Shape().Dim(1)
		n.add(nodes, loop.Convert[float64](ranks))
		h.Objective = append(h.Objective, float64(tensors.ToScalar[float32](of[0])))
		h.Coverage = append(h.Coverage, hierarchy.Coverage(nodes, ranks, level.nodes))
	}
	return h, nil
}

// Freeze keeps the hierarchies of the present memberships, and returns them. It can be called again when the
// memberships have changed.
func (f *Freezer) Freeze() (*Hierarchy, error) {
	h, err := f.Hierarchy(0)
	for which := 1; err == nil && which < f.hierarchies; which++ {
		var next *Hierarchy
		next, err = f.Hierarchy(which)
		if err == nil {
			for i := range h.Levels {
				h.Levels[i].Pooled.add(next.Levels[i].Pooled.Nodes, next.Levels[i].Pooled.Ranks)
			}
		}
	}
	for i := 0; err == nil && i < len(f.levels); i++ {
		err = h.Levels[i].Pooled.keep(f.store.Scope(f.levels[i].Path), frozenNeighbourhoods, frozenRanks)
	}
	return h, err
}
