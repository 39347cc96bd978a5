package models

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/clusterpool/ccp/ccp"
	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/gomlx/gomlx/ml/model"
)

// Filters that do not pool come at the resolutions of a network. Resolution 0 is the input, with a stem and residual
// blocks. Resolution i, from 1, is the clusters of level i, with residual blocks.

// blocks reads Options.Blocks for a network of so many levels.
func (o Options) blocks(levels int) (n []int, err error) {
	for _, part := range strings.Split(o.Blocks, ",") {
		number, err := strconv.Atoi(strings.TrimSpace(part))
		if err != nil || number < 0 {
			return nil, fmt.Errorf("ccp_blocks=%s: it must be whole numbers from 0, the input's and those of "+
				"the levels, such as 1 or 0,1,1", o.Blocks)
		}
		n = append(n, number)
	}
	if len(n) > levels+1 {
		return nil, fmt.Errorf("ccp_blocks=%s: it has numbers for the input and %d levels; the network has %d",
			o.Blocks, len(n)-1, levels)
	}
	return n, nil
}

// Blocks counts the residual blocks at a resolution. There are none at the input without a stem, and none after a
// level of one cluster, which has no neighbours. Blocks panics if Check refuses the option.
func (s Spec) Blocks(resolution int) int {
	o := s.Options
	n, err := o.blocks(len(s.Levels))
	if err != nil {
		panic(err)
	}
	none := resolution == 0 && o.Stem < 1 || resolution > 0 && s.nodesAt(resolution) == 1
	if none || resolution >= len(n) {
		return 0
	}
	return n[resolution]
}

// nodesAt counts the nodes at a resolution.
func (s Spec) nodesAt(resolution int) int {
	if resolution == 0 {
		return s.Nodes
	}
	return s.Levels[resolution-1].Clusters
}

// reach counts the nodes that a filter sees at a resolution, if it does not pool.
func (s Spec) reach(resolution int) int { return min(s.Options.Reach, s.nodesAt(resolution)) }

// Convolutions names the filters that do not pool at a resolution, as their scopes are named: the stem, and two of
// each block.
func (s Spec) Convolutions(resolution int) (parts []string) {
	prefix := ""
	if resolution > 0 {
		prefix = levelName(resolution-1) + model.ScopeSeparator
	} else if s.Options.Stem > 0 {
		parts = []string{stemName}
	}
	for i := range s.Blocks(resolution) {
		for half := range 2 {
			parts = append(parts, fmt.Sprintf("%sblock_%d/%d", prefix, i+1, half+1))
		}
	}
	return parts
}

// ReadAround reads what the filters that do not pool see at a resolution, in one of the hierarchies, from 0. It
// returns the nodes around each node, `[nodes, reach]` row-major, and 1, or 0 for an empty slot. At the input they
// follow from the graph unless slots are directed. The error names the variable that is missing or wrong.
func (s Spec) ReadAround(store *model.Store, graph *affinity.Matrix, resolution, which int) (around []int32,
	present []float32, err error) {
	if resolution > 0 {
		kept := ccp.Kept{Scope: store.Scope(networkScope + levelName(resolution-1)), Hierarchy: which}
		return kept.Around(s.nodesAt(resolution), s.reach(resolution))
	}
	if kept := (ccp.Kept{Scope: store.Scope(networkScope + stemName)}); kept.HasAround() {
		return kept.Around(s.Nodes, s.reach(0))
	}
	around, present = s.preparation(graph).Input()
	return around, present, nil
}

// stemName is the scope of the stem.
const stemName = "stem"
