package models

import (
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
)

// fullyConnected is a multilayer perceptron over all values of the signal at once: the readout without anything before it. It
// knows nothing of the graph. signal: `[batch, nodes, channels]`, result `[batch, classes]`.
func fullyConnected(scope *model.Scope, spec Spec, _ Topology, signal *Node) *Node {
	return readout(scope, spec, signal)
}
