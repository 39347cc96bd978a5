package main

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/internal/suggest"
	"github.com/clusterpool/ccp/models"
	"github.com/clusterpool/ccp/models/study"
	"github.com/clusterpool/ccp/models/training"
	"github.com/spf13/cobra"
)

// comparison says what to compare: a row for each model, a table for each data set.
type comparison struct {
	data, models []string
	recipe       string
	folds        string
	splitSeed    uint64
	knn          int
}

// newCompare returns `ccp compare`, which trains several models on several data sets and prints a table.
func newCompare(s *shared) *cobra.Command {
	var o studyFlags
	var c comparison
	cmd := command("compare", "")
	cmd.Long += "\n\nModels:"
	for _, name := range models.Names() {
		cmd.Long += fmt.Sprintf("\n  %-12s %s", name, models.Spec{Model: name}.Network().About)
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringSliceVar(&c.data, "data", []string{"digits"},
		"data sets: `NAMES` in \"ccp data list\", FILE.npz of your own, or folders of such files")
	f.StringSliceVar(&c.models, "models", []string{"ccp", "fc", "svm"}, "`NAMES` of the models")
	f.StringVar(&c.recipe, "recipe", training.DefaultRecipe,
		"`NAME` of the settings of all models: default, the best here; paper, the training of the paper")
	f.StringVar(&c.folds, "folds", "",
		"cross-validate: `K` stratified folds of all samples, or \"groups\" for a fold of each group in the file")
	f.IntVar(&c.knn, "knn", 0, knnUsage)
	f.Uint64Var(&c.splitSeed, "split-seed", 0, "`SEED` of the folds, and of the splits if the data set has none")
	o.add(cmd, "", 1)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if len(c.models) == 0 {
			return usage(cmd, errors.New("--models: name at least one model"))
		}
		for _, name := range c.models {
			if !slices.Contains(models.Names(), name) {
				return usage(cmd, fmt.Errorf("--models: there is no model %q; %s", name, suggest.Among(name, models.Names())))
			}
		}
		sets, err := dataSets(c.data)
		if err != nil {
			return usage(cmd, fmt.Errorf("--data: %w", err))
		}
		var tables []study.Table
		for _, set := range sets {
			t, err := c.table(set, o.epochs)
			if err != nil {
				return usage(cmd, err)
			}
			tables = append(tables, t)
		}
		about := dataAbout(c.data, sets)
		if o.folder == "" {
			o.folder = compareFolder(c.data, about, c.folds)
		}
		whole := tables[0]
		whole.Name, whole.Title = "compare", "Models on "+about
		if len(tables) > 1 {
			whole = study.Table{Name: "compare", Title: fmt.Sprintf("Models on %d data sets: %s", len(tables), about),
				Sets: tables}
		}
		return s.runStudy(cmd, o, []study.Table{whole})
	}
	return cmd
}

// table returns the comparison on one data set. epochs above 0 shortens the trainings.
func (c comparison) table(set dataSet, epochs int) (study.Table, error) {
	t := study.Table{Name: set.name, Title: set.name}
	if c.knn != 0 && !datasets.IsFile(set.data) {
		return t, fmt.Errorf("--knn %d: %s has its own graph; leave it out", c.knn, set.data)
	}
	folds, err := foldsOf(set.data, c.folds)
	if err != nil {
		return t, err
	}
	for _, model := range c.models {
		asked := training.Patch{"data": set.data, "model": model, "recipe": c.recipe, "split_seed": c.splitSeed}
		if c.knn != 0 {
			asked["knn"] = c.knn
		}
		config, err := training.Preview(asked)
		if err != nil {
			return t, err
		}
		if epochs > 0 && (epochs < config.Epochs || config.Epochs == 0) {
			asked["epochs"] = epochs
			t.Reduced = fmt.Sprintf("%d epochs", epochs)
		}
		t.Rows = append(t.Rows, study.Row{Name: model, Asked: asked, Folds: folds})
	}
	return t, nil
}

// foldsOf lists the folds of a data set that --folds asks for: a number of folds, or "groups". "" means none.
func foldsOf(data, asked string) (folds []datasets.Fold, err error) {
	number, err := strconv.Atoi(asked)
	of := number
	switch {
	case asked == "":
		return nil, nil
	case asked == "groups":
		names, err := datasets.Groups(data)
		if err != nil {
			return nil, fmt.Errorf("--folds groups: %w", err)
		}
		number, of = len(names), 0
	case err != nil || number < 2:
		return nil, fmt.Errorf(`--folds %q is neither a number of folds, at least 2, nor "groups"`, asked)
	}
	for i := range number {
		folds = append(folds, datasets.Fold{Number: i + 1, Of: of})
	}
	return folds, nil
}

// dataSet is a data set with a short name that no other one has.
type dataSet struct {
	data string // its name, or the absolute path of a file
	name string
}

// dataSets lists data sets that are given by name, by file or by folder of .npz files, each once.
func dataSets(given []string) (sets []dataSet, err error) {
	count := map[string]int{}
	for _, name := range given {
		files, err := inFolder(name)
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			data, err := knownData(file)
			if err != nil {
				return nil, err
			}
			if set := (dataSet{data, study.DataName(data)}); !slices.Contains(sets, set) {
				sets = append(sets, set)
				count[set.name]++
			}
		}
	}
	if sets == nil {
		return nil, errors.New("name at least one data set")
	}
	for i, set := range sets {
		if count[set.name] > 1 { // files of one name in different folders
			sets[i].name = strings.TrimSuffix(set.data, filepath.Ext(set.data))
		}
	}
	return sets, nil
}

// knownData returns the name of a data set, or the absolute path of an .npz file; "" stays. If there is no such data
// set or file, it returns an error, before a study begins.
func knownData(data string) (string, error) {
	if datasets.IsFile(data) {
		if _, err := os.Stat(data); err != nil {
			return "", err
		}
	} else if _, err := datasets.Named(data); data != "" && err != nil {
		return "", fmt.Errorf("%w; or give the path of an .npz file", err)
	}
	return absolute(data)
}

// inFolder lists the .npz files of a folder. If name is no folder, it lists name itself.
func inFolder(name string) (files []string, err error) {
	entries, err := os.ReadDir(name)
	if _, unknown := datasets.Named(name); unknown == nil || err != nil {
		return []string{name}, nil
	}
	for _, entry := range entries {
		if !entry.IsDir() && datasets.IsFile(entry.Name()) {
			files = append(files, filepath.Join(name, entry.Name()))
		}
	}
	if files == nil {
		return nil, fmt.Errorf("the folder %s has no .npz file; ccp data import makes one of recordings", name)
	}
	return files, nil
}

// compareFolder is where a comparison goes that is given no folder. Several data sets have a hash, since their name
// tells the first.
func compareFolder(given []string, about, folds string) string {
	name := "compare " + about + " " + folds
	if folds != "" && folds != "groups" {
		name += " folds"
	}
	if len(given) > 1 {
		name += fmt.Sprintf(" %.4x", sha256.Sum256([]byte(strings.Join(given, "\n"))))
	}
	return filepath.Join("runs", strings.Join(strings.Fields(name), "-"))
}

// dataAbout names data sets together: by the name or folder if only one was given, else by the first.
func dataAbout(given []string, sets []dataSet) string {
	if path, err := filepath.Abs(given[0]); err == nil && len(given) == 1 {
		return study.DataName(path)
	}
	if len(sets) == 1 {
		return sets[0].name
	}
	return fmt.Sprintf("%s and %d more", study.DataName(sets[0].data), len(sets)-1)
}
