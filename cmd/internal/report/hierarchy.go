package report

import (
	"slices"

	"github.com/clusterpool/ccp/ccp/hierarchy"
	"github.com/clusterpool/ccp/models"
	"github.com/clusterpool/ccp/models/training"
)

const (
	mostNodes    = 100_000 // that the page draws
	mostEpochs   = 25      // of hierarchies on the page
	mostAssigned = 1 << 20 // clusters of nodes that are kept, over all epochs
	mostCentral  = 16      // nodes of a cluster
)

// hierarchy turns a run's hierarchies into a page's. coloured is the index of the one whose clusters, where they touch, get different
// colours: one that stays the same as others come. shown is the index of the one that the page begins with.
func (r *Run) hierarchy(epochs []training.HierarchyEpoch, coloured, shown int) *Hierarchy {
	h := &Hierarchy{Frozen: r.meta.Spec.FrozenInTraining(), Known: len(epochs)}
	for _, e := range epochs {
		h.Courses = append(h.Courses, Course{e.Epoch, e.Health})
	}
	nodes := r.meta.Spec.Nodes
	for i, size := range r.meta.Spec.Levels {
		h.Levels = append(h.Levels, HierarchyLevel{Nodes: nodes, Clusters: size.Clusters, Filters: size.Filters, Neighbours: size.Neighbours,
			Colours: h.colours(r.layout, epochs[coloured].Path(i+1), size.Clusters)})
		nodes = size.Clusters
	}
	assigned := 0
	for _, clusters := range epochs[0].Clusters {
		assigned += len(clusters)
	}
	for _, i := range spread(len(epochs), min(mostEpochs, max(1, mostAssigned/assigned)), shown) {
		if i == shown {
			h.Shown = len(h.Epochs)
		}
		kept := HierarchyEpoch{Epoch: epochs[i].Epoch}
		for _, clusters := range epochs[i].Clusters {
			kept.Clusters = append(kept.Clusters, clusters)
		}
		h.Epochs = append(h.Epochs, kept)
	}
	return h
}

// spread picks at most `most` of n things, evenly from the first to the last, the one at `always` among them.
func spread(n, most, always int) []int {
	most = min(n, most)
	var picked []int
	nearest := 1 // of those but the first and the last, to the one at always
	for i := range most {
		at := always
		if most > 1 {
			at = (i*(n-1) + (most-1)/2) / (most - 1)
		}
		picked = append(picked, at)
		if i > 1 && i < most-1 && abs(at-always) < abs(picked[nearest]-always) {
			nearest = i
		}
	}
	if n > 0 && !slices.Contains(picked, always) {
		picked[nearest] = always
		slices.Sort(picked)
	}
	return picked
}

func abs(x int) int { return max(x, -x) }

// colours gives each of k clusters the number of a colour, different ones to clusters that touch. Without a layout there are none: the
// page draws no clusters then.
func (h *Hierarchy) colours(layout *Layout, cluster []int32, k int) (numbers Ints) {
	if layout == nil {
		return nil
	}
	for _, c := range layout.Colours(cluster, k) {
		at := slices.Index(h.Palette, hex(c))
		if at < 0 {
			at, h.Palette = len(h.Palette), append(h.Palette, hex(c))
		}
		numbers = append(numbers, int32(at))
	}
	return numbers
}

// describe fills in what only the classifier's weights tell: each cluster's mass, its most central nodes and its neighbourhood.
func (h *Hierarchy) describe(levels hierarchy.Levels, c *models.Classifier) {
	inputs := levels.Inputs()
	for i, level := range levels {
		l := &h.Levels[i]
		for _, mass := range levels.Mass(i + 1) {
			l.Mass = append(l.Mass, float32(mass))
		}
		central := levels.Central(i+1, inputs[i], c.Graph)
		for k := range central {
			central[k] = central[k][:min(mostCentral, len(central[k]))]
			l.CentralCounts = append(l.CentralCounts, int32(len(central[k])))
		}
		l.Central, l.Neighbourhoods = slices.Concat(central...), slices.Concat(level.Neighbourhoods...)
		l.Ranks, l.Gates = slices.Concat(level.Ranks...), slices.Concat(level.Gates...)
	}
}
