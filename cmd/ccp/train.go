package main

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/clusterpool/ccp/ccp"
	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/models"
	"github.com/clusterpool/ccp/models/training"
	"github.com/spf13/cobra"
)

func newTrain(s *shared) *cobra.Command {
	var o training.Options
	var dataDir string
	var settings []string
	var dryRun, fast bool
	var metricsTo, board string
	asked := training.Patch{}
	cmd := command("train", "")
	cmd.Args = func(cmd *cobra.Command, pairs []string) error {
		for _, pair := range pairs {
			if !strings.Contains(pair, "=") {
				err := fmt.Errorf("ccp train takes flags and NAME=VALUE, not %q", pair)
				if _, unknown := datasets.Named(pair); datasets.IsFile(pair) || unknown == nil {
					err = fmt.Errorf("%w; did you mean --data %s?", err, pair)
				}
				return usage(cmd, err)
			}
		}
		return nil
	}
	var groups flagGroups
	f := groups.add("Data")
	optionFlag(f, asked, "data", "data", "data set by its `NAME` in \"ccp data list\", or a FILE.npz of your own (default: digits)")
	f.StringVar(&dataDir, "data-dir", "", "`FOLDER` with the data set's files (default: $CCP_DATA, else here)")
	optionFlag(f, asked, "knn", "knn", knnUsage)
	optionFlag(f, asked, "fold", "fold", "`FOLD` to test on: 2/5 is the second of five, 2/groups the second group (default: the data's split)")
	optionFlag(f, asked, "validation", "validation", "`SHARE` of the training samples held out for validation "+
		"(default: none; the data's own with --keep best)")
	f = groups.add("Model")
	optionFlag(f, asked, "model", "model", "model by its `NAME`: "+strings.Join(models.Names(), ", ")+" (default: ccp)")
	f.BoolVar(&fast, "fast", false, "leave the network out, so that transforms predict alone: --model transforms")
	optionFlag(f, asked, "recipe", "recipe", "`NAME` of the settings that all other flags change: default, what did best here; paper, "+
		"the paper's way of training; only some data sets have "+strings.Join(training.RecipeNames("ccp", dataNames()...)[2:], ", "))
	optionFlag(f, asked, "levels", "levels", "`LEVELS` as CLUSTERSxFILTERS/L,… such as 256x256/16,64x384/16,1x512/8, "+
		"each with :candidates=N or :batchnorm_epsilon=E of its own if need be (default: the recipe's)")
	optionFlag(f, asked, "fc", "hidden", "`WIDTHS` of the hidden fully connected layers, such as 1024 or 512,128; "+
		"0 for none (default: the recipe's)")
	optionFlag(f, asked, "hierarchy", "ccp_hierarchy", "`WAY` to obtain the clusters: "+strings.Join(ccp.Plans(),
		", ")+" (default: the recipe's)")
	optionFlag(f, asked, "dtype", "dtype", "`TYPE` that filters and dense layers compute in: float32, bfloat16, or auto for "+
		"whichever is faster here; variables and sums stay in float32 (default: float32)")
	f.StringArrayVar(&settings, "set", nil, "any other option of model or training, `NAME=VALUE`; may be repeated, and --set left out")
	f = groups.add("Training")
	optionFlag(f, asked, "epochs", "epochs", "`N` passes over the training set, or parts of --steps (default: the recipe's)")
	optionFlag(f, asked, "steps", "steps", "`N` steps in all, in place of passes (default: the recipe's)")
	optionFlag(f, asked, "batch", "batch", "`N` samples in a step (default: the recipe's)")
	optionFlag(f, asked, "lr", "learning_rate", "highest learning `RATE` of Adam (default: the recipe's)")
	optionFlag(f, asked, "keep", "keep", "`WHICH` weights to keep: best, the epoch's that did best in validation, "+
		"or last (default: the recipe's)")
	optionFlag(f, asked, "seed", "seed", "`SEED` of weights, batches, dropout and augmentation (default: 1)")
	f = groups.add("Run")
	f.StringVar(&o.Dir, "checkpoint", "", "`DIR` of the run (default: runs/DATA-MODEL-SEED)")
	f.BoolVar(&o.Overwrite, "overwrite", false, "train anew; the run in the checkpoint directory stays until the first snapshot")
	f.BoolVar(&o.Ablate, "ablate", false, "train the network on a random graph, too, to tell what the graph is worth (\"ccp report\"); "+
		"this takes as long as its trial")
	o.SaveEvery = 5 * time.Minute
	durationVar(f, &o.SaveEvery, "save-every", 10*time.Millisecond, true, "longest `TIME` between snapshots within an epoch")
	f.StringVar(&metricsTo, "metrics", "", "`FILE` for a line of NAME=VALUE after each epoch and at the end, - for the standard "+
		"output; for programs that search settings")
	f.StringVar(&board, "tensorboard", "", "`FOLDER` for the curves of this run, as a file of TensorBoard")
	f.BoolVar(&dryRun, "dry-run", false, "print the whole configuration and what a training step needs, and do not train")
	numberVar(f, &o.Devices, "devices", 1, 1, math.MaxInt,
		"`N` devices of the backend that share each batch; the batch must be a multiple of N")
	groups.addTo(cmd)

	cmd.RunE = func(cmd *cobra.Command, pairs []string) error {
		if s.json && metricsTo == "-" {
			return usage(cmd, errors.New("--metrics - and --json would share the standard output; give --metrics FILE"))
		}
		if err := addSettings(cmd, asked, append(settings, pairs...)); err != nil {
			return usage(cmd, err)
		}
		if model := cmp.Or(asked["model"], any("transforms")); fast && model != any("transforms") {
			return usage(cmd, fmt.Errorf("--fast leaves the network out, and model=%v asks for one; give one of them", model))
		} else if fast {
			asked["model"] = model
		}
		c, err := training.Preview(asked)
		if err != nil {
			if unknown, ok := errors.AsType[*training.UnknownError](err); ok && cmd.Flag(unknown.Name) != nil {
				err = fmt.Errorf("--set: %q is no option but a flag: --%[1]s", unknown.Name)
			} else if ok {
				err = fmt.Errorf("--set: %w", err)
			}
			return usage(cmd, err)
		}
		if o.Dir == "" {
			o.Dir = c.DefaultCheckpoint()
		}
		o.DataDir = dataFolder(dataDir)
		b, info, err := s.open(cmd.ErrOrStderr())
		if err != nil {
			return err
		}
		o.Backend, o.Command = info.Name, "ccp "+commandLine(s.args...)
		display := newDisplay(cmd.ErrOrStderr(), c, info.Name)
		o.Observer = display.observer()
		defer untilSignal(cmd, display.stopping)()
		if dryRun {
			o.Observer = display.brief() // there are no steps to announce
			f, err := training.DryRun(cmd.Context(), b, asked, o)
			display.clear()
			if err != nil {
				return err
			}
			return s.print(cmd, f, render("train-dry-run", f))
		}
		scores, err := openMetrics(metricsTo, board, cmd.OutOrStdout())
		if err != nil {
			return err
		}
		o.Observer = scores.observe(o.Observer, o.Dir)
		result, err := training.Train(cmd.Context(), b, asked, o)
		if err == nil && result.Resumed {
			display.notice("this run had ended before and nothing was trained now; --overwrite trains it anew")
			scores.past(o.Dir, func(int) bool { return true })
		}
		if err == nil {
			scores.scores(max(1, result.BestEpoch), result.Train, result.Validation, &result.Test)
		}
		err = cmp.Or(err, scores.close())
		display.clear()
		if errors.Is(err, training.ErrInterrupted) {
			return fmt.Errorf("%w\n  %s %s", err, self(), commandLine(s.args...))
		}
		if err != nil {
			return err
		}
		next := self() + " " + commandLine(withData(dataDir, "eval", "--checkpoint", result.Checkpoint)...)
		return s.print(cmd, result, render("train", map[string]any{"Result": result, "Next": next}))
	}
	return cmd
}

// addSettings adds what --set asks to what the other flags ask. The path of an own file becomes absolute.
func addSettings(cmd *cobra.Command, asked training.Patch, settings []string) (err error) {
	for _, setting := range settings {
		name, value, found := strings.Cut(setting, "=")
		if !found {
			return fmt.Errorf("--set %q is not NAME=VALUE", setting)
		}
		if flag := cmd.Flags().Lookup(flagOf[name]); flag != nil && flag.Changed && flag.Value.String() != value {
			return fmt.Errorf("--%s %s and --set %s contradict each other; give one of them", flag.Name, flag.Value, setting)
		}
		asked[name] = value
	}
	if path, given := asked["data"].(string); given {
		asked["data"], err = absolute(path)
	}
	return err
}
