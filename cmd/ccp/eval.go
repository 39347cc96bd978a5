package main

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/models"
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
	f := cmd.Flags()
	checkpointFlag(cmd, &dir)
	f.StringVar(&data, "data", "", "data set by its `NAME`, or FILE.npz (default: the one trained on)")
	dataDirFlag(cmd, &dataDir)
	f.StringVar(&split, "split", "test", "`NAME` of the split: train, validation or test")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if !slices.Contains([]string{"train", "validation", "test"}, split) {
			return usage(cmd, fmt.Errorf("--split %q is none of train, validation, test", split))
		}
		classifier, err := s.load(cmd, dir)
		if err != nil {
			return err
		}
		config, err := training.ReadConfig(dir)
		if err != nil {
			return err
		}
		if data != "" && data != config.Data { // what one source was asked for means nothing to another
			config.Data, config.Protocol, config.TFIDF, config.Vectors = data, "", false, ""
		}
		status := newStatusLine(cmd.ErrOrStderr())
		d, err := training.LoadFor(classifier.Metadata, config, datasets.Options{DataDir: dataFolder(dataDir), Backend: s.backendFor(cmd), Progress: status.loading})
		status.clear()
		if data == "" && strings.HasSuffix(strings.ToLower(config.Data), ".npz") && errors.Is(err, fs.ErrNotExist) {
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
		if s.json {
			return printJSON(cmd.OutOrStdout(), evalJSON{"eval", d.Name, split, e})
		}
		fmt.Fprintf(cmd.OutOrStdout(), "%s, %s split: accuracy %.2f%% of %s, loss %.4f\n\n", d.Name, split, 100*e.Accuracy, count(e.Samples, "sample"), e.Loss)
		printEvaluation(cmd.OutOrStdout(), e)
		return nil
	}
	return cmd
}

// checkpointFlag is for the commands that cannot do without a checkpoint.
func checkpointFlag(cmd *cobra.Command, dir *string) {
	cmd.Flags().StringVar(dir, "checkpoint", "", "`DIR` that \"ccp train\" made")
	cmd.PreRunE = func(cmd *cobra.Command, _ []string) error {
		if *dir == "" {
			return usage(cmd, errors.New("--checkpoint DIR is needed: the directory that `ccp train` named last"))
		}
		return nil
	}
}

// load opens a backend and the checkpoint in dir.
func (s *shared) load(cmd *cobra.Command, dir string) (*models.Classifier, error) {
	b, _, err := s.open(cmd)
	if err != nil {
		return nil, err
	}
	return models.Load(dir, models.WithBackend(b), models.WithNotices(func(line string) { fmt.Fprintln(cmd.ErrOrStderr(), line) }))
}
