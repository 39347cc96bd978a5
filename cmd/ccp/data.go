package main

import (
	"fmt"

	"github.com/clusterpool/ccp/cmd/internal/text"
	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/models/training"
	"github.com/spf13/cobra"
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
