package models

import (
	"fmt"

	"github.com/clusterpool/ccp/ccp"
	"github.com/clusterpool/ccp/ccp/hierarchy"
	"github.com/clusterpool/ccp/ccp/partition"
)

// ClusterLevels reads one of the classifier's hierarchies, from 0, out of its weights. The result is a copy. Errors:
// ErrClosed, a model without clusters or levels, a number without a hierarchy, and a classifier that has no weights
// yet.
func (c *Classifier) ClusterLevels(which int) (hierarchy.Levels, error) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if c.closed {
		return nil, ErrClosed
	}
	if !c.Spec.Clusters() {
		return nil, fmt.Errorf("model %s has no clusters; only %s with levels has", c.Spec.Model, clusterPooling)
	}
	if c.ridge.Load().Alone() {
		return nil, ErrNoNetwork
	}
	if which < 0 || which >= c.Spec.Hierarchies() {
		return nil, fmt.Errorf("hierarchy %d: the model has hierarchies 0 to %d", which, c.Spec.Hierarchies()-1)
	}
	return c.Spec.preparation(c.Graph).Read(c.store.Scope(networkPath), which)
}

// Input reads what the filters before the first level read, `[nodes, reach]` row-major, see ccp.Preparation.Input.
func (c *Classifier) Input() (nodes []int32, present []float32, err error) {
	return c.Spec.preparation(c.Graph).Input(c.store.Scope(networkPath))
}

// Health measures every level of one hierarchy, see ClusterLevels, and warns of collapsed ones. For a learned
// hierarchy that was loaded it computes C anew, through the graph itself. It has the errors of ClusterLevels and of
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
	case which == 0 && c.objective != nil:
		return c.objective, nil
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
		objectives = append(objectives, partition.Objective(a, cluster, l.Clusters))
		if a, err = partition.Coarsen(a, cluster, l.Clusters); err != nil {
			return nil, err
		}
	}
	return objectives, nil
}
