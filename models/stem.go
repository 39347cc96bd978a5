package models

import (
	"cmp"
	"math"
	"slices"

	"github.com/clusterpool/ccp/ccp"
	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/ccp/nn"
	"github.com/clusterpool/ccp/ccp/place"
	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
)

// What a graph of at most suitedNodes gets where the settings leave it open, see docs/defaults.md. A stem takes the time and memory of
// convolutions at every node, and several hierarchies are computed side by side: large graphs get neither.
const (
	suitedNodes       = 4096
	suitedStem        = 16
	suitedHierarchies = 8
)

// Suited is the spec with what the settings leave open to suit the graph: the stem's filters and the number of hierarchies, of which a
// hierarchy that is not prepared has one.
func (s Spec) Suited() Spec {
	small := s.Nodes <= suitedNodes
	s.Settings = s.Settings.With("", func(o *Options) {
		if o.Stem < 0 {
			o.Stem = 0
			if small {
				o.Stem = suitedStem
			}
		}
		if o.Hierarchies == 0 {
			o.Hierarchies = 1
			if small && o.Hierarchy == ccp.Prepared && s.interchangeable() == nil {
				o.Hierarchies = suitedHierarchies
			}
		}
	})
	return s
}

// stem filters the signal at every node's own neighbourhood before anything is pooled: ELU(norm(filter)), then residual blocks
// ELU(x + norm(filter(ELU(norm(filter(x)))))). signal: `[batch, nodes, channels]`, result `[batch, nodes, filters]`.
func stem(scope, tables *model.Scope, spec Spec, graph Topology, signal *Node) *Node {
	o := spec.Settings.Of("")
	if o.Stem == 0 {
		return signal
	}
	around := spec.nearest(graph.Matrix, o.Reach)
	nodes, present := make([]int32, len(around)), make([]float32, len(around))
	for i, node := range around {
		if node >= 0 {
			nodes[i], present[i] = node, 1
		}
	}
	g, reach := signal.Graph(), len(around)/spec.Nodes
	neighbourhood := nn.Indices(tables, g, "nodes", nodes, spec.Nodes, reach)
	gate := nn.Constant(tables, g, "present", tensors.FromFlatDataAndDimensions(present, spec.Nodes, reach))
	convolve := func(scope *model.Scope, x *Node) *Node {
		channels := x.Shape().Dim(2)
		std := math.Sqrt(2 / float64(reach*channels))
		w := nn.NormalVariable(scope, "W", 0, std, dtypes.Float32, o.Stem, reach, channels).NodeValue(g)
		return nn.BatchNorm(scope, ccp.Filter(x, neighbourhood, gate, nn.Decay(scope, w)), nn.Bias(scope, x, o.Stem))
	}
	first := scope.In("stem")
	x := nn.ELU(convolve(first, signal))
	for i := range o.Blocks {
		scope := scope.In("block_%d", i+1)
		x = nn.ELU(Add(x, convolve(scope.In("2"), nn.ELU(convolve(scope.In("1"), x)))))
	}
	return nn.Dropout(first, x, o.Dropout)
}

// nearest lists each node's size nearest by hops, itself among them; -1 where there are fewer. They are in the order of their numbers,
// or where the slots are directed in that of their directions.
func (s Spec) nearest(m *affinity.Matrix, size int) []int32 {
	size = min(size, m.N())
	nodes := place.Nearest(m, size)
	if s.Settings.Of("").Slots == ccp.DirectedSlots {
		ranks := make([]float64, len(nodes))
		for i, node := range nodes {
			if node >= 0 {
				ranks[i] = 1
			}
		}
		positions := place.Embed(m)
		nodes, ranks = place.Directed(positions, positions, nodes, ranks, m.N(), size)
		for i, rank := range ranks {
			if rank == 0 {
				nodes[i] = -1
			}
		}
		return nodes
	}
	for row := range slices.Chunk(nodes, size) {
		slices.SortFunc(row, func(a, b int32) int { return cmp.Compare(uint32(a), uint32(b)) }) // those that are not come last
	}
	return nodes
}
