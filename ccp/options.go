package ccp

import (
	"github.com/clusterpool/ccp/internal/params"
	"github.com/gomlx/gomlx/ml/model"
)

// Plan says how a hierarchy comes about, and which losses its memberships U learn from.
type Plan string

// The plans. A prepared or random hierarchy is frozen before the training. Every other plan's hierarchy is frozen
// after the training.
const (
	Learned       Plan = "learned"        // U learns from the task's loss and from C: the paper's main way
	TaskOnly      Plan = "task-only"      // U learns from the task's loss alone
	ObjectiveOnly Plan = "objective-only" // U learns from C alone: the task's gradient to U is cut
	Prepared      Plan = "prepared"       // Prepare searches clusterings of large C: the paper's fastest way
	Random        Plan = "random"         // U stays as it was drawn
)

// Plans lists the names of the plans.
func Plans() (names []string) {
	for _, p := range []Plan{Learned, TaskOnly, ObjectiveOnly, Prepared, Random} {
		names = append(names, string(p))
	}
	return names
}

// Options holds the options of a level. Inside a graph they are GoMLX parameters, read at the level's scope: levels
// can differ. A field's param tag is the name of its parameter.
type Options struct {
	// Hierarchy says how the hierarchy comes about.
	Hierarchy Plan `param:"ccp_hierarchy" default:"learned" rule:"one of learned|task-only|objective-only|prepared|random"`
	// MembershipRate is how many times faster than the other weights U moves. At a rate of 1, U hardly leaves its
	// start.
	MembershipRate float64 `param:"ccp_membership_rate" default:"10" rule:"positive" parts:"level"`
	// Slots is the order of the nodes in a neighbourhood: it decides which weights of the filter each node meets. By
	// "rank" the most central node is first. A "random" order is one fixed permutation for each cluster, the paper's
	// ablation. A "directed" slot has one direction from every cluster. Both take neighbourhoods from the host: a
	// Hierarchy's, or those of Preparation.Hold.
	Slots string `param:"ccp_slots" default:"rank" rule:"one of rank|random|directed" parts:"level"`
	// Padding fills a neighbourhood if fewer than L nodes have links to its cluster. With "nodes" it takes the first
	// other nodes, of rank zero, like the paper's selection. With "zeros" these slots stay empty.
	Padding string `param:"ccp_padding" default:"nodes" rule:"one of nodes|zeros" parts:"level"`
	// Dropout is the dropout rate after the level.
	Dropout float64 `param:"ccp_dropout" default:"0" rule:"share" parts:"level"`
}

// optionsOf reads the options of the level in scope. It panics if a parameter has a value that is not allowed.
func optionsOf(scope *model.Scope) Options { return params.Read[Options](scope) }
