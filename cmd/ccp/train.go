package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/clusterpool/ccp/ccp"
	"github.com/clusterpool/ccp/ccp/nn"
	"github.com/clusterpool/ccp/cmd/internal/report"
	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/models"
	"github.com/clusterpool/ccp/models/training"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func newTrain(s *shared) *cobra.Command {
	var c training.Config
	var o training.Options
	var dataDir, watchAt string
	var hidden []int
	var settings []string
	var recipe string
	var overwrite, dryRun bool
	cmd := command("train", "")
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVar(&c.Data, "data", "digits", "data set by its `NAME` in \"ccp data list\", or a FILE.npz of your own")
	dataDirFlag(cmd, &dataDir)
	graphFlags(f, &c.KNN, &c.SplitSeed, &c.Validation)
	f.TextVar(&c.Fold, "fold", datasets.Fold{}, "`FOLD` to test on, such as 2/5, the second of five, or 2/groups, the second group (default: the data's split)")
	f.BoolVar(&c.RandomGraph, "random-graph", false, "replace the data's graph by a random connected one with as many edges")
	formFlags(f, &c.Protocol, &c.TFIDF)
	f.BoolVar(&c.Augment, "augment", false, "augment the training samples (default: on for cifar10, nw-ucla and ntu)")
	f.Float64Var(&c.Stretch, "stretch", 0, "slow down or speed up training samples by a factor from 1-`S` to 1+S, where the data is a grid of frames and sensors")
	f.StringVar(&c.Model, "model", "ccp", "model by its `NAME`: "+strings.Join(models.Names(), ", "))
	f.StringVar(&recipe, "recipe", models.DefaultRecipe, "`NAME` of the settings that all other flags change: default, what did best here; paper, the way of training of the paper; deep, for cifar10")
	f.StringVar(&c.Levels, "levels", "", "`LEVELS` as CLUSTERSxFILTERS/L,… such as 256x256/16,64x384/16,1x512/8 (default: the data set's)")
	f.IntSliceVar(&hidden, "fc", nil, "`WIDTHS` of the hidden fully connected layers, such as 1024 or 512,128; 0 for none (default: the data set's)")
	choiceVar(f, new(string), "hierarchy", "", "`WAY` to obtain the clusters: "+strings.Join(ccp.Plans(), ", ")+" (default: prepared; learned for ntu, and with --recipe paper for cifar10 and own data)", ccp.Plans()...)
	choiceVar(f, new(string), "dtype", "float32", "`TYPE` that filters and dense layers compute in: float32 or bfloat16; variables and sums stay in float32", "float32", nn.BFloat16)
	f.StringArrayVar(&settings, "set", nil, "an option of the model, `NAME=VALUE` or level_2/NAME=VALUE; may be repeated")
	f.IntVar(&c.Epochs, "epochs", 0, "`N` passes over the training set, or parts of --steps (default: the data set's, or by its size)")
	f.IntVar(&c.Steps, "steps", 0, "`N` steps in all, in place of passes (default: the data set's, or by its size)")
	f.IntVar(&c.Batch, "batch", 0, "`N` samples in a step (default: the data set's, or by its size)")
	f.Float64Var(&c.LearningRate, "lr", 0, "highest learning `RATE` of Adam (default: the data set's)")
	f.StringVar(&c.Schedule, "schedule", "", "`KIND` of schedule of the learning rate: cosine (to zero), one-cycle (up, then to zero) or constant (default: the data set's)")
	f.StringVar(&c.Keep, "keep", "", "`WHICH` weights to keep: best, the epoch's that did best in validation, or last, which needs no validation (default: last; best for 20news, mnist, fashion-mnist, ntu and --recipe paper)")
	f.Float64Var(&c.Average, "average", 0, "`DECAY` of the moving average of the weights used for classification, such as 0.999; 0 for none")
	f.Float64Var(&c.LabelSmoothing, "label-smoothing", 0, "`SHARE` of each label that is spread over all classes, such as 0.1")
	f.IntVar(&c.Patience, "patience", 0, "stop after `N` epochs without a better validation; 0 for never")
	f.Int64Var(&c.Seed, "seed", 1, "`SEED` of weights, batches, dropout and augmentation")
	f.StringVar(&o.Dir, "checkpoint", "", "`DIR` of the run (default: runs/DATA-MODEL-SEED)")
	f.BoolVar(&overwrite, "overwrite", false, "delete the run in the checkpoint directory and train anew")
	f.StringVar(&watchAt, "watch", "", "show the training in a browser, live; =`ADDR` to listen on (default 127.0.0.1 and a free port)")
	f.Lookup("watch").NoOptDefVal = "127.0.0.1:0"
	f.DurationVar(&o.SaveEvery, "save-every", 5*time.Minute, "longest `TIME` between snapshots within an epoch")
	f.BoolVar(&dryRun, "dry-run", false, "print what a training step needs, memory above all, and do not train")
	numberVar(f, &o.Devices, "devices", 1, 1, math.MaxInt, "`N` devices of the backend that share each batch; the batch must be a multiple of N")

	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := complete(&c, f, recipe, hidden, settings); err != nil {
			return usage(cmd, err)
		}
		if o.Dir == "" {
			o.Dir = c.DefaultCheckpoint()
		}
		o.DataDir = dataFolder(dataDir)
		if overwrite && !dryRun {
			if err := training.Remove(o.Dir); err != nil {
				return err
			}
		}
		s.heaps = ownHeaps(c, o.Devices)
		b, info, err := s.open(cmd)
		if err != nil {
			return err
		}
		o.Backend, o.Command = info.Name, "ccp "+commandLine(s.args...)
		display := newDisplay(cmd.ErrOrStderr(), c, info.Name)
		o.Observer = display.observer()
		ctx, end := untilSignal(cmd, display.stopping)
		defer end()
		if dryRun {
			f, err := training.DryRun(ctx, b, c, o)
			if display.clear(); err != nil {
				return err
			}
			return s.print(cmd, f, render("train-dry-run", f))
		}
		if watchAt != "" {
			stop, err := watch(watchAt, o.Dir, &o.Observer, cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			defer stop()
		}
		result, err := training.Train(ctx, b, c, o)
		display.clear()
		if errors.Is(err, training.ErrInterrupted) {
			return fmt.Errorf("%w\n  %s %s", err, self(), commandLine(goingOn(s.args)...))
		}
		if err != nil {
			return err
		}
		if result.Resumed {
			display.notice("this run had ended before and nothing was trained now; --overwrite trains it anew")
		}
		next := self() + " " + commandLine(withData(dataDir, "eval", "--checkpoint", result.Checkpoint)...)
		return s.print(cmd, result, render("train", map[string]any{"Result": result, "Next": next}))
	}
	return cmd
}

// goingOn is the command line that goes on with a run: one that overwrote an older run would delete what was saved.
func goingOn(args []string) []string {
	return slices.DeleteFunc(slices.Clone(args), func(arg string) bool { return arg == "--overwrite" || strings.HasPrefix(arg, "--overwrite=") })
}

// shortcuts are the flags that stand for a setting of the model.
var shortcuts = map[string]string{"ccp_hierarchy": "hierarchy", "dtype": "dtype"}

// complete replaces what no flag has set by the recipe for the data set and the model, and checks the configuration.
func complete(c *training.Config, f *pflag.FlagSet, recipe string, hidden []int, settings []string) (err error) {
	given := map[string]string{}
	f.Visit(func(flag *pflag.Flag) {
		if _, list := flag.Value.(pflag.SliceValue); !list {
			given[flag.Name] = flag.Value.String()
		}
	})
	if *c, err = training.Recipe(c.Data, c.Model, recipe); err != nil {
		return fmt.Errorf("--recipe: %w", err)
	}
	if f.Changed("epochs") && !f.Changed("steps") {
		c.Steps = 0
	}
	if f.Changed("steps") && !f.Changed("epochs") {
		c.Epochs = 0
	}
	for name, value := range given {
		if err := f.Set(name, value); err != nil {
			return err
		}
	}
	if c.Levels != "" {
		if _, err := models.ParseLevels(c.Levels); err != nil {
			return fmt.Errorf("--levels: %w", err)
		}
	}
	if hidden != nil {
		c.Hidden = hidden
	}
	if slices.Equal(hidden, []int{0}) {
		c.Hidden = []int{}
	}
	for name, flag := range shortcuts {
		if f.Changed(flag) {
			settings = append(settings, name+"="+f.Lookup(flag).Value.String())
		}
	}
	for _, setting := range settings {
		name, value, _ := strings.Cut(setting, "=")
		if flag := f.Lookup(shortcuts[name]); flag != nil && flag.Changed && flag.Value.String() != value {
			return fmt.Errorf("--%s %s and --set %s contradict each other; give one of them", flag.Name, flag.Value, setting)
		}
		if err := c.Settings.Set(setting); err != nil {
			return fmt.Errorf("--set: %w", err)
		}
	}
	c.Settings = c.Settings.Without(ofPrepared(c.Settings.Of("").Hierarchy, settings)...)
	if c.Data, err = absolute(c.Data); err != nil {
		return err
	}
	return c.Check()
}

// ofPrepared are the settings of a recipe for prepared hierarchies that another plan cannot have, but for those that were given.
func ofPrepared(plan ccp.Plan, given []string) (names []string) {
	if plan != ccp.Prepared {
		names = append(names, "ccp_search", "ccp_slots", "ccp_hierarchies")
	}
	return slices.DeleteFunc(names, func(name string) bool {
		return slices.ContainsFunc(given, func(setting string) bool { return strings.HasPrefix(setting, name+"=") })
	})
}

// watch serves a page that follows the training in dir, and writes its address to log. stop ends it, when open pages have been told that the
// training has ended.
func watch(address, dir string, o *training.Observer, log io.Writer) (stop func(), err error) {
	server, err := report.Listen(address, dir)
	if err != nil {
		return nil, fmt.Errorf("--watch: %w", err)
	}
	fmt.Fprintf(log, "watch  %s\n", server.URL())
	if server.Public() {
		fmt.Fprintln(log, "watch  anybody on the network can see this page")
	}
	begin := o.Begin
	o.Begin = func(d *datasets.Dataset, spec models.Spec, from, steps int) {
		server.Begin(d)
		begin(d, spec, from, steps)
	}
	return func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		if err := server.End(ctx); err != nil {
			fmt.Fprintf(log, "watch: %v\n", err)
		}
	}, nil
}
