package models

import (
	"context"
	"errors"
	"fmt"

	"github.com/clusterpool/ccp/ccp"
	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/ccp/hierarchy"
	"github.com/clusterpool/ccp/ccp/partition"
	"github.com/clusterpool/ccp/ccp/place"
	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
)

// Hierarchy says how good a frozen hierarchy is, level by level.
type Hierarchy struct {
	Objective []float64 `json:"objective"` // C
	Coverage  []float64 `json:"coverage"`  // share of the level's nodes that some neighbourhood holds
}

// Plan is how the spec's hierarchy comes about.
func (s Spec) Plan() ccp.Plan { return s.Settings.Of("").Hierarchy }

// candidates is how many clusters a node of level i, from 0, can belong to; all of them if that is the level's clusters.
func (s Spec) candidates(i int) int {
	nodes, clusters := s.Nodes, s.Levels[i].Clusters
	if i > 0 {
		nodes = s.Levels[i-1].Clusters
	}
	c := s.Settings.Level(i).Candidates
	if c == 0 && nodes*clusters > 1<<25 {
		c = 4
	}
	if c == 0 || c > clusters {
		return clusters
	}
	return c
}

// restricted says whether level i, from 0, has fewer candidates than clusters.
func (s Spec) restricted(i int) bool {
	return i < len(s.Levels) && s.candidates(i) < s.Levels[i].Clusters
}

// checkCandidates says which level has candidates though the one before it has none.
func (s Spec) checkCandidates() error {
	for i := 1; i < len(s.Levels); i++ {
		if s.restricted(i) && !s.restricted(i-1) && s.Plan() != ccp.Prepared {
			return fmt.Errorf("level %d has %d candidates of %d clusters, but level %d has all: its pooled affinity is dense; set ccp_candidates for level %d too",
				i+1, s.candidates(i), s.Levels[i].Clusters, i, i)
		}
	}
	return nil
}

// PreparedBefore says whether Prepare has to be called before the training.
func (s Spec) PreparedBefore() bool {
	return s.Clusters() && (s.FrozenInTraining() || s.restricted(0))
}

// FrozenInTraining says whether the spec's hierarchy is made by Prepare once and for all.
func (s Spec) FrozenInTraining() bool {
	return s.Clusters() && s.Plan().Frozen()
}

// Prepare makes the hierarchy of a spec that is PreparedBefore the training: for Prepared the clustering of each
// level that maximises C, with no cluster larger than its neighbourhood where that is possible, which is frozen in store or
// from which a level's candidates come; for Random the one of U as drawn, frozen. progress, which may be
// nil, is told the level, the share of its search done and its C so far. coordinates are the nodes' places, `[nodes, d]` row-major, for directed
// slots and cuts; nil: the graph gives them.
func (s Spec) Prepare(ctx context.Context, backend compute.Backend, store *model.Store, a *affinity.Matrix, coordinates []float64, progress func(level int, done, objective float64)) (Hierarchy, error) {
	var h Hierarchy
	if s.Plan() != ccp.Random || s.restricted(0) {
		var err error
		if h, err = s.prepare(ctx, store, a, coordinates, progress); err != nil {
			return h, fmt.Errorf("preparing the hierarchy: %w", err)
		}
	}
	if s.Plan() != ccp.Random {
		return h, nil
	}
	freezer, err := s.freezer(backend, store, a)
	if err != nil {
		return Hierarchy{}, err
	}
	h.Objective, h.Coverage, err = freezer.Freeze()
	return h, err
}

// freezer freezes what the spec's network makes of the graph a.
func (s Spec) freezer(backend compute.Backend, store *model.Store, a *affinity.Matrix) (*ccp.Freezer, error) {
	signal := shapes.Make(dtypes.Float32, 1, s.Nodes, s.Channels)
	return ccp.NewFreezer(backend, store, signal, func(scope *model.Scope, x *graph.Node) *graph.Node {
		return s.Build(scope, Topology{Matrix: a}, x)
	})
}

// prepare searches the hierarchies, or finds them in the cache, and keeps their neighbourhoods and ranks in store. All of it happens
// on the host, in time and memory linear in the edges. The result is of the first.
func (s Spec) prepare(ctx context.Context, store *model.Store, a *affinity.Matrix, coordinates []float64, progress func(level int, done, objective float64)) (first Hierarchy, err error) {
	graph := a
	a = a.Normalized()
	levels := make([]preparedLevel, len(s.Levels))
	var positions, cutAt [][]float64
	if s.placed() {
		positions = positionsOf(a, coordinates)
	}
	if s.Settings.Of("").Search == cutSearch {
		cutAt = positions
	}
	for seed := range s.Hierarchies() {
		clusters, err := partition.Cached(ctx, a, cutAt, s.sizes(), uint64(seed), progress)
		if err != nil {
			return first, err
		}
		m, at := a, positions
		for i, l := range s.Levels {
			if seed == 0 && s.Plan() != ccp.Prepared && s.restricted(i) {
				c := s.candidates(i)
				err = ccp.SetCandidates(store.Scope(networkScope+levelName(i)), partition.Candidates(m, clusters[i], l.Clusters, c), c)
			}
			nodes, ranks := partition.Neighbourhoods(m, clusters[i], l.Clusters, l.Neighbours)
			if seed == 0 {
				first.Objective = append(first.Objective, partition.Objective(m, clusters[i], l.Clusters))
				first.Coverage = append(first.Coverage, hierarchy.Coverage(nodes, m.N()))
			}
			before := at
			if positions != nil {
				at = place.Centres(at, clusters[i], l.Clusters)
			}
			levels[i].clusters = append(levels[i].clusters, clusters[i]...)
			levels[i].pooled.add(nodes, ranks, before, at)
			if err == nil {
				m, err = partition.Coarsen(m, clusters[i], l.Clusters)
			}
			if err != nil {
				return first, err
			}
			if s.Blocks(i) > 0 {
				nodes, present := s.between(i, m)
				levels[i].around.add(nodes, present, at, at)
			}
		}
	}
	for i, level := range levels {
		if err := s.keep(store, i, level); err != nil {
			return first, err
		}
	}
	if o := s.Settings.Of(""); o.Stem > 0 && o.Slots == ccp.DirectedSlots { // another machine might round the positions otherwise
		nodes, present := s.around(graph, positions)
		return first, ccp.SetAround(store.Scope(stemScope), nodes, present, s.stemReach())
	}
	return first, nil
}

// preparedLevel is a level of the searched hierarchies, one after the other.
type preparedLevel struct {
	clusters       []int32 // [H·N]
	pooled, around table   // of its nodes around its clusters, and of its clusters around themselves, for blocks
}

// keep keeps level i in store as the spec's plan says.
func (s Spec) keep(store *model.Store, i int, p preparedLevel) error {
	scope, l := store.Scope(networkScope+levelName(i)), s.Levels[i]
	if s.directed(i) {
		p.pooled.direct(s.Hierarchies(), l.Neighbours)
	}
	if s.Plan() == ccp.Prepared {
		err := errors.Join(ccp.SetClusters(scope, p.clusters), ccp.SetFrozen(scope, p.pooled.nodes, p.pooled.ranks, l.Neighbours))
		if err != nil || len(p.around.nodes) == 0 {
			return err
		}
		if s.directed(i) {
			p.around.direct(s.Hierarchies(), s.reach(i))
		}
		clusters, present := filled(p.around.nodes, p.around.ranks)
		return ccp.SetAround(scope, clusters, present, s.reach(i))
	}
	return nil
}

// between are the clusters around each cluster of level i, from 0, on its coarse graph m, for the filters of blocks.
func (s Spec) between(i int, m *affinity.Matrix) (clusters []int32, present []float64) {
	if s.directed(i) {
		return nearestWithin(m, s.reach(i))
	}
	clusters, _ = place.Nearest(m, s.reach(i))
	return clusters, presence(clusters)
}

// reach is how many clusters a block's filter after level i, from 0, sees.
func (s Spec) reach(i int) int { return min(s.Settings.Of("").Reach, s.Levels[i].Clusters) }

// cutSearch is the value of Options.Search that tries cuts, too.
const cutSearch = "cut"

// sizes are the levels to search: no cluster larger than its neighbourhood where that is possible.
func (s Spec) sizes() []partition.Level {
	sizes := make([]partition.Level, len(s.Levels))
	for i, l := range s.Levels {
		sizes[i] = partition.Level{Clusters: l.Clusters, MaxSize: l.Neighbours}
	}
	return sizes
}

// SearchedObjective is the sum of C over the levels of a searched hierarchy: what a learned one can be held against.
func (s Spec) SearchedObjective(ctx context.Context, a *affinity.Matrix) (sum float64, err error) {
	a = a.Normalized()
	clusters, err := partition.Cached(ctx, a, nil, s.sizes(), 0, nil)
	for i := range clusters {
		sum += partition.Objective(a, clusters[i], s.Levels[i].Clusters)
		if a, err = partition.Coarsen(a, clusters[i], s.Levels[i].Clusters); err != nil {
			break
		}
	}
	return sum, err
}
