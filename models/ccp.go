package models

import (
	"fmt"

	"github.com/clusterpool/ccp/ccp"
	"github.com/clusterpool/ccp/ccp/nn"
	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
)

// clusterPooling is the name of the paper's model.
const clusterPooling = "ccp"

// Clusters says whether the model has clusters, the memberships of which come about as Spec.Plan says.
func (s Spec) Clusters() bool { return s.Model == clusterPooling }

// ccpNetwork is the paper's network: stacked levels of convolutional cluster pooling, then the readout. With several hierarchies the
// result is the mean of their logits; in training, those of one.
func ccpNetwork(scope *model.Scope, spec Spec, graph Topology, signal *Node) *Node {
	hierarchies, tables := 1, scope.In(GraphScope)
	var a ccp.Affinity
	switch m := graph.Normalized(); {
	case graph.Frozen && spec.Hierarchies() > 1 && scope.IsTraining(signal.Graph()):
		which := MulScalar(nn.Uniform(scope, signal, "hierarchy"), float64(spec.Hierarchies()))
		a = ccp.FrozenDraw(spec.Nodes, ConvertDType(which, dtypes.Int32))
	case graph.Frozen:
		a, hierarchies = ccp.Frozen(spec.Nodes), spec.Hierarchies()
	case spec.restricted(0):
		a = ccp.NewSparse(tables, signal.Graph(), m, signal.DType())
	default:
		a = ccp.FromMatrix(tables, signal.Graph(), m, signal.DType())
	}
	x := stem(scope, tables.In("around"), spec, graph, signal)
	for i, level := range spec.Levels {
		scope := scope.In("%s", levelName(i))
		x, a = ccp.New(scope, x, a, level.Clusters, level.Filters).Neighbours(level.Neighbours).Done()
		if blocks := spec.Blocks(i); blocks > 0 {
			neighbourhood, gate := ccp.Around(scope, x.Graph(), a, spec.reach(i))
			x = residual(scope, x, neighbourhood, gate, blocks)
		}
	}
	if hierarchies == 1 {
		return readout(scope, spec, x)
	}
	batch := x.Shape().Dim(0)
	x = Reshape(x, batch*hierarchies, x.Shape().Dim(1)/hierarchies, x.Shape().Dim(2))
	return ReduceMean(Reshape(readout(scope, spec, x), batch, hierarchies, spec.Classes), 1)
}

// Hierarchies is how many the network has: one, where there is nothing to cluster.
func (s Spec) Hierarchies() int {
	if len(s.Levels) == 0 {
		return 1
	}
	return max(1, s.Settings.Of("").Hierarchies)
}

// checkHierarchies says why a network cannot have the several hierarchies that it is to have.
func (s Spec) checkHierarchies() error {
	n := s.Hierarchies()
	if n == 1 {
		return nil
	}
	if plan := s.Plan(); plan != ccp.Prepared {
		return fmt.Errorf("ccp_hierarchies=%d: only prepared hierarchies can be several, this one is %s; give --hierarchy prepared, or ccp_hierarchies=1", n, plan)
	}
	if s.Settings.Of("").Search == cutSearch {
		return fmt.Errorf("ccp_hierarchies=%d: ccp_search=%s finds one hierarchy only; use ccp_search=anneal, or ccp_hierarchies=1", n, cutSearch)
	}
	if err := s.interchangeable(); err != nil {
		return fmt.Errorf("ccp_hierarchies=%d: %w, or use ccp_hierarchies=1", n, err)
	}
	return nil
}

// interchangeable says which weights belong to the clusters of one hierarchy, and so cannot serve another.
func (s Spec) interchangeable() error {
	for i, level := range s.Levels {
		if gates := s.Settings.Level(i).Gates; gates != "level" {
			return fmt.Errorf("level %d has ccp_gates=%s, which are for the clusters of one hierarchy; use ccp_gates=level", i+1, gates)
		}
		if i == len(s.Levels)-1 && level.Clusters > 1 {
			return fmt.Errorf("the last level has %d clusters, whose weights belong to one hierarchy; end with a level of 1 cluster", level.Clusters)
		}
	}
	return nil
}

// GraphScope is where a network keeps the affinity as variables. They are made from the checkpoint's graph, not saved.
const GraphScope = "graph"
