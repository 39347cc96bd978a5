package ccp

import (
	"github.com/clusterpool/ccp/internal/params"
	"github.com/gomlx/gomlx/ml/model"
)

// Options of a level. Inside a graph they are GoMLX parameters, read at the level's scope, so that one level can differ from the
// others; a field's param tag is the parameter's name.
type Options struct {
	// Hierarchy is how the hierarchy comes about.
	Hierarchy Plan `param:"ccp_hierarchy" default:"learned"`
	// MembershipStd is the standard deviation of U ~ N(0, std²) at the start.
	MembershipStd float64 `param:"ccp_membership_std" default:"1" rule:"not negative" parts:"level"`
	// MembershipRate is how many times faster than the other weights U moves. With rates near the weights' own, U hardly leaves
	// its start.
	MembershipRate float64 `param:"ccp_membership_rate" default:"10" rule:"positive" parts:"level"`
	// AlphaStd and BetaStd are σ₁ and σ₂ in α ~ N(1, σ₁²) and β ~ N(0, σ₂²) at the start.
	AlphaStd float64 `param:"ccp_alpha_std" default:"0.1" rule:"not negative" parts:"level"`
	BetaStd  float64 `param:"ccp_beta_std" default:"0.1" rule:"not negative" parts:"level"`
	// Gates is how many pairs α, β a level has: one (Algorithm 2 of the paper), one for each cluster, or one for each slot, that is
	// each place in each neighbourhood.
	Gates string `param:"ccp_gates" default:"level" rule:"one of level|cluster|slot" parts:"level"`
	// ObjectiveWeight multiplies the objective C, which is subtracted from the loss.
	ObjectiveWeight float64 `param:"ccp_objective_weight" default:"1" rule:"finite" parts:"level"`
	// VolumeLoops counts self-loops in the degrees of the volume. Without them cohesion/volume stays at most 1.
	VolumeLoops bool `param:"ccp_volume_loops" default:"false" parts:"level"`
	// Slots is the order of the nodes within each neighbourhood, and so which weights of the filter each of them meets: by rank, the
	// most central first; one fixed random permutation for each cluster, the paper's ablation; or directed, so that a slot lies in the
	// same direction from every cluster. The last takes a prepared hierarchy, whose maker orders the nodes before SetFrozen.
	Slots string `param:"ccp_slots" default:"rank" rule:"one of rank|random|directed" parts:"level"`
	// Padding is what fills the slots of a neighbourhood where fewer than L nodes have links to its cluster: the first other nodes, as
	// the paper's selection has it, or zeros. Such nodes have rank zero.
	Padding string `param:"ccp_padding" default:"nodes" rule:"one of nodes|zeros" parts:"level"`
	// Recompute keeps no gathered neighbourhoods between a training step's forward and backward passes, but gathers them again, those
	// of a part of the clusters at a time. It takes less memory and more time.
	Recompute bool `param:"ccp_recompute" default:"false" parts:"level"`
	// Order is what follows the filter. Dropout comes last.
	Order string `param:"ccp_order" default:"filter-norm-elu" rule:"one of filter-norm-elu|filter-elu-norm" parts:"level"`
	// Dropout is the dropout rate after the level.
	Dropout float64 `param:"ccp_dropout" default:"0" rule:"share" parts:"level"`
}

// OptionsOf reads the options of the level in scope. It panics where a parameter has a value that it cannot have.
func OptionsOf(scope *model.Scope) Options { return params.Read[Options](scope) }
