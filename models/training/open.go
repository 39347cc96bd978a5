package training

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"reflect"
	"slices"

	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/internal/checkpoint"
	"github.com/clusterpool/ccp/internal/files"
	"github.com/clusterpool/ccp/internal/params"
	"github.com/clusterpool/ccp/internal/suggest"
	"github.com/clusterpool/ccp/models"
	"github.com/gomlx/compute"
)

// writeConfig writes the configuration of a run in dir, apart from what its metadata has: the network, and the data's
// name.
func writeConfig(dir string, c Config, m models.Metadata) error {
	data, training := params.Values(c.Data), params.Values(c.Training)
	maps.Copy(data, c.More)
	if c.Name == m.Data {
		delete(data, "data")
	}
	return files.WriteJSON(filepath.Join(dir, configFile), map[string]any{"data": data, "training": training})
}

// ReadConfig returns the configuration of the run in dir.
func ReadConfig(dir string) (Config, error) {
	var parts map[string]json.RawMessage
	c, path := params.Defaults[Config](), filepath.Join(dir, configFile)
	if err := checkpoint.ReadJSON(dir, configFile, &parts); err != nil {
		return c, err
	}
	m, _, wrong := models.ReadMetadata(dir)
	c.Name = m.Data
	err := cmp.Or(c.decode(parts["data"], params.Fields(reflect.TypeFor[Data]())),
		c.decode(parts["training"], params.Fields(reflect.TypeFor[Training]())))
	if err == nil && len(parts) > 2 {
		err = errors.New("it has other parts than data and training")
	}
	if err != nil {
		return c, fmt.Errorf("%s: an earlier version of ccp began this run, or it was changed by hand; train anew: "+
			"%w", path, err)
	}
	c.Network = Network{m.Model, m.Levels, m.Hidden, m.Options}
	return c, wrong
}

// decode sets the values of a part of config.json, which has some of a configuration's fields, and what is in More.
func (c *Config) decode(part []byte, fields []params.Field) error {
	values, decoder := Patch{}, json.NewDecoder(bytes.NewReader(part))
	decoder.UseNumber() // a seed keeps all its digits
	err := decoder.Decode(&values)
	if name, named := values["data"].(string); named {
		c.Name = name // which decides what there is in More
	}
	further := append(sourceNames(), params.Names(ablationFields)...)
	for _, name := range sorted(values) {
		if params.Find(fields, name) == nil && !slices.Contains(further, name) {
			err = cmp.Or(err, error(unknownOption(name)))
		}
		err = cmp.Or(err, c.put(name, values[name]))
	}
	return err
}

// ReadResult returns the result of the run in dir; an os.ErrNotExist while it has none.
func ReadResult(dir string) (r Result, err error) {
	err = checkpoint.ReadJSON(dir, resultFile, &r)
	r.Checkpoint = dir // which may be a copy
	return r, err
}

// ReadFingerprint returns the fingerprint of the data of the run in dir. The error is os.ErrNotExist if the run began
// before runs kept one.
func ReadFingerprint(dir string) (f datasets.Fingerprint, err error) {
	return f, checkpoint.ReadJSON(dir, dataFile, &f)
}

// LoadData loads the configuration's data set, or takes opts.Data if there is one. Its samples are as they are: with
// augmentation the data set only knows how to change a sample, and the training does. Of opts it takes Data, DataDir
// and Observer.Load.
func (c Config) LoadData(ctx context.Context, backend compute.Backend, opts Options) (*datasets.Dataset, error) {
	if opts.Data != nil {
		if err := c.checkInMemory(); err != nil {
			return nil, asSettingsError(err)
		}
		return c.withValidation(opts.Data)
	}
	d, err := datasets.Load(ctx, c.Name, c.dataOptions(datasets.Options{DataDir: opts.DataDir, Augment: c.Augment,
		Backend: func() (compute.Backend, error) { return backend, nil }, Progress: opts.Observer.Load}))
	if err != nil && ctx.Err() != nil {
		return nil, marked{fmt.Errorf("%w before the first step, while the data was prepared: give the same command "+
			"to start again", ErrInterrupted), ctx.Err()}
	} else if errors.Is(err, datasets.ErrOptions) {
		err = asSettingsError(err)
	}
	return d, err
}

// checkInMemory returns an error if something is asked that only loading can do. It would be recorded, but not done.
func (c Config) checkInMemory() error {
	values, usual := c.Values(), Config{Data: Data{Name: c.Name, Split: splitOfData}}.Values()
	for _, name := range sorted(values) {
		if value := values[name]; phaseOf(name) == params.Loading && value != usual[name] {
			return params.Errorf(name, value, "the data is in memory, as datasets.Load or New made it: give it there, and "+
				"leave it out here")
		}
	}
	return nil
}

// withValidation returns a data set in memory with the validation samples that the configuration asks for.
func (c Config) withValidation(d *datasets.Dataset) (*datasets.Dataset, error) {
	if c.Validation == 0 && c.Keep == KeepLast {
		return d, nil
	}
	split := d.Raw.HoldOut(d.Split, c.Validation, c.SplitSeed)
	if len(split.Validation) == len(d.Validation) {
		return d, nil
	}
	d, err := datasets.Make(&d.Raw, split)
	return d, asSettingsError(err)
}

// LoadFor loads a data set to evaluate a classifier on. It has the normalisation that the classifier was trained
// with, and the splits of the run's configuration. Of o it takes DataDir, Whole, Graph, Backend and Progress. The
// error says in what data set and classifier do not fit each other.
func LoadFor(ctx context.Context, m models.Metadata, c Config, o datasets.Options) (*datasets.Dataset, error) {
	o.Form = m.Form
	d, err := datasets.Load(ctx, c.Name, c.dataOptions(o))
	if err != nil {
		return nil, err
	}
	return ofModel(d, m, c.Name)
}

// ofModel returns the data set as the model reads it: its classes by their numbers in the model, and its
// normalisation. The error, which calls the data set name, says in what they do not fit each other.
func ofModel(d *datasets.Dataset, m models.Metadata, name string) (*datasets.Dataset, error) {
	if err := m.Form.Fits(d.Form); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if err := m.CheckNames(d.NodeNames); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	s, own := m.Spec, *d
	if m.Form == nil && d.Nodes != s.Nodes || d.Channels != s.Channels { // recordings may have other frames
		return nil, fmt.Errorf("%s has signals of %d nodes x %d channels, the model was trained on %d x %d", name,
			d.Nodes, d.Channels, s.Nodes, s.Channels)
	}
	if !slices.Equal(d.ClassNames, m.ClassNames) { // some of the model's, in any order
		as := make([]int32, len(d.ClassNames))
		for k, class := range d.ClassNames {
			as[k] = int32(suggest.Class(class, m.ClassNames))
			if as[k] < 0 {
				return nil, fmt.Errorf("%s has the classes %q, the model %q; store labels as strings of the model's, "+
					"or class_names in its order. Samples of a class that it was not trained on have no right answer here: ccp "+
					"predict classifies them, and with --coverage tells those that suit none of its classes", name, d.ClassNames,
					m.ClassNames)
			}
		}
		own.Labels, own.ClassNames = slices.Clone(d.Labels), m.ClassNames
		for i, label := range d.Labels {
			own.Labels[i] = as[label]
		}
	}
	own.Mean, own.Std = m.Mean, m.Std
	return &own, nil
}

// All is the name of all splits together, see SplitOf.
const All = "all"

// SplitOf returns the sample indices of a split by its name, or of all three. It is an error if there are none.
func SplitOf(d *datasets.Dataset, name string) ([]int, error) {
	splits := map[string][]int{"train": d.Train, "validation": d.Validation, "test": d.Test,
		All: slices.Sorted(slices.Values(slices.Concat(d.Train, d.Validation, d.Test)))}
	switch split, known := splits[name]; {
	case !known:
		return nil, fmt.Errorf("there is no split %q; there are train, validation, test, all", name)
	case len(split) == 0:
		return nil, params.Sentencef("split", "the %s split of %s has no samples; choose another %v", name, d.Name,
			params.Named("split"))
	default:
		return split, nil
	}
}
