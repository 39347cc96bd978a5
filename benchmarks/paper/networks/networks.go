// Package networks registers the networks that the paper compares CCP with on its own data: those of images, of
// skeletons, and two of graphs. It registers the options of its ablations, too. Import it for its effect.
package networks

import (
	_ "embed"

	"github.com/clusterpool/ccp/ccp/nn"
	"github.com/clusterpool/ccp/models"
	_ "github.com/clusterpool/ccp/models/baselines" // lie-group has the loss of svm
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
)

// recipes are those of all networks here, in the form of models/training/recipes.json.
//
//go:embed recipes.json
var recipes []byte

// network is Network.Build, or the features before its class layers.
type network func(scope *model.Scope, spec models.Spec, graph models.Topology, x *Node) *Node

// readout returns the network that ends in Spec.Readout.
func (features network) readout(scope *model.Scope, spec models.Spec, graph models.Topology, x *Node) *Node {
	return spec.Readout(scope, features(scope, spec, graph, x))
}

// classes returns the network that ends in a class layer without dropout.
func (features network) classes(scope *model.Scope, spec models.Spec, graph models.Topology, x *Node) *Node {
	x = features(scope, spec, graph, x)
	batch := x.Shape().Dim(0)
	return nn.Dense(scope.In("classes"), Reshape(x, batch, x.Shape().Size()/batch), spec.Classes(), 1)
}
