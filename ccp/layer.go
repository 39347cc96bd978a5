package ccp

import (
	"math"
	"slices"

	"github.com/clusterpool/ccp/ccp/nn"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/model/initializer"
	"github.com/gomlx/gomlx/ml/train"
	"github.com/gomlx/gomlx/support/exceptions"
)

// Layer configures one level of convolutional cluster pooling; make it with New, finish it with Done.
type Layer struct {
	scope             *model.Scope
	signal            *Node
	affinity          Affinity
	clusters, filters int
	size              int // L

	membershipStd, membershipRate, alphaStd, betaStd float64
	objectiveWeight, dropout                         float64
	volumeLoops, recompute                           bool
	hierarchy, gates, order, slots                   string
	refresh                                          float64
}

// New starts one level: it pools the N nodes of affinity into clusters, and filters the signal over each cluster's
// neighbourhood. signal: `[batch, N, C]`, float32 or float64. Where the hierarchy is frozen (see Freeze) the affinity is not
// needed and may be nil, and so is the coarse one returned. Options not set by a method come from the parameters
// of scope (Param…).
func New(scope *model.Scope, signal *Node, affinity Affinity, clusters, filters int) *Layer {
	return &Layer{
		scope: scope, signal: signal, affinity: affinity, clusters: clusters, filters: filters, size: 16,
		membershipStd:   model.GetParamOr(scope, ParamMembershipStd, 1.0),
		membershipRate:  model.GetParamOr(scope, ParamMembershipRate, 10.0),
		alphaStd:        model.GetParamOr(scope, ParamAlphaStd, 0.1),
		betaStd:         model.GetParamOr(scope, ParamBetaStd, 0.1),
		hierarchy:       model.GetParamOr(scope, ParamHierarchy, Learned),
		gates:           model.GetParamOr(scope, ParamGates, "level"),
		objectiveWeight: model.GetParamOr(scope, ParamObjectiveWeight, 1.0),
		volumeLoops:     model.GetParamOr(scope, ParamVolumeLoops, false),
		order:           model.GetParamOr(scope, ParamOrder, "filter-norm-elu"),
		slots:           model.GetParamOr(scope, ParamSlots, SlotsByRank),
		dropout:         model.GetParamOr(scope, ParamDropout, 0.0),
		refresh:         model.GetParamOr(scope, ParamRefresh, 1.0),
		recompute:       model.GetParamOr(scope, ParamRecompute, false),
	}
}

// Neighbours sets L, how many nodes each cluster's neighbourhood holds (default 16).
func (l *Layer) Neighbours(size int) *Layer { l.size = size; return l }

// MembershipStd sets the spread of U at the start, see ParamMembershipStd.
func (l *Layer) MembershipStd(std float64) *Layer { l.membershipStd = std; return l }

// MembershipRate sets how much faster U moves than the other weights, see ParamMembershipRate.
func (l *Layer) MembershipRate(times float64) *Layer { l.membershipRate = times; return l }

// GateStd sets σ₁ and σ₂, the spreads of α and β at the start, see ParamAlphaStd and ParamBetaStd.
func (l *Layer) GateStd(alpha, beta float64) *Layer { l.alphaStd, l.betaStd = alpha, beta; return l }

// Gates sets how many pairs α, β there are: "level", "cluster" or "slot", see ParamGates.
func (l *Layer) Gates(sharing string) *Layer { l.gates = sharing; return l }

// ObjectiveWeight sets the weight of C in the loss, see ParamObjectiveWeight.
func (l *Layer) ObjectiveWeight(weight float64) *Layer { l.objectiveWeight = weight; return l }

// VolumeLoops counts self-loops in the volume, see ParamVolumeLoops.
func (l *Layer) VolumeLoops(count bool) *Layer { l.volumeLoops = count; return l }

// Recompute sets whether neighbourhoods are gathered again in the backward pass, see ParamRecompute.
func (l *Layer) Recompute(again bool) *Layer { l.recompute = again; return l }

// Order sets what follows the filter, see ParamOrder.
func (l *Layer) Order(order string) *Layer { l.order = order; return l }

// Dropout sets the dropout rate after the level, see ParamDropout.
func (l *Layer) Dropout(rate float64) *Layer { l.dropout = rate; return l }

// Done builds the level. pooled: `[batch, clusters, filters]`; coarse is the next level's affinity, normalised.
// In training the level's objective, times its weight, is subtracted from the loss. It panics, naming the scope, when the
// options do not fit the graph or the signal.
func (l *Layer) Done() (pooled *Node, coarse Affinity) {
	l.check()
	scope, g, dtype := l.scope, l.signal.Graph(), l.signal.DType()
	level := l.cluster()
	scope.SetGraphParam(g, levelKey, level)
	if level.Objective != nil && scope.IsTraining(g) && l.hierarchy != TaskOnly && l.objectiveWeight != 0 {
		train.AddRegularizationLoss(MulScalar(level.Objective, -l.objectiveWeight))
	}

	channels := l.signal.Shape().Dim(2)
	std := math.Sqrt(2 / float64(l.size*channels)) // He et al. 2015
	w := nn.NormalVariable(scope, "W", 0, std, dtype, l.filters, l.size, channels).NodeValue(g)
	b := scope.WithInitializer(initializer.Zero).VariableWithShape("b", shapes.Make(dtype, l.filters)).SetTrainable(true).NodeValue(g)
	filter := filterIn
	if l.recompute && scope.IsTraining(g) {
		filter = filterAnew
	}
	x := filter(nn.NarrowDType(scope, l.signal), l.signal, level.Neighbourhood, l.gate(level.Rank), nn.Decay(scope, w))
	if l.order == "filter-elu-norm" {
		x = nn.BatchNorm(scope, nn.ELU(Add(x, Reshape(b, 1, 1, l.filters))), nil)
	} else {
		x = nn.ELU(nn.BatchNorm(scope, x, b))
	}
	return nn.Dropout(scope, x, l.dropout), level.Coarse
}

// cluster is the level's cluster step, or, where the hierarchy is frozen, what a Freezer kept of it.
func (l *Layer) cluster() Level {
	if IsFrozen(l.scope) {
		return frozenLevel(l.scope, l.signal.Graph(), l.clusters, l.size)
	}
	level := l.learned()
	if l.slots == SlotsRandom {
		level = l.shuffled(level)
	}
	if l.hierarchy == ObjectiveOnly {
		level.Rank = StopGradient(level.Rank) // all of the task's gradient to U, at this level and below, passes here
	}
	return level
}

// learned is the cluster step with the level's memberships: hard ones where SetClusters gave them, those of its candidates
// where SetCandidates did, else of every node to every cluster.
func (l *Layer) learned() Level {
	if hard := l.scope.GetVariable(hardClusters); hard != nil {
		m := OneHot(hard.SetTrainable(false).NodeValue(l.signal.Graph()), l.clusters, l.signal.DType())
		return cluster(l.affinity, m, l.size, l.volumeLoops, l.choose)
	}
	of := l.scope.GetVariable(candidateClusters)
	if of == nil {
		return cluster(l.affinity, l.memberships(l.clusters), l.size, l.volumeLoops, l.choose)
	}
	c := candidates{of: tensors.MustCopyFlatData[int32](of.SetTrainable(false).MustValue()), c: of.Shape().Dim(1), k: l.clusters}
	var a Edged
	switch affinity := l.affinity.(type) {
	case Sparse:
		a = affinity.edged()
	case Edged:
		a = affinity
	default:
		exceptions.Panicf("%s: candidates need an affinity whose edges are known, not a %T; the level before must have candidates too", l.scope.Scope(), affinity)
	}
	return clusterAmong(l.scope.In(TablesScope), a, l.memberships(c.c), c, l.size, l.volumeLoops, l.choose)
}

// memberships are the softmax of U = rate·V, V being the variable. Adam's step does not depend on the scale of a gradient, so
// U moves `rate` times as fast as the other weights, with one optimizer for all. Result `[N, width]`.
func (l *Layer) memberships(width int) *Node {
	v := nn.NormalVariable(l.scope, "U", 0, l.membershipStd/l.membershipRate, l.signal.DType(), l.affinity.Nodes(), width)
	return Memberships(MulScalar(v.NodeValue(l.signal.Graph()), l.membershipRate))
}

// gate is σ(α·rank + β) with this level's variables. rank: `[K, L]`, same shape out.
func (l *Layer) gate(rank *Node) *Node {
	dims := map[string][]int{"level": {1, 1}, "cluster": {l.clusters, 1}, "slot": {l.clusters, l.size}}[l.gates]
	alpha := nn.NormalVariable(l.scope, "alpha", 1, l.alphaStd, rank.DType(), dims...)
	beta := nn.NormalVariable(l.scope, "beta", 0, l.betaStd, rank.DType(), dims...)
	return Gate(rank, alpha.NodeValue(rank.Graph()), beta.NodeValue(rank.Graph()))
}

func (l *Layer) check() {
	at := l.scope.Scope()
	if l.signal.Rank() != 3 {
		exceptions.Panicf("%s: the signal has shape %s, it must be [batch, nodes, channels]", at, l.signal.Shape())
	}
	nodes := l.signal.Shape().Dim(1)
	if l.affinity != nil && l.affinity.Nodes() != nodes {
		nodes = l.affinity.Nodes()
		exceptions.Panicf("%s: the signal has shape %s, but the graph needs [batch, %d, channels]", at, l.signal.Shape(), nodes)
	}
	if !slices.Contains(Hierarchies(), l.hierarchy) && l.hierarchy != Frozen {
		exceptions.Panicf("%s: hierarchy %q is none of %v", at, l.hierarchy, Hierarchies())
	}
	if l.affinity == nil && !IsFrozen(l.scope) {
		exceptions.Panicf("%s: there is no affinity, and the hierarchy is not frozen", at)
	}
	if l.clusters < 1 || l.filters < 1 {
		exceptions.Panicf("%s: %d clusters x %d filters; both must be at least 1", at, l.clusters, l.filters)
	}
	if l.size < 1 || l.size > nodes {
		exceptions.Panicf("%s: L=%d does not fit its %d nodes; lower L or raise the previous level's clusters", at, l.size, nodes)
	}
	if !slices.Contains([]string{"level", "cluster", "slot"}, l.gates) {
		exceptions.Panicf("%s: gates %q are none of level, cluster, slot", at, l.gates)
	}
	if !slices.Contains([]string{"filter-norm-elu", "filter-elu-norm"}, l.order) {
		exceptions.Panicf("%s: order %q is neither filter-norm-elu nor filter-elu-norm", at, l.order)
	}
	if !slices.Contains([]string{SlotsByRank, SlotsRandom}, l.slots) {
		exceptions.Panicf("%s: slots %q are neither rank nor random", at, l.slots)
	}
	if l.refresh < 1 || l.refresh != math.Trunc(l.refresh) {
		exceptions.Panicf("%s: neighbourhoods cannot be selected anew every %g steps; it must be a whole number from 1", at, l.refresh)
	}
	if l.membershipRate <= 0 || l.membershipStd < 0 {
		exceptions.Panicf("%s: membership rate %g must be positive, spread %g not negative", at, l.membershipRate, l.membershipStd)
	}
}
