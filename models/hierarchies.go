package models

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/clusterpool/ccp/ccp"
	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/ccp/hierarchy"
	"github.com/clusterpool/ccp/internal/ops"
	"github.com/clusterpool/ccp/internal/variables"
	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/support/exceptions"
)

// candidates counts the clusters that a node of level i, from 0, can belong to. It is 0 if these are all clusters.
func (s Spec) candidates(i int) int {
	if i < len(s.Levels) {
		if c := cmp.Or(s.Levels[i].Candidates, s.Options.Candidates); c < s.Levels[i].Clusters {
			return c
		}
	}
	return 0
}

// searches reports whether a search's clusters are the hierarchy, its start or its candidates.
func searches(s Spec) bool {
	return s.Options.Hierarchy == ccp.Prepared || s.candidates(0) > 0 || s.Options.Start == searchedStart
}

// Prepare makes the hierarchy with which a training starts, if the model has clusters. If the plan is prepared, it
// searches clusterings of large C. Otherwise it draws the memberships, and takes their neighbourhoods, see Hold. If
// nodes have candidates, or learned memberships a searched start, it takes them from a search's clustering. If the
// plan is random, it freezes the memberships as drawn.
//
// The coordinates are the nodes' positions, `[nodes, d]` row-major, for directed slots and cuts; if they are nil, the
// graph gives them. progress is ccp.Preparation.Progress's. The result is the hierarchy that was searched or frozen,
// or an empty one.
func (s Spec) Prepare(ctx context.Context, backend compute.Backend, store *model.Store, a *affinity.Matrix,
	coordinates []float64, progress func(level int, done, objective float64)) (h *ccp.Hierarchy, err error) {
	h = new(ccp.Hierarchy)
	if !s.Network().Clusters {
		return h, nil
	}
	p, scopes, err := plannedOf(s, backend, a)
	if err != nil {
		return h, err
	}
	p.Coordinates(coordinates).Progress(progress)
	if searches(s) {
		h, err = p.Done(ctx)
		if err == nil {
			err = h.Keep(store.Scope(networkPath), scopes...)
		}
	}
	if err != nil || s.Options.Hierarchy == ccp.Prepared {
		return h, err
	}
	if err := p.Hold(backend, store.Scope(networkPath), scopes...); err != nil || s.Learns() {
		return h, err
	}
	freezer, err := freezerOf(s, backend, store, a)
	if err != nil {
		return h, err
	}
	defer freezer.Close()
	return freezer.Freeze()
}

// Hold takes the neighbourhoods of memberships that are learned anew, see ccp.Preparation.Hold. Without such
// memberships it does nothing.
func (s Spec) Hold(backend compute.Backend, store *model.Store, a *affinity.Matrix, coordinates []float64) error {
	if !s.Learns() {
		return nil
	}
	p, scopes, err := plannedOf(s, backend, a)
	if err != nil {
		return err
	}
	return p.Coordinates(coordinates).Hold(backend, store.Scope(networkPath), scopes...)
}

// plannedOf returns the preparation of the spec's hierarchies of a graph, and the scopes of the levels if they have
// names of their own.
func plannedOf(s Spec, backend compute.Backend, graph *affinity.Matrix) (p *ccp.Preparation, scopes []string,
	err error) {
	if s.Model == clusterPooling {
		return s.preparation(graph), nil, nil
	}
	store, around := s.NewStore(0), []int(nil)
	err = exceptions.TryCatch[error](func() {
		for i, level := range surveyOf(s, backend, store, graph) {
			shape := level.Neighbourhood.Shape()
			s.Levels = append(s.Levels, Level{Clusters: shape.Dim(0), Filters: 1, Neighbours: shape.Dim(1)})
			scopes = append(scopes, strings.TrimPrefix(level.Path, variables.Network))
			if level.Blocks > 0 {
				around = append(around, i+1)
			}
		}
	})
	if err == nil {
		err = checkHierarchies(s)
	}
	return s.preparation(graph).Around(s.Options.Reach, around...), scopes, err
}

// preparation starts the preparation of the spec's hierarchies of a graph.
func (s Spec) preparation(graph *affinity.Matrix) *ccp.Preparation {
	p, o := ccp.Prepare(graph).Hierarchies(s.Hierarchies()), s.Options
	p.Seed(uint64(o.HierarchySeed * s.Hierarchies()))
	if o.Search == cutSearch {
		p.Cuts()
	}
	if o.Start == searchedStart {
		p.Start()
	}
	var around, directed, candidates []int
	if o.Slots == directedSlots && o.Stem > 0 {
		directed = append(directed, 0)
	}
	for i, l := range s.Levels {
		p.Level(l.Clusters, l.Neighbours)
		if o.Slots == directedSlots {
			directed = append(directed, i+1)
		}
		if s.blocks(i+1) > 0 {
			around = append(around, i+1)
		}
		if s.Options.Hierarchy != ccp.Prepared {
			candidates = append(candidates, s.candidates(i))
		}
	}
	return p.Around(o.Reach, around...).Directed(directed...).Candidates(candidates...)
}

// surveyOf builds the network in an empty store, without computing anything and without a hierarchy, and lists its
// levels.
func surveyOf(s Spec, backend compute.Backend, store *model.Store, a *affinity.Matrix) []ccp.Level {
	g := graph.NewGraph(backend, "survey")
	defer g.Finalize()
	store.RootScope().SetParam(ops.SurveyParam, s.Options.Reach)
	signal := graph.Zeros(g, shapes.Make(dtypes.Float32, 1, s.Nodes, s.Channels))
	s.Build(store.RootScope(), Topology{Matrix: a, Hierarchy: new(ccp.Hierarchy)}, signal)
	return ccp.Levels(store, g)
}

// freezerOf makes the Freezer of the spec's network on the graph a.
func freezerOf(s Spec, backend compute.Backend, store *model.Store, a *affinity.Matrix) (*ccp.Freezer, error) {
	signal := shapes.Make(dtypes.Float32, 1, s.Nodes, s.Channels)
	s.Options.Hierarchy = ccp.Learned // a random one is frozen by its memberships, too
	return ccp.NewFreezer(backend, store, signal, func(scope *model.Scope, x *graph.Node) *graph.Node {
		return s.Build(scope, Topology{Matrix: a}, x)
	})
}

// ClusterLevels reads one of the classifier's hierarchies, from 0, out of its weights. The result is a copy. Errors:
// ErrClosed, ErrNoNetwork, a model without clusters or levels, a number without a hierarchy, and a classifier that
// has no weights yet.
func (c *Classifier) ClusterLevels(which int) (hierarchy.Levels, error) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if c.closed {
		return nil, ErrClosed
	}
	if c.ridge.Load().Alone() {
		return nil, ErrNoNetwork
	}
	if !c.Spec.Clusters() {
		return nil, fmt.Errorf("model %s has no clusters; only %s with levels has", c.Spec.Model, clusterPooling)
	}
	if which < 0 || which >= c.Spec.Hierarchies() {
		return nil, fmt.Errorf("hierarchy %d: the model has hierarchies 0 to %d", which, c.Spec.Hierarchies()-1)
	}
	return c.Spec.preparation(c.Graph).Read(c.store.Scope(networkPath), which)
}

// Input reads what the filters before the first level read, `[nodes, reach]` row-major, see ccp.Preparation.Input.
// Errors: ErrClosed and ErrNoNetwork.
func (c *Classifier) Input() (nodes []int32, present []float32, err error) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if c.closed {
		return nil, nil, ErrClosed
	}
	if c.ridge.Load().Alone() {
		return nil, nil, ErrNoNetwork
	}
	return c.Spec.preparation(c.Graph).Input(c.store.Scope(networkPath))
}

// Health measures every level of one hierarchy, see ClusterLevels, and warns of collapsed ones. For a learned
// hierarchy it computes C anew, through the graph itself. It has the errors of ClusterLevels and of
// this computation.
func (c *Classifier) Health(which int) ([]hierarchy.Health, error) {
	levels, err := c.ClusterLevels(which)
	if err != nil {
		return nil, err
	}
	objectives, err := objectives(c, which, levels)
	if err != nil {
		return nil, fmt.Errorf("computing C: %w", err)
	}
	return levels.Health(objectives), nil
}

// objectives is C of each level of a hierarchy.
func objectives(c *Classifier, which int, levels hierarchy.Levels) (objectives []float64, err error) {
	c.mu.Lock() // the freezer compiles when it is first used
	defer c.mu.Unlock()
	switch {
	case c.closed:
		return nil, ErrClosed
	case c.Spec.Options.Hierarchy != ccp.Prepared:
		h, err := c.freezer.Hierarchy(which)
		if err != nil {
			return nil, err
		}
		return h.Objective, nil
	}
	a := c.Graph.Normalized()
	for _, l := range levels { // on the host, in time linear in the edges
		cluster := l.Memberships.Hard()
		objectives = append(objectives, a.Objective(cluster, l.Clusters))
		a, err = a.Coarsen(cluster, l.Clusters)
		if err != nil {
			return nil, err
		}
	}
	return objectives, nil
}
