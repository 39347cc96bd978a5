package ccp

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/clusterpool/ccp/ccp/hierarchy"
	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
)

const (
	levelKey             = "ccp_level" // under which a level is kept with its graph
	frozenNeighbourhoods = "frozen_neighbourhood"
	frozenRanks          = "frozen_rank"
	hardClusters         = "clusters"   // int32 [N]: each node's cluster, in place of U; of H hierarchies [H·N]
	candidateClusters    = "candidates" // int32 [N, c]: the clusters that each node may belong to
)

// TablesScope is where a level keeps what it derives from its graph and candidates, in variables that need not be saved.
const TablesScope = "tables"

// SetClusters gives the level in scope hard memberships, the cluster of each of its nodes, in place of U: for several frozen
// hierarchies those of one after the other.
func SetClusters(scope *model.Scope, cluster []int32) error {
	return keep(scope, hardClusters, tensors.FromFlatDataAndDimensions(cluster, len(cluster)))
}

// SetCandidates restricts the memberships of the level in scope to c clusters of each node, in ascending order, row by row.
// Time and memory are then linear in nodes and edges. The level's affinity must be Sparse, or come from a level with
// candidates.
func SetCandidates(scope *model.Scope, of []int32, c int) error {
	return keep(scope, candidateClusters, tensors.FromFlatDataAndDimensions(of, len(of)/c, c))
}

// SetFrozen gives the level in scope the neighbourhoods and ranks of a hierarchy found elsewhere, in float32, as a Freezer keeps
// them: of all clusters, with size nodes each, row-major, the most central node first. Of several hierarchies, see Frozen, they are
// those of one after the other, each with node numbers of its own. Options.Slots may put them into another order.
func SetFrozen(scope *model.Scope, neighbourhoods []int32, ranks []float64, size int) error {
	k := len(neighbourhoods) / size
	if optionsOf(scope).Slots == randomSlots {
		neighbourhoods, ranks = shuffled(scope.Scope(), neighbourhoods, ranks, size)
	}
	if err := keep(scope, frozenNeighbourhoods, tensors.FromFlatDataAndDimensions(neighbourhoods, k, size)); err != nil {
		return err
	}
	return keep(scope, frozenRanks, floats(dtypes.Float32, ranks, k, size))
}

// keep makes value the value of a variable that is not trained.
func keep(scope *model.Scope, name string, value *tensors.Tensor) error {
	v := scope.GetVariable(name)
	if v != nil {
		v.SetTrainable(false)
		return v.SetValue(value)
	}
	v, err := scope.CreateVariable(name, value)
	if err == nil {
		v.SetTrainable(false)
	}
	return err
}

// Levels returns the levels that were built into g, from the first to the last.
func Levels(store *model.Store, g *Graph) (levels []Level) {
	for p := range store.IterGraphParams(g) {
		if level, ok := p.Value.(Level); ok && p.Key == levelKey {
			level.Path = p.Scope
			levels = append(levels, level)
		}
	}
	slices.SortFunc(levels, func(a, b Level) int {
		return cmp.Or(cmp.Compare(len(a.Path), len(b.Path)), strings.Compare(a.Path, b.Path)) // level_9 before level_10
	})
	return levels
}

// Freezer computes every level's neighbourhoods and ranks from its memberships and keeps them as variables beside the
// level's others. Layers built on Frozen then use them: constant in training and inference, whose cost no longer depends on the
// number of nodes.
type Freezer struct {
	store  *model.Store
	exec   *model.Exec
	levels []Level
}

// NewFreezer prepares to freeze the layers that network builds on the graph itself. network is given a signal of the shape given,
// `[1, N, C]`, and returns what it makes of it.
func NewFreezer(backend compute.Backend, store *model.Store, signal shapes.Shape, network func(scope *model.Scope, signal *Node) *Node) (*Freezer, error) {
	f := &Freezer{store: store}
	var err error
	f.exec, err = model.NewExec(backend, store, func(scope *model.Scope, g *Graph) []*Node {
		// The network's result is an output though nobody reads it: the pure Go backend (compute v0.1.3) fails on
		// parameters made after the last node that it needs.
		outputs := []*Node{ReduceAllSum(network(scope, Zeros(g, signal)))}
		f.levels = Levels(store, g)
		for _, level := range f.levels {
			outputs = append(outputs, level.Objective, level.Neighbourhood, level.Rank)
		}
		return outputs
	})
	return f, err
}

// Objectives computes C of each level as the memberships have it now, and keeps nothing.
func (f *Freezer) Objectives() (objectives []float64, err error) {
	values, err := f.values()
	for i := range f.levels {
		if err == nil {
			objectives = append(objectives, shapes.ConvertTo[float64](values[3*i].Value()))
		}
	}
	return objectives, err
}

// values are C, the neighbourhoods and the ranks of each level.
func (f *Freezer) values() ([]*tensors.Tensor, error) {
	values, err := f.exec.Call()
	if err != nil {
		return nil, fmt.Errorf("freezing the hierarchy: %w", err)
	}
	return values[1:], nil
}

// Freeze keeps the hierarchy as the memberships have it now. It can be called again when they have changed. It returns, for each
// level, the objective C and the coverage: the share of its nodes that some neighbourhood holds. What none holds is lost to all
// later levels.
func (f *Freezer) Freeze() (objectives, coverage []float64, err error) {
	values, err := f.values()
	if err != nil {
		return nil, nil, err
	}
	for i, level := range f.levels {
		scope, of := f.store.Scope(level.Path), values[3*i:]
		nodes, err := tensors.CopyFlatData[int32](of[1])
		if err != nil {
			return nil, nil, err
		}
		objectives, coverage = append(objectives, shapes.ConvertTo[float64](of[0].Value())), append(coverage, hierarchy.Coverage(nodes, level.nodes))
		if err := errors.Join(keep(scope, frozenNeighbourhoods, of[1]), keep(scope, frozenRanks, of[2])); err != nil {
			return nil, nil, err
		}
	}
	return objectives, coverage, nil
}
