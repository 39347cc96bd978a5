package main

import (
	"errors"
	"fmt"
	"io/fs"
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
