package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/internal/heap"
	"github.com/clusterpool/ccp/internal/suggest"
	"github.com/clusterpool/ccp/internal/text"
	"github.com/clusterpool/ccp/models"
	"github.com/clusterpool/ccp/models/training"
	"github.com/gomlx/gomlx/support/xslices"
	"github.com/mattn/go-runewidth"
	"github.com/spf13/cobra"
)

// display shows a training: everywhere a line for each epoch done and, on a terminal, below them one that is drawn
// over, for the epoch under way.
type display struct {
	*statusLine
	spelled   func(option string, value any) string // see spelling
	config    training.Config
	backend   string
	began     time.Time // when the first step of this process was done
	firstStep int       // the number of that step
	frozen    bool      // C is constant: the notice of the hierarchy says it
	stepped   bool      // there are steps: a ridge classifier is fitted at once
	tried     time.Time // when the trial of the network told first
}

// longTrial is how long a trial of the network needs no lines in a log.
const longTrial = 10 * time.Second

// newDisplay returns a display on a command's output for errors. It spells options as the command does.
func newDisplay(cmd *cobra.Command, c training.Config, backend string) *display {
	return &display{statusLine: newStatusLine(cmd.ErrOrStderr()), spelled: spelling(cmd), config: c, backend: backend}
}

func (d *display) observer() training.Observer {
	return training.Observer{Load: d.loading, Begin: d.begin, Prepare: d.prepare, Trial: d.trial, Compile: d.start,
		Compiled: heap.Release,
		Step:     d.step, Epoch: d.epoch, Notice: func(n training.Notice) { d.notice(n.Spell(d.spelled)) }}
}

// brief returns an observer for many trainings in a row, or for a dry run. It shows the line that is drawn over and
// what a person should know, but no epochs. One observer serves all of the trainings, so that it knows what it has
// said: a notice of the data comes once for each data set. None of the commands that train many has the option that a
// notice may advise to give.
func (d *display) brief() training.Observer {
	shown := map[string]bool{}
	return training.Observer{Load: d.loading, Prepare: d.prepare, Trial: d.trial, Compile: d.compile,
		Compiled: heap.Release, Step: d.step,
		Notice: func(n training.Notice) {
			key := d.config.Name + " " + n.String()
			again := n.Kind == training.DataNotice && shown[key]
			if again || n.Kind == training.HierarchyNotice {
				return
			}
			shown[key] = true
			d.notice("  " + n.WithoutAdvice().Spell(d.spelled))
		}}
}

// stopping answers a signal.
func (d *display) stopping() { d.notice("stopping after this step; Ctrl-C again aborts at once") }

// begin says what is trained on what, before the first step.
func (d *display) begin(c training.Config, data *datasets.Dataset, spec models.Spec, _, _ int) {
	d.config, d.frozen = c, !spec.Learns()
	var blocks [2]int // of the stem, and between levels
	for _, l := range spec.Layers() {
		if l.Skip {
			blocks[min(l.Of, 1)]++
		}
	}
	tested := slices.Compact(slices.Sorted(slices.Values(xslices.Map(data.Test, data.Group))))
	if slices.ContainsFunc(slices.Concat(data.Train, data.Validation),
		func(i int) bool { return slices.Contains(tested, data.Group(i)) }) {
		tested = nil // not whole
	}
	of := suggest.Few(tested)
	switch len(tested) {
	case 0:
	case 1:
		of = "group " + of // which may be a number
	default:
		of = "groups " + of
	}
	d.render("train-begin", map[string]any{"Data": data, "Spec": spec, "Levels": training.Levels(spec.Levels), "Config": c,
		"Blocks": blocks, "Backend": d.backend, "Tested": of})
}

// render gives notice of what a template shows.
func (d *display) render(name string, of any) { d.notice(strings.TrimSpace(render(name, of))) }

// start says how the training goes, once it is known that there are steps.
func (d *display) start() {
	d.stepped = true
	d.render("train-steps", d.config)
	d.compile()
}

func (d *display) prepare(level int, done, objective float64) {
	if d.screen != nil && d.due() {
		d.draw(fmt.Sprintf("preparing level %d: %.0f%%  C %.1f", level, 100*done, objective))
	}
}

func (d *display) trial(done float64) {
	if d.tried.IsZero() {
		d.tried = time.Now()
	}
	if d.screen != nil || time.Since(d.tried) > longTrial {
		d.loading("trying the network", done)
	}
}

func (d *display) compile() {
	heap.Reserve()
	if d.screen != nil {
		d.count("compiling…", time.Second)
	}
}

// step draws over the line of the epoch under way. Where the output is no terminal, it does nothing.
func (d *display) step(p training.Progress) {
	done := (p.Epoch-1)*p.Steps + p.Step
	if d.began.IsZero() {
		d.began, d.firstStep = time.Now(), done
	}
	if d.screen == nil || p.Step < p.Steps && !d.due() {
		return
	}
	left := "?"
	if done > d.firstStep {
		remaining := time.Since(d.began).Seconds() / float64(done-d.firstStep) * float64(p.Epochs*p.Steps-done)
		left = (time.Duration(remaining) * time.Second).String()
	}
	objective := ""
	if p.Objective > 0 && !d.frozen {
		objective = fmt.Sprintf("  C %.2f", p.Objective)
	}
	d.draw(progressLine(fmt.Sprintf("epoch %d/%d", p.Epoch, p.Epochs), float64(p.Step)/float64(p.Steps),
		fmt.Sprintf("%3d%%  loss %.4f  acc %.3f%s  %.0f/s  %s left", 100*p.Step/p.Steps, p.Loss, p.Accuracy, objective,
			p.PerSecond, left), d.width()))
}

// progressLine puts a bar between head and tail. The bar is as long as fits.
func progressLine(head string, done float64, tail string, width int) string {
	line := head + "  " + tail
	if room := min(width-runewidth.StringWidth(line)-len("[]"), 30); room >= 3 {
		full := int(done * float64(room))
		line = fmt.Sprintf("%s [%s%s] %s", head, strings.Repeat("=", full), strings.Repeat(" ", room-full), tail)
	}
	return line
}

// epoch prints the scores of an epoch that is done, or of transforms that were fitted.
func (d *display) epoch(e training.Epoch) {
	var line strings.Builder
	switch {
	case d.stepped:
		fmt.Fprintf(&line, "epoch %*d/%d", len(fmt.Sprint(d.config.Epochs)), e.Epoch, d.config.Epochs)
	case e.Train.Samples > 0: // transforms fit their training samples exactly
		fmt.Fprintf(&line, "fitted; %s:", e.Train.HeldOut())
	default:
		line.WriteString("fitted")
	}
	if e.Train != (training.Score{}) {
		fmt.Fprintf(&line, "  loss %.4f  acc %.3f", e.Train.Loss, e.Train.Accuracy)
	}
	if e.Validation != nil {
		fmt.Fprintf(&line, "  val %.4f", e.Validation.Accuracy)
	}
	if len(e.Objective) > 0 && !d.frozen {
		fmt.Fprintf(&line, "  C %s", strings.Trim(fmt.Sprintf("%.2f", e.Objective), "[]"))
	}
	fmt.Fprintf(&line, "  %s", text.Seconds(e.Seconds))
	if e.Best && d.config.Keep != training.KeepLast {
		line.WriteString("  best")
	}
	d.notice(line.String())
}
