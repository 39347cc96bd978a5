// Package study runs many trainings and lays their results side by side: the rows of a table are configurations, each run once for
// every seed and, in a cross-validation, every fold. A run is a checkpoint directory of its own, so that an interrupted study goes on where it was, several processes can
// share its folder, and tables with a row in common share its runs.
package study

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/models/training"
	"github.com/gomlx/compute"
)

// Row is one line of a table.
type Row struct {
	Name string
	// Config is what is run, with each seed in place of its own.
	Config training.Config
	// Folds are those of a cross-validation, each run with every seed; none: the data's own test.
	Folds []datasets.Fold
	// Paper is the accuracy in the paper, in percent; 0: none.
	Paper float64
	// Note says in what the row differs from the paper's.
	Note string
}

// Table is a set of rows under a title.
type Table struct {
	Name  string
	Title string
	Rows  []Row
	// Reduced says in what way the runs are less than what the table asks for, such as "10 of 100 epochs"; "": in none.
	Reduced string
	// Drawn says that figures are made from its runs.
	Drawn bool
}

// Cell is one run of a table: a row's configuration with one seed, on one fold.
type Cell struct {
	Row    string
	Config training.Config
	Dir    string
}

// DataName is the name of a data set, without folder and extension.
func DataName(data string) string { return strings.TrimSuffix(filepath.Base(data), filepath.Ext(data)) }

// Cells lists the runs of tables in the order in which they are best run, each once: every row with the first seed, then with the
// second, and within a seed every row on the first fold, then on the second, so that whenever the time is up there is something of
// each. folder is where they are kept.
func Cells(folder string, tables []Table, seeds int) (cells []Cell) {
	known := map[string]bool{}
	for seed := 1; seed <= seeds; seed++ {
		var rows [][]Cell
		most := 0
		for _, t := range tables {
			for _, row := range t.Rows {
				rows = append(rows, row.cells(folder, seed))
				most = max(most, len(rows[len(rows)-1]))
			}
		}
		for fold := range most {
			for _, row := range rows {
				if fold < len(row) && !known[row[fold].Dir] {
					known[row[fold].Dir] = true
					cells = append(cells, row[fold])
				}
			}
		}
	}
	return cells
}

// cells are the row's runs with a seed, one for each fold.
func (r Row) cells(folder string, seed int) (cells []Cell) {
	folds := r.Folds
	if folds == nil {
		folds = []datasets.Fold{r.Config.Fold}
	}
	for _, fold := range folds {
		c := r.Config
		c.Seed, c.Fold = int64(seed), fold
		cells = append(cells, Cell{Row: r.Name, Config: c, Dir: filepath.Join(folder, runName(c))})
	}
	return cells
}

var unfit = regexp.MustCompile(`[^a-z0-9]+`)

// fileName is a text with nothing but lower-case letters, digits and dashes.
func fileName(text string) string { return unfit.ReplaceAllString(strings.ToLower(text), "-") }

// runName names a run by its data, model, seed and a hash of its configuration.
func runName(c training.Config) string {
	raw, _ := json.Marshal(c) // of plain values: cannot fail
	name := fmt.Sprintf("%s-%d-%x", fileName(DataName(c.Data)+"-"+c.Model), c.Seed, sha256.Sum256(raw))
	return name[:len(name)-2*(sha256.Size-4)]
}

// Dirs are the directories in folder of the row's runs with the seeds 1 to seeds.
func (r Row) Dirs(folder string, seeds int) (dirs []string) {
	for _, cell := range Cells(folder, []Table{{Rows: []Row{r}}}, seeds) {
		dirs = append(dirs, cell.Dir)
	}
	return dirs
}

// Options of Run.
type Options struct {
	Experiment training.Options // but for Dir
	// Budget is the time after which no run is begun and the one under way is interrupted; 0: none.
	Budget time.Duration
	// Begin is told which run begins, the i-th of n; Failed of one that cannot be done.
	Begin  func(i, n int, cell Cell)
	Failed func(cell Cell, err error)
}

// Run runs the cells that have no result yet. A run that another process is at is left to it. A run can fail, as where a model
// does not suit the data: Failed is told, the other rows go on, and the row's other seeds and folds are not tried. When ctx ends, the run under
// way saves its state and Run returns an error that wraps training.ErrInterrupted. When the budget is over the run saves its state
// too, and Run returns nil.
func Run(ctx context.Context, backend compute.Backend, cells []Cell, o Options) error {
	limited := ctx
	if o.Budget > 0 {
		var cancel context.CancelFunc
		limited, cancel = context.WithTimeout(ctx, o.Budget)
		defer cancel()
	}
	failed := map[string]bool{} // by what the runs of a row have in common
	row := func(c Cell) string {
		c.Config.Seed, c.Config.Fold = 0, datasets.Fold{}
		return runName(c.Config)
	}
	for i, cell := range cells {
		if _, err := os.Stat(filepath.Join(cell.Dir, rateFile)); err == nil || failed[row(cell)] {
			continue
		}
		if limited.Err() != nil {
			break
		}
		o.Begin(i+1, len(cells), cell)
		options := o.Experiment
		options.Dir = cell.Dir
		_, err := training.Train(limited, backend, cell.Config, options)
		switch {
		case err == nil:
			err = measureRate(backend, cell.Dir)
		case errors.Is(err, training.ErrInterrupted) && ctx.Err() == nil:
			return nil
		case errors.Is(err, training.ErrInterrupted):
			return err
		}
		if err != nil && !errors.Is(err, training.ErrBusy) {
			failed[row(cell)] = true
			o.Failed(cell, err)
		}
	}
	return ctx.Err()
}
