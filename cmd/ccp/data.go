package main

import (
	"errors"
	"fmt"
	"runtime/debug"
	"strconv"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/internal/text"
	"github.com/clusterpool/ccp/models/training"
	"github.com/spf13/cobra"
)

// garbage is the memory that may wait to be collected during an import or a check, in percent of what is in use. Most
// of that is numbers, which the collector need not look at, so that collecting often costs little.
const garbage = 10

func newDataList(s *shared) *cobra.Command {
	cmd := command("data list", "")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		return s.print(cmd, datasets.Names(), render("data-list", datasets.Names()))
	}
	return cmd
}

// asTrained completes the options of a data set. It then has the validation samples that "ccp train" holds out by
// default.
func asTrained(name string, o datasets.Options) datasets.Options {
	c, err := training.Preview(training.Patch{"data": name})
	o.HoldOut = err == nil && c.Keep != training.KeepLast
	return o
}

// trainOn is the command to train on a data set.
func trainOn(data, dataDir string) string {
	return self() + " " + commandLine(withData(dataDir, "train", "--data", data)...)
}

// withData adds --data-dir to a command line, unless it is not given.
func withData(dataDir string, words ...string) []string {
	if dataDir != "" {
		words = append(words, "--data-dir", dataDir)
	}
	return words
}

// datasetJSON is what `ccp data check --json` prints of a data set.
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
	Frames     int            `json:"frames"` // of a series; else 0
	Sensors    int            `json:"sensors"`
	Provenance string         `json:"provenance"`
	Notes      []string       `json:"notes"`

	Data *datasets.Dataset `json:"-"`
}

// countJSON is the number of samples of a class in each split.
type countJSON struct {
	Class      string `json:"class"` // its name
	Train      int    `json:"train"`
	Validation int    `json:"validation"`
	Test       int    `json:"test"`
}

// describe returns what is to be printed of a data set.
func describe(d *datasets.Dataset) *datasetJSON {
	counts := make([]countJSON, d.Classes())
	for class, name := range d.ClassNames {
		counts[class].Class = name
	}
	for _, i := range d.Train {
		counts[d.Labels[i]].Train++
	}
	for _, i := range d.Validation {
		counts[d.Labels[i]].Validation++
	}
	for _, i := range d.Test {
		counts[d.Labels[i]].Test++
	}
	frames, sensors := 0, 0
	if d.Layout.InTime() && (d.Form == nil || d.Form.Longest > 1) { // else they are rows of a table
		frames, sensors = d.Layout.Frames, d.Layout.Sensors
	}
	return &datasetJSON{Name: d.Name, Samples: d.Signals.Len(), Counts: counts, Data: d, Nodes: d.Nodes,
		Channels: d.Channels, Classes: d.ClassNames,
		Train: len(d.Train), Validation: len(d.Validation), Test: len(d.Test), Mean: d.Mean, Std: d.Std,
		Graph: d.Affinity.Stats(), Frames: frames, Sensors: sensors, Provenance: d.Provenance,
		Notes: append([]string{}, d.Notes...)} // never nil: JSON has a list
}

// checkJSON is what `ccp data check --json` prints: the report, and what was understood if the data can be used.
type checkJSON struct {
	datasets.Report
	Data   *datasetJSON `json:"data"`
	Memory int64        `json:"memory_bytes,omitempty"` // of a training on recordings

	Next string `json:"-"` // the command that trains on what was checked
}

// newDataCheck returns `ccp data check`, which loads a data set as a training does and says what is in it.
func newDataCheck(s *shared) *cobra.Command {
	var o datasets.Options
	var dataDir string
	cmd := command("data check", "NAME or FILE.npz")
	cmd.SuggestFor = []string{"info"}
	cmd.RunE = func(cmd *cobra.Command, names []string) error {
		before := debug.SetGCPercent(garbage)
		defer debug.SetGCPercent(before)
		name := names[0]
		report, err := s.checkData(cmd, name, dataDir, asTrained(name, o))
		if err != nil {
			return err
		}
		for i, message := range report.Errors {
			report.Errors[i] = withFlags(cmd, message, report.Causes[i])
		}
		train := withData(dataDir, "train", "--data", name)
		if cmd.Flags().Changed("knn") {
			train = append(train, "--knn", strconv.Itoa(o.KNN))
		}
		result := checkJSON{Report: report, Next: self() + " " + commandLine(train...)}
		if report.Data != nil {
			if unsaid := report.Data.UnsaidFrames(); unsaid != "" {
				result.Warnings = append(result.Warnings, unsaid)
			}
			result.Data, result.Memory = describe(report.Data), training.Memory(report.Data)
		}
		err = s.print(cmd, result, render("data-check", result))
		if err == nil && !report.Usable {
			err = fmt.Errorf("%s cannot be used: %w", name, errors.New(text.Count(len(report.Errors), "error")))
		}
		return err
	}
	f := cmd.Flags()
	dataDirFlag(cmd, &dataDir)
	f.IntVar(&o.KNN, "knn", 0, knnUsage)
	return cmd
}

// checkData loads a data set, and reports what is in it. Of a file, the report holds all errors that were found; what
// is wrong with another data set is an error of checkData.
func (s *shared) checkData(cmd *cobra.Command, name, dataDir string, o datasets.Options) (datasets.Report, error) {
	if datasets.IsFile(name) {
		return datasets.CheckNPZ(name, o)
	}
	o, done := s.loading(cmd, dataDir, o)
	d, err := datasets.Load(cmd.Context(), name, o)
	done()
	if err != nil {
		return datasets.Report{}, err
	}
	found, err := datasets.Audit(d)
	return datasets.Report{File: name, Usable: true, Arrays: []datasets.ArrayInfo{}, Errors: []string{},
		Warnings: append([]string{}, d.Warnings...), Findings: append(datasets.Findings{}, found...),
		Data: d}, err // no list is nil: JSON has lists
}
