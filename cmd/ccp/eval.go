package main

import (
	"fmt"
	"io"
	"os"

	"github.com/clusterpool/ccp/internal/experiment"
	"github.com/clusterpool/ccp/models"
	"github.com/spf13/cobra"
)

// evalResult is what `ccp eval --json` prints.
type evalResult struct {
	Command string `json:"command"`
	Data    string `json:"data"`
	Split   string `json:"split"`
	experiment.Evaluation
}

func newEval(s *shared) *cobra.Command {
	var dir, data, dataDir, split string
	cmd := &cobra.Command{
		Use:     "eval --checkpoint DIR",
		Short:   "Accuracy, scores of each class and confusion matrix of a trained classifier",
		Example: "  ccp eval --checkpoint runs/digits-ccp-1 --split test",
		Args:    args(cobra.NoArgs),
	}
	f := cmd.Flags()
	checkpointFlag(cmd, &dir)
	f.StringVar(&data, "data", "", "data set or FILE.npz (default: the one trained on)")
	f.StringVar(&dataDir, "data-dir", os.Getenv("CCP_DATA"), "folder with the data set's files (default: $CCP_DATA, else here)")
	f.StringVar(&split, "split", "test", "train, validation or test")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		classifier, err := s.load(dir)
		if err != nil {
			return err
		}
		config, err := experiment.ReadConfig(dir)
		if err != nil {
			return err
		}
		if data != "" {
			config.Data = data
		}
		d, err := experiment.LoadFor(classifier.Metadata, config, dataDir)
		if err != nil {
			return err
		}
		indices, err := experiment.SplitOf(d, split)
		if err != nil {
			return usage(cmd, err)
		}
		if len(indices) == 0 {
			return fmt.Errorf("%s has no samples in its %s split", config.Data, split)
		}
		e, err := experiment.Evaluate(classifier, d, indices, 64)
		if err != nil {
			return err
		}
		if s.json {
			return printJSON(cmd.OutOrStdout(), evalResult{"eval", d.Name, split, e})
		}
		printEvaluation(cmd.OutOrStdout(), e)
		return nil
	}
	return cmd
}

func checkpointFlag(cmd *cobra.Command, dir *string) {
	cmd.Flags().StringVar(dir, "checkpoint", "", "directory that `ccp train` made")
	cmd.PreRunE = func(cmd *cobra.Command, _ []string) error {
		if *dir == "" {
			return usage(cmd, fmt.Errorf("--checkpoint DIR is needed: the directory that `ccp train` named last"))
		}
		return nil
	}
}

// load opens a backend and the checkpoint in dir.
func (s *shared) load(dir string) (*models.Classifier, error) {
	b, _, err := s.open()
	if err != nil {
		return nil, err
	}
	return models.Load(dir, models.WithBackend(b), models.WithNotices(func(line string) { fmt.Fprintln(os.Stderr, line) }))
}

func printEvaluation(w io.Writer, e experiment.Evaluation) {
	fmt.Fprintf(w, "accuracy %.2f%% of %s samples, loss %.4f\n\n", 100*e.Accuracy, thousands(e.Samples), e.Loss)
	width := len("class")
	for _, c := range e.PerClass {
		width = max(width, len([]rune(c.Name)))
	}
	fmt.Fprintf(w, "%-*s  samples  precision  recall     F1\n", width, "class")
	for _, c := range e.PerClass {
		fmt.Fprintf(w, "%-*s  %7d  %9.3f  %6.3f  %5.3f\n", width, c.Name, c.Samples, c.Precision, c.Recall, c.F1)
	}
	fmt.Fprintf(w, "\nconfusion: a row for each true class, a column for each predicted one, in the order above\n")
	cell := 1
	for _, row := range e.Confusion {
		for _, n := range row {
			cell = max(cell, len(fmt.Sprint(n)))
		}
	}
	for k, row := range e.Confusion {
		fmt.Fprintf(w, "%-*s ", width, e.PerClass[k].Name)
		for _, n := range row {
			fmt.Fprintf(w, " %*d", cell, n)
		}
		fmt.Fprintln(w)
	}
}
