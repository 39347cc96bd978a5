package models

import (
	"github.com/clusterpool/ccp/ccp/affinity"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
)

// fullyConnected is a multilayer perceptron over all values of the signal at once: the readout without anything before it. It
// knows nothing of the graph. signal: `[batch, nodes, channels]`, result `[batch, classes]`.
func fullyConnected(scope *model.Scope, spec Spec, _ *affinity.Matrix, signal *Node) *Node {
	return readout(scope, spec, signal)
}

// fullyConnectedPreset has the widths of FC2500-FC500 of Defferrard et al. (2016) for 20news, those of Lin et al. (2015) for
// cifar10, and two moderate ones for all others.
func fullyConnectedPreset(data string, _ int) Architecture {
	switch data {
	case "20news":
		return Architecture{Hidden: []int{2500, 500}}
	case "cifar10":
		return Architecture{Hidden: []int{4000, 1000, 4000}}
	}
	return Architecture{Hidden: []int{512, 128}}
}
