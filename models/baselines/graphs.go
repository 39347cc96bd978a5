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
	register("graph-cnn", models.Network{About: "Graph-CNN with graph embed pooling (Such et al. 2017)",
		Build: onGraph(graphconv.GraphCNN), Levels: graphCNNLevels, Hidden: true})
	register("gat-average", models.Network{About: "graph attention and global average pooling (Veličković et al. 2018)",
		Build: onGraph(graphconv.GATAverage), Levels: gatAverageLevels, Hidden: true})
}

// onGraph returns the network with such features of a graph's signal, `[batch, nodes, channels]`, and the readout.
func onGraph(of func(scope *model.Scope, graph *affinity.Matrix, levels []models.Level, signal *Node) *Node) network {
	return network(func(scope *model.Scope, spec models.Spec, graph models.Topology, signal *Node) *Node {
		return of(scope, graph.Matrix, spec.Levels, signal)
	}).readout
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

// graphCNNLevels returns the levels of the authors' network for NCI1: a filter of 64 channels, 32 clusters, a filter of
// 32 channels, 8 clusters. Small graphs get fewer clusters.
func graphCNNLevels(nodes int) []models.Level {
	level := func(clusters, filters int) models.Level {
		return models.Level{Clusters: min(clusters, (nodes+1)/2), Filters: filters, Neighbours: 1}
	}
	return []models.Level{level(32, 64), level(8, 32)}
}

// gatAverageLevels returns three levels of 32, 64 and 128 filters. Each level convolves all nodes, so that a large
// graph gets only two levels of 32. The average is classified without a hidden layer.
func gatAverageLevels(nodes int) (levels []models.Level) {
	filters := []int{32, 64, 128}
	if nodes > 4096 {
		filters = []int{32, 32}
	}
	for _, f := range filters {
		levels = append(levels, models.Level{Clusters: nodes, Filters: f, Neighbours: 1})
	}
	return levels
}
