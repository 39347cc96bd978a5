package report

import (
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

// Run is the directory of a run.
type Run struct {
	dir   string
	graph *affinity.Matrix
	data  *datasets.Dataset
	fixed Report // what the training does not change
}

// Open reads the description of the run in dir. d is its data set, or nil if that is unavailable: the report has no samples and
// names then. A directory without a run is an os.ErrNotExist.
func Open(dir string, d *datasets.Dataset) (r *Run, err error) {
	r = &Run{dir: dir, data: d, fixed: Report{Checkpoint: filepath.Clean(dir), Machine: backend.ThisMachine()}}
	f := &r.fixed
	if f.Metadata, r.graph, err = models.ReadMetadata(dir); err != nil {
		return nil, err
	}
	if f.Config, err = training.ReadConfig(dir); err != nil {
		return nil, err
	}
	f.Epochs, f.About, f.Edges, f.Backend = f.Config.EpochCount(), models.About(f.Spec.Model), r.graph.Edges(), f.Versions["backend"]
	grid, parts, coordinates := f.Spec.Grid, f.Spec.Parts, []float64(nil)
	if d != nil {
		grid, parts, coordinates, f.Names = d.Grid, d.Parts, d.Coordinates, d.NodeNames
	}
	if r.graph.N() <= mostNodes {
		f.Layout = newLayout(picture.NewLayout(r.graph, grid, parts, coordinates, f.Names))
	} else if f.clusters() {
		f.Notices = []string{fmt.Sprintf("The graph has %d nodes, more than the %d that the page can draw: its explorer is left out.", r.graph.N(), mostNodes)}
	}
	if n := f.Spec.Hierarchies(); f.clusters() && n > 1 {
		f.Notices = append(f.Notices, fmt.Sprintf("The model has %d hierarchies, whose predictions are averaged. The first is shown.", n))
	}
	return r, nil
}

// clusters says whether the model has levels of clusters.
func (r *Report) clusters() bool { return r.Spec.Clusters() && len(r.Spec.Levels) > 0 }

// FromRun reports what the files of a run say: its curves, the course of its hierarchy, how to run it again. It can be called
// again during the training.
func (r *Run) FromRun() (report Report, err error) {
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
	switch {
	case err == nil:
		report.Result, report.Ended = &result, true
		report.BestEpoch, report.Parameters, report.Backend = result.BestEpoch, result.Parameters, result.Backend
	case !errors.Is(err, os.ErrNotExist):
		return report, err
	}
	if !report.clusters() {
		return report, nil
	}
	epochs, err := training.ReadHierarchies(r.dir)
	if err != nil {
		return report, err
	}
	if len(epochs) > 0 {
		report.Health = epochs[len(epochs)-1].Health
		report.Hierarchy = r.hierarchy(epochs, 0, len(epochs)-1)
	}
	return report, nil
}
