package training

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/internal/files"
	"github.com/clusterpool/ccp/models"
	"github.com/gomlx/compute"
)

// ReadConfig returns the configuration of the run in dir.
func ReadConfig(dir string) (c Config, err error) {
	return c, files.ReadJSON(filepath.Join(dir, configFile), &c)
}

// ReadResult returns the result of the run in dir; an os.ErrNotExist while it has none.
func ReadResult(dir string) (r Result, err error) {
	return r, files.ReadJSON(filepath.Join(dir, resultFile), &r)
}

// load loads the configuration's data set, with the graph that it asks for.
func (c Config) load(ctx context.Context, backend compute.Backend, opts Options) (*datasets.Dataset, error) {
	if opts.Data != nil {
		return c.changed(opts.Data)
	}
	d, err := datasets.Load(ctx, c.Data, c.dataOptions(datasets.Options{DataDir: opts.DataDir, Augment: c.Augment,
		Backend: func() (compute.Backend, error) { return backend, nil }, Progress: opts.Observer.Load}))
	if err != nil && ctx.Err() != nil {
		return nil, fmt.Errorf("%w before the first step, while the data was prepared: give the same command to start again", ErrInterrupted)
	}
	if err != nil {
		return nil, err
	}
	return c.changed(d)
}

// changed is the data set with the graph and the augmentation that the configuration asks for.
func (c Config) changed(d *datasets.Dataset) (*datasets.Dataset, error) {
	d, err := c.augmented(d)
	if err != nil {
		return nil, err
	}
	return c.randomGraph(d)
}

// randomGraph is the data set on the graph that the configuration asks for.
func (c Config) randomGraph(d *datasets.Dataset) (*datasets.Dataset, error) {
	if !c.RandomGraph {
		return d, nil
	}
	other := *d
	other.Coordinates = nil // directed slots would have the directions of the data's graph
	var err error
	other.Affinity, err = affinity.RandomConnected(d.Affinity.N(), d.Affinity.Edges(), uint64(c.Seed))
	return &other, err
}

// check says why a configuration cannot be trained on a data set in this way.
func (o Options) check(backend compute.Backend, c Config, d *datasets.Dataset) error {
	return checkDevices(backend, o.Devices, c.Budget(len(d.Train)).Batch)
}

// LoadFor loads a data set to evaluate a classifier on: with the normalisation that the classifier was trained with, and the
// splits and other choices of the run's configuration. Of o it takes DataDir, Backend and Progress. It is an error if data
// set and classifier do not fit each other.
func LoadFor(ctx context.Context, m models.Metadata, c Config, o datasets.Options) (*datasets.Dataset, error) {
	d, err := datasets.Load(ctx, c.Data, c.dataOptions(o))
	if err != nil {
		return nil, err
	}
	s := m.Spec
	if d.Nodes != s.Nodes || d.Channels != s.Channels {
		return nil, fmt.Errorf("%s has signals of %d nodes x %d channels, the model was trained on %d x %d", c.Data, d.Nodes, d.Channels, s.Nodes, s.Channels)
	}
	if !slices.Equal(d.ClassNames, m.ClassNames) {
		return nil, fmt.Errorf("%s has the classes %q, the model %q", c.Data, d.ClassNames, m.ClassNames)
	}
	d.Mean, d.Std = m.Mean, m.Std
	return d, nil
}

// SplitOf returns the sample indices of a split by its name. It is an error if it has none.
func SplitOf(d *datasets.Dataset, name string) ([]int, error) {
	splits := map[string][]int{"train": d.Train, "validation": d.Validation, "test": d.Test}
	switch split, known := splits[name]; {
	case !known:
		return nil, fmt.Errorf("there is no split %q; there are train, validation, test", name)
	case len(split) == 0:
		return nil, fmt.Errorf("the %s split of %s has no samples; choose another with --split", name, d.Name)
	default:
		return split, nil
	}
}
