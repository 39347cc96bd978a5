package models

import (
	"fmt"
	"slices"

	"github.com/clusterpool/ccp/ccp"
	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/ccp/place"
)

// directed says whether level i, from 0, has directed slots.
func (s Spec) directed(i int) bool { return s.Settings.Level(i).Slots == ccp.DirectedSlots }

// checkSlots says which level has directed slots or blocks though its neighbourhoods are not known before the training, and that there is no
// search to go another way.
func (s Spec) checkSlots() error {
	if s.Settings.Of("").Search == cutSearch && s.Plan() != ccp.Prepared && !s.restricted(0) {
		return fmt.Errorf("ccp_search=%s is of a hierarchy that is searched, but this one is %v; use --hierarchy %v, or leave the setting out", cutSearch, s.Plan(), ccp.Prepared)
	}
	for i := range s.Levels {
		if s.directed(i) && s.Plan() != ccp.Prepared {
			return fmt.Errorf("level %d has ccp_slots=%s, which takes ccp_hierarchy=%v, but the hierarchy is %v: its neighbourhoods change in training; use --hierarchy %v, or ccp_slots=rank",
				i+1, ccp.DirectedSlots, ccp.Prepared, s.Plan(), ccp.Prepared)
		}
		if s.Blocks(i) > 0 && s.Plan() != ccp.Prepared {
			return fmt.Errorf("level %d has ccp_level_blocks, which take ccp_hierarchy=%v, but the hierarchy is %v: its clusters' neighbours change in training; use --hierarchy %v, or ccp_level_blocks=0",
				i+1, ccp.Prepared, s.Plan(), ccp.Prepared)
		}
	}
	return nil
}

// placed says whether anything needs the nodes' positions: cuts, a stem's slots or those of a level.
func (s Spec) placed() bool {
	o := s.Settings.Of("")
	needed := o.Search == cutSearch || o.Slots == ccp.DirectedSlots
	for i := range s.Levels {
		needed = needed || s.directed(i)
	}
	return needed
}

// positionsOf are the nodes' positions, `[N, axes]`: the coordinates that the data has, `[N, d]` row-major, where they tell all nodes apart, else
// what the graph alone says, see place.Embed.
func positionsOf(a *affinity.Matrix, coordinates []float64) [][]float64 {
	if len(coordinates) == 0 {
		return place.Embed(a)
	}
	positions := slices.Collect(slices.Chunk(coordinates, len(coordinates)/a.N()))
	sorted := slices.SortedFunc(slices.Values(positions), slices.Compare)
	if len(slices.CompactFunc(sorted, slices.Equal)) < a.N() {
		return place.Embed(a)
	}
	return positions
}

// table is neighbourhoods of the searched hierarchies, one after the other, each with node numbers of its own.
type table struct {
	nodes           []int32 // [H·K, L]
	ranks           []float64
	places, centres [][]float64 // of the nodes, [H·N], and of the clusters, [H·K], where slots are directed
}

func (t *table) add(nodes []int32, ranks []float64, places, centres [][]float64) {
	t.nodes, t.ranks = append(t.nodes, nodes...), append(t.ranks, ranks...)
	t.places, t.centres = append(t.places, places...), append(t.centres, centres...)
}

// direct puts the neighbourhoods of all hierarchies, of `size` nodes each, into the order of slots that lie in the same direction from
// every cluster of every hierarchy.
func (t *table) direct(hierarchies, size int) {
	k, n := len(t.nodes)/size, int32(len(t.places)/hierarchies)
	for i, node := range t.nodes {
		if node >= 0 {
			t.nodes[i] += int32(i/(size*k/hierarchies)) * n
		}
	}
	t.nodes, t.ranks = place.Directed(t.places, t.centres, t.nodes, t.ranks, k, size)
	for i := range t.nodes {
		t.nodes[i] %= n
	}
}
