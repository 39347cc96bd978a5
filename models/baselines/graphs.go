package baselines

import (
	"fmt"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/models"
	"github.com/clusterpool/ccp/models/baselines/internal/graphconv"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
)

func init() {
	models.Register("chebyshev", pooling("Chebyshev filters and Graclus (Defferrard et al. 2016)", graphconv.Chebyshev))
	models.Register("gcn", pooling("graph convolution (Kipf and Welling 2017) and Graclus", graphconv.GCN))
	models.Register("gat", pooling("graph attention (Veličković et al. 2018) and Graclus", graphconv.GAT))
}

// GAT is one layer of graph attention (Veličković et al. 2018) with one head, for networks of one's own. x:
// `[nodes, batch, channels]`, result `[nodes, batch, filters]`. The network "gat" stacks it.
func GAT(scope *model.Scope, graph *affinity.Matrix, x *Node, filters int) *Node {
	return graphconv.GAT(scope, graph, x, filters, 1)
}

// pooling returns the network of a filter.
func pooling(about string, filter graphconv.Filter) models.Network {
	return models.Network{About: about, Recipes: recipes, Levels: models.Spec{Model: "ccp"}.Network().Levels,
		Hidden: true, Check: checkShrinking,
		Build: func(scope *model.Scope, spec models.Spec, graph models.Topology, signal *Node) *Node {
			return spec.Readout(scope, graphconv.Pool(filter, scope, graph.Matrix, spec.Levels, signal))
		}}
}

// checkShrinking returns an error if a level has more clusters than nodes, which pooling cannot make.
func checkShrinking(s models.Spec, _ *affinity.Matrix) error {
	nodes := s.Nodes
	for i, level := range s.Levels {
		if level.Clusters > nodes {
			return fmt.Errorf("level %d: %d clusters of %d nodes; model %s pools, so that there can be no more clusters "+
				"than nodes", i+1, level.Clusters, nodes, s.Model)
		}
		nodes = level.Clusters
	}
	return nil
}
