package main

import (
	"errors"
	"fmt"

	"github.com/clusterpool/ccp/cmd/internal/text"
	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/models/training"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func newDataList(s *shared) *cobra.Command {
	cmd := command("data list", "")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		return s.print(cmd, datasets.Names(), render("data-list", datasets.Names()))
	}
	return cmd
}

// samplesOf says how many samples there are, and of what shape.
func samplesOf(samples, nodes, channels int) string {
	return text.Count(samples, "sample") + " of " + text.Count(nodes, "node") + " x " + text.Count(channels, "channel")
}

// splitsOf says how many samples each split has.
func splitsOf(d *datasets.Dataset) string {
	return fmt.Sprintf("%s training, %s validation, %s test samples", text.Thousands(len(d.Train)),
		text.Thousands(len(d.Validation)), text.Thousands(len(d.Test)))
}

// asTrained completes the options of a data set. It then has the validation samples that "ccp train" holds out by
// default.
func asTrained(name string, o datasets.Options) datasets.Options {
	c, err := training.Preview(training.Patch{"data": name})
	o.HoldOut = err == nil && c.Keep != training.KeepLast
	return o
}

// loadData loads a data set by its name, or a file, with the splits of "ccp train", and shows on stderr what takes
// long.
func (s *shared) loadData(cmd *cobra.Command, name, dataDir string, o datasets.Options) (*datasets.Dataset, error) {
	o, done := s.loading(cmd, dataDir, asTrained(name, o))
	defer done()
	return datasets.Load(cmd.Context(), name, o)
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

// checkJSON is what `ccp data check --json` prints: the report, and what was understood if the file is usable.
type checkJSON struct {
	datasets.Report
	Data   *datasetJSON `json:"data"`
	Memory int64        `json:"memory_bytes,omitempty"` // of a training on recordings

	Next string `json:"-"` // the command that trains on what was checked
}

func newDataCheck(s *shared) *cobra.Command {
	var o datasets.Options
	cmd := command("data check", "FILE.npz")
	cmd.RunE = func(cmd *cobra.Command, paths []string) error {
		if !datasets.IsFile(paths[0]) {
			return usage(cmd, fmt.Errorf("%q does not end in .npz", paths[0]))
		}
		report, err := datasets.CheckNPZ(paths[0], asTrained(paths[0], o))
		if err != nil {
			return err
		}
		for i, message := range report.Errors {
			report.Errors[i] = withFlags(cmd, message)
		}
		train := []string{"train", "--data", paths[0]}
		cmd.Flags().Visit(func(flag *pflag.Flag) {
			switch flag.Name {
			case "knn", "validation":
				train = append(train, "--"+flag.Name, flag.Value.String())
			case "split-seed":
				train = append(train, "--set", "split_seed="+flag.Value.String())
			}
		})
		result := checkJSON{Report: report, Data: describe(report.Data), Next: self() + " " + commandLine(train...)}
		if report.Data != nil {
			result.Memory = training.Memory(report.Data)
		}
		err = s.print(cmd, result, render("data-check", result))
		if err == nil && !report.Usable {
			err = fmt.Errorf("%s cannot be used: %w", paths[0], errors.New(text.Count(len(report.Errors), "error")))
		}
		return err
	}
	graphFlags(cmd.Flags(), &o.KNN, &o.Seed, &o.Validation)
	return cmd
}
