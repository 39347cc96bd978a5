// Package study runs many trainings and puts their results side by side. The rows of a table are configurations. Each
// row is run once for every seed and, in a cross-validation, for every fold. A run is a checkpoint directory of its
// own. So an interrupted study continues, several processes can share its folder, and tables that have a row in common
// share its runs.
package study

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/internal/checkpoint"
	"github.com/clusterpool/ccp/internal/files"
	"github.com/clusterpool/ccp/internal/params"
	"github.com/clusterpool/ccp/internal/suggest"
	"github.com/clusterpool/ccp/models"
	"github.com/clusterpool/ccp/models/training"
	"github.com/gomlx/compute"
	"gonum.org/v1/gonum/floats"
)

// Row is one line of a table.
type Row struct {
	Name  string
	Asked training.Patch  // what the row asks for; each run has its own seed
	Folds []datasets.Fold // of a cross-validation, each run with every seed; none: the data's own test set is used
	Paper float64         // the accuracy in the paper, in percent; 0: none
	Note  string          // in what the row differs from the paper's
}

// Table is a set of rows under a title. It has either rows, or sets: tables with the same rows, one for each data set,
// which stand side by side.
type Table struct {
	Name  string
	Title string
	Rows  []Row
	Sets  []Table
	// Reduced says in what way the runs are less than what the table asks for, such as "10 of 100 epochs"; "": in none.
	Reduced string
	// Instead is a data set that can stand in for the table's own, "" for none.
	Instead string
	// Draw draws figures from the runs in folder that have ended, into folder; nil: there are none. data says where the
	// data set is (DataDir, Backend), and has Progress.
	Draw func(ctx context.Context, backend compute.Backend, folder string, t Table, seeds int,
		data datasets.Options) ([]Figure, error)
}

// Published is a table of somebody's results that is to be made anew.
type Published struct {
	Name string
	Data string // the usual data set
	Any  bool   // it can be made for any data set
	// Make returns the table for a data set. If epochs is above 0, it shortens each training; reduced asks for small
	// networks.
	Make func(data string, epochs int, reduced bool) (Table, error)
}

var published []Published

// Register adds a table to those of Make and TableNames. Call it in an init function.
func Register(p Published) { published = append(published, p) }

// TableNames lists the registered tables that can be made for a data set. "" means their own sets and gives all.
func TableNames(data string) (names []string) {
	for _, p := range published {
		if data == "" || p.Any {
			names = append(names, p.Name)
		}
	}
	return names
}

// Make returns a registered table for a data set, "" for its usual one, see Published.Make.
func Make(name, data string, epochs int, reduced bool) (Table, error) {
	i := slices.IndexFunc(published, func(p Published) bool { return p.Name == name })
	if i < 0 {
		return Table{}, fmt.Errorf("there is no table %q; %s", name, suggest.Among(name, append(TableNames(""), "all")))
	}
	data = cmp.Or(data, published[i].Data)
	t, err := published[i].Make(data, epochs, reduced)
	t.Name = name
	if data != name {
		t.Name += "-" + strings.Trim(fileName(strings.TrimSuffix(data, ".npz")), "-")
	}
	return t, err
}

// Cell is one run of a table: what a row asks with one seed, on one fold.
type Cell struct {
	Row    string
	Asked  training.Patch
	Config training.Config // what is known of it before the data is read
	Dir    string
}

// DataName returns the name of a data set, without folder and extension.
func DataName(data string) string { return strings.TrimSuffix(filepath.Base(data), filepath.Ext(data)) }

// rowsOf lists the rows of tables and of their sets.
func rowsOf(tables ...Table) (rows []Row) {
	for _, t := range tables {
		rows = append(append(rows, t.Rows...), rowsOf(t.Sets...)...)
	}
	return rows
}

// Cells lists the runs of tables in folder, each once. All rows with the first seed come first, then all rows with the
// second. Within a seed all rows on the first fold come first. So whenever the time is up, every row has some runs.
func Cells(folder string, tables []Table, seeds int) (cells []Cell) {
	known, folds := map[string]bool{}, 1
	for _, row := range rowsOf(tables...) {
		folds = max(folds, len(row.Folds))
	}
	for seed := range seeds {
		for fold := range folds {
			for _, row := range rowsOf(tables...) {
				asked := maps.Clone(row.Asked)
				asked["seed"] = int64(seed + 1)
				if fold < len(row.Folds) {
					asked["fold"] = row.Folds[fold]
				} else if fold > 0 {
					continue
				}
				c, _ := training.Preview(asked) // whoever made the table has looked at the error
				if dir := filepath.Join(folder, runName(c)); !known[dir] {
					known[dir] = true
					cells = append(cells, Cell{Row: row.Name, Asked: asked, Config: c, Dir: dir})
				}
			}
		}
	}
	return cells
}

var unfit = regexp.MustCompile(`[^a-z0-9]+`)

// fileName turns a text into one of lower-case letters, digits and dashes.
func fileName(text string) string { return unfit.ReplaceAllString(strings.ToLower(text), "-") }

// runName names a run by its data, model, seed and a hash of its configuration.
func runName(c training.Config) string {
	raw, _ := json.Marshal(c.Values()) // of plain values: cannot fail
	hash := sha256.Sum256(raw)
	return fmt.Sprintf("%s-%d-%x", fileName(DataName(c.Name)+"-"+c.Model), c.Seed, hash[:4])
}

// Dirs lists the directories in folder of the row's runs with the seeds 1 to seeds.
func (r Row) Dirs(folder string, seeds int) (dirs []string) {
	for _, cell := range Cells(folder, []Table{{Rows: []Row{r}}}, seeds) {
		dirs = append(dirs, cell.Dir)
	}
	return dirs
}

// Options of Run.
type Options struct {
	Experiment training.Options // but for Dir
	// Budget is the time after which no run begins and the current run is interrupted; 0: none.
	Budget time.Duration
	// Begin receives each run that begins, the i-th of n. Ended receives its result, and about how long the rest of each
	// row takes, 0 if none of its runs has ended. Failed receives each run that cannot be done.
	Begin  func(i, n int, cell Cell)
	Ended  func(result training.Result, left map[string]time.Duration)
	Failed func(cell Cell, err error)
}

// looked is what a data set is now.
type looked struct {
	fingerprint datasets.Fingerprint
	err         error
}

// same returns an error if a cell's data cannot be loaded, or if its run began on other data. It looks at each data set
// once, and keeps what it is in l.
func same(ctx context.Context, backend compute.Backend, l map[string]looked, cell Cell, o training.Options) error {
	c := cell.Config
	data, err := json.Marshal([]any{params.Values(c.Data), c.More, c.Keep}) // all fields that there will be, too
	if err != nil {
		return err
	}
	key := string(data)
	now, known := l[key]
	if !known {
		var d *datasets.Dataset
		d, now.err = c.LoadData(ctx, backend, o)
		if now.err == nil {
			now.fingerprint = d.Fingerprint()
		}
		if ctx.Err() == nil {
			l[key] = now
		}
	}
	if now.err != nil || !begun(cell) {
		return now.err
	}
	was, err := training.ReadFingerprint(cell.Dir)
	if differences := was.Differences(now.fingerprint); len(differences) > 0 {
		err = params.Sentencef("folder", "%s holds a run on data that differs from %s in %s: choose another %v, or delete "+
			"this one", cell.Dir, c.Name, strings.Join(differences, ", "), params.Named("folder"))
	}
	return err
}

// begun reports whether a cell has a run.
func begun(cell Cell) bool {
	_, err := training.ReadConfig(cell.Dir)
	return !errors.Is(err, os.ErrNotExist)
}

// Run runs the cells that have no result yet. It is an error if a run that is there began on other data than there is
// now under the same name. If another process holds a run's lock, the run is skipped. A run can
// fail, for example if a model does not suit the data. Then Run calls Failed, skips the row's other seeds and folds,
// and continues with the other rows. When ctx ends, the current run saves its state and Run returns an error that wraps
// training.ErrInterrupted. When the budget is over, the run saves its state and Run returns nil.
func Run(ctx context.Context, backend compute.Backend, cells []Cell, o Options) error {
	limited, cancel := context.WithTimeout(ctx, cmp.Or(o.Budget, math.MaxInt64))
	defer cancel()
	s := &series{backend: backend, cells: cells, options: o, data: map[string]looked{},
		failed: map[string]bool{}, took: map[string]time.Duration{}}
	for _, cell := range cells {
		if !begun(cell) {
			continue
		}
		err := same(ctx, backend, s.data, cell, o.Experiment)
		if err != nil {
			return err
		}
	}
	for i, cell := range cells {
		if ended(cell) || s.failed[configuration(cell)] {
			continue
		}
		if limited.Err() != nil {
			break
		}
		err := s.run(ctx, limited, i)
		if errors.Is(err, training.ErrInterrupted) && ctx.Err() == nil { // the budget is over
			return nil
		}
		if err != nil {
			return err
		}
	}
	return ctx.Err()
}

// series is the state of Run: which rows have failed, and how long their runs take.
type series struct {
	backend compute.Backend
	cells   []Cell
	options Options
	data    map[string]looked        // data sets by name, see same
	failed  map[string]bool          // by configuration
	took    map[string]time.Duration // by the last run of a configuration, and of a row
}

// configuration names what the runs of a row have in common: all but the seed and the fold.
func configuration(c Cell) string {
	c.Config.Seed, c.Config.Fold = 0, datasets.Fold{}
	return runName(c.Config)
}

// run trains cell i until limited ends. Of its errors a failure of this training alone goes to Failed, and a run that
// another process holds is passed over; the others end the whole.
func (s *series) run(ctx, limited context.Context, i int) error {
	cell := s.cells[i]
	options, start := s.options.Experiment, time.Now()
	options.Dir = cell.Dir
	err := same(limited, s.backend, s.data, cell, options)
	var result training.Result
	if err == nil {
		s.options.Begin(i+1, len(s.cells), cell)
		result, err = training.Train(limited, s.backend, cell.Asked, options)
	}
	if err == nil {
		changed := same(ctx, s.backend, s.data, cell, options)
		if changed != nil { // while the study ran
			return changed
		}
		err = measureRate(s.backend, cell.Dir)
	}
	switch {
	case errors.Is(err, training.ErrInterrupted):
		return err
	case errors.Is(err, training.ErrBusy):
		return nil
	case err != nil:
		s.failed[configuration(cell)] = true
		s.options.Failed(cell, err)
		return nil
	}
	s.took[configuration(cell)] = time.Since(start)
	s.took[cell.Row] = time.Since(start)
	if s.options.Ended != nil {
		s.options.Ended(result, s.left(i))
	}
	return nil
}

// left returns how long the runs after cell i will take, by row: as long as the last one of the same configuration or
// row.
func (s *series) left(i int) map[string]time.Duration {
	left := map[string]time.Duration{}
	for _, next := range s.cells[i+1:] {
		name := configuration(next)
		if !ended(next) && !s.failed[name] {
			left[next.Row] += cmp.Or(s.took[name], s.took[next.Row])
		}
	}
	return left
}

// ended reports whether a cell's run has a result.
func ended(cell Cell) bool {
	_, err := os.Stat(filepath.Join(cell.Dir, rateFile))
	return err == nil
}

// rateFile is the file with a finished run's rate of inference.
const rateFile = checkpoint.RateFile

// Rate says how fast a trained model classifies.
type Rate struct {
	Batch     int     `json:"batch"`
	PerSecond float64 `json:"signals_per_second"` // from the batches' times, see typical
}

// measureRate times the classifier in dir on batches of 64 signals, for half a second and at least five batches.
func measureRate(backend compute.Backend, dir string) error {
	c, err := models.Load(dir, models.LoadOptions{Backend: backend})
	if err != nil {
		return err
	}
	defer func() { _ = c.Close() }()
	const batch = 64
	size := c.Spec.Nodes * c.Spec.Channels
	if c.Form != nil {
		size = c.Form.Longest * c.Form.Width()
	}
	values := make([]float32, batch*size)
	for i := range values {
		values[i] = float32(i*i%251) / 251 // anything but zeros will do
	}
	samples := slices.Collect(slices.Chunk(values, size))
	var times []float64
	for begin := time.Now(); len(times) < 6 || time.Since(begin) < 500*time.Millisecond; {
		start := time.Now()
		err := c.Probabilities(context.Background(), batch, 0, func(i int) []float32 { return samples[i] },
			func(int, []float64) error { return nil })
		if err != nil {
			return err
		}
		times = append(times, time.Since(start).Seconds())
	}
	times = times[1:] // without the one that compiled
	return files.WriteJSON(filepath.Join(dir, rateFile), Rate{batch, batch / typical(times)})
}

// typical returns the median of times, or their mean if the median is 0: Windows's clock may stand still for a batch.
func typical(times []float64) float64 {
	slices.Sort(times)
	return cmp.Or(times[len(times)/2], floats.Sum(times)/float64(len(times)))
}
