package models

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/clusterpool/ccp/ccp"
	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/ccp/nn"
	"github.com/clusterpool/ccp/ccp/place"
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
	// Of a level with more memberships than these a node has four: a step takes half the time, and a short training gets further.
	suitedMemberships = 1 << 22
	suitedCandidates  = 4
)

// Suited is the spec with what the settings leave open to suit the graph: the stem's filters, the number of hierarchies, of which a
// hierarchy that is not prepared has one, and the candidates of large levels where memberships are learned.
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
			if small && o.Hierarchy == ccp.Prepared && o.Search != cutSearch && s.interchangeable() == nil {
				o.Hierarchies = suitedHierarchies
			}
		}
	})
	nodes := s.Nodes
	for i, level := range s.Levels {
		if s.Plan() == ccp.Prepared || s.Settings.Level(i).Candidates != 0 || nodes*level.Clusters <= suitedMemberships {
			break // a level has candidates only where the one before it has
		}
		s.Settings = s.Settings.With(levelName(i), func(o *Options) { o.Candidates = min(suitedCandidates, level.Clusters) })
		nodes = level.Clusters
	}
	return s
}

// stem filters the signal at every node's own neighbourhood before anything is pooled, then come residual blocks. signal: `[batch, nodes,
// channels]`, result `[batch, nodes, filters]`.
func stem(scope, tables *model.Scope, spec Spec, graph Topology, signal *Node) *Node {
	o := spec.Settings.Of("")
	if o.Stem < 1 {
		return signal
	}
	g, reach, first := signal.Graph(), spec.stemReach(), scope.In("stem")
	var neighbourhood, gate *Node
	if ccp.HasAround(first) {
		neighbourhood, gate = ccp.Around(first, g, ccp.Frozen(spec.Nodes), reach)
	} else {
		nodes, present := spec.around(graph.Matrix, nil)
		neighbourhood = nn.Indices(tables, g, "nodes", nodes, spec.Nodes, reach)
		gate = nn.Constant(tables, g, "present", tensors.FromFlatDataAndDimensions(present, spec.Nodes, reach))
	}
	x := nn.ELU(ccp.FilterNorm(first, signal, neighbourhood, gate, o.Stem))
	return nn.Dropout(first, residual(scope, x, neighbourhood, gate, o.Blocks), o.Dropout)
}

// residual are blocks x ← ELU(x + norm(filter(ELU(norm(filter(x)))))), each at every node's own neighbourhood. x: `[batch, nodes, channels]`,
// and so is the result.
func residual(scope *model.Scope, x, neighbourhood, gate *Node, blocks int) *Node {
	filters := x.Shape().Dim(2)
	for i := range blocks {
		scope := scope.In("%s", blockName(i))
		y := nn.ELU(ccp.FilterNorm(scope.In("1"), x, neighbourhood, gate, filters))
		x = nn.ELU(Add(x, ccp.FilterNorm(scope.In("2"), y, neighbourhood, gate, filters)))
	}
	return x
}

// blockName is the scope of a residual block, counted from 0.
func blockName(i int) string { return fmt.Sprintf("block_%d", i+1) }

// StemParts names the stem's convolutions, the first and two of each residual block, as their scopes are named; none without a stem.
func (s Spec) StemParts() (parts []string) {
	o := s.Settings.Of("")
	if o.Stem > 0 {
		parts = append([]string{"stem"}, blockParts("", o.Blocks)...)
	}
	return parts
}

// Blocks is how many residual blocks follow level i, counted from 0: none after a level of one cluster, which has no neighbours.
func (s Spec) Blocks(i int) int {
	if s.Levels[i].Clusters == 1 {
		return 0
	}
	return s.Settings.Level(i).LevelBlocks
}

// BlockParts names the convolutions of the residual blocks after level i, counted from 0, as their scopes are named.
func (s Spec) BlockParts(i int) []string {
	return blockParts(levelName(i)+model.ScopeSeparator, s.Blocks(i))
}

func blockParts(prefix string, blocks int) (parts []string) {
	for i := range blocks {
		for _, half := range []string{"1", "2"} {
			parts = append(parts, prefix+blockName(i)+model.ScopeSeparator+half)
		}
	}
	return parts
}

// ReadAround reads what the filters of the blocks after level i, from 0, see in one of the hierarchies, counted from 0: clusters around each
// cluster, `[clusters, reach]` row-major, and 1, or 0 for a slot that none fills. The error names the variable that is missing or wrong.
func (s Spec) ReadAround(store *model.Store, i, which int) (around []int32, present []float32, err error) {
	return ccp.ReadAround(store.Scope(networkScope+levelName(i)), which, s.Levels[i].Clusters, s.reach(i))
}

// ReadStem reads what a stem's filters see, as ReadAround does for the blocks after a level. Where the slots are not directed it is in no
// variable, but follows from the graph.
func (s Spec) ReadStem(store *model.Store, m *affinity.Matrix) (around []int32, present []float32, err error) {
	if scope := store.Scope(stemScope); ccp.HasAround(scope) {
		return ccp.ReadAround(scope, 0, s.Nodes, s.stemReach())
	}
	around, present = s.around(m, nil)
	return around, present, nil
}

// stemScope is where a stem's neighbourhoods are kept.
const stemScope = networkScope + "stem"

// stemReach is how many nodes a stem's filter sees.
func (s Spec) stemReach() int { return min(s.Settings.Of("").Reach, s.Nodes) }

// around is what a stem's filters see: each node's nearest by hops, itself among them, `[nodes, reach]` row-major, in the order of their
// numbers. Where the slots are directed they are in that of their directions, by positions or, if these are nil, by the graph alone, and none is
// farther than nearestWithin has it. present is 1, or 0 where there is no node.
func (s Spec) around(m *affinity.Matrix, positions [][]float64) (nodes []int32, present []float32) {
	reach := s.stemReach()
	var is []float64
	if s.Settings.Of("").Slots == ccp.DirectedSlots {
		if positions == nil {
			positions = place.Embed(m)
		}
		nodes, is = nearestWithin(m, reach)
		nodes, is = place.Directed(positions, positions, nodes, is, m.N(), reach)
	} else {
		nodes, _ = place.Nearest(m, reach)
		is = presence(nodes)
		for i := 0; i < len(nodes); i += reach {
			slices.SortFunc(nodes[i:i+reach], func(a, b int32) int { return cmp.Compare(uint32(a), uint32(b)) }) // -1 comes last, as in is
		}
	}
	return filled(nodes, is)
}

// filled are neighbourhoods as they are kept: node 0 in slots that have none, and the gates.
func filled(nodes []int32, present []float64) ([]int32, []float32) {
	gates := make([]float32, len(nodes))
	for i := range nodes {
		nodes[i], gates[i] = max(0, nodes[i]), float32(present[i])
	}
	return nodes, gates
}

// nearestWithin are each node's nearest, and 1 where there is one. None is farther than the hops within which the best-connected tenth of the
// nodes find `reach`: at a border, a slot whose direction leads out of the graph stays empty. Of a small coarse graph few nodes are inside.
func nearestWithin(m *affinity.Matrix, reach int) (nodes []int32, present []float64) {
	nodes, hops := place.Nearest(m, reach)
	var farthest []int32
	for last := reach - 1; last < len(hops); last += reach {
		if hops[last] >= 0 {
			farthest = append(farthest, hops[last])
		}
	}
	if len(farthest) > 0 {
		slices.Sort(farthest)
		within := farthest[len(farthest)/10]
		for i := range nodes {
			if hops[i] > within {
				nodes[i] = -1
			}
		}
	}
	return nodes, presence(nodes)
}

// presence is 1 for each node, and 0 for -1.
func presence(nodes []int32) []float64 {
	is := make([]float64, len(nodes))
	for i, node := range nodes {
		if node >= 0 {
			is[i] = 1
		}
	}
	return is
}
