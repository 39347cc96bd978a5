package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/models"
	"github.com/clusterpool/ccp/models/training"
	"github.com/mattn/go-runewidth"
	"github.com/spf13/cobra"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestProgressLine(t *testing.T) {
	head, tail := "epoch 1/30", " 50%  loss 1.0"
	for width, want := range map[int]string{
		60: "epoch 1/30 [===============               ]  50%  loss 1.0",
		40: "epoch 1/30 [======      ]  50%  loss 1.0",
		31: "epoch 1/30 [=  ]  50%  loss 1.0",
		30: "epoch 1/30   50%  loss 1.0",
		0:  "epoch 1/30   50%  loss 1.0",
	} {
		assert.Equal(t, want, progressLine(head, 0.5, tail, width), "width %d", width)
	}
	assert.Contains(t, progressLine(head, 1, tail, 60), "[==============================]")
	assert.Contains(t, progressLine(head, 0, tail, 60), "[                              ]")
}

// TestDisplayOnATerminal follows what is written to a terminal, whose width is not known here.
func TestDisplayOnATerminal(t *testing.T) {
	screen, err := os.Create(filepath.Join(t.TempDir(), "screen"))
	require.NoError(t, err)
	defer screen.Close()
	read := 0
	written := func() string {
		raw, err := os.ReadFile(screen.Name())
		require.NoError(t, err)
		defer func() { read = len(raw) }()
		return string(raw[read:])
	}
	drawn := func(line string) string { return fmt.Sprintf("\r%-79s", line) }
	erased := drawn("") + "\r"
	data, err := datasets.Load(t.Context(), "digits", datasets.Options{})
	require.NoError(t, err)
	d := newDisplay(writing(screen), training.Config{}, "go")
	assert.Nil(t, d.screen, "a file is no terminal")
	d.screen = screen

	d.begin(training.Config{Training: training.Training{Epochs: 12, Steps: 24, Batch: 64, LearningRate: 0.001,
		Schedule: "cosine", Keep: "best"}}, data, models.Spec{Model: "ccp", Options: models.DefaultOptions(),
		Levels: []models.Level{{Clusters: 4, Filters: 8, Neighbours: 9}}}, 0, 24)
	assert.True(t, strings.HasSuffix(written(), "\nmodel  ccp 4x8/9, fc none, on go\n"))
	d.prepare(1, 0.421, 49.94)
	assert.Equal(t, drawn("preparing level 1: 42%  C 49.9"), written())
	d.prepare(1, 0.43, 50)
	assert.Empty(t, written(), "too soon to draw again")
	d.start()
	assert.Equal(t, erased+"train  24 steps of 64 samples in 12 epochs, rate 0.001 cosine, best weights\n"+
		drawn("compiling…"), written())
	d.drawn = d.drawn.Add(-redrawPeriod)
	d.step(training.Progress{Epoch: 1, Epochs: 12, Step: 1, Steps: 2, Loss: 2.5, Accuracy: 0.25, Objective: 0.5,
		PerSecond: 100})
	line := written()
	assert.Equal(t, drawn("epoch 1/12 [=======       ]  50%  loss 2.5000  acc 0.250  C 0.50  100/s  ? left"), line)
	assert.Len(t, line, len("\r")+79, "a line of 80 columns would wrap")
	d.step(training.Progress{Epoch: 1, Epochs: 12, Step: 1, Steps: 2})
	assert.Empty(t, written(), "too soon to draw again")
	d.step(training.Progress{Epoch: 1, Epochs: 12, Step: 2, Steps: 2})
	assert.Contains(t, written(), "] 100%", "the last step is always drawn")
	d.epoch(training.Epoch{Epoch: 1, Train: training.Score{Loss: 2.5, Accuracy: 0.25},
		Validation: &training.Score{Loss: 2, Accuracy: 0.5}, Objective: []float64{0.5, 0.75}, Seconds: 0.25, Best: true})
	assert.Equal(t, erased+"epoch  1/12  loss 2.5000  acc 0.250  val 0.5000  C 0.50 0.75  0.2s  best\n", written())
	d.notice("resuming")
	assert.Equal(t, "resuming\n", written(), "nothing to erase")
	d.step(training.Progress{Epoch: 2, Epochs: 12, Step: 1, Steps: 2})
	written()
	d.clear()
	d.clear()
	assert.Equal(t, erased, written())
}

// A line is as wide as the terminal at most, whatever it is of, and says how long it has been there.
func TestStatusLineOnScreen(t *testing.T) {
	screen, err := os.Create(filepath.Join(t.TempDir(), "screen"))
	require.NoError(t, err)
	defer screen.Close()
	l := newStatusLine(screen)
	l.screen = screen
	l.loading(strings.Repeat("größe 数", 30), 1)
	l.draw("a")
	l.count("compiling…", time.Millisecond)
	require.Eventually(t, func() bool {
		raw, err := os.ReadFile(screen.Name())
		return assert.NoError(t, err) && strings.Contains(string(raw), "compiling… 0s ")
	}, 10*time.Second, time.Millisecond)
	l.clear()
	raw, err := os.ReadFile(screen.Name())
	require.NoError(t, err)
	for _, line := range strings.Split(string(raw), "\r") {
		assert.LessOrEqual(t, runewidth.StringWidth(line), 79, line)
	}
	time.Sleep(5 * time.Millisecond)
	after, err := os.ReadFile(screen.Name())
	require.NoError(t, err)
	assert.Equal(t, string(raw), string(after), "nothing is drawn after the line is cleared")
}

// A prepared hierarchy's C does not change: it is not repeated by each epoch.
func TestDisplayOfAConstantObjective(t *testing.T) {
	e := training.Epoch{Epoch: 1, Objective: []float64{0.5, 0.75}}
	for hierarchy, shown := range map[string]bool{"prepared": false, "random": false, "learned": true} {
		var out strings.Builder
		d := newDisplay(writing(&out), training.Config{}, "go")
		c, err := training.Resolve(training.Patch{"ccp_hierarchy": hierarchy}, digits(t))
		require.NoError(t, err)
		d.begin(c, digits(t), models.Spec{Model: "ccp", Options: c.Options}, 0, 1)
		d.epoch(e)
		assert.Equal(t, shown, strings.Contains(out.String(), "  C 0.50 0.75"), hierarchy)
	}
}

// The groups of the test are named if they are whole. A fit without steps says of how many held-out samples its score
// is, and has none if there were none.
func TestDisplayOfGroups(t *testing.T) {
	data := *digits(t)
	data.Groups = slices.Repeat([]string{"carl", "dora", "emil"}, len(data.Labels)/3)
	for at, i := range data.Test {
		data.Groups[i] = []string{"bert", "anna"}[at%2]
	}
	score := training.Score{Loss: 0.5, Accuracy: 0.75, Samples: 16, Groups: 3}
	shown := func() string {
		var out strings.Builder
		d := newDisplay(writing(&out), training.Config{}, "go")
		c, err := training.Resolve(training.Patch{"model": "transforms"}, &data)
		require.NoError(t, err)
		d.begin(c, &data, models.Spec{Model: "transforms", Options: c.Options}, 0, 1)
		d.epoch(training.Epoch{Train: score})
		return out.String()
	}
	assert.Contains(t, shown(), " test samples in 10 classes; the test is of groups anna, bert\n")
	assert.Contains(t, shown(), "\nfitted; 16 held-out samples of 3 groups:  loss 0.5000  acc 0.750  0.0s\n")
	score = training.Score{}
	assert.Contains(t, shown(), "\nfitted  0.0s\n")
	for _, i := range data.Test {
		data.Groups[i] = "1"
	}
	assert.Contains(t, shown(), "; the test is of group 1\n", "a name, and no number of groups")
	data.Groups[data.Train[0]] = "1"
	assert.Contains(t, shown(), " test samples in 10 classes\n")
}

// Of many trainings, what is odd in a data set is told once, and what a search found is not told.
func TestBriefNotices(t *testing.T) {
	var out strings.Builder
	d := newDisplay(writing(&out), training.Config{}, "go")
	tell := d.brief().Notice
	for _, kind := range []string{training.DataNotice, training.HierarchyNotice, training.DataNotice, ""} {
		tell(training.Notice{Kind: kind})
	}
	assert.Equal(t, 2, strings.Count(out.String(), "\n"), "one of the data, and the one of no kind")
	d.config.Name = "another"
	tell(training.Notice{Kind: training.DataNotice})
	assert.Equal(t, 3, strings.Count(out.String(), "\n"))
}

// writing returns a command whose output for errors is out.
func writing(out io.Writer) *cobra.Command {
	cmd := &cobra.Command{}
	cmd.SetErr(out)
	return cmd
}

func digits(t *testing.T) *datasets.Dataset {
	t.Helper()
	d, err := datasets.Load(t.Context(), "digits", datasets.Options{})
	require.NoError(t, err)
	return d
}

// A signal's notice comes while a line is drawn; the race detector sees both.
func TestStatusLineAtOnce(t *testing.T) {
	screen, err := os.Create(filepath.Join(t.TempDir(), "screen"))
	require.NoError(t, err)
	defer screen.Close()
	for _, on := range []*os.File{screen, nil} {
		l := newStatusLine(screen)
		l.screen = on
		var group sync.WaitGroup
		for range 2 {
			group.Go(func() {
				for i := range 100 {
					l.progress("loading", float64(i)/100, "")
					l.notice("stopping")
				}
			})
		}
		group.Wait()
		l.clear()
	}
}
