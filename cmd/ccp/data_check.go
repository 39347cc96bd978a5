package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/clusterpool/ccp/datasets"
	"github.com/spf13/cobra"
)

// checkJSON is what `ccp data check --json` prints: the report, and what was understood if the file is usable.
type checkJSON struct {
	datasets.Report
	Data *datasetJSON `json:"data"`
}

func newDataCheck(s *shared) *cobra.Command {
	var o datasets.Options
	cmd := &cobra.Command{
		Use:   "check FILE.npz",
		Short: "Explain all that is wrong or odd with an .npz file of your own",
		Long: `Explain all that is wrong or odd with an .npz file of your own, each with the array, the
index and what to do, and then what was understood. It fails if the file cannot be used.`,
		Example: "  ccp data check mine.npz",
		Args:    oneArg("FILE.npz"),
		RunE: func(cmd *cobra.Command, paths []string) error {
			if !strings.HasSuffix(strings.ToLower(paths[0]), ".npz") {
				return usage(cmd, fmt.Errorf("%q does not end in .npz", paths[0]))
			}
			report, err := datasets.CheckNPZ(paths[0], o)
			if err != nil {
				return err
			}
			if s.json {
				document := checkJSON{Report: report}
				if report.Usable {
					understood := describe(report.Data)
					document.Data = &understood
				}
				err = printJSON(cmd.OutOrStdout(), document)
			} else {
				err = printReport(cmd.OutOrStdout(), report)
			}
			if err == nil && !report.Usable {
				err = fmt.Errorf("%s cannot be used: %w", paths[0], errors.New(count(len(report.Errors), "error")))
			}
			return err
		},
	}
	addSplitFlags(cmd.Flags(), &o)
	return cmd
}

func printReport(w io.Writer, r datasets.Report) error {
	var b strings.Builder
	for _, list := range []struct {
		title string
		lines []string
	}{{"error", r.Errors}, {"warning", r.Warnings}} {
		if len(list.lines) == 0 {
			continue
		}
		fmt.Fprintln(&b, count(len(list.lines), list.title))
		for _, line := range list.lines {
			fmt.Fprintf(&b, "  %s\n", fold(line, 98, 4))
		}
		fmt.Fprintln(&b)
	}
	fmt.Fprintln(&b, "understood")
	for _, a := range r.Arrays {
		fmt.Fprintf(&b, "  %-12s %-8s %v\n", a.Name, a.Kind, a.Shape)
	}
	if d := r.Data; d != nil {
		fmt.Fprintf(&b, "  %s of %s x %s in %d classes; %s\n", count(d.Signals.Len(), "sample"), count(d.Nodes, "node"),
			count(d.Channels, "channel"), d.Classes(), count(d.Affinity.Edges(), "edge"))
		fmt.Fprintf(&b, "  %s training, %s validation, %s test samples\n", thousands(len(d.Train)), thousands(len(d.Validation)), thousands(len(d.Test)))
		fmt.Fprintf(&b, "%s can be used; try: %s\n", r.File, self()+" "+commandLine("train", "--data", r.File))
	}
	_, err := io.WriteString(w, b.String())
	return err
}
