package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/internal/experiment"
	"github.com/clusterpool/ccp/models"
	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// display shows a training: on a terminal a bar for the epoch under way, and everywhere a line for each epoch done.
type display struct {
	out      io.Writer
	config   experiment.Config
	backend  string
	terminal bool
	bar      *progressbar.ProgressBar
	began    time.Time
	from     int // the step at which this process began
	steps    int // of the whole training
}

func newDisplay(out *os.File, c experiment.Config, backend string) *display {
	return &display{out: out, config: c, backend: backend, terminal: term.IsTerminal(int(out.Fd()))}
}

func (d *display) observer() experiment.Observer {
	return experiment.Observer{Begin: d.begin, Step: d.step, Epoch: d.epoch, Notice: func(line string) { fmt.Fprintln(d.out, line) }}
}

func (d *display) begin(data *datasets.Dataset, spec models.Spec, from, steps int) {
	d.began, d.from, d.steps = time.Now(), from, steps
	fmt.Fprintf(d.out, "%s: %s training, %s validation, %s test samples of %s nodes x %d channels; %d classes; %s edges\n", data.Name,
		thousands(len(data.Train)), thousands(len(data.Validation)), thousands(len(data.Test)), thousands(data.Nodes), data.Channels, data.Classes(), thousands(data.Affinity.Edges()))
	fmt.Fprintf(d.out, "%s %s, fc %v on %s: compiling…\n", spec.Model, spec.LevelsString(), spec.Hidden, d.backend)
}

func (d *display) step(p experiment.Progress) {
	if !d.terminal {
		return
	}
	if d.bar == nil {
		d.bar = progressbar.NewOptions(p.Steps, progressbar.OptionSetWriter(d.out), progressbar.OptionSetWidth(20),
			progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionClearOnFinish(), progressbar.OptionSetPredictTime(false),
			progressbar.OptionSetElapsedTime(false), progressbar.OptionSetTheme(progressbar.Theme{Saucer: "=", SaucerHead: ">", SaucerPadding: " ", BarStart: "[", BarEnd: "]"}))
	}
	done := (p.Epoch-1)*p.Steps + p.Step
	left := time.Duration(float64(time.Since(d.began)) / float64(done-d.from) * float64(d.steps-done))
	d.bar.Describe(fmt.Sprintf("epoch %d/%d  loss %.4f  C %.2f  acc %.3f  %.0f/s  %s left", p.Epoch, p.Epochs, p.Loss, p.Objective, p.Accuracy, p.PerSecond, left.Round(time.Second)))
	_ = d.bar.Set(p.Step)
}

func (d *display) epoch(e experiment.Epoch) {
	d.close()
	c, mark := 0.0, ""
	for _, level := range e.Objective {
		c += level
	}
	if e.Best {
		mark = "  best"
	}
	fmt.Fprintf(d.out, "epoch %3d/%d  loss %.4f  C %.2f  acc %.3f  validation %.4f  %s%s\n", e.Epoch, d.config.Epochs, e.Train.Loss, c, e.Train.Accuracy, e.Validation.Accuracy, seconds(e.Seconds), mark)
}

func (d *display) close() {
	if d.bar != nil {
		_ = d.bar.Clear()
		d.bar = nil
	}
}
