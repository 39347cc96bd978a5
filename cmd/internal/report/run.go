package report

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/ccp/hierarchy"
	"github.com/clusterpool/ccp/cmd/internal/picture"
	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/internal/backend"
	"github.com/clusterpool/ccp/models"
	"github.com/clusterpool/ccp/models/training"
)

// Run is the directory of a run, with what does not change while it is trained.
type Run struct {
	dir    string
	meta   models.Metadata
	graph  *affinity.Matrix
	config training.Config
	raw    json.RawMessage // config.json
	data   *datasets.Dataset
	layout *Layout
	names  []string
}

// Open reads the description of the run in dir. d is the data set that it was trained on; where it is not to be had, nil: samples and
// names are left out of the report then. A directory without a run is an os.ErrNotExist.
func Open(dir string, d *datasets.Dataset) (*Run, error) {
	r := &Run{dir: dir, data: d}
	var err error
	if r.meta, r.graph, err = models.ReadMetadata(dir); err != nil {
		return nil, err
	}
	if r.config, err = training.ReadConfig(dir); err != nil {
		return nil, err
	}
	if r.raw, err = json.Marshal(r.config); err != nil {
		return nil, fmt.Errorf("%s: its configuration: %w", dir, err)
	}
	grid, parts, coordinates := r.meta.Spec.Grid, r.meta.Spec.Parts, []float64(nil)
	if d != nil {
		grid, parts, coordinates, r.names = d.Grid, d.Parts, d.Coordinates, d.NodeNames
	}
	if r.graph.N() <= mostNodes {
		r.layout = newLayout(picture.NewLayout(r.graph, grid, parts, coordinates, r.names))
	}
	return r, nil
}

// FromRun reports what the files of a run say: its curves, how its hierarchy went, how to run it again. It can be called again while
// the training goes on.
func (r *Run) FromRun() (Report, error) {
	spec := r.meta.Spec
	report := Report{Data: r.meta.Data, Model: spec.Model, About: models.About(spec.Model), Nodes: spec.Nodes, Channels: spec.Channels,
		Edges: r.graph.Edges(), Levels: spec.LevelsString(), Hidden: spec.Hidden, ClassNames: r.meta.ClassNames, Epochs: r.config.Epochs,
		Layout: r.layout, Names: r.names, Notices: []string{}, Mistakes: []Sample{}, Gallery: []Sample{}, Health: []hierarchy.Health{}}
	report.Rerun = Rerun{Command: r.meta.Command, Config: r.raw, Versions: r.meta.Versions, Provenance: r.meta.Provenance,
		Seed: r.config.Seed, Backend: r.meta.Versions["backend"], Machine: backend.ThisMachine(), Checkpoint: filepath.Clean(r.dir)}
	var err error
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
		report.BestEpoch, report.Parameters, report.Rerun.Backend = result.BestEpoch, result.Parameters, result.Backend
	case !errors.Is(err, os.ErrNotExist):
		return report, err
	}
	if !spec.Clusters() || len(spec.Levels) == 0 {
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
	if r.layout == nil {
		report.Notices = append(report.Notices, fmt.Sprintf("The graph has %d nodes, more than the %d that the page can draw: its explorer is left out.", r.graph.N(), mostNodes))
	}
	return report, nil
}
