package models

import (
	"fmt"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/ccp/nn"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
)

// gatAverage is graph attention (Veličković et al. 2018) without coarsening: a graph attention layer of each level's filters, batch norm
// and ELU, then each filter's average over the nodes, then the readout. Of a level only its filters count.
func gatAverage(scope *model.Scope, spec Spec, graph *affinity.Matrix, signal *Node) *Node {
	x := TransposeAllDims(signal, 1, 0, 2) // what is gathered are rows: a node's whole batch
	for i, level := range spec.Levels {
		scope := scope.In("level_%d", i+1)
		x = nn.ELU(nn.BatchNorm(scope, gatConvolution(scope, graph, x, level.Filters, 1), nil))
	}
	return readout(scope, spec, ExpandAxes(ReduceMean(x, 0), 1))
}

// gatAveragePreset has three layers of 32, 64 and 128 filters; on a large graph, where their time and memory are those of a convolution on
// all nodes, two of 32. The average is classified without a hidden layer.
func gatAveragePreset(_ string, nodes int) (a Architecture) {
	filters := []int{32, 64, 128}
	if nodes > 4096 {
		filters = []int{32, 32}
	}
	for _, f := range filters {
		a.Levels = append(a.Levels, Level{Clusters: nodes, Filters: f, Neighbours: 1})
	}
	return a
}

// checkHeads says which level's filters are not a multiple of its attention heads.
func (s Spec) checkHeads() error {
	for i, level := range s.Levels {
		heads := 1.0
		for _, path := range []string{ParamGATHeads, fmt.Sprintf("level_%d/%s", i+1, ParamGATHeads)} {
			if value, ok := s.Params[path].(float64); ok {
				heads = value
			}
		}
		if level.Filters%int(heads) != 0 {
			return fmt.Errorf("level %d: %d filters are not a multiple of %g attention heads; change its filters or %s", i+1, level.Filters, heads, ParamGATHeads)
		}
	}
	return nil
}
