//go:build !lean

package main

import (
	"cmp"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/clusterpool/ccp/cmd/internal/recordings"
	"github.com/clusterpool/ccp/cmd/internal/watch"
	"github.com/clusterpool/ccp/datasets/recording"
	"github.com/clusterpool/ccp/internal/text"
	"github.com/clusterpool/ccp/models"
	"github.com/clusterpool/ccp/models/along"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// watchCommand is `ccp watch` with the values of its flags.
type watchCommand struct {
	*shared
	checkpoint string
	options    watch.Options
	raw        bool
}

// newWatch returns `ccp watch`, which tells the class of a stream as it comes.
func newWatch(s *shared) *cobra.Command {
	w := &watchCommand{shared: s}
	cmd := command("watch", "")
	cmd.Annotations = map[string]string{stdinUse: "FILE.csv"}
	checkpointFlag(cmd, &w.checkpoint)
	f := cmd.Flags()
	streamFlags(f, &w.options)
	f.BoolVar(&w.raw, "raw", false, "a line for each window, with its own most probable class, too")
	cmd.RunE = w.run
	return cmd
}

// streamFlags say how to tell a class along time.
func streamFlags(f *pflag.FlagSet, o *watch.Options) {
	parsedVar(f, &o.Cut.Window, "window", recording.ParseSpan,
		"windows of a `DURATION` such as 2s, or of so many time points (default: the training's)")
	parsedVar(f, &o.Cut.Step, "step", recording.ParseSpan,
		"`DURATION`, or time points, between the begins of windows (default: the training's, or a whole window)")
	numberVar(f, &o.Rule.Lag, "lag", 0, 1, watch.MostLag,
		"decide on each window by `N` later ones, too, so many steps late (default: as soon as a class is sure)")
	parsedVar(f, &o.Lasts, "lasts", func(text string) (float64, error) {
		d, err := time.ParseDuration(text)
		if err != nil || d <= 0 {
			return 0, errors.New("is no duration above 0, such as 30s or 5m")
		}
		return d.Seconds(), nil
	}, "mean `DURATION` of a class, where the training had no streams that tell it (default: ten windows)")
}

// run follows the standard input until it ends, or until a signal.
func (w *watchCommand) run(cmd *cobra.Command, _ []string) error {
	err := checkCut(cmd, recording.Cut{Window: w.options.Cut.Window})
	if err != nil {
		return err
	}
	stopped := untilSignal(cmd, func() {})
	defer stopped()
	classifier, err := w.load(cmd, w.checkpoint, 1)
	if err != nil {
		return err
	}
	r := &watching{cmd: cmd, classifier: classifier, raw: w.raw, began: time.Now()}
	r.write = r.printer(cmd.OutOrStdout(), w.json)
	r.watcher, err = watch.New(classifier, w.options,
		func(line string) { fmt.Fprintln(cmd.ErrOrStderr(), text.Plain(line)) })
	if err != nil {
		return err
	}
	r.tellRule(w.options.Rule)
	ended := make(chan error, 1)
	go func() { // a read of the standard input cannot be stopped
		ended <- recordings.Follow(cmd.Context(), cmd.InOrStdin(), classifier.Form, r.add, r.bad, r.note)
	}()
	select {
	case err = <-ended:
	case <-cmd.Context().Done():
		err = nil
	}
	return r.end(err)
}

// watching is one run of `ccp watch`.
type watching struct {
	cmd        *cobra.Command
	classifier *models.Classifier
	watcher    *watch.Watcher
	raw        bool
	write      func(watch.Decision) error
	began      time.Time

	mu       sync.Mutex // held while a row is taken, and at the end
	over     bool
	badLines int
	clock    wallClock
}

// tellRule says how classes are decided on, and what that did to held-out stretches.
func (r *watching) tellRule(rule along.Rule) {
	m := r.classifier.Along
	line := "the class changes once another one is sure enough"
	if rule.Lag > 0 {
		line = fmt.Sprintf("each window is told %s later", text.Count(rule.Lag, "window"))
	}
	if m != nil && m.HeldOut != nil && rule.Lag == 0 {
		h := m.HeldOut
		line += fmt.Sprintf(" (%.2g); of held-out windows %.1f%% were right (%.1f%% alone)", m.Threshold, 100*h.Accuracy,
			100*h.RawAccuracy)
		if h.Changes > h.Missed {
			line += fmt.Sprintf(", and a change was told %s after the first whole window of the new class, in the mean",
				r.classifier.Form.Lasting(h.Delay))
		}
	}
	if m == nil || !m.Learned {
		line += "; the training had no streams that tell how long classes last (--lasts)"
	}
	fmt.Fprintln(r.cmd.ErrOrStderr(), "note: "+line)
}

// add takes a row of the stream.
func (r *watching) add(row recordings.Row) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.over {
		return errors.New("ended")
	}
	told, err := r.watcher.Take(r.cmd.Context(), row)
	if err != nil {
		return err
	}
	r.checkClock(row)
	return r.print(told)
}

// checkClock warns, once, of rows without times that come at another rate than the training's, by the machine's clock.
func (r *watching) checkClock(row recordings.Row) {
	form := r.classifier.Form
	if row.Time == row.Time || form.Rate == 0 {
		return
	}
	trained := form.Rate * cmp.Or(form.Second, 1)
	if rate, isOther := r.clock.add(time.Now(), trained); isOther {
		fmt.Fprintf(r.cmd.ErrOrStderr(), "warning: rows without times come at %.4g a second, and the training had %.4g: "+
			"they are taken for the training's, and classes may be wrong\n", rate, trained)
	}
}

// wallClock measures the rate at which rows come, by the machine's clock.
type wallClock struct {
	begin time.Time // of the stretch
	rows  int       // in it
	odd   int       // stretches in a row with another rate
	done  bool
}

// add counts a row that comes now, and reports, once, a rate other than the trained one. A stretch of ten seconds with
// another rate may have a pause in it: only two in a row count. Of these the first ones tell, at the begin of a stream.
// A file that is sent at once has no rate.
func (c *wallClock) add(now time.Time, trained float64) (rate float64, isOther bool) {
	const stretch, most, slow, fast, atOnce = 10 * time.Second, 2, 0.9, 1.1, 5
	if c.begin.IsZero() {
		c.begin = now
	}
	since := now.Sub(c.begin)
	if c.done || since < stretch {
		c.rows++
		return 0, false
	}
	rate = float64(c.rows) / since.Seconds()
	share := rate / trained
	c.begin, c.rows = now, 1
	if share >= slow && share <= fast || share >= atOnce {
		c.done = true
		return rate, false
	}
	c.odd++
	c.done = c.odd == most
	return rate, c.done
}

// note tells what a person should know of the columns.
func (r *watching) note(line string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	tell(r.cmd, "note", []string{line})
}

// bad tells of a line that holds no row.
func (r *watching) bad(wrong *recordings.BadLine) {
	r.mu.Lock()
	defer r.mu.Unlock()
	const most = 5
	r.badLines++
	switch {
	case r.over || r.badLines > most+1:
	case r.badLines > most:
		fmt.Fprintln(r.cmd.ErrOrStderr(), "left out: further lines are counted")
	default:
		fmt.Fprintf(r.cmd.ErrOrStderr(), "left out: %s\n", text.Plain(wrong.Error()))
	}
}

// end tells what is left, and sums up.
func (r *watching) end(err error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.over = true
	if err != nil {
		return err
	}
	if r.cmd.Context().Err() == nil {
		told, err := r.watcher.Finish(r.cmd.Context())
		if err != nil {
			return err
		}
		err = r.print(told)
		if err != nil {
			return err
		}
	}
	s := r.watcher.Summary
	gaps := text.Count(s.Gaps, "gap")
	if s.Missing > 0 {
		gaps += fmt.Sprintf(" (%s missing)", text.Count(s.Missing, "window"))
	}
	fmt.Fprintf(r.cmd.ErrOrStderr(), "%s, %s, %s of class (%s by windows alone), %s\n", text.Count(s.Rows, "row"),
		text.Count(s.Windows, "window"), text.Count(s.Changes, "change"), text.Thousands(s.Raw), gaps)
	for _, class := range slices.Sorted(maps.Keys(s.Lasted)) {
		name := class
		if name == "" {
			name = "not decided"
		}
		lasted := text.Seconds(s.Lasted[class])
		if s.Untimed {
			lasted = text.Count(int(math.Round(s.Lasted[class])), "time point")
		}
		fmt.Fprintf(r.cmd.ErrOrStderr(), "  %s for %s\n", text.Plain(name), lasted)
	}
	if n := s.Unusable + r.badLines; n > 0 {
		fmt.Fprintf(r.cmd.ErrOrStderr(), "left out: %s and %s\n", text.Count(s.Unusable, "window"),
			text.Count(r.badLines, "line"))
	}
	if n := s.Resent + s.Late; n > 0 {
		fmt.Fprintf(r.cmd.ErrOrStderr(), "left out: %s that repeat the one before, and %s not later than it\n",
			text.Count(s.Resent, "row"), text.Count(s.Late, "row"))
	}
	return nil
}

// print writes what is told.
func (r *watching) print(told []watch.Told) error {
	for _, line := range r.watcher.Decisions(told, r.raw) {
		err := r.write(line)
		if err != nil {
			return err
		}
	}
	return nil
}

// printer returns what writes lines: of JSON, or of a CSV. Each is written at once.
func (r *watching) printer(out io.Writer, asJSON bool) func(watch.Decision) error {
	if asJSON {
		lines := json.NewEncoder(out)
		return func(line watch.Decision) error { return lines.Encode(line) }
	}
	rows := csv.NewWriter(out)
	headings := []string{"time", "class", "probability", "since"}
	if r.raw {
		headings = append(headings, "start", "end", "window")
	}
	onScreen := newStatusLine(out).screen != nil
	write := func(cells []string) error {
		if onScreen {
			withoutControls([][]string{cells})
		}
		err := rows.Write(cells)
		rows.Flush()
		return errors.Join(err, rows.Error())
	}
	headed := false
	return func(line watch.Decision) error {
		if !headed {
			headed = true
			if err := write(headings); err != nil {
				return err
			}
		}
		return write(cellsOf(line))
	}
}

// cellsOf returns the cells of a line of a CSV.
func cellsOf(d watch.Decision) []string {
	cells := []string{d.Time.Text, d.Class, "", ""}
	if d.Since != nil {
		cells[2], cells[3] = strconv.FormatFloat(d.Probability, 'g', 4, 64), d.Since.Text
	}
	if d.Start != nil {
		cells = append(cells, d.Start.Text, d.End.Text, d.Window)
	}
	return cells
}
