package models

import (
	"github.com/clusterpool/ccp/ccp"
	"github.com/clusterpool/ccp/ccp/affinity"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
)

// clusterPooling is the name of the paper's model.
const clusterPooling = "ccp"

// Clusters says whether the model has clusters, the memberships of which come about as Spec.Plan says.
func (s Spec) Clusters() bool { return s.Model == clusterPooling }

// affinity is the graph that the levels are built on, see Options.NormalizeInput.
func (s Spec) affinity(a *affinity.Matrix) *affinity.Matrix {
	if s.Settings.Of("").NormalizeInput {
		return a.Normalized()
	}
	return a
}

// ccpNetwork is the paper's network: stacked levels of convolutional cluster pooling, then the readout.
func ccpNetwork(scope *model.Scope, spec Spec, graph Topology, signal *Node) *Node {
	var a ccp.Affinity = ccp.Frozen(spec.Nodes)
	if !graph.Frozen {
		m := spec.affinity(graph.Matrix)
		if spec.restricted(0) {
			a = ccp.NewSparse(scope.In(GraphScope), signal.Graph(), m, signal.DType())
		} else {
			a = ccp.FromMatrix(scope.In(GraphScope), signal.Graph(), m, signal.DType())
		}
	}
	x := signal
	for i, level := range spec.Levels {
		x, a = ccp.New(scope.In("%s", levelName(i)), x, a, level.Clusters, level.Filters).Neighbours(level.Neighbours).Done()
	}
	return readout(scope, spec, x)
}

// GraphScope is where a network keeps the affinity as variables. They are made from the checkpoint's graph, not saved.
const GraphScope = "graph"
