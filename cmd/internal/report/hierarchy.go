package report

import (
	"fmt"
	"slices"

	"github.com/clusterpool/ccp/ccp/hierarchy"
	"github.com/clusterpool/ccp/models"
	"github.com/clusterpool/ccp/models/training"
)

const (
	mostNodes    = 100_000 // that the page draws
	mostEpochs   = 25      // of hierarchies on the page
	mostAssigned = 1 << 20 // assignments of nodes that are kept, over all epochs
	mostCentral  = 16      // nodes of a cluster
)

// hierarchy makes a page's hierarchy from a run's. Touching clusters have different colours in the one at the index coloured,
// which should stay the same as others come. shown is the index of the one that the page shows first.
func (r *Run) hierarchy(epochs []training.HierarchyEpoch, coloured, shown int) *Hierarchy {
	h := &Hierarchy{Frozen: r.fixed.Spec.FrozenInTraining(), Known: len(epochs)}
	for _, e := range epochs {
		h.Courses = append(h.Courses, training.HierarchyEpoch{Epoch: e.Epoch, Health: e.Health})
	}
	for i, level := range r.fixed.Spec.Levels {
		h.Levels = append(h.Levels, HierarchyLevel{Level: level, Colours: h.colours(r.fixed.Layout, epochs[coloured].Path(i+1), level.Clusters)})
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

// spread picks at most `most` of n things, evenly from the first to the last, including the one at `always`.
func spread(n, most, always int) (picked []int) {
	if most = min(n, most); most == 1 {
		return []int{always}
	}
	for i := range most {
		picked = append(picked, (i*(n-1)+(most-1)/2)/(most-1))
	}
	at, found := slices.BinarySearch(picked, always)
	if found || n == 0 {
		return picked
	}
	if at == most-1 || always-picked[at-1] <= picked[at]-always { // the nearer neighbour gives way, but never the first
		at--
	}
	picked[max(1, at)] = always
	return picked
}

// colours gives each of k clusters the number of a colour; touching clusters have different ones. There are none without a
// layout, because the page draws no clusters then.
func (h *Hierarchy) colours(layout *Layout, cluster []int32, k int) (numbers Ints) {
	if layout == nil {
		return nil
	}
	for _, c := range layout.Colours(cluster, k) {
		r, g, b, _ := c.RGBA()
		hex := fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)
		at := slices.Index(h.Palette, hex)
		if at < 0 {
			at, h.Palette = len(h.Palette), append(h.Palette, hex)
		}
		numbers = append(numbers, int32(at))
	}
	return numbers
}

// describe adds what only the classifier's weights say: each cluster's mass, its most central nodes and its neighbourhood.
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
