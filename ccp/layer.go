package ccp

import (
	"hash/fnv"
	"math/rand/v2"

	"github.com/clusterpool/ccp/ccp/nn"
	"github.com/clusterpool/ccp/internal/ops"
	"github.com/clusterpool/ccp/internal/params"
	"github.com/clusterpool/ccp/internal/variables"
	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
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
	blocks            int // residual ones
	options           Options
}

// New starts one level. It pools the N nodes of affinity into clusters, and filters the signal over each cluster's
// neighbourhood. signal: `[batch, N, C]`, float32 or float64.
//
// Neighbours, Blocks and Dropout configure it. All else are hyperparameters of scope, ParamHierarchy and those after
// it, since Preparation.Hold, Hierarchy.Keep and a Freezer go by them, too. A parameter whose name begins with ccp_ and
// which nobody reads is an error.
//
// Batch normalisation and ELU follow the filter, and dropout follows them. A level without them has a Cluster step and
// a Filter with weights of its own.
func New(scope *model.Scope, signal *Node, affinity Affinity, clusters, filters int) *Layer {
	return &Layer{scope: scope, signal: signal, affinity: affinity, clusters: clusters, filters: filters, size: 16,
		options: optionsOf(scope)}
}

// Neighbours sets L, how many nodes each cluster's neighbourhood holds (default 16).
func (l *Layer) Neighbours(size int) *Layer { l.size = size; return l }

// Dropout sets the dropout rate after the level (default ParamDropout).
func (l *Layer) Dropout(rate float64) *Layer { l.options.Dropout = rate; return l }

// Done builds the level. pooled: `[batch, clusters, filters]`; coarse is the next level's affinity, normalised. In
// training the level's objective is subtracted from the loss. It panics, naming the scope, if the options do not fit
// the graph or the signal.
func (l *Layer) Done() (pooled *Node, coarse Affinity) {
	scope, g := l.scope, l.signal.Graph()
	ops.Parameters(scope.Store(), g) // memberships and frozen hierarchies change
	l.check()
	level := l.cluster()
	plan := l.options.Hierarchy
	if level.Objective != nil && scope.IsTraining(g) && (plan == Learned || plan == ObjectiveOnly) {
		loss := model.GetGraphParamOr(scope, g, ops.LossParam, level.Objective.DType())
		train.AddRegularizationLoss(ops.Rounded(Neg(level.Objective), loss))
	}

	x := nn.ELU(filterNorm(scope, l.signal, level.Neighbourhood, l.gate(level), nil, l.filters))
	x = nn.Dropout(scope, x, l.options.Dropout)
	if l.blocks > 0 {
		neighbourhood, gate := l.around(level)
		x = residual(scope, x, neighbourhood, gate, nil, l.blocks)
	}
	level.Blocks, level.nodes, level.built = l.blocks, l.signal.Shape().Dim(1), x.Id()
	scope.SetGraphParam(g, levelKey, level)
	return x, level.Coarse
}

// around reads the clusters around each cluster, over which residual blocks filter, int32 `[K, reach]`. The gates are
// 1, or 0 for an empty slot. A frozen hierarchy keeps them for all of its hierarchies; a learned one has those that
// Hold found, of which a step in training reads the hierarchy that was drawn.
func (l *Layer) around(level Level) (neighbourhood, gate *Node) {
	g := l.signal.Graph()
	if coarse, ok := level.Coarse.(frozen); ok {
		const anyReach = 0
		neighbourhood, gate, _ = coarse.kept(l.scope, g, aroundNodes, aroundPresent, l.clusters, anyReach)
		return neighbourhood, ops.Rounded(gate, l.signal.DType())
	}
	if l.scope.GetVariable(aroundNodes) == nil {
		exceptions.Panicf("%s: residual blocks need the clusters around each cluster; prepare the hierarchy, or call "+
			"Preparation.Hold, with this level in Around", l.scope.Scope())
	}
	hierarchies := severalOf(l.scope, g)
	read := func(name string) *Node {
		return hierarchies.one(l.scope.GetVariable(name).SetTrainable(false).NodeValue(g))
	}
	return read(aroundNodes), ops.Rounded(read(aroundPresent), l.signal.DType())
}

// cluster computes the level's cluster step.
func (l *Layer) cluster() (level Level) {
	f, ok := l.affinity.(frozen)
	if prepared := l.scope.GetVariable(hardClusters) != nil; prepared && !ok {
		f, ok = frozen{nodes: l.affinity.Nodes(), side: 1}, true
	}
	if ok {
		return f.cluster(l)
	}
	scope, several := l.scope, severalOf(l.scope, l.signal.Graph())
	var rank *Node
	if of := scope.GetVariable(candidateClusters); of != nil {
		a, ok := l.affinity.(sparse)
		if !ok {
			exceptions.Panicf("%s: candidates need an affinity whose edges are known, not a %T; the level before must "+
				"have candidates too", scope.Scope(), l.affinity)
		}
		clusters := tensors.MustCopyFlatData[int32](of.SetTrainable(false).MustValue())
		c := candidates{of: clusters, c: of.Shape().Dim(1), k: l.clusters}
		level = clusterAmong(scope.At(variables.Tables), a, l.memberships(several, c.c), c)
	} else {
		level, rank = cluster(l.affinity, l.memberships(several, l.clusters))
	}
	switch held := scope.GetVariable(heldNeighbourhoods); {
	case held != nil:
		level = l.held(level, several, held)
	case rank == nil || l.options.Slots != rankSlots:
		exceptions.Panicf("%s: candidates, and slots that are %s or %s, need neighbourhoods of the memberships at "+
			"the start; call Preparation.Hold before", scope.Scope(), directedSlots, randomSlots)
	default:
		level = level.at(selectNodes(rank, l.size))
	}
	if l.options.Hierarchy == ObjectiveOnly {
		level.Rank = StopGradient(level.Rank) // all of the task's gradient to U, at this level and below, passes here
	}
	return level
}

// memberships computes the softmax of U, see membershipsIn. Result `[N, width]`.
func (l *Layer) memberships(of several, width int) *Node {
	x, rate := l.signal, l.options.MembershipRate
	v := membershipsIn(l.scope, x.DType(), rate, l.affinity.Nodes()*of.n, width)
	return Softmax(MulScalar(ops.Rounded(of.one(v.NodeValue(x.Graph())), x.DType()), rate), -1)
}

// membershipsIn creates or finds the variable V of U = rate·V, `[rows, width]`. One that is there keeps its type: Hold
// draws them in float32, also for layers that compute in float64. Adam's step does not depend on the scale of a
// gradient, so U moves `rate` times as fast as the other weights, with one optimizer.
func membershipsIn(scope *model.Scope, dtype dtypes.DType, rate float64, rows, width int) *model.Variable {
	if v := scope.GetVariable(membershipsName); v != nil && v.DType().IsFloat() {
		dtype = v.DType()
	}
	return ops.NormalVariable(scope, membershipsName, 0, 1/rate, dtype, rows, width)
}

// gateStd is σ₁ and σ₂ of the first values α ~ N(1, σ₁²) and β ~ N(0, σ₂²).
const gateStd = 0.1

// gate computes σ(α·rank + β) with this level's variables, `[K, L]`.
func (l *Layer) gate(level Level) *Node {
	rank := level.Rank
	if level.Objective == nil {
		if gate := frozenGate(l.scope, rank); gate != nil {
			return gate
		}
	}
	alpha := ops.NormalVariable(l.scope, alphaName, 1, gateStd, rank.DType(), 1, 1)
	beta := ops.NormalVariable(l.scope, betaName, 0, gateStd, rank.DType(), 1, 1)
	gate := Sigmoid(Add(Mul(alpha.NodeValue(rank.Graph()), rank), beta.NodeValue(rank.Graph())))
	if l.options.Padding == zeroPadding {
		gate = Where(IsPositive(rank), gate, ZerosLike(gate))
	}
	return gate
}

// check panics where signal, graph, clusters, filters or neighbourhood do not fit together.
func (l *Layer) check() {
	at := l.scope.Scope()
	if l.signal.Rank() != 3 {
		exceptions.Panicf("%s: the signal has shape %s, it must be [batch, nodes, channels]", at, l.signal.Shape())
	}
	if l.affinity == nil {
		exceptions.Panicf("%s: there is no affinity; it is FromMatrix of the graph, or what a Hierarchy gives", at)
	}
	nodes := l.affinity.Nodes()
	if l.signal.Shape().Dim(1) != nodes {
		exceptions.Panicf("%s: the signal has shape %s, but the graph needs [batch, %d, channels]",
			at, l.signal.Shape(), nodes)
	}
	if l.clusters < 1 || l.filters < 1 {
		exceptions.Panicf("%s: %d clusters x %d filters; both must be at least 1", at, l.clusters, l.filters)
	}
	if l.size < 1 || l.size > nodes {
		exceptions.Panicf("%s: L=%d does not fit its %d nodes; lower L or raise the previous level's clusters",
			at, l.size, nodes)
	}
	if err := params.Check(l.options); err != nil {
		exceptions.Panicf("%s: %v", at, err)
	}
}

// The values of Options.Slots.
const (
	rankSlots     = "rank"
	randomSlots   = "random"
	directedSlots = "directed"
)

// zeroPadding is the value of Options.Padding that leaves out nodes of rank 0.
const zeroPadding = "zeros"

// shuffled puts neighbourhoods into the order of randomSlots, a permutation for each cluster. The permutations depend
// on the level's path and L alone.
func shuffled(path string, n Neighbourhoods) Neighbourhoods {
	name := fnv.New64a()
	_, _ = name.Write([]byte(path)) // a hash's Write cannot fail
	random, other := rand.New(rand.NewPCG(name.Sum64(), uint64(n.Size))), Neighbourhoods{Size: n.Size}
	for at := 0; at < len(n.Nodes); at += n.Size {
		for _, l := range random.Perm(n.Size) {
			other.add(n.Nodes[at+l:at+l+1], n.Ranks[at+l:at+l+1])
		}
	}
	return other
}

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
	Slots          string  `param:"ccp_slots" default:"rank" rule:"one of rank|random|directed" auto:"rank|directed"`
	Padding        string  `param:"ccp_padding" default:"nodes" rule:"one of nodes|zeros"`
	Dropout        float64 `param:"ccp_dropout" default:"0" rule:"share"`
}

// optionsOf reads the options of the level in scope. It panics if a parameter has a value that is not allowed, or if
// the store has a parameter whose name begins with ccp_ and that nobody reads.
func optionsOf(scope *model.Scope) Options {
	options := params.Read[Options](scope)
	params.RefuseUnknown(scope.Store())
	return options
}
