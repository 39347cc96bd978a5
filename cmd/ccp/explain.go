//go:build !lean

package main

import (
	"fmt"
	"math"

	"github.com/clusterpool/ccp/cmd/internal/explain"
	"github.com/clusterpool/ccp/internal/suggest"
	"github.com/clusterpool/ccp/models"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// newExplain returns `ccp explain`, which says which nodes speak for which class.
func newExplain(s *shared) *cobra.Command {
	e := explain.Explanation{Class: -1}
	var dir, data, dataDir, class string
	var out target
	var samples int
	cmd := command("explain", "")
	checkpointFlag(cmd, &dir)
	otherDataFlags(cmd, &data, &dataDir)
	splitFlag(cmd, &e.Split)
	f := cmd.Flags()
	samplesFlag(f, &samples, "all of the split")
	f.StringVar(&class, "class", "", "only the samples of the class `NAME`, and what speaks for it whatever was predicted")
	choiceVar(f, &e.Options.Method, "method", "", "integrated (gradients), gradient (times input), which is one pass "+
		"and inaccurate, or occlusion, which hides parts (default: integrated; occlusion with transforms)",
		models.IntegratedGradients, models.GradientInput, models.Occlusion)
	numberVar(f, &e.Options.Steps, "steps", 0, 0, math.MaxInt,
		"`N` gradients to a sample (default: as many as contributions need to add up to the logit's change within 1%)")
	out.folderFlags(cmd, "contributions.csv and classes.csv")
	cmd.RunE = func(cmd *cobra.Command, _ []string) (err error) {
		if m := e.Options.Method; e.Options.Steps > 0 && m != "" && m != models.IntegratedGradients {
			return usage(cmd, fmt.Errorf("--steps is for --method %s; leave it out", models.IntegratedGradients))
		}
		if err := out.free(); err != nil {
			return err
		}
		e.Classifier, err = s.load(cmd, dir, 0)
		if err != nil {
			return err
		}
		e.Data, err = s.dataOf(cmd, e.Classifier.Metadata, e.Classifier.Graph, dir, dataDir, data)
		if err != nil {
			return err
		}
		if class != "" {
			e.Class = suggest.Class(class, e.Classifier.ClassNames)
			if e.Class < 0 {
				return usage(cmd, fmt.Errorf("--class %q is none of %q%s", class, e.Classifier.ClassNames,
					suggest.Meant(class, e.Classifier.ClassNames)))
			}
		}
		if err := e.Prepare(samples); err != nil {
			return err
		}
		status := newStatusLine(cmd.ErrOrStderr())
		e.Progress = status.onScreen
		stopped := untilSignal(cmd, status.clear)
		defer stopped()
		result, err := e.Run(cmd.Context(), out.path)
		status.clear()
		if err != nil {
			return err
		}
		return s.print(cmd, result, render("explain", result))
	}
	return cmd
}

// samplesFlag is for the commands that explain samples.
func samplesFlag(f *pflag.FlagSet, samples *int, all string) {
	numberVar(f, samples, "samples", 0, 0, math.MaxInt, "explain at most `N` samples, evenly spread; 0 for "+all+
		" (default: at most 500, and where parts are hidden at most six passes for each training sample)")
	*samples = explain.Auto
}
