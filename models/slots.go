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

// direct puts the neighbourhoods of level i, from 0, into the order of its slots where that is directed. positions are those of
// its nodes, above those of its clusters; both are nil where no level needs them.
func (s Spec) direct(i int, positions [][]float64, cluster, nodes []int32, ranks []float64) (_ []int32, _ []float64, above [][]float64) {
	if positions == nil {
		return nodes, ranks, nil
	}
	l := s.Levels[i]
	above = place.Centres(positions, cluster, l.Clusters)
	if s.directed(i) {
		nodes, ranks = place.Directed(positions, above, nodes, ranks, l.Clusters, l.Neighbours)
	}
	return nodes, ranks, above
}
