package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/clusterpool/ccp/cmd/internal/text"
	"github.com/clusterpool/ccp/datasets"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// checkJSON is what `ccp data check --json` prints: the report, and what was understood if the file is usable.
type checkJSON struct {
	datasets.Report
	Data *datasetJSON `json:"data"`

	Next string `json:"-"` // the command that trains on what was checked
}

func newDataCheck(s *shared) *cobra.Command {
	var o datasets.Options
	cmd := command("data check", "FILE.npz")
	cmd.RunE = func(cmd *cobra.Command, paths []string) error {
		if !strings.HasSuffix(strings.ToLower(paths[0]), ".npz") {
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
		result := checkJSON{report, describe(report.Data), self() + " " + commandLine(train...)}
		err = s.print(cmd, result, render("data-check", result))
		if err == nil && !report.Usable {
			err = fmt.Errorf("%s cannot be used: %w", paths[0], errors.New(text.Count(len(report.Errors), "error")))
		}
		return err
	}
	graphFlags(cmd.Flags(), &o.KNN, &o.Seed, &o.Validation)
	return cmd
}
