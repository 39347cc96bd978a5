package models

import (
	"github.com/clusterpool/ccp/ccp"
	"github.com/clusterpool/ccp/ccp/affinity"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
)

const (
	// ParamNormalizeInput divides the input affinity by √(dᵢdⱼ) (bool, default true): Algorithm 2's input is normalised,
	// and raw degrees saturate the gates.
	ParamNormalizeInput = "ccp_normalize_input"
)

// clusterPooling is the name of the paper's model.
const clusterPooling = "ccp"

// Clusters says whether the model has clusters, the memberships of which come about as ccp.ParamHierarchy says.
func (s Spec) Clusters() bool { return s.Model == clusterPooling }

// ccpNetwork is the paper's network: stacked levels of convolutional cluster pooling, then the readout.
func ccpNetwork(scope *model.Scope, spec Spec, graph *affinity.Matrix, signal *Node) *Node {
	x := signal
	var a ccp.Affinity
	if !ccp.IsFrozen(scope) {
		if model.GetParamOr(scope, ParamNormalizeInput, true) {
			graph = graph.Normalized()
		}
		if spec.restricted(0) {
			a = ccp.NewSparse(scope.In(GraphScope), signal.Graph(), graph, signal.DType())
		} else {
			a = ccp.FromMatrix(scope.In(GraphScope), signal.Graph(), graph, signal.DType())
		}
	}
	for i, level := range spec.Levels {
		x, a = ccp.New(scope.In("level_%d", i+1), x, a, level.Clusters, level.Filters).Neighbours(level.Neighbours).Done()
	}
	return readout(scope, spec, x)
}

// GraphScope is where a network keeps the affinity as variables. They are made from the checkpoint's graph, not saved.
const GraphScope = "graph"
