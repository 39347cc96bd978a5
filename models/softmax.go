package models

import (
	"github.com/clusterpool/ccp/ccp/nn"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
)

// linear is one dense layer over all values of the signal, x·W + b. Softmax regression and the linear support vector machine
// are this network under two losses, naive Bayes is it with weights that are counted. It knows nothing of the graph. The
// weights start at zero: the losses are convex, and what the training samples never have must not count.
//
// signal: `[batch, nodes, channels]`, result `[batch, classes]`.
func linear(scope *model.Scope, spec Spec, _ Topology, signal *Node) *Node {
	return nn.Dense(scope.In("classes"), flattened(signal), spec.Classes, 0)
}

// linearLacks are options that a linear model has no use for.
var linearLacks = []string{"readout_dropout", "batchnorm_momentum", "batchnorm_epsilon"}
