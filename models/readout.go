package models

import (
	"math"

	"github.com/clusterpool/ccp/ccp/nn"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
)

// readout flattens what is left of the graph and classifies it: for each hidden width dropout, dense, batch norm, ELU; then
// dropout and the class layer. x: `[batch, clusters, filters]`, result `[batch, classes]`.
func readout(scope *model.Scope, spec Spec, x *Node) *Node {
	dropout := func(scope *model.Scope, x *Node) *Node {
		return nn.Dropout(scope, x, optionsOf(scope).ReadoutDropout)
	}
	x = flattened(x)
	for i, width := range spec.Hidden {
		scope := scope.In("fc_%d", i+1)
		product, bias := nn.Linear(scope, dropout(scope, x), width, math.Sqrt2)
		x = nn.ELU(nn.BatchNorm(scope, product, bias))
	}
	scope = scope.In("classes")
	return nn.Dense(scope, dropout(scope, x), spec.Classes, 1)
}

// flattened are all values of a sample in one row. x: `[batch, ...]`, result `[batch, values]`.
func flattened(x *Node) *Node {
	batch := x.Shape().Dim(0)
	return Reshape(x, batch, x.Shape().Size()/batch)
}

// fullyConnected is a multilayer perceptron over all values of the signal, without the graph: the readout with nothing before it.
// signal: `[batch, nodes, channels]`, result `[batch, classes]`.
func fullyConnected(scope *model.Scope, spec Spec, _ Topology, signal *Node) *Node {
	return readout(scope, spec, signal)
}

// linear is one dense layer over all values of the signal, x·W + b, without the graph. Softmax regression and the linear support
// vector machine are this network under two losses; naive Bayes counts its weights. The weights start at zero: the losses are
// convex, and what the training samples never have must not count.
//
// signal: `[batch, nodes, channels]`, result `[batch, classes]`.
func linear(scope *model.Scope, spec Spec, _ Topology, signal *Node) *Node {
	return nn.Dense(scope.In("classes"), flattened(signal), spec.Classes, 0)
}

// linearLacks are options that a linear model has no use for.
var linearLacks = []string{"readout_dropout", "batchnorm_epsilon"}
