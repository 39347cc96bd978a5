package ccp

import (
	"errors"
	"fmt"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
)

// Hierarchy holds prepared hierarchies of one graph. It is a plain value: encoding/json and encoding/gob keep it.
// Affinity hands it to the layers, which keep each level's arrays in variables of their scope. A checkpoint has these
// variables, and needs no Hierarchy.
type Hierarchy struct {
	// Objective is C of each level of the first hierarchy. Coverage is the share of the level's nodes that some
	// neighbourhood holds.
	Objective, Coverage []float64
	// Learned says that the memberships will be learned: only the candidates are kept.
	Learned bool
	// Input is what the filter of a Stem with directed slots sees.
	Input neighbourhoods
	// Levels holds the arrays of each level.
	Levels []preparedLevel
}

// preparedLevel holds a level of all hierarchies, the first one's part first.
type preparedLevel struct {
	Clusters   []int32        // `[H·N]`: the cluster of each node
	Pooled     neighbourhoods // the nodes around each cluster
	Around     neighbourhoods // the clusters around each cluster, for residual blocks
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
// A level takes its arrays from h, unless its scope has variables with them. A nil Hierarchy has no arrays: the
// variables must exist.
func (h *Hierarchy) Affinity(scope *model.Scope, signal *Node) Affinity {
	f := frozen{nodes: signal.Shape().Dim(1), side: 1}
	if scope.IsTraining(signal.Graph()) {
		f.draw = scope
	}
	if h != nil {
		f.levels = h.Levels
	}
	return f
}

// Keep puts the hierarchies into variables, for a store that must hold them before the network is built. The levels'
// scopes are below scope. Their names are names, or level_1, level_2 and so on.
func (h *Hierarchy) Keep(scope *model.Scope, names ...string) error {
	var errs []error
	for i, level := range h.Levels {
		name := fmt.Sprintf("level_%d", i+1)
		if i < len(names) {
			name = names[i]
		}
		if scope := scope.In("%s", name); h.Learned {
			errs = append(errs, level.keepCandidates(scope))
		} else {
			errs = append(errs, level.keep(scope))
		}
	}
	if len(h.Input.Nodes) > 0 {
		errs = append(errs, h.Input.keepAround(scope.In(stemName)))
	}
	return errors.Join(errs...)
}

// keepCandidates puts the level's candidates, if there are any, into a variable of scope.
func (l preparedLevel) keepCandidates(scope *model.Scope) error {
	if l.Candidates == nil {
		return nil
	}
	nodes := len(l.Clusters)
	of := tensors.FromFlatDataAndDimensions(l.Candidates, nodes, len(l.Candidates)/nodes)
	return keep(scope, candidateClusters, of)
}

// keep puts the level into variables of scope.
func (l preparedLevel) keep(scope *model.Scope) error {
	errs := []error{keep(scope, hardClusters, tensors.FromFlatDataAndDimensions(l.Clusters, len(l.Clusters)))}
	nodes, ranks, size := l.Pooled.Nodes, l.Pooled.Ranks, l.Pooled.Size
	if optionsOf(scope).Slots == randomSlots {
		nodes, ranks = shuffled(scope.Scope(), nodes, ranks, size)
	}
	k := len(nodes) / size
	errs = append(errs, keep(scope, frozenNeighbourhoods, tensors.FromFlatDataAndDimensions(nodes, k, size)),
		keep(scope, frozenRanks, floats(dtypes.Float32, ranks, k, size)))
	if len(l.Around.Nodes) > 0 {
		errs = append(errs, l.Around.keepAround(scope))
	}
	return errors.Join(errs...)
}

// keepAround puts neighbourhoods for filters that do not pool into variables of scope.
func (n neighbourhoods) keepAround(scope *model.Scope) error {
	k := len(n.Nodes) / n.Size
	return errors.Join(keep(scope, aroundNodes, tensors.FromFlatDataAndDimensions(n.Nodes, k, n.Size)),
		keep(scope, aroundPresent, floats(dtypes.Float32, n.Ranks, k, n.Size)))
}

// keep sets a variable that is not trained.
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
