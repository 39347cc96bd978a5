package models

import (
	"fmt"

	"github.com/clusterpool/ccp/ccp"
	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/ccp/place"
)

// directed says whether level i, from 0, has directed slots.
func (s Spec) directed(i int) bool { return s.Settings.Level(i).Slots == ccp.DirectedSlots }

// checkSlots says which level has directed slots though its neighbourhoods are not known before the training.
func (s Spec) checkSlots() error {
	for i := range s.Levels {
		if s.directed(i) && s.Plan() != ccp.Prepared {
			return fmt.Errorf("level %d has ccp_slots=%s, which takes ccp_hierarchy=%v, but the hierarchy is %v: its neighbourhoods change in training; use --hierarchy %v, or ccp_slots=rank",
				i+1, ccp.DirectedSlots, ccp.Prepared, s.Plan(), ccp.Prepared)
		}
	}
	return nil
}

// positions are those of the graph's nodes, `[N, axes]`, by the graph alone; nil where no level needs them.
func (s Spec) positions(a *affinity.Matrix) [][]float64 {
	for i := range s.Levels {
		if s.directed(i) {
			return place.Embed(a)
		}
	}
	return nil
}

// place keeps the positions of a hierarchy's nodes at this level, and gives those of its k clusters.
func (p *preparedLevel) place(positions [][]float64, cluster []int32, k int) (centres [][]float64) {
	centres = place.Centres(positions, cluster, k)
	p.positions, p.centres = append(p.positions, positions...), append(p.centres, centres...)
	return centres
}

// direct puts the neighbourhoods of all hierarchies, of `size` nodes each, into the order of slots that lie in the same direction from
// every cluster of every hierarchy.
func (p *preparedLevel) direct(hierarchies, size int) {
	k, n := len(p.nodes)/size, int32(len(p.clusters)/hierarchies)
	for i := range p.nodes {
		p.nodes[i] += int32(i/(size*k/hierarchies)) * n
	}
	p.nodes, p.ranks = place.Directed(p.positions, p.centres, p.nodes, p.ranks, k, size)
	for i := range p.nodes {
		p.nodes[i] %= n
	}
}
