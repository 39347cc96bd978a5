package networks

import (
	"fmt"

	"github.com/clusterpool/ccp/benchmarks/paper/networks/internal/grids"
	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/models"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
)

func init() {
	models.Register("cnn",
		models.Network{Recipes: recipes, About: "convolutional network with stochastic pooling (Zeiler and Fergus 2013)",
			Build: onGrid(grids.StochasticCNN), Check: checkGrid, Lacks: []string{"readout_dropout"}})
	models.Register("resnet", models.Network{Recipes: recipes, About: "residual network (He et al. 2016)",
		Build: resNet(20), Check: checkGrid, Lacks: []string{"readout_dropout"}}) // the authors' smallest depth for CIFAR-10
}

// resNet is the residual network with so many layers.
func resNet(depth int) network {
	return onGrid(func(scope *model.Scope, x *Node) *Node { return grids.ResNet(scope, x, depth) })
}

// onGrid returns the network with the features that a function makes of the signal, `[batch, rows, columns, channels]`,
// and a class layer. The edges of the graph are not used.
func onGrid(features func(scope *model.Scope, x *Node) *Node) network {
	return network(func(scope *model.Scope, spec models.Spec, _ models.Topology, signal *Node) *Node {
		return features(scope, Reshape(signal, -1, spec.Grid[0], spec.Grid[1], spec.Channels))
	}).classes
}

// checkGrid returns an error if the nodes are no grid.
func checkGrid(s models.Spec, _ *affinity.Matrix) error {
	switch {
	case s.Grid == nil:
		return fmt.Errorf("model %s needs nodes on a grid, such as an image's pixels; this data has none", s.Model)
	case len(s.Grid) != 2 || s.Grid[0] < 1 || s.Grid[1] < 1 || s.Grid[0]*s.Grid[1] != s.Nodes:
		return fmt.Errorf("model %s: the grid is %v, which is not rows and columns of the %d nodes", s.Model, s.Grid, s.Nodes)
	}
	return nil
}
