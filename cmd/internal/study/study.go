// Package study runs many trainings and lays their results side by side: the rows of a table are configurations, each run once for
// every seed. A run is a checkpoint directory of its own, so that an interrupted study goes on where it was, several processes can
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

	"github.com/clusterpool/ccp/models/training"
	"github.com/gomlx/compute"
)

// Row is one line of a table.
type Row struct {
	Name string
	// Config is what is run, with each seed in place of its own; nil for a row that only quotes.
	Config *training.Config
	// Paper is the accuracy in the paper, in percent; 0: none.
	Paper float64
	// Note says in what the row differs from the paper's, or where a quoted number is from.
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

// Cell is one run of a table: a row's configuration with one seed.
type Cell struct {
	Row    string
	Config training.Config
	Dir    string
}

// Cells lists the runs of tables in the order in which they are best run, each once: every row with the first seed, then with the
// second, so that whenever the time is up there is something of each. folder is where they are kept.
func Cells(folder string, tables []Table, seeds int) (cells []Cell) {
	known := map[string]bool{}
	for seed := 1; seed <= seeds; seed++ {
		for _, t := range tables {
			for _, row := range t.Rows {
				if row.Config == nil {
					continue
				}
				cell := newCell(folder, row, seed)
				if !known[cell.Dir] {
					known[cell.Dir] = true
					cells = append(cells, cell)
				}
			}
		}
	}
	return cells
}

var unfit = regexp.MustCompile(`[^a-z0-9]+`)

// fileName is a text with nothing but lower-case letters, digits and dashes.
func fileName(text string) string { return unfit.ReplaceAllString(strings.ToLower(text), "-") }

// newCell names a run's directory by its data, model, seed and a hash of its configuration.
func newCell(folder string, row Row, seed int) Cell {
	c := *row.Config
	c.Seed = int64(seed)
	raw, _ := json.Marshal(c) // of plain values: cannot fail
	data := strings.TrimSuffix(filepath.Base(c.Data), filepath.Ext(c.Data))
	name := fmt.Sprintf("%s-%d-%x", fileName(data+"-"+c.Model), seed, sha256.Sum256(raw))
	return Cell{Row: row.Name, Config: c, Dir: filepath.Join(folder, name[:len(name)-2*(sha256.Size-4)])}
}

// Dirs are the directories in folder of the row's runs with the seeds 1 to seeds; none for a row that only quotes.
func (r Row) Dirs(folder string, seeds int) (dirs []string) {
	for seed := 1; r.Config != nil && seed <= seeds; seed++ {
		dirs = append(dirs, newCell(folder, r, seed).Dir)
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
// does not suit the data: Failed is told, the other rows go on, and the row's other seeds are not tried. When ctx ends, the run under
// way saves its state and Run returns an error that wraps training.ErrInterrupted. When the budget is over the run saves its state
// too, and Run returns nil.
func Run(ctx context.Context, backend compute.Backend, cells []Cell, o Options) error {
	limited := ctx
	if o.Budget > 0 {
		var cancel context.CancelFunc
		limited, cancel = context.WithTimeout(ctx, o.Budget)
		defer cancel()
	}
	failed := map[string]bool{} // by what the seeds of a row have in common
	row := func(c Cell) string { return newCell("", Row{Config: &c.Config}, 0).Dir }
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
