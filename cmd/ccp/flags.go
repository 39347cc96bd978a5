package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/datasets/recording"
	"github.com/clusterpool/ccp/internal/files"
	"github.com/clusterpool/ccp/internal/suggest"
	"github.com/clusterpool/ccp/internal/text"
	"github.com/clusterpool/ccp/models"
	"github.com/clusterpool/ccp/models/training"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// checked is the value of a flag, which says what is wrong with a text that it is given: set takes the text over or
// refuses it. text is what help shows as the value when the flag is not given, kind what it shows as its type.
type checked struct {
	text, kind string
	set        func(text string) error
	words      []string // all values, if they are words
}

func (c *checked) String() string { return c.text }
func (c *checked) Type() string   { return c.kind }

func (c *checked) Set(text string) error {
	c.text = text
	return c.set(text)
}

// choiceVar adds a flag whose value is one of a few words. initial is its value when it is not given.
func choiceVar(f *pflag.FlagSet, value *string, name, initial, usage string, words ...string) {
	*value = initial
	f.Var(&checked{text: initial, kind: "string", words: words, set: func(text string) error {
		if !slices.Contains(words, text) {
			return errors.New("is none of " + strings.Join(words, ", ") + suggest.Meant(text, words))
		}
		*value = text
		return nil
	}}, name, usage)
}

// numberVar adds a flag for a whole number from least to most. initial is the value when the flag is not given, and may
// lie outside of these.
func numberVar(f *pflag.FlagSet, value *int, name string, initial, least, most int, usage string) {
	*value = initial
	f.Var(&checked{text: strconv.Itoa(initial), kind: "int", set: func(text string) (err error) {
		*value, err = strconv.Atoi(text) // of a number with too many digits, the least or the largest there is
		beyond := errors.Is(err, strconv.ErrRange)
		switch {
		case err != nil && !beyond:
			return errors.New("is not a whole number")
		case *value < least && most == math.MaxInt:
			return fmt.Errorf("must be at least %d", least)
		case *value < least || *value > most:
			return fmt.Errorf("must be from %d to %d", least, most)
		case beyond:
			return errors.New("is too large")
		}
		return nil
	}}, name, usage)
}

// cutFlags say how to cut recordings into windows.
func cutFlags(f *pflag.FlagSet, cut *recording.Cut) {
	parsedVar(f, &cut.Window, "window", recording.ParseSpan,
		"cut recordings into windows of a `DURATION` such as 2s, or of so many time points")
	parsedVar(f, &cut.Step, "step", recording.ParseSpan,
		"`DURATION`, or time points, between the begins of windows (default: a whole window)")
}

// checkCut refuses a step without a window, and one in another unit. Without --step, the step is a whole window.
func checkCut(cmd *cobra.Command, cut recording.Cut) error {
	switch {
	case cut.Step.Length == 0:
		return nil
	case cut.Window.Length == 0:
		return usage(cmd, errors.New("--step is of windows; give --window, too"))
	case cut.Step.Timepoints != cut.Window.Timepoints:
		return usage(cmd, fmt.Errorf("--window %s and --step %s: give both as durations, or both as time points",
			cut.Window, cut.Step))
	}
	return nil
}

// parsedVar adds a flag whose text parse reads. Its value stays as it is when the flag is not given.
func parsedVar[T any](f *pflag.FlagSet, value *T, name string, parse func(text string) (T, error), usage string) {
	f.Var(&checked{kind: "string", set: func(text string) (err error) {
		*value, err = parse(text)
		return err
	}}, name, usage)
}

// durationVar adds a flag whose value is a duration of at least least or, with orZero, 0. When the flag is not given,
// the value stays as it is.
func durationVar(f *pflag.FlagSet, value *time.Duration, name string, least time.Duration, orZero bool, usage string) {
	initial := strings.TrimPrefix(value.String(), "0s") // which help does not show
	f.Var(&checked{text: initial, kind: "duration", set: func(text string) (err error) {
		*value, err = time.ParseDuration(text)
		if err != nil {
			return errors.New("is not a duration such as 90s or 5m")
		}
		switch {
		case *value >= least || orZero && *value == 0:
			return nil
		case orZero:
			return fmt.Errorf("must be at least %v, or 0", least)
		}
		return fmt.Errorf("must be at least %v", least)
	}}, name, usage)
}

// coverageFlag is for the commands that can give sets of classes.
func coverageFlag(f *pflag.FlagSet, share *float64) {
	parsedVar(f, share, "coverage", text.ParseShare,
		"the set of classes that holds the truth in this `SHARE` of new samples, such as 0.95, and p-values")
}

// checkCoverage returns an error if a checkpoint has too few held-out samples for sets of a coverage, or no coverage is
// asked for although 0 is none.
func checkCoverage(cmd *cobra.Command, c *models.Classifier, coverage float64, checkpoint string) error {
	if coverage == 0 {
		return nil
	}
	if err := c.Conformal.Allows(coverage); err != nil {
		return usage(cmd, fmt.Errorf("--coverage %g: %s: %w", coverage, checkpoint, err))
	}
	return nil
}

// checkEarly returns an error if early decisions are asked of a checkpoint that was not trained for them. It notes that
// a training for them learned that there are none.
func checkEarly(cmd *cobra.Command, c *models.Classifier, asked bool, checkpoint string) error {
	switch {
	case !asked:
	case c.Early == nil:
		return usage(cmd, fmt.Errorf("--early: %s was not trained to decide early; train anew with ccp train --early",
			checkpoint))
	case len(c.Early.Looks) == 0:
		tell(cmd, "note", []string{"nothing is decided before a recording ends: cut anywhere, held-out recordings of the " +
			"training were predicted no better than by the shares of the classes"})
	}
	return nil
}

// flagOf are the flags that stand for an option of a training or a model.
var flagOf = map[string]string{}

// optionFlag adds a flag whose value is asked of a training as an option. training.Preview checks the value.
func optionFlag(f *pflag.FlagSet, asked training.Patch, flag, option, usage string) {
	flagOf[option] = flag
	f.Var(&checked{kind: "string", set: func(text string) error {
		asked[option] = text
		return nil
	}}, flag, usage)
}

// flagGroups are the flags of a command under headings.
type flagGroups []*pflag.FlagSet

// add begins a group.
func (g *flagGroups) add(name string) *pflag.FlagSet {
	f := pflag.NewFlagSet(name, pflag.ContinueOnError)
	f.SortFlags = false
	*g = append(*g, f)
	return f
}

// optionalValue finds a value that may be left out in the help of a flag: --early AIM[="loss"].
var optionalValue = regexp.MustCompile(`(--\S+) (\S+)\[="[^"]*"\] *`)

// flagUsages returns the help of flags, in which a value that may be left out is joined to its flag, as it must be:
// --early[=AIM].
func flagUsages(f *pflag.FlagSet) string {
	return optionalValue.ReplaceAllStringFunc(f.FlagUsages(), func(was string) string {
		joined := optionalValue.ReplaceAllString(was, "$1[=$2]")
		return joined + strings.Repeat(" ", len(was)-len(joined))
	})
}

// addTo adds the flags of all groups to a command, and their headings to its help.
func (g flagGroups) addTo(cmd *cobra.Command) {
	text := ""
	for _, f := range g {
		cmd.Flags().AddFlagSet(f)
		text += f.Name() + " flags:\n" + flagUsages(f) + "\n"
	}
	cmd.SetUsageTemplate(strings.Replace(cmd.UsageTemplate(),
		"Flags:\n{{.LocalFlags.FlagUsages | trimTrailingWhitespaces}}",
		strings.TrimSpace(text), 1))
}

// needed refuses a command line that lacks a flag which its command cannot do without.
func needed(cmd *cobra.Command, _ []string) (err error) {
	cmd.Flags().VisitAll(func(flag *pflag.Flag) {
		if flag.Annotations[cobra.BashCompOneRequiredFlag] != nil && (!flag.Changed || flag.Value.String() == "") {
			kind, what := pflag.UnquoteUsage(flag)
			err = usage(cmd, fmt.Errorf("--%s %s is needed: one%s", flag.Name, kind, strings.TrimPrefix(what, kind)))
		}
	})
	return err
}

// checkpointFlag is for the commands that cannot do without a checkpoint.
func checkpointFlag(cmd *cobra.Command, dir *string) {
	cmd.Flags().StringVar(dir, "checkpoint", "", "`DIR` that \"ccp train\" made")
	_ = cmd.MarkFlagRequired("checkpoint") // there is that flag
}

// splitFlag is for the commands that look at a split.
func splitFlag(cmd *cobra.Command, split *string) {
	choiceVar(cmd.Flags(), split, "split", "test", "`NAME` of the split: train, validation, test or all", "train",
		"validation", "test", training.All)
}

// dataDirFlag is for the commands that read a data set.
func dataDirFlag(cmd *cobra.Command, dir *string) {
	cmd.Flags().StringVar(dir, "data-dir", "", "`FOLDER` with the data set's files (default: $CCP_DATA, else here)")
}

// otherDataFlags are for commands on a trained model that take another data set than its own.
func otherDataFlags(cmd *cobra.Command, data, dir *string) {
	parsedVar(cmd.Flags(), data, "data", func(text string) (string, error) {
		if *data != "" {
			return "", fmt.Errorf("comes after %s: give --data once; several streams are --data a.csv,b.csv", *data)
		}
		return text, nil
	}, "data set by its `NAME`, or FILE.npz (default: the one trained on)")
	dataDirFlag(cmd, dir)
}

// dataFolder is where to look for a data set's files.
func dataFolder(flag string) string { return cmp.Or(flag, os.Getenv("CCP_DATA")) }

const knnUsage = "`K` neighbours of each node in the graph made for an .npz without one"

// absolute returns the name of a data set, and of a file its path from the root, which is kept with the runs.
func absolute(data string) (string, error) {
	if !datasets.IsFile(data) {
		return data, nil
	}
	return filepath.Abs(data)
}

// target is the file or folder that a command writes to, and whether it replaces what is there.
type target struct {
	path              string
	folder, overwrite bool
}

func (t *target) flags(f *pflag.FlagSet, usage, replaced string) {
	f.StringVar(&t.path, "out", "", usage)
	f.BoolVar(&t.overwrite, "overwrite", false, "replace "+replaced)
}

// folderFlags are for the commands that can write to a folder.
func (t *target) folderFlags(cmd *cobra.Command, content string) {
	t.folder = true
	t.flags(cmd.Flags(), "`FOLDER` to write "+content+" to", "files in the folder if it exists")
}

// writable returns an error if nothing can be written beside the file.
func (t target) writable() error {
	probe, err := os.CreateTemp(filepath.Dir(t.path), ".ccp-*")
	if err != nil {
		return fmt.Errorf("%s cannot be written: %w; choose another", t.path, err)
	}
	return errors.Join(probe.Close(), os.Remove(probe.Name()))
}

// free says what stands in the way of writing. An empty folder does not.
func (t target) free() error {
	info, err := os.Stat(t.path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && (t.folder || t.path == ""):
		return nil
	case errors.Is(err, fs.ErrNotExist):
		folder := filepath.Dir(t.path)
		if _, err := os.Stat(folder); errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%s: there is no folder %s; make it, or choose another", t.path, folder)
		}
		if err := files.CheckDirectory(folder); err != nil {
			return err
		}
		return t.writable()
	case err != nil:
		return err
	case t.folder && !info.IsDir():
		return fmt.Errorf("%s is not a directory", t.path)
	case !t.folder && info.IsDir():
		return fmt.Errorf("%s is a folder; choose a file", t.path)
	case t.overwrite && info.Mode().IsRegular():
		return t.writable()
	case t.overwrite || !t.folder && !info.Mode().IsRegular(): // a device or a pipe holds nothing to replace
		return nil
	case !t.folder:
		return fmt.Errorf("%s exists; --overwrite replaces it", t.path)
	}
	entries, err := os.ReadDir(t.path)
	if len(entries) > 0 {
		return fmt.Errorf("%s exists; --overwrite replaces its files", t.path)
	}
	return err
}
