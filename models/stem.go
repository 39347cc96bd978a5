package models

import (
	"cmp"
	"fmt"
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
// convolutions at every node, and several hierarchies are computed side by side: large graphs get neither. A stem of no more filters
// than the signal has channels would only narrow it.
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
			if small && s.Channels < suitedStem {
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
	if o.Stem < 1 {
		return signal
	}
	nodes, present := spec.Around(graph.Matrix)
	g, reach := signal.Graph(), len(nodes)/spec.Nodes
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

// StemParts names the stem's convolutions, the first and two of each residual block, as their scopes are named; none without a stem.
func (s Spec) StemParts() (parts []string) {
	o := s.Settings.Of("")
	if o.Stem > 0 {
		parts = append(parts, "stem")
		for i := range o.Blocks {
			block := fmt.Sprintf("block_%d/", i+1)
			parts = append(parts, block+"1", block+"2")
		}
	}
	return parts
}

// Around is what a stem's filters see: each node's nearest by hops, itself among them, `[nodes, reach]` row-major, in the order of their
// numbers, or where the slots are directed in that of their directions. present is 1, or 0 where there is no node.
func (s Spec) Around(m *affinity.Matrix) (nodes []int32, present []float32) {
	reach := min(s.Settings.Of("").Reach, m.N())
	nodes = place.Nearest(m, reach)
	is := make([]float64, len(nodes))
	for i, node := range nodes {
		if node >= 0 {
			is[i] = 1
		}
	}
	if s.Settings.Of("").Slots == ccp.DirectedSlots {
		positions := place.Embed(m)
		nodes, is = place.Directed(positions, positions, nodes, is, m.N(), reach)
	} else {
		for i := 0; i < len(nodes); i += reach {
			slices.SortFunc(nodes[i:i+reach], func(a, b int32) int { return cmp.Compare(uint32(a), uint32(b)) }) // -1 comes last, as in is
		}
	}
	present = make([]float32, len(nodes))
	for i := range nodes {
		nodes[i], present[i] = max(0, nodes[i]), float32(is[i])
	}
	return nodes, present
}
