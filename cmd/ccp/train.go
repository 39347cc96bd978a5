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
	"github.com/clusterpool/ccp/internal/params"
	"github.com/clusterpool/ccp/models"
	"github.com/clusterpool/ccp/models/early"
	"github.com/clusterpool/ccp/models/training"
	"github.com/gomlx/compute"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// trainCommand is `ccp train` with the values of its flags.
type trainCommand struct {
	*shared
	asked     training.Patch // the options that flags name
	settings  []string       // NAME=VALUE of --set
	fast      bool
	dataDir   string
	options   training.Options
	dryRun    bool
	metricsTo string // the file of --metrics
	board     string // the folder of --tensorboard
}

func newTrain(s *shared) *cobra.Command {
	t := &trainCommand{shared: s, asked: training.Patch{}}
	cmd := command("train", "")
	cmd.Args = settingsOnly
	t.addFlags(cmd)
	cmd.RunE = t.run
	return cmd
}

// settingsOnly refuses arguments other than NAME=VALUE. A data set among them was meant for --data.
func settingsOnly(cmd *cobra.Command, pairs []string) error {
	for _, pair := range pairs {
		if strings.Contains(pair, "=") {
			continue
		}
		err := fmt.Errorf("ccp train takes flags and NAME=VALUE, not %q", pair)
		_, unknown := datasets.Named(pair)
		early := cmd.Flags().Lookup("early")
		switch {
		case datasets.IsFile(pair) || unknown == nil:
			err = fmt.Errorf("%w; did you mean --data %s?", err, pair)
		case early.Changed:
			err = fmt.Errorf("%w; did you mean --early=%s?", err, pair)
		}
		return usage(cmd, err)
	}
	return nil
}

func (t *trainCommand) addFlags(cmd *cobra.Command) {
	var groups flagGroups
	t.dataFlags(groups.add("Data"))
	t.modelFlags(groups.add("Model"))
	t.trainingFlags(groups.add("Training"))
	t.runFlags(groups.add("Run"))
	groups.addTo(cmd)
}

func (t *trainCommand) dataFlags(f *pflag.FlagSet) {
	optionFlag(f, t.asked, "data", "data",
		"data set by its `NAME` in \"ccp data list\", or a FILE.npz of your own (default: digits)")
	f.StringVar(&t.dataDir, "data-dir", "", "`FOLDER` with the data set's files (default: $CCP_DATA, else here)")
	optionFlag(f, t.asked, "knn", "knn", knnUsage)
	optionFlag(f, t.asked, "fold", "fold",
		"`FOLD` to test on: 2/5 is the second of five, 2/groups the second group (default: the data's split)")
	optionFlag(f, t.asked, "split", "split", "`WHAT` a drawn split keeps together: data, groups and copies; families, "+
		"also samples that seem to belong together; none, no test is drawn (default: data)")
	optionFlag(f, t.asked, "validation", "validation", "`SHARE` of the training samples held out for validation "+
		"(default: none; the data's own with --set keep=best)")
}

// modelFlags choose the model and its size.
func (t *trainCommand) modelFlags(f *pflag.FlagSet) {
	optionFlag(f, t.asked, "model", "model", "model by its `NAME`: "+strings.Join(models.Names(), ", ")+" (default: ccp)")
	f.BoolVar(&t.fast, "fast", false, "leave the network out, so that transforms predict alone: --model transforms")
	optionFlag(f, t.asked, "recipe", "recipe",
		"`NAME` of the settings that all other flags change: default, what did best here; paper, "+
			"the paper's way of training; only some data sets have "+
			strings.Join(training.RecipeNames("ccp", dataNames()...)[2:], ", "))
	optionFlag(f, t.asked, "levels", "levels", "`LEVELS` as CLUSTERSxFILTERS/L,… such as 256x256/16,64x384/16,1x512/8, "+
		"each with :candidates=N or :batchnorm_epsilon=E of its own if need be (default: the recipe's)")
	optionFlag(f, t.asked, "fc", "hidden", "`WIDTHS` of the hidden fully connected layers, such as 1024 or 512,128; "+
		"0 for none (default: the recipe's)")
	optionFlag(f, t.asked, "hierarchy", "ccp_hierarchy", "`WAY` to obtain the clusters: "+strings.Join(ccp.Plans(),
		", ")+" (default: the recipe's)")
	optionFlag(f, t.asked, "dtype", "dtype",
		"`TYPE` that filters and dense layers compute in: float32, bfloat16, or auto for "+
			"whichever is faster here; variables and sums stay in float32 (default: float32)")
	f.StringArrayVar(&t.settings, "set", nil,
		"any other option of model or training, `NAME=VALUE`; may be repeated, and --set left out")
}

func (t *trainCommand) trainingFlags(f *pflag.FlagSet) {
	optionFlag(f, t.asked, "epochs", "epochs",
		"`N` passes over the training set, or parts of --steps (default: the recipe's)")
	optionFlag(f, t.asked, "steps", "steps", "`N` steps in all, in place of passes (default: the recipe's)")
	optionFlag(f, t.asked, "batch", "batch", "`N` samples in a step (default: the recipe's)")
	optionFlag(f, t.asked, "lr", "learning_rate", "highest learning `RATE` of Adam (default: the recipe's)")
	optionFlag(f, t.asked, "early", "early", "also learn when the class of a recording can be told before it ends. "+
		"`AIM` is loss unless given: as early as --early-loss allows; or mean: the largest harmonic mean of accuracy and "+
		"share not seen (default: none)")
	f.Lookup("early").NoOptDefVal = string(early.ByLoss)
	optionFlag(f, t.asked, "early-loss", "early_loss",
		"`POINTS` of accuracy (percent) that decisions of --early may lose (default: 2)")
	optionFlag(f, t.asked, "seed", "seed", "`SEED` of weights, batches, dropout and augmentation (default: 1)")
}

// runFlags say where the run is kept, what it leaves and on what it computes.
func (t *trainCommand) runFlags(f *pflag.FlagSet) {
	f.StringVar(&t.options.Dir, "checkpoint", "", "`DIR` of the run (default: runs/DATA-MODEL-SEED)")
	f.BoolVar(&t.options.Overwrite, "overwrite", false,
		"train anew; the run in the checkpoint directory stays until the first snapshot")
	f.BoolVar(&t.options.Ablate, "ablate", false,
		"train the network on a random graph, too, to tell what the graph is worth (\"ccp report\"); "+
			"this takes as long as its trial")
	t.options.SaveEvery = 5 * time.Minute
	durationVar(f, &t.options.SaveEvery, "save-every", 10*time.Millisecond, true,
		"longest `TIME` between snapshots within an epoch")
	f.StringVar(&t.metricsTo, "metrics", "",
		"`FILE` for a line of NAME=VALUE after each epoch and at the end, - for the standard "+
			"output; for programs that search settings")
	f.StringVar(&t.board, "tensorboard", "", "`FOLDER` for the curves of this run, as a file of TensorBoard")
	f.BoolVar(&t.dryRun, "dry-run", false,
		"print the whole configuration and what a training step needs, and do not train")
	numberVar(f, &t.options.Devices, "devices", 1, 1, math.MaxInt,
		"`N` devices of the backend that share each batch; the batch must be a multiple of N")
}

// run checks all that is asked, opens the backend, and trains or says what a training would be.
func (t *trainCommand) run(cmd *cobra.Command, pairs []string) error {
	config, err := t.configure(cmd, pairs)
	if err != nil {
		return err
	}
	t.backend = cmp.Or(t.backend, config.DefaultBackend())
	backend, info, err := t.open(cmd.ErrOrStderr())
	if err != nil {
		return err
	}
	t.options.Backend, t.options.Command = info.Name, "ccp "+commandLine(t.args...)
	display := newDisplay(cmd, config, info.Name)
	stopped := untilSignal(cmd, display.stopping)
	defer stopped()
	if t.dryRun {
		return t.preview(cmd, backend, display)
	}
	return t.train(cmd, backend, display)
}

// configure checks what the flags and the arguments ask for, and returns the configuration that they make. The run's
// directory is named after it unless a flag names one.
func (t *trainCommand) configure(cmd *cobra.Command, pairs []string) (training.Config, error) {
	var none training.Config
	if t.json && t.metricsTo == "-" {
		err := errors.New("--metrics - and --json would share the standard output; give --metrics FILE")
		return none, usage(cmd, err)
	}
	err := addSettings(cmd, t.asked, append(t.settings, pairs...))
	if err != nil {
		return none, usage(cmd, err)
	}
	if t.fast {
		model, given := t.asked["model"]
		if given && model != "transforms" {
			err := fmt.Errorf("--fast leaves the network out, and model=%v asks for one; give one of them", model)
			return none, usage(cmd, err)
		}
		t.asked["model"] = "transforms"
	}
	config, err := training.Preview(t.asked)
	if err != nil {
		return none, usage(cmd, settingError(cmd, err))
	}
	if t.options.Dir == "" {
		t.options.Dir = config.DefaultCheckpoint()
	}
	t.options.DataDir = dataFolder(t.dataDir)
	return config, nil
}

// settingError says of an option that no model has that --set named it, or that it is a flag.
func settingError(cmd *cobra.Command, err error) error {
	wrong, ok := errors.AsType[*params.Error](err)
	switch {
	case !ok || !wrong.Unknown:
		return err
	case cmd.Flag(wrong.Option) != nil:
		return fmt.Errorf("--set: %q is no option but a flag: --%[1]s", wrong.Option)
	}
	return fmt.Errorf("--set: %w", err)
}

// preview prints the configuration of a training, and about how much memory its steps need, if it has any.
func (t *trainCommand) preview(cmd *cobra.Command, backend compute.Backend, display *display) error {
	t.options.Observer = display.brief() // the preview holds what display.observer would announce
	footprint, err := training.DryRun(cmd.Context(), backend, t.asked, t.options)
	display.clear()
	if err != nil {
		return err
	}
	return t.print(cmd, footprint, render("train-dry-run", footprint))
}

// train trains, or goes on with the run that there is, and prints its result.
func (t *trainCommand) train(cmd *cobra.Command, backend compute.Backend, display *display) error {
	scores, err := openMetrics(t.metricsTo, t.board, cmd.OutOrStdout())
	if err != nil {
		return err
	}
	t.options.Observer = scores.observe(display.observer(), t.options.Dir, display.notice)
	result, err := training.Train(cmd.Context(), backend, t.asked, t.options)
	if err == nil {
		if result.Resumed {
			display.notice("this run had ended before and nothing was trained now; --overwrite trains it anew")
			scores.past(t.options.Dir, func(int) bool { return true })
		}
		scores.scores(max(1, result.BestEpoch), result.Train, result.Validation, &result.Test)
	}
	unwritten := scores.close()
	display.clear()
	if errors.Is(err, training.ErrInterrupted) {
		return fmt.Errorf("%w\n  %s %s", err, self(), commandLine(t.args...))
	}
	err = cmp.Or(err, unwritten)
	if err != nil {
		return err
	}
	try := withData(t.dataDir, "eval", "--checkpoint", result.Checkpoint)
	switch {
	case result.Test == (training.Score{}): // no sample was left out of the training
		try[0] = "report"
	case result.Early != nil:
		try = append(try, "--early")
	}
	next := self() + " " + commandLine(try...)
	return t.print(cmd, result, render("train", map[string]any{"Result": result, "Next": next}))
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
