package main

import (
	"fmt"
	"os"

	"github.com/clusterpool/ccp/datasets"
	"github.com/spf13/cobra"
)

func newData(s *shared) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "data",
		Short:   "The data sets: which there are, what they need, what is in them",
		Example: "  ccp data list\n  ccp data info digits",
		Args:    args(cobra.NoArgs),
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newDataList(s), newDataInfo(s))
	return cmd
}

func newDataList(s *shared) *cobra.Command {
	return &cobra.Command{
		Use:     "list",
		Short:   "List the data sets",
		Example: "  ccp data list",
		Args:    args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			out := cmd.OutOrStdout()
			if s.json {
				return printJSON(out, datasets.Names())
			}
			for _, info := range datasets.Names() {
				fmt.Fprintf(out, "%s\n  %s\n  needs: %s\n", info.Name, info.Description, info.Needs)
				if info.Licence != "" {
					fmt.Fprintf(out, "  licence: %s\n", info.Licence)
				}
			}
			return nil
		},
	}
}

func newDataInfo(s *shared) *cobra.Command {
	var o datasets.Options
	cmd := &cobra.Command{
		Use:     "info NAME|FILE.npz",
		Short:   "Samples, classes, graph, normalisation and oddities of a data set",
		Example: "  ccp data info digits\n  ccp data info mine.npz --knn 8",
		Args:    args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, names []string) error {
			d, err := datasets.Load(names[0], o)
			if err != nil {
				return err
			}
			if s.json {
				return printJSON(cmd.OutOrStdout(), map[string]any{"name": d.Name, "nodes": d.Nodes, "channels": d.Channels,
					"classes": d.ClassNames, "train": len(d.Train), "validation": len(d.Validation), "test": len(d.Test), "mean": d.Mean, "std": d.Std,
					"graph": d.Affinity.Stats(), "provenance": d.Provenance, "warnings": d.Warnings})
			}
			_, err = fmt.Fprint(cmd.OutOrStdout(), d.Summary())
			return err
		},
	}
	cmd.Flags().StringVar(&o.DataDir, "data-dir", os.Getenv("CCP_DATA"), "folder with the data set's files (default: $CCP_DATA, else here)")
	cmd.Flags().IntVar(&o.KNN, "knn", 0, "neighbours of the graph made for an .npz without one")
	cmd.Flags().Uint64Var(&o.Seed, "split-seed", 0, "seed of the splits, where the data set brings none")
	return cmd
}
