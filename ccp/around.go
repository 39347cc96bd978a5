package ccp

import (
	"errors"
	"math"

	"github.com/clusterpool/ccp/ccp/nn"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
)

// The names of a level's variables for filters between its clusters.
const (
	aroundClusters = "around"
	aroundPresent  = "around_present"
)

// SetAround gives the level in scope the neighbourhoods of its clusters among themselves, for filters that do not pool: `reach` clusters
// around each, row-major, present 1, or 0 for a slot that no cluster fills. Of several hierarchies they are those of one after the
// other, each with numbers of its own.
func SetAround(scope *model.Scope, clusters []int32, present []float32, reach int) error {
	k := len(clusters) / reach
	return errors.Join(keep(scope, aroundClusters, tensors.FromFlatDataAndDimensions(clusters, k, reach)),
		keep(scope, aroundPresent, tensors.FromFlatDataAndDimensions(present, k, reach)))
}

// HasAround says whether SetAround has kept neighbourhoods for the level in scope.
func HasAround(scope *model.Scope) bool { return scope.GetVariable(aroundClusters) != nil }

// Around are the neighbourhoods that SetAround kept for the level in scope, int32 `[K, reach]`, and their gates, 1 or 0, for the clusters
// of coarse, which that level's Done returned. Where that is not frozen, its memberships must be those of SetClusters.
func Around(scope *model.Scope, g *Graph, coarse Affinity, reach int) (neighbourhood, gate *Node) {
	f, ok := coarse.(frozen)
	if !ok {
		f = frozen{nodes: coarse.Nodes(), side: 1}
	}
	neighbourhood, gate, _ = f.kept(scope, g, aroundClusters, aroundPresent, f.nodes, reach)
	if k := coarse.Nodes(); neighbourhood.Shape().Dim(0) > k { // hard memberships are those of the first hierarchy
		neighbourhood, gate = Slice(neighbourhood, AxisRange(0, k)), Slice(gate, AxisRange(0, k))
	}
	return neighbourhood, gate
}

// FilterNorm is the batch normalisation of a Filter whose kernel and bias are variables of scope. It does not pool where the
// neighbourhoods are those of the nodes themselves. signal: `[batch, N, C]`, neighbourhood: int32 `[N, reach]`, gate: `[N, reach]`. Result
// `[batch, N, filters]`.
func FilterNorm(scope *model.Scope, signal, neighbourhood, gate *Node, filters int) *Node {
	w, b := kernel(scope, signal, neighbourhood.Shape().Dim(1), filters)
	return nn.BatchNorm(scope, filterIn(nn.NarrowDType(scope, signal), signal, neighbourhood, gate, w), b)
}

// kernel are W, `[filters, size, C]`, with its decay, and b, `[filters]`, of scope.
func kernel(scope *model.Scope, signal *Node, size, filters int) (w, b *Node) {
	channels := signal.Shape().Dim(2)
	std := math.Sqrt(2 / float64(size*channels)) // He et al. 2015
	w = nn.NormalVariable(scope, kernelName, 0, std, signal.DType(), filters, size, channels).NodeValue(signal.Graph())
	return nn.Decay(scope, w), nn.Bias(scope, signal, filters)
}
