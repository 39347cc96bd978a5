package ccp

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/clusterpool/ccp/ccp/hierarchy"
	"github.com/gomlx/compute"
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
// the level's others. On the Affinity of a nil Hierarchy, layers then use these variables. Their cost no longer
// depends on the number of nodes.
type Freezer struct {
	store  *model.Store
	exec   *model.Exec
	levels []Level
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
			outputs = append(outputs, level.Objective, level.Neighbourhood, level.Rank)
		}
		return outputs
	})
	return f, err
}

// Close frees the compiled programs. Call it last.
func (f *Freezer) Close() { f.exec.Finalize() }

// Objectives computes C of each level of one of several hierarchies, from 0, by the present memberships. It keeps
// nothing.
func (f *Freezer) Objectives(which int) (objectives []float64, err error) {
	values, err := f.values(which)
	defer func() { free(values) }()
	for i := range f.levels {
		if err == nil {
			objectives = append(objectives, shapes.ConvertTo[float64](values[3*i].Value()))
		}
	}
	return objectives, err
}

// values computes C, the neighbourhoods and the ranks of each level of a hierarchy. The caller frees them.
func (f *Freezer) values(which int) ([]*tensors.Tensor, error) {
	values, err := f.exec.Call(int32(which))
	if err != nil {
		return nil, fmt.Errorf("freezing the hierarchy: %w", err)
	}
	free(values[:1])
	return values[1:], nil
}

// free gives back the memory of tensors, which is the device's. The garbage collector does not know how large it is.
func free(all []*tensors.Tensor) {
	for _, t := range all {
		t.MustFinalizeAll()
	}
}

// Freeze keeps the hierarchy of the present memberships. It can be called again when they have changed. It returns,
// for each level, the objective C and the coverage: the share of its nodes that some neighbourhood holds at a positive
// rank. The other nodes are lost to all later levels.
func (f *Freezer) Freeze() (objectives, coverage []float64, err error) {
	var values [][]*tensors.Tensor // of each hierarchy
	defer func() {
		for _, of := range values {
			free(of)
		}
	}()
	for which, n := 0, 1; which < n; which++ {
		of, err := f.values(which)
		if err != nil {
			return nil, nil, err
		}
		values = append(values, of)
		for _, level := range f.levels {
			n = max(n, level.hierarchies)
		}
	}
	for i, level := range f.levels {
		scope, of := f.store.Scope(level.Path), values[0][3*i:]
		nodes, err := tensors.CopyFlatData[int32](of[1])
		if err != nil {
			return nil, nil, err
		}
		objectives = append(objectives, shapes.ConvertTo[float64](of[0].Value()))
		switch ranks := of[2].Value().(type) {
		case [][]float32:
			coverage = append(coverage, hierarchy.Coverage(nodes, slices.Concat(ranks...), level.nodes))
		case [][]float64:
			coverage = append(coverage, hierarchy.Coverage(nodes, slices.Concat(ranks...), level.nodes))
		}
		for name, at := range map[string]int{frozenNeighbourhoods: 3*i + 1, frozenRanks: 3*i + 2} {
			whole, err := stacked(values, at)
			if err == nil {
				err = keep(scope, name, whole)
			}
			if err != nil {
				return nil, nil, err
			}
		}
	}
	return objectives, coverage, nil
}

// stacked puts tensor `at` of all hierarchies into one, along the first axis.
func stacked(values [][]*tensors.Tensor, at int) (*tensors.Tensor, error) {
	shape := values[0][at].Shape().Clone()
	shape.Dimensions[0] *= len(values)
	whole := tensors.FromShape(shape)
	var errs []error
	err := whole.MutableBytes(func(to []byte) {
		for _, of := range values {
			errs = append(errs, of[at].ConstBytes(func(from []byte) { to = to[copy(to, from):] }))
		}
	})
	return whole, errors.Join(append(errs, err)...)
}
