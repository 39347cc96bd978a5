package report

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/cmd/internal/picture"
	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/internal/backend"
	"github.com/clusterpool/ccp/models"
	"github.com/clusterpool/ccp/models/training"
)

const (
	mostNodes    = 100_000 // that the page draws
	mostEpochs   = 25      // whose clusters are on the page, beside those of the epoch shown
	mostAssigned = 1 << 20 // assignments of nodes to clusters on the page, over all epochs
	mostCentral  = 16      // nodes of a cluster
)

// Run is the directory of a run.
type Run struct {
	dir   string
	graph *affinity.Matrix
	data  *datasets.Dataset
	fixed Report // what the training does not change
}

// Open reads the description of the run in dir. d is its data set, or nil if that is unavailable: then the report has
// no samples and no names. If dir has no run, the error is os.ErrNotExist.
func Open(dir string, d *datasets.Dataset) (r *Run, err error) {
	r = &Run{dir: dir, data: d, fixed: Report{Checkpoint: filepath.Clean(dir), Machine: backend.ThisMachine()}}
	f := &r.fixed
	if f.Metadata, r.graph, err = models.ReadMetadata(dir); err != nil {
		return nil, err
	}
	if f.Config, err = training.ReadConfig(dir); err != nil {
		return nil, err
	}
	f.Epochs, f.About = f.Config.EpochCount(), models.About(f.Spec.Model)
	f.Edges, f.Backend = r.graph.Edges(), f.Versions["backend"]
	grid, parts, coordinates := f.Spec.Grid, f.Spec.Parts, []float64(nil)
	if d != nil {
		grid, parts, coordinates, f.Names = d.Grid, d.Parts, d.Coordinates, d.NodeNames
	}
	if r.graph.N() <= mostNodes {
		f.Layout = picture.NewLayout(r.graph, grid, parts, coordinates, f.Names)
	} else if f.clusters() {
		f.Notices = []string{fmt.Sprintf("The graph has %d nodes, more than the %d that the page can draw: its explorer "+
			"is left out.", r.graph.N(), mostNodes)}
	}
	if n := f.Spec.Hierarchies(); f.clusters() && n > 1 {
		f.Notices = append(f.Notices, fmt.Sprintf("The model has %d hierarchies, whose predictions are averaged. "+
			"The first is shown.", n))
	}
	return r, nil
}

// clusters reports whether the model has levels of clusters.
func (r *Report) clusters() bool { return r.Spec.Clusters() && len(r.Spec.Levels) > 0 }

// read reports what the files of a run say, the course of its hierarchy and what its classifier c says of it. The
// training may still be under way.
func (r *Run) read(c *models.Classifier) (report Report, err error) {
	report = r.fixed
	report.Notices = slices.Clone(report.Notices)
	if report.History, err = training.ReadHistory(r.dir); err != nil {
		return report, err
	}
	for _, e := range report.History {
		if e.Best {
			report.BestEpoch = e.Epoch
		}
	}
	result, err := training.ReadResult(r.dir)
	if err == nil {
		report.Result = &result
		report.BestEpoch, report.Backend = result.BestEpoch, result.Backend
	} else if !errors.Is(err, os.ErrNotExist) {
		return report, err
	}
	report.Snapshot, report.Parameters = c.Snapshot, c.Parameters()
	if !report.clusters() {
		return report, nil
	}
	epochs, err := training.ReadHierarchies(r.dir)
	if err != nil {
		return report, err
	}
	return report, r.describe(&report, epochs, c)
}

// describe reports the classifier's hierarchy, in place of the recorded one of the same epoch. It adds each cluster's
// mass, most central nodes and neighbourhood, which only the weights say.
func (r *Run) describe(report *Report, epochs []training.HierarchyEpoch, c *models.Classifier) error {
	levels, err := c.ClusterLevels(0)
	if err != nil {
		return err
	}
	if report.Health, err = c.Health(0); err != nil {
		return fmt.Errorf("%s: %w", r.dir, err)
	}
	own := training.HierarchyEpoch{Epoch: report.BestEpoch, Health: report.Health}
	for _, level := range levels {
		own.Clusters = append(own.Clusters, level.Memberships.Hard())
	}
	if r.fixed.Spec.FrozenInTraining() {
		epochs = nil
	}
	at, found := slices.BinarySearchFunc(epochs, own.Epoch, func(h training.HierarchyEpoch, epoch int) int {
		return cmp.Compare(h.Epoch, epoch)
	})
	if found {
		epochs[at] = own
	} else {
		epochs = slices.Insert(epochs, at, own)
	}
	report.Hierarchy = r.hierarchy(epochs, at)
	inputs := levels.Inputs()
	for i, level := range levels {
		l := &report.Hierarchy.Levels[i]
		l.Mass, l.Central = levels.Mass(i+1), levels.Central(i+1, inputs[i], c.Graph)
		for k, nodes := range l.Central {
			l.Central[k] = nodes[:min(mostCentral, len(nodes))]
		}
		l.Neighbourhoods, l.Ranks, l.Gates = level.Neighbourhoods, level.Ranks, level.Gates
	}
	return nil
}

// hierarchy makes a page's hierarchy from a run's. The page shows the epoch at the index shown first. In this epoch,
// touching clusters have different colours.
func (r *Run) hierarchy(epochs []training.HierarchyEpoch, shown int) *Hierarchy {
	h := &Hierarchy{Frozen: r.fixed.Spec.FrozenInTraining(), Epochs: epochs, Shown: shown, Palette: picture.Palette}
	assigned := 0
	for i, level := range r.fixed.Spec.Levels {
		assigned += len(epochs[0].Clusters[i])
		l := Level{Level: level}
		if r.fixed.Layout != nil {
			l.Colours = r.fixed.Layout.Colours(epochs[shown].Path(i+1), level.Clusters)
		}
		h.Levels = append(h.Levels, l)
	}
	// If there are too many epochs, some keep their clusters: the first, the last, and others at equal distances.
	most := min(mostEpochs, max(2, mostAssigned/assigned))
	for i := 1; i < len(epochs) && len(epochs) > most; i++ {
		if share := func(i int) int { return i * (most - 1) / (len(epochs) - 1) }; share(i) == share(i-1) && i != shown {
			epochs[i].Clusters = nil
		}
	}
	return h
}
