package main

import (
	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/models/training"
	"github.com/spf13/cobra"
)

// datasetJSON is what `ccp data info --json` prints.
type datasetJSON struct {
	Name       string         `json:"name"`
	Samples    int            `json:"samples"`
	Nodes      int            `json:"nodes"`
	Channels   int            `json:"channels"`
	Classes    []string       `json:"classes"`
	Train      int            `json:"train"` // samples
	Validation int            `json:"validation"`
	Test       int            `json:"test"`
	Counts     []countJSON    `json:"counts"` // of each class
	Mean       []float32      `json:"mean"`   // of each channel, or of each channel of each sensor
	Std        []float32      `json:"std"`
	Graph      affinity.Stats `json:"graph"`
	Frames     int            `json:"frames"` // of a series, see training.Series; else 0
	Sensors    int            `json:"sensors"`
	Provenance string         `json:"provenance"`
	Notes      []string       `json:"notes"`
	Warnings   []string       `json:"warnings"`

	Data *datasets.Dataset `json:"-"`
}

// countJSON is the number of samples of a class in each split.
type countJSON struct {
	Class      string `json:"class"` // its name
	Train      int    `json:"train"`
	Validation int    `json:"validation"`
	Test       int    `json:"test"`
}

// describe returns what is to be printed of a data set; nil for no data set.
func describe(d *datasets.Dataset) *datasetJSON {
	if d == nil {
		return nil
	}
	counts := make([]countJSON, d.Classes())
	for class := range counts {
		in := func(split []int) (n int) {
			for _, i := range split {
				if d.Labels[i] == int32(class) {
					n++
				}
			}
			return n
		}
		counts[class] = countJSON{d.ClassNames[class], in(d.Train), in(d.Validation), in(d.Test)}
	}
	frames, sensors := training.Series(d.Affinity, d.Grid)
	if d.Form != nil && d.Form.Longest > 1 { // a chain of sensors in frames looks like an image
		frames, sensors = d.Form.Frames, len(d.Form.Sensors)
	}
	return &datasetJSON{Name: d.Name, Samples: d.Signals.Len(), Counts: counts, Data: d, Nodes: d.Nodes, Channels: d.Channels, Classes: d.ClassNames,
		Train: len(d.Train), Validation: len(d.Validation), Test: len(d.Test), Mean: d.Mean, Std: d.Std,
		Graph: d.Affinity.Stats(), Frames: frames, Sensors: sensors, Provenance: d.Provenance,
		Notes: append([]string{}, d.Notes...), Warnings: append([]string{}, d.Warnings...)}
}

func newDataInfo(s *shared) *cobra.Command {
	var o datasets.Options
	var dataDir string
	cmd := command("data info", "NAME or FILE.npz")
	cmd.RunE = func(cmd *cobra.Command, names []string) error {
		d, err := s.loadData(cmd, names[0], dataDir, o)
		if err != nil {
			return err
		}
		return s.print(cmd, describe(d), render("data-info", describe(d)))
	}
	f := cmd.Flags()
	dataDirFlag(cmd, &dataDir)
	graphFlags(f, &o.KNN, &o.Seed, &o.Validation)
	f.StringVar(&o.Protocol, "protocol", "", "`NAME` of the split, where a data set has several (default: its usual one)")
	f.BoolVar(&o.TFIDF, "tfidf", false, "weigh the words of texts by how rare they are")
	return cmd
}
