package main

import (
	"fmt"
	"strings"

	"github.com/clusterpool/ccp/cmd/internal/text"
	"github.com/clusterpool/ccp/datasets"
	"github.com/spf13/cobra"
)

func newData(s *shared) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "data",
		Short:   "The data sets: which there are, what they need, what is in them",
		Example: "  ccp data list\n  ccp data get mnist\n  ccp data info digits\n  ccp data import uea/BasicMotions",
	}
	group(cmd)
	cmd.AddCommand(newDataList(s), newDataGet(s), newDataInfo(s), newDataCheck(s), newDataExport(s), newDataImport(s))
	return cmd
}

func newDataList(s *shared) *cobra.Command {
	return &cobra.Command{
		Use:     "list",
		Short:   "List the data sets",
		Example: "  ccp data list",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var sets []string
			for _, info := range datasets.Names() {
				set := fmt.Sprintf("%s\n  %s\n", info.Name, text.Fold(info.Description, 78, 2))
				if info.Samples > 0 {
					set += fmt.Sprintf("  %s in %d classes\n", samplesOf(info.Samples, info.Nodes, info.Channels), info.Classes)
				}
				sets = append(sets, fmt.Sprintf("%s  %s\n  %s\n", set, text.Fold("needs: "+info.Needs, 78, 4), text.Fold("licence: "+info.Licence, 78, 4)))
			}
			return s.print(cmd, datasets.Names(), strings.Join(sets, "\n"))
		},
	}
}

// samplesOf says how many samples there are, and of what shape.
func samplesOf(samples, nodes, channels int) string {
	return text.Count(samples, "sample") + " of " + text.Count(nodes, "node") + " x " + text.Count(channels, "channel")
}

// splitsOf says how many samples each split has.
func splitsOf(d *datasets.Dataset) string {
	return fmt.Sprintf("%s training, %s validation, %s test samples", text.Thousands(len(d.Train)), text.Thousands(len(d.Validation)), text.Thousands(len(d.Test)))
}

// loadData loads a data set by its name, or a file, showing on stderr what takes long.
func (s *shared) loadData(cmd *cobra.Command, name, dataDir string, o datasets.Options) (*datasets.Dataset, error) {
	o, done := s.loading(cmd, dataDir, o)
	defer done()
	return datasets.Load(name, o)
}

// trainOn is the command to train on a data set.
func trainOn(data, dataDir string) string {
	words := []string{"train", "--data", data}
	if dataDir != "" {
		words = append(words, "--data-dir", dataDir)
	}
	return self() + " " + commandLine(words...)
}
