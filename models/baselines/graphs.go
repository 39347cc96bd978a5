package baselines

import (
	"fmt"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/models"
	"github.com/clusterpool/ccp/models/baselines/graphconv"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
)

func init() {
	for name, n := range map[string]struct {
		about  string
		filter graphconv.Filter
	}{
		"chebyshev": {"Chebyshev filters and Graclus (Defferrard et al. 2016)", graphconv.Chebyshev},
		"gcn":       {"graph convolution (Kipf and Welling 2017) and Graclus", graphconv.GCN},
		"gat":       {"graph attention (Veličković et al. 2018) and Graclus", graphconv.GAT},
	} {
		register(name, models.Network{About: n.about, Build: onGraph(graphconv.Pooling(n.filter)),
			Levels: models.Spec{Model: "ccp"}.Network().Levels, Hidden: true, Check: checkShrinking})
	}
}

// onGraph returns the network with such features of a graph's signal, `[batch, nodes, channels]`, and the readout.
func onGraph(of func(scope *model.Scope, graph *affinity.Matrix, levels []models.Level, signal *Node) *Node) func(*model.Scope, models.Spec, models.Topology, *Node) *Node {
	return func(scope *model.Scope, spec models.Spec, graph models.Topology, signal *Node) *Node {
		return spec.Readout(scope, of(scope, graph.Matrix, spec.Levels, signal))
	}
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
