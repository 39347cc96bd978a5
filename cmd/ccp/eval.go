package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/clusterpool/ccp/cmd/internal/text"
	"github.com/clusterpool/ccp/models/training"
	"github.com/spf13/cobra"
)

// evalJSON is what `ccp eval --json` prints.
type evalJSON struct {
	Command string `json:"command"`
	Data    string `json:"data"`
	Split   string `json:"split"`
	training.Evaluation
}

func newEval(s *shared) *cobra.Command {
	var dir, data, dataDir, split string
	cmd := &cobra.Command{
		Use:     "eval --checkpoint DIR",
		Short:   "Accuracy, scores of each class and confusion matrix of a trained classifier",
		Example: "  ccp eval --checkpoint runs/digits-ccp-1 --split test",
		Args:    noArgs,
	}
	checkpointFlag(cmd, &dir)
	cmd.Flags().StringVar(&data, "data", "", "data set by its `NAME`, or FILE.npz (default: the one trained on)")
	dataDirFlag(cmd, &dataDir)
	splitFlag(cmd, &split)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		classifier, err := s.load(cmd, dir)
		if err != nil {
			return err
		}
		d, err := s.dataOf(cmd, classifier.Metadata, dir, dataDir, data)
		if data == "" && strings.HasSuffix(strings.ToLower(classifier.Data), ".npz") && errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%w; give its place with --data", err)
		}
		if err != nil {
			return err
		}
		indices, err := training.SplitOf(d, split)
		if err != nil {
			return err
		}
		e, err := training.Evaluate(classifier, d, indices, 64)
		if err != nil {
			return err
		}
		return s.print(cmd, evalJSON{"eval", d.Name, split, e}, fmt.Sprintf("%s, %s split: accuracy %.2f%% of %s, loss %.4f\n\n%s",
			d.Name, split, 100*e.Accuracy, text.Count(e.Samples, "sample"), e.Loss, evaluationText(e)))
	}
	return cmd
}

// What is printed of an evaluation at most: columns of a line, so that it does not wrap, and classes confused.
const (
	widestMatrix   = 80
	mostConfusions = 20
)

// evaluationText has the scores of each class, and the confusion matrix. Where that is too wide to be read it has the largest entries
// off the diagonal instead.
func evaluationText(e training.Evaluation) string {
	names, width, cell := make([]string, len(e.PerClass)), len("class"), 1
	scores := text.Table{Align: "lr"}
	scores.Row("class\tsamples\tprecision\trecall\tF1")
	for k, c := range e.PerClass {
		names[k] = text.Shorten(c.Name, text.LongestName)
		width, cell = max(width, len([]rune(names[k]))), max(cell, len(fmt.Sprint(slices.Max(e.Confusion[k]))))
		scores.Row("%s\t%d\t%.3f\t%.3f\t%.3f", names[k], c.Samples, c.Precision, c.Recall, c.F1)
	}
	if width+len(names)*(cell+1) > widestMatrix {
		return scores.String() + "\n" + confusionsText(e.Confusion, names)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s\nconfusion: a row for each true class, a column for each predicted one, as above\n", &scores)
	for k, row := range e.Confusion {
		fmt.Fprintf(&b, "%-*s ", width, names[k])
		for _, n := range row {
			entry := "."
			if n > 0 {
				entry = fmt.Sprint(n)
			}
			fmt.Fprintf(&b, " %*s", cell, entry)
		}
		fmt.Fprintln(&b)
	}
	return b.String()
}

// confusionsText lists the pairs of classes that are taken for each other most.
func confusionsText(matrix [][]int, names []string) string {
	type pair struct{ truth, predicted, samples int }
	var pairs []pair
	for i, row := range matrix {
		for j, n := range row {
			if i != j && n > 0 {
				pairs = append(pairs, pair{i, j, n})
			}
		}
	}
	slices.SortStableFunc(pairs, func(a, b pair) int { return cmp.Compare(b.samples, a.samples) })
	shown := pairs[:min(len(pairs), mostConfusions)]
	table := text.Table{Align: "llr"}
	table.Row("class\ttaken for\tsamples")
	for _, p := range shown {
		table.Row("%s\t%s\t%d", names[p.truth], names[p.predicted], p.samples)
	}
	return fmt.Sprintf("confused most: %d of %d pairs of classes (--json has the whole matrix)\n%s", len(shown), len(pairs), &table)
}
