package report

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/clusterpool/ccp/ccp/hierarchy"
	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/internal/backend"
	"github.com/clusterpool/ccp/internal/picture"
	"github.com/clusterpool/ccp/models"
	"github.com/clusterpool/ccp/models/training"
)

const (
	mostNodes    = 100_000 // that the page draws
	mostEpochs   = 25      // whose clusters are on the page, beside those of the epoch shown
	mostAssigned = 1 << 20 // assignments of nodes to clusters on the page, over all epochs
	mostCentral  = 16      // nodes of a cluster
)

// Build reports the run in dir, whose classifier is c. The training may still be under way. d is the run's data set. If
// d is nil, the report has no samples and no names. Otherwise Build evaluates the test samples. It explains the most
// confident mistakes, and some samples of all classes: so many in all, as many as the page can show if samples is 0, or
// explain.Auto. It tells doing of the progress.
func Build(ctx context.Context, dir string, c *models.Classifier, d *datasets.Dataset, samples int,
	doing func(string, float64)) (r Report, err error) {
	spec := c.Spec
	r = Report{Metadata: c.Metadata, Checkpoint: filepath.Clean(dir), Machine: backend.ThisMachine(),
		About: spec.Network().About, Edges: c.Graph.Edges(), Backend: c.Versions["backend"], Snapshot: c.Snapshot,
		Parameters: c.Parameters(), PredictedBy: c.PredictedBy(), Network: hasNetwork(c)}
	if k := c.Calibration; k != nil {
		r.Calibration = &models.Calibration{Samples: k.Samples, Temperature: k.Temperature}
	}
	r.Baseline = nil // of each node: the page needs none
	r.Config, err = training.ReadConfig(dir)
	if err != nil {
		return r, err
	}
	r.Epochs = r.Config.EpochCount()
	r.History, err = training.ReadHistory(dir)
	if err != nil {
		return r, err
	}
	for _, e := range r.History {
		if e.Best {
			r.BestEpoch = e.Epoch
		}
	}
	result, err := training.ReadResult(dir)
	if err == nil {
		r.Result, r.BestEpoch, r.Backend = &result, result.BestEpoch, result.Backend
	} else if !errors.Is(err, os.ErrNotExist) {
		return r, err
	}
	nodes := cmp.Or(d, &datasets.Dataset{Info: c.Info})
	r.Names, r.NodeNames = nodes.NodeNames, nil // once
	var levels hierarchy.Levels
	if spec.Clusters() {
		levels, err = c.ClusterLevels(0)
		if err != nil && !errors.Is(err, models.ErrNoNetwork) {
			return r, err
		}
	}
	if c.Graph.N() <= mostNodes {
		r.Layout = picture.NewLayout(c.Graph, picture.Nodes{Grid: nodes.Grid, Series: nodes.Layout.Series(),
			Sensors: nodes.SensorNames, Parts: nodes.Parts, Coordinates: nodes.Coordinates, Names: nodes.NodeNames})
	} else if levels != nil {
		r.Notices = []string{fmt.Sprintf("The graph has %d nodes, more than the %d that the page can draw: its explorer "+
			"is left out.", c.Graph.N(), mostNodes)}
	}
	if levels != nil {
		if n := spec.Hierarchies(); n > 1 {
			r.Notices = append(r.Notices,
				fmt.Sprintf("The model has %d hierarchies, whose predictions are averaged. The first is shown.", n))
		}
		if err := r.describe(dir, c, levels); err != nil {
			return r, err
		}
	}
	if d != nil && len(d.Test) == 0 {
		r.Notices = append(r.Notices, "The data set has no test samples, so nothing is evaluated.")
	} else if d != nil {
		err = r.evaluate(ctx, c, d, samples, doing)
	}
	return r, err
}

// describe reports the classifier's hierarchy, in place of the recorded one of the same epoch. It adds each cluster's
// mass, most central nodes and neighbourhood, which only the weights say.
func (r *Report) describe(dir string, c *models.Classifier, levels hierarchy.Levels) error {
	epochs, err := training.ReadHierarchies(dir)
	if err != nil {
		return err
	}
	r.Health, err = c.Health(0)
	if err != nil {
		return fmt.Errorf("%s: %w", dir, err)
	}
	own := training.HierarchyEpoch{Epoch: r.BestEpoch, Clusters: levels.Hard(), Health: r.Health}
	if !r.Spec.Learns() {
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
	r.Hierarchy = hierarchyOf(r.Spec, r.Layout, epochs, at)
	if r.Layout != nil {
		r.Map = r.Layout.Map()
	}
	inputs := levels.Inputs()
	for i, level := range levels {
		l := &r.Hierarchy.Levels[i]
		l.Mass, l.Central = levels.Mass(i+1), levels.Central(i+1, inputs[i], c.Graph)
		for k, nodes := range l.Central {
			l.Central[k] = nodes[:min(mostCentral, len(nodes))]
		}
		l.Neighbourhoods, l.Ranks, l.Gates = level.Neighbourhoods, level.Ranks, level.Gates
	}
	return nil
}

// hierarchyOf makes a page's hierarchy from a run's. The page shows the epoch at the index shown first. In this epoch,
// touching clusters have different colours. layout is nil if nothing is drawn.
func hierarchyOf(spec models.Spec, layout *picture.Layout, epochs []training.HierarchyEpoch, shown int) *Hierarchy {
	h := &Hierarchy{Frozen: !spec.Learns(), Epochs: epochs, Shown: shown, Palette: picture.Palette}
	assigned := 0
	for i, level := range spec.Levels {
		assigned += len(epochs[0].Clusters[i])
		l := Level{Level: level}
		if layout != nil {
			l.Colours = layout.Colours(epochs[shown].Clusters.Path(i+1), level.Clusters)
		}
		h.Levels = append(h.Levels, l)
	}
	// If there are too many epochs, only some keep their clusters, at equal distances. The first and the last are among
	// them.
	most := min(mostEpochs, max(2, mostAssigned/assigned))
	for i := 1; i < len(epochs) && len(epochs) > most; i++ {
		if share := func(i int) int { return i * (most - 1) / (len(epochs) - 1) }; share(i) == share(i-1) && i != shown {
			epochs[i].Clusters = nil
		}
	}
	return h
}

// hasNetwork reports whether a network has a part in a classifier's predictions. That there is none is said first of
// any hierarchy, also of one that there is not, which takes no reading.
func hasNetwork(c *models.Classifier) bool {
	_, err := c.ClusterLevels(-1)
	return !errors.Is(err, models.ErrNoNetwork)
}
