package main

import (
	"fmt"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/datasets"
	"github.com/spf13/cobra"
)

// datasetJSON is what `ccp data info --json` prints.
type datasetJSON struct {
	Name       string         `json:"name"`
	Nodes      int            `json:"nodes"`
	Channels   int            `json:"channels"`
	Classes    []string       `json:"classes"`
	Train      int            `json:"train"` // samples
	Validation int            `json:"validation"`
	Test       int            `json:"test"`
	Mean       []float32      `json:"mean"` // of each channel
	Std        []float32      `json:"std"`
	Graph      affinity.Stats `json:"graph"`
	Provenance string         `json:"provenance"`
	Warnings   []string       `json:"warnings"`
}

func newData(s *shared) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "data",
		Short:   "The data sets: which there are, what they need, what is in them",
		Example: "  ccp data list\n  ccp data info digits",
	}
	group(cmd)
	cmd.AddCommand(newDataList(s), newDataInfo(s))
	return cmd
}

func newDataList(s *shared) *cobra.Command {
	return &cobra.Command{
		Use:     "list",
		Short:   "List the data sets",
		Example: "  ccp data list",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			out := cmd.OutOrStdout()
			if s.json {
				return printJSON(out, datasets.Names())
			}
			for i, info := range datasets.Names() {
				if i > 0 {
					fmt.Fprintln(out)
				}
				fmt.Fprintf(out, "%s\n  %s\n", info.Name, fold(info.Description, 78, 2))
				if info.Samples > 0 {
					fmt.Fprintf(out, "  %s of %s x %s in %d classes\n", count(info.Samples, "sample"), count(info.Nodes, "node"), count(info.Channels, "channel"), info.Classes)
				}
				fmt.Fprintf(out, "  %s\n  %s\n", fold("needs: "+info.Needs, 78, 4), fold("licence: "+info.Licence, 78, 4))
			}
			return nil
		},
	}
}

func newDataInfo(s *shared) *cobra.Command {
	var o datasets.Options
	var dataDir string
	cmd := &cobra.Command{
		Use:     "info NAME|FILE.npz",
		Short:   "Samples, classes, graph, normalisation and oddities of a data set",
		Example: "  ccp data info digits\n  ccp data info mine.npz --knn 8",
		Args:    oneArg("NAME or FILE.npz"),
		RunE: func(cmd *cobra.Command, names []string) error {
			o.DataDir = dataFolder(dataDir)
			d, err := datasets.Load(names[0], o)
			if err != nil {
				return err
			}
			if s.json {
				return printJSON(cmd.OutOrStdout(), datasetJSON{Name: d.Name, Nodes: d.Nodes, Channels: d.Channels, Classes: d.ClassNames,
					Train: len(d.Train), Validation: len(d.Validation), Test: len(d.Test), Mean: d.Mean, Std: d.Std,
					Graph: d.Affinity.Stats(), Provenance: d.Provenance, Warnings: append([]string{}, d.Warnings...)})
			}
			_, err = fmt.Fprint(cmd.OutOrStdout(), d.Summary())
			return err
		},
	}
	f := cmd.Flags()
	dataDirFlag(cmd, &dataDir)
	f.IntVar(&o.KNN, "knn", 0, "`K` neighbours of each node in the graph made for an .npz without one")
	f.Uint64Var(&o.Seed, "split-seed", 0, "`SEED` of the splits, where the data set brings none")
	f.Float64Var(&o.Validation, "validation", 0, "`SHARE` held out for validation (default: the data set's protocol)")
	return cmd
}
