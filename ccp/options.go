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

// The hyperparameters of a level, read at its scope: levels can differ. A value may be a text.
const (
	// ParamHierarchy is how the hierarchy comes about and what it learns from, a Plan. The default is "learned".
	ParamHierarchy = "ccp_hierarchy"
	// ParamMembershipRate is how many times faster than the other weights U moves. At a rate of 1, U hardly leaves its
	// start. The default is 10.
	ParamMembershipRate = "ccp_membership_rate"
	// ParamSlots is the order of the nodes in a neighbourhood: it decides which weights of the filter each node meets. By
	// "rank" the most central node is first. A "random" order is one fixed permutation for each cluster, the paper's
	// ablation. A "directed" slot has one direction from every cluster. Both take neighbourhoods from the host: a
	// Hierarchy's, or those of Preparation.Hold. The default is "rank".
	ParamSlots = "ccp_slots"
	// ParamPadding fills a neighbourhood if fewer than L nodes have links to its cluster. With "nodes" it takes the first
	// other nodes, of rank zero, like the paper's selection. With "zeros" these slots stay empty. The default is "nodes".
	ParamPadding = "ccp_padding"
	// ParamDropout is the dropout rate after the level, see Layer.Dropout. The default is 0.
	ParamDropout = "ccp_dropout"
)

// Options holds the values of a level's hyperparameters, see ParamHierarchy and those after it.
type Options struct {
	Hierarchy      Plan    `param:"ccp_hierarchy" default:"learned" rule:"one of learned|task-only|objective-only|prepared|random"`
	MembershipRate float64 `param:"ccp_membership_rate" default:"10" rule:"positive"`
	Slots          string  `param:"ccp_slots" default:"rank" rule:"one of rank|random|directed"`
	Padding        string  `param:"ccp_padding" default:"nodes" rule:"one of nodes|zeros"`
	Dropout        float64 `param:"ccp_dropout" default:"0" rule:"share"`
}

// A layer of ccp/nn that is read first must know these names, too: it refuses a store with others.
var _ = params.Defaults[Options]()

// optionsOf reads the options of the level in scope. It panics if a parameter has a value that is not allowed.
func optionsOf(scope *model.Scope) Options { return params.Read[Options](scope) }
