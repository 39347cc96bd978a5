package models

import (
	"fmt"

	"github.com/clusterpool/ccp/ccp/nn"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
)

// gatAverage is graph attention (Veličković et al. 2018) without coarsening: a graph attention layer of each level's filters, batch norm
// and ELU, then each filter's average over the nodes, then the readout. Of a level only its filters count.
func gatAverage(scope *model.Scope, spec Spec, graph Topology, signal *Node) *Node {
	x := TransposeAllDims(signal, 1, 0, 2) // what is gathered are rows: a node's whole batch
	for i, level := range spec.Levels {
		scope := scope.In("level_%d", i+1)
		x = nn.ELU(nn.BatchNorm(scope, gatConvolution(scope, graph.Matrix, x, level.Filters, 1), nil))
	}
	return readout(scope, spec, ExpandAxes(ReduceMean(x, 0), 1))
}

// checkHeads says which level's filters are not a multiple of its attention heads.
func (s Spec) checkHeads() error {
	for i, level := range s.Levels {
		if heads := s.Settings.Level(i).GATHeads; level.Filters%heads != 0 {
			return fmt.Errorf("level %d: %d filters are not a multiple of %d attention heads; change its filters or gat_heads", i+1, level.Filters, heads)
		}
	}
	return nil
}
