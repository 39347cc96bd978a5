package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/clusterpool/ccp/internal/experiment"
	"github.com/clusterpool/ccp/models"
	"github.com/spf13/cobra"
)

func newTrain(s *shared) *cobra.Command {
	var c experiment.Config
	var o experiment.Options
	var hidden string
	var settings []string
	var overwrite bool
	cmd := &cobra.Command{
		Use:   "train",
		Short: "Train a classifier, or go on with a training that was interrupted",
		Long: `Train a classifier. Progress goes to stderr, the result to stdout. The checkpoint directory
holds everything needed to classify again; the same command resumes a run that was
interrupted or killed, and ends with the same weights.`,
		Example: "  ccp train --data digits --epochs 30 --checkpoint runs/digits",
		Args:    args(cobra.NoArgs),
	}
	f := cmd.Flags()
	f.StringVar(&c.Data, "data", "digits", "data set (see `ccp data list`), or a FILE.npz of your own")
	f.StringVar(&o.DataDir, "data-dir", os.Getenv("CCP_DATA"), "folder with the data set's files (default: $CCP_DATA, else here)")
	f.IntVar(&c.KNN, "knn", 0, "neighbours of the graph made for an .npz without one")
	f.Uint64Var(&c.SplitSeed, "split-seed", 0, "seed of the splits, where the data set brings none")
	f.Float64Var(&c.Validation, "validation", 0, "share held out for validation (default: the data set's protocol)")
	f.BoolVar(&c.Augment, "augment", false, "augment the training samples (default: on for cifar10)")
	f.StringVar(&c.Model, "model", "ccp", "model: "+strings.Join(models.Names(), ", "))
	f.StringVar(&c.Levels, "levels", "", "levels as CLUSTERSxFILTERS/L,… such as 256x256/16,64x384/16,1x512/8 (default: the data set's)")
	f.StringVar(&hidden, "fc", "", "widths of the hidden fully connected layers, such as 1024 or 512,128; 0 for none (default: the data set's)")
	f.StringArrayVar(&settings, "set", nil, "an option of the model, NAME=VALUE or level_2/NAME=VALUE; may be repeated")
	f.IntVar(&c.Epochs, "epochs", 0, "passes over the training set (default: the data set's)")
	f.IntVar(&c.Batch, "batch", 0, "samples in a step (default: the data set's, mostly 64)")
	f.Float64Var(&c.LearningRate, "lr", 0, "Adam's learning rate at the start (default 0.001)")
	f.StringVar(&c.Schedule, "schedule", "cosine", "learning rate: cosine (to zero) or constant")
	f.Float64Var(&c.Average, "average", 0, "decay of a moving average of the weights to classify with, such as 0.999; 0 for none")
	f.IntVar(&c.Patience, "patience", 0, "stop after so many epochs without a better validation; 0 for never")
	f.Int64Var(&c.Seed, "seed", 1, "seed of weights, batches, dropout and augmentation")
	f.StringVar(&o.Dir, "checkpoint", "", "directory of the run (default: runs/DATA-MODEL-SEED)")
	f.BoolVar(&overwrite, "overwrite", false, "delete the run in the checkpoint directory and train anew")
	f.DurationVar(&o.SaveEvery, "save-every", 5*time.Minute, "save within an epoch at least this often")

	cmd.RunE = func(cmd *cobra.Command, _ []string) (err error) {
		defaults := experiment.Defaults(c.Data)
		for name, set := range map[string]func(){
			"epochs":  func() { c.Epochs = defaults.Epochs },
			"batch":   func() { c.Batch = defaults.Batch },
			"lr":      func() { c.LearningRate = defaults.LearningRate },
			"augment": func() { c.Augment = defaults.Augment },
		} {
			if !f.Changed(name) {
				set()
			}
		}
		if c.Hidden, err = parseWidths(hidden); err != nil {
			return usage(cmd, err)
		}
		params, err := models.ParseParams(settings)
		if err != nil {
			return usage(cmd, err)
		}
		c.Params = defaults.Params
		for name, value := range params {
			if c.Params == nil {
				c.Params = map[string]any{}
			}
			c.Params[name] = value
		}
		if err := c.Check(); err != nil {
			return usage(cmd, err)
		}
		if o.Dir == "" {
			o.Dir = c.DefaultCheckpoint()
		}
		if overwrite {
			if err := experiment.Remove(o.Dir); err != nil {
				return err
			}
		}
		b, info, err := s.open()
		if err != nil {
			return err
		}
		o.Backend, o.Command = info.Name, "ccp "+strings.Join(os.Args[1:], " ")
		display := newDisplay(os.Stderr, c, info.Name)
		o.Observer = display.observer()
		result, err := experiment.Train(cmd.Context(), b, c, o)
		display.close()
		if errors.Is(err, experiment.ErrInterrupted) {
			return fmt.Errorf("%w\n  %s", err, self()+" "+strings.Join(os.Args[1:], " "))
		}
		if err != nil {
			return err
		}
		if s.json {
			return printJSON(cmd.OutOrStdout(), result)
		}
		printResult(cmd.OutOrStdout(), result)
		return nil
	}
	return cmd
}

func parseWidths(text string) ([]int, error) {
	if text == "" {
		return nil, nil
	}
	widths := []int{}
	if text == "0" {
		return widths, nil
	}
	for part := range strings.SplitSeq(text, ",") {
		width, err := strconv.Atoi(strings.TrimSpace(part))
		if err != nil || width < 1 || width > 1<<20 {
			return nil, fmt.Errorf("--fc %q: %q is not a whole number from 1 to %d", text, part, 1<<20)
		}
		widths = append(widths, width)
	}
	return widths, nil
}

func printResult(w io.Writer, r experiment.Result) {
	if r.Resumed {
		fmt.Fprintln(w, "This run has ended already; --overwrite trains it anew.")
	}
	fmt.Fprintf(w, "test accuracy %.2f%% (loss %.4f), validation %.2f%%, best of %d epochs: %d\n",
		100*r.Test.Accuracy, r.Test.Loss, 100*r.Validation.Accuracy, r.Epochs, r.BestEpoch)
	fmt.Fprintf(w, "%s parameters, %d steps in %s of training on %s\n", thousands(r.Parameters), r.Steps, seconds(r.Seconds), r.Backend)
	fmt.Fprintf(w, "checkpoint in %s; try: %s eval --checkpoint %s\n", r.Checkpoint, self(), r.Checkpoint)
}

func seconds(s float64) string {
	return time.Duration(s * float64(time.Second)).Round(100 * time.Millisecond).String()
}

func thousands(n int) string {
	digits := strconv.Itoa(n)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}
