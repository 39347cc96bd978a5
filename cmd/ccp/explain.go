package main

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/clusterpool/ccp/cmd/internal/explain"
	"github.com/clusterpool/ccp/cmd/internal/text"
	"github.com/clusterpool/ccp/models"
	"github.com/spf13/cobra"
)

const mostSums = 5 // joints, and frames, that are printed of a class; --json has all of them

func newExplain(s *shared) *cobra.Command {
	e := explain.Explanation{Class: -1}
	var dir, dataDir, class string
	var out target
	var samples int
	var deletion bool
	cmd := &cobra.Command{
		Use:   "explain --checkpoint DIR",
		Short: "The nodes that mattered to a trained classifier, for each class and each sample",
		Long: `Attribute predictions to the input nodes: how much each contributed to the logit of the
class predicted, compared with the baseline in its place, which is 0 in normalised units:
the training mean, or 0 where the data has no mean taken off. Printed are the nodes that
mattered most to each class; --out writes those of each sample, and pictures of them.`,
		Example: "  ccp explain --checkpoint runs/digits-ccp-1\n  ccp explain --checkpoint runs/digits-ccp-1 --method integrated --class 7 --out why",
		Args:    noArgs,
	}
	checkpointFlag(cmd, &dir)
	dataDirFlag(cmd, &dataDir)
	splitFlag(cmd, &e.Split)
	f := cmd.Flags()
	numberVar(f, &samples, "samples", 500, 0, math.MaxInt, "how many samples of the split to explain, evenly spread; 0 for all")
	f.StringVar(&class, "class", "", "only the samples of the class `NAME`, and what speaks for it whatever was predicted")
	choiceVar(f, &e.Options.Method, "method", models.GradientInput, "gradient (times input) or integrated (gradients)", models.GradientInput, models.IntegratedGradients)
	numberVar(f, &e.Options.Steps, "steps", models.DefaultSteps, 1, math.MaxInt, "gradients to a sample, with --method integrated")
	out.folderFlags(cmd, "contributions.csv, classes.csv and pictures")
	f.BoolVar(&deletion, "deletion", false, "check the contributions: accuracy without the nodes that contributed most")
	cmd.RunE = func(cmd *cobra.Command, _ []string) (err error) {
		if deletion && out.path != "" {
			return usage(cmd, errors.New("--deletion writes no files; leave --out out"))
		}
		if err := out.free(); err != nil {
			return err
		}
		if e.Classifier, err = s.load(cmd, dir); err != nil {
			return err
		}
		if e.Data, err = s.dataOf(cmd, e.Classifier.Metadata, dir, dataDir, ""); err != nil {
			return err
		}
		if class != "" {
			if e.Class = slices.Index(e.Classifier.ClassNames, class); e.Class < 0 {
				return usage(cmd, fmt.Errorf("--class %q is none of %q", class, e.Classifier.ClassNames))
			}
		}
		if err := e.Prepare(samples); err != nil {
			return err
		}
		status := newStatusLine(cmd.ErrOrStderr())
		e.Progress = func(doing string, done float64) {
			if status.screen != nil {
				status.loading(doing, done)
			}
		}
		ctx, end := untilSignal(cmd, status.clear)
		defer end()
		if deletion {
			result, err := e.Delete(ctx)
			if status.clear(); err != nil {
				return err
			}
			return s.print(cmd, result, deletionText(result))
		}
		result, err := e.Run(ctx, out.path)
		if status.clear(); err != nil {
			return err
		}
		return s.print(cmd, result, summaryText(result, class))
	}
	return cmd
}

func deletionText(d explain.Deletion) string {
	table := text.Table{Align: "lr"}
	table.Row("deleted\taccuracy\tprobability of the true class")
	row := func(name string, score explain.Score) {
		table.Row("%s\t%.2f%%\t%.3f", name, 100*score.Accuracy, score.Probability)
	}
	row("nothing", d.Nothing)
	row(fmt.Sprintf("random nodes, mean of %d draws", explain.RandomDraws), d.Random)
	row("nodes that contributed most ("+d.Method+")", d.Top)
	return fmt.Sprintf("%s, %s split: %s, %d of %d nodes set to the baseline\n\n%s", d.Data, d.Split, text.Count(d.Samples, "sample"), d.Deleted, d.Nodes, &table)
}

// summaryText has the nodes that mattered most to each class. class is the only one explained, or "".
func summaryText(r explain.Summary, class string) string {
	method, way := "gradient x input", "; --method integrated is closer"
	if r.Method == models.IntegratedGradients {
		method, way = "integrated gradients, "+text.Count(r.Steps, "step"), ""
	}
	if class == "" {
		class = "the class predicted"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %s split: %s explained by %s\n", r.Data, r.Split, text.Count(r.Samples, "sample"), method)
	fmt.Fprintf(&b, "contributions to the logit of %s: above zero they speak for it; they add up to its\nchange from the baseline (0 in normalised units), give or take %.1f%%%s\n", class, 100*r.Gap, way)
	for _, c := range r.Classes {
		table := text.Table{Align: "llr"} // an empty column is an indent
		table.Row("\tnode\tmean\tmean absolute")
		for _, node := range c.Nodes {
			table.Row("\t%s\t%+.4f\t%.4f", text.Shorten(node.Name, text.LongestName), node.Mean, node.Absolute)
		}
		fmt.Fprintf(&b, "\n%s: %s\n%s%s%s", c.Name, text.Count(c.Samples, "sample"), &table, sumsText("joints", c.Joints), sumsText("frames", c.Frames))
	}
	return b.String()
}

// sumsText says on a line which joints or frames mattered most.
func sumsText(title string, sums []explain.Contribution) string {
	if len(sums) == 0 {
		return ""
	}
	var words []string
	for _, sum := range sums[:min(len(sums), mostSums)] {
		words = append(words, fmt.Sprintf("%s %.3f", strings.TrimPrefix(sum.Name, "frame "), sum.Absolute))
	}
	return "  " + title + ", mean absolute: " + strings.Join(words, ", ") + "\n"
}
