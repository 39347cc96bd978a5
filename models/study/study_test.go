package study

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/clusterpool/ccp/internal/files"
	"github.com/clusterpool/ccp/internal/npz"
	_ "github.com/clusterpool/ccp/models/baselines"
	"github.com/clusterpool/ccp/models/training"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func short(model string) training.Patch {
	return training.Patch{"data": "digits", "model": model, "epochs": 1, "batch": 256, "levels": "4x4/9,1x4/4",
		"hidden": "none"}
}

// Rows that two tables have in common are run once; each row is run with the first seed before any is with the second.
func TestCells(t *testing.T) {
	a, b := short("ccp"), short("ccp")
	b["learning_rate"] = 1
	tables := []Table{{Rows: []Row{{Name: "a", Asked: a}}},
		{Rows: []Row{{Name: "b", Asked: b}, {Name: "a too", Asked: short("ccp")}}}}
	cells := Cells("runs", tables, 2)
	var names []string
	for _, c := range cells {
		names = append(names, c.Row)
	}
	assert.Equal(t, []string{"a", "b", "a", "b"}, names)
	assert.Equal(t, []int64{1, 1, 2, 2}, []int64{cells[0].Config.Seed, cells[1].Config.Seed, cells[2].Config.Seed,
		cells[3].Config.Seed})
	assert.Regexp(t, `^runs/digits-ccp-1-[0-9a-f]{8}$`, cells[0].Dir)
	assert.NotEqual(t, cells[0].Dir, cells[1].Dir)
	assert.NotEqual(t, cells[0].Dir, cells[2].Dir)
}

// keep writes what a run leaves.
func keep(t *testing.T, dir string, accuracy, seconds, rate float64) {
	t.Helper()
	require.NoError(t, os.MkdirAll(dir, 0o755))
	require.NoError(t, files.WriteJSON(filepath.Join(dir, "result.json"),
		training.Result{Test: training.Score{Accuracy: accuracy, Loss: 1 - accuracy}, Seconds: seconds, Parameters: 1234,
			Epochs: 5, Steps: 10}))
	require.NoError(t, files.WriteJSON(filepath.Join(dir, rateFile), Rate{64, rate}))
}

func TestSummary(t *testing.T) {
	folder := t.TempDir()
	c := short("ccp")
	c["learning_rate"] = 2
	table := Table{Name: "loss-x", Title: "Losses",
		Rows: []Row{{Name: "both", Asked: short("ccp"), Paper: 84.4, Note: "as it is"}, {Name: "one", Asked: c},
			{Name: "other", Asked: short("fc"), Paper: 50}}}
	for i, dir := range table.Rows[0].Dirs(folder, 3) {
		keep(t, dir, []float64{0.97, 0.98, 0.99}[i], 10, 12345)
	}
	broken := table.Rows[1].Dirs(folder, 1)[0]
	s := Summarize(folder, table, 3, Origin{Command: "ccp x", Machine: "a machine", Backend: "xla"},
		map[string]error{broken: errors.New("no such thing")})
	require.Len(t, s.Lines, 3)
	assert.Equal(t, 3, s.Lines[0].Runs)
	assert.InDelta(t, 0.98, s.Lines[0].Accuracy, 1e-9, "a fraction, as in all JSON")
	assert.InDelta(t, 0.01, s.Lines[0].Deviation, 1e-9)
	assert.Equal(t, "3 of 9 runs", s.Reduced)
	assert.Equal(t, "no such thing", s.Lines[1].Error)

	assert.Equal(t, `Losses (reduced: 3 of 9 runs)
       accuracy %  runs  parameters  epochs  training s  signals/s  paper %
both   98.0 ± 1.0     3       1,234       5          10     12,300     84.4
one
other                                                                    50
not run: one: no such thing
`, s.Text())
	markdown := s.show("markdown", math.MaxInt, math.MaxInt)
	assert.Contains(t, markdown, "| both | 98.0 ± 1.0 | 3 | 1,234 | 5 | 10 | 12,300 | 84.4 |\n| one |  |")
	assert.Contains(t, markdown, "- both: as it is\n- not run: one: no such thing\n")
	require.NoError(t, s.Write(folder))
	raw, err := os.ReadFile(filepath.Join(folder, "loss-x.csv"))
	require.NoError(t, err)
	rows, err := csv.NewReader(strings.NewReader(string(raw))).ReadAll()
	require.NoError(t, err)
	require.Len(t, rows, 4)
	assert.Equal(t, []string{"loss-x", "both", "84.4", "3", "98", "1"}, rows[1][:6])
	raw, err = os.ReadFile(filepath.Join(folder, "loss-x.json"))
	require.NoError(t, err)
	var back Summary
	require.NoError(t, json.Unmarshal(raw, &back))
	assert.Equal(t, s, back)

	table.Reduced = "5 of 10 epochs"
	assert.Equal(t, "5 of 10 epochs, 3 of 9 runs", Summarize(folder, table, 3, Origin{}, nil).Reduced)
}

func TestRun(t *testing.T) {
	backend := backendtest.XLA(t)
	folder := t.TempDir()
	unfit := short("ccp")
	unfit["levels"] = "4x4/999"
	table := Table{Name: "t", Rows: []Row{{Name: "good", Asked: short("ccp")}, {Name: "unfit", Asked: unfit}}}
	cells := Cells(folder, []Table{table}, 2)
	var begun []string
	errs := map[string]error{}
	options := Options{Begin: func(_, n int, cell Cell) { begun = append(begun, cell.Row); assert.Equal(t, 4, n) },
		Failed: func(cell Cell, err error) { errs[cell.Dir] = err }}

	ended, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, Run(ended, backend, cells, options), context.Canceled)
	assert.Empty(t, begun)
	hasty := options
	hasty.Budget = time.Nanosecond
	require.NoError(t, Run(t.Context(), backend, cells, hasty), "a budget that is over is no error")
	assert.Empty(t, begun)

	var left []map[string]time.Duration
	options.Ended = func(_ training.Result, l map[string]time.Duration) { left = append(left, l) }
	require.NoError(t, Run(t.Context(), backend, cells, options))
	assert.Equal(t, []string{"good", "unfit", "good"}, begun, "a row that cannot be done is not tried again")
	require.Len(t, left, 2)
	assert.Positive(t, left[0]["good"])
	assert.Equal(t, map[string]time.Duration{"good": left[0]["good"], "unfit": 0}, left[0],
		"of the other nothing is known yet")
	assert.Empty(t, left[1])
	require.Len(t, errs, 1)
	assert.ErrorContains(t, errs[cells[1].Dir], "level 1: L=999 exceeds its 64 nodes")
	s := Summarize(folder, table, 2, Origin{}, errs)
	assert.Equal(t, 2, s.Lines[0].Runs)
	assert.Positive(t, s.Lines[0].Accuracy)
	assert.Positive(t, s.Lines[0].PerSecond)
	assert.Positive(t, s.Lines[0].Parameters)

	begun = nil
	require.NoError(t, Run(t.Context(), backend, cells[:1], options))
	assert.Empty(t, begun, "what has ended is not run again")

	require.NoError(t, os.Remove(filepath.Join(cells[0].Dir, rateFile))) // killed after its training
	options.Begin = func(_, _ int, cell Cell) { begun = append(begun, cell.Row) }
	require.NoError(t, Run(t.Context(), backend, cells[:1], options))
	assert.FileExists(t, filepath.Join(cells[0].Dir, rateFile))
}

// writeMarks writes recordings of one sensor, of two classes.
func writeMarks(t *testing.T) string {
	t.Helper()
	const n, timepoints = 40, 24
	rng := rand.New(rand.NewPCG(4, 5))
	series, labels := make([]float32, n*timepoints), make([]int64, n)
	for i := range series {
		labels[i/timepoints] = int64(i / timepoints % 2)
		series[i] = float32(rng.NormFloat64() + float64(labels[i/timepoints]))
	}
	path := filepath.Join(t.TempDir(), "marks.npz")
	require.NoError(t, npz.Write(path, []npz.Named{{Name: "labels", Array: &npz.Array{Shape: []int{n}, Data: labels}},
		{Name: "series", Array: &npz.Array{Shape: []int{n, 1, timepoints}, Data: series}}}))
	return path
}

// Rows may differ in any part of the data's configuration: each is compared with the data that it began on.
func TestRunOfRowsThatDifferInTheirData(t *testing.T) {
	asked := training.Patch{"data": writeMarks(t), "model": "fc", "hidden": "none", "epochs": 1}
	table := Table{Name: "t"}
	for _, changed := range []training.Patch{{"frames": 6}, {"frames": 12}, {"split_seed": 3}, {"validation": 0.3},
		{"keep": "best"},
		{"fold": datasets.Fold{Number: 1, Of: 3}}} {
		row := maps.Clone(asked)
		maps.Copy(row, changed)
		table.Rows = append(table.Rows, Row{Name: fmt.Sprint(changed), Asked: row})
	}
	table.Rows = append(table.Rows, Row{Name: "usual", Asked: asked})
	ended := 0
	options := Options{Begin: func(int, int, Cell) {}, Failed: func(cell Cell, err error) { t.Error(cell.Row, err) },
		Ended: func(training.Result, map[string]time.Duration) { ended++ }}
	cells := Cells(t.TempDir(), []Table{table}, 1)
	require.NoError(t, Run(t.Context(), backendtest.Go(t), cells, options))
	assert.Equal(t, len(table.Rows), ended)
	require.NoError(t, Run(t.Context(), backendtest.Go(t), cells, options), "nothing has changed")
}

// A run whose ridge classifier predicts alone has a rate, too.
func TestRunOfTransformsAlone(t *testing.T) {
	const n, timepoints = 176, 60
	series, labels := make([]float32, n*timepoints), make([]int32, n)
	rng := rand.New(rand.NewPCG(1, 1)) // else samples that stand in rounds were alike, and held out together
	phase := 0.0
	for i := range series {
		labels[i/timepoints] = int32(i / timepoints % 2)
		if i%timepoints == 0 {
			phase = 2 * math.Pi * rng.Float64()
		}
		series[i] = float32(math.Sin(float64(i)*(1+float64(labels[i/timepoints])) + phase))
	}
	path := filepath.Join(t.TempDir(), "tones.npz")
	require.NoError(t, npz.Write(path, []npz.Named{{Name: "labels", Array: &npz.Array{Shape: []int{n}, Data: labels}},
		{Name: "series", Array: &npz.Array{Shape: []int{n, 1, timepoints}, Data: series}}}))
	folder, errs := t.TempDir(), map[string]error{}
	table := Table{Name: "t", Rows: []Row{{Name: "ccp", Asked: training.Patch{"data": path}}}}
	require.NoError(t, Run(t.Context(), backendtest.XLA(t), Cells(folder, []Table{table}, 1), Options{
		Begin:  func(int, int, Cell) {},
		Failed: func(cell Cell, err error) { errs[cell.Dir] = err }}))
	s := Summarize(folder, table, 1, Origin{}, errs)
	require.Empty(t, errs)
	assert.Positive(t, s.Lines[0].Accuracy)
	assert.NotContains(t, s.Lines[0].PredictedBy, "network")
	assert.Positive(t, s.Lines[0].PerSecond)
}

// Two processes share a folder: what one is at, the other leaves alone.
func TestRunLeavesBusyRunsAlone(t *testing.T) {
	backend := backendtest.XLA(t)
	folder := t.TempDir()
	table := Table{Rows: []Row{{Name: "a", Asked: short("softmax")}}}
	delete(table.Rows[0].Asked, "levels")
	cells := Cells(folder, []Table{table}, 1)
	inner := Options{Begin: func(int, int, Cell) {}, Failed: func(_ Cell, err error) { t.Error(err) }}
	tried := false
	outer := inner
	outer.Experiment.Observer.Compile = func() { // the outer run is under way
		tried = true
		assert.NoError(t, Run(t.Context(), backend, cells, inner))
		assert.NoFileExists(t, filepath.Join(cells[0].Dir, rateFile))
	}
	require.NoError(t, Run(t.Context(), backend, cells, outer))
	assert.True(t, tried)
	assert.FileExists(t, filepath.Join(cells[0].Dir, rateFile))
}

func TestTypicalTime(t *testing.T) {
	assert.Equal(t, 2.0, typical([]float64{9, 1, 2}))
	assert.Equal(t, 0.25, typical([]float64{0, 1, 0, 0}), "a clock that ticks once in four batches")
}
