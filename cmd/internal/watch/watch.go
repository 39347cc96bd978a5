// Package watch tells the class of a stream as it comes, window by window. The commands watch and eval and the server
// share it, so that what is measured is what is seen.
package watch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/clusterpool/ccp/cmd/internal/recordings"
	"github.com/clusterpool/ccp/datasets/recording"
	"github.com/clusterpool/ccp/internal/text"
	"github.com/clusterpool/ccp/models"
	"github.com/clusterpool/ccp/models/along"
)

// Watcher tells the class of a stream. Its memory does not grow with the stream.
type Watcher struct {
	Summary

	classifier *models.Classifier
	follower   *recording.Follower
	decider    *Decider
	classify   func(ctx context.Context, series [][]float32) ([]models.Prediction, error)
	cut        recording.Cut
	window     float64 // its length, in the unit of times
	pace       *pace
	odd        []bool  // of each sensor: that it is unlike the training has been told
	resting    bool    // no window has come since the begin, or since the last gap
	gapTold    bool    // and that is told
	lateBegin  float64 // before which a gap was, while no window had come; NaN for none
	note       func(line string)
	written    recording.TimeForm
	rows       int       // since the begin, or the last time that the clock was set back
	lastTime   float64   // of the last row
	lastEnd    float64   // of the last window
	values     []float64 // of the last row
}

// Summary counts what a watcher has seen.
type Summary struct {
	Rows    int `json:"rows"`
	Windows int `json:"windows"`
	// Unusable counts windows that cannot be classified, as those in which a sensor is silent, and Missing those that lie
	// in gaps of the times.
	Unusable int `json:"unusable"`
	Missing  int `json:"missing"`
	// Gaps counts how often windows were missing, so that all before, if there was any, was forgotten.
	Gaps int `json:"gaps"`
	// Resent counts rows that repeat the one before, and Late those whose time is not after the one before: both are left
	// out.
	Resent int `json:"resent"`
	Late   int `json:"late"`
	// Changes are told from one class to another one, whether a gap lies between them or not, and Raw those of the most
	// probable class of each window alone.
	Changes int `json:"changes"`
	Raw     int `json:"raw_changes"`
	// Lasted has the seconds of each class, by its name; "" before the first decision. Untimed says that they are time
	// points, as neither the training nor the stream has times.
	Lasted  map[string]float64 `json:"lasted"`
	Untimed bool               `json:"untimed"`

	last, raw int // the last class that was told, and that of the last window alone
}

// Told is what is told of a window, when the window that ends at Time has come.
type Told struct {
	along.Told
	Time float64
}

// New returns a watcher. note is told what a person should know, such as a gap.
func New(c *models.Classifier, o Options, note func(line string)) (*Watcher, error) {
	if c.Form == nil {
		return nil, recording.ErrNoForm
	}
	cut := CutOf(c.Form, o.Cut)
	follower, err := c.Form.Follow(cut)
	if err != nil {
		return nil, err
	}
	step := follower.Step()
	window := step
	if cut.Step.Length > 0 {
		window *= cut.Window.Length / cut.Step.Length
	}
	m, err := ModelOf(c, window, step, o.Lasts)
	if err != nil {
		return nil, err
	}
	classify := o.Classify
	if classify == nil {
		classify = c.ClassifySeries
	}
	return &Watcher{classifier: c, follower: follower, decider: Decide(m, step, o.Rule, 0), classify: classify,
		cut: cut, window: window, pace: newPace(c.Form, cut, note), odd: make([]bool, len(c.Form.Sensors)), resting: true,
		note:    note,
		Summary: Summary{Lasted: map[string]float64{}, last: along.Unknown, raw: along.Unknown}}, nil
}

// Take takes a row of a stream, and returns what can be told now. Another recording begins anew. Errors name the line.
func (w *Watcher) Take(ctx context.Context, row recordings.Row) (told []Told, err error) {
	w.written = row.Written
	if row.Begins {
		told, err = w.Finish(ctx)
		w.last, w.raw = along.Unknown, along.Unknown
	}
	if err == nil {
		var more []Told
		more, err = w.Add(ctx, row.Time, row.Values)
		told = append(told, more...)
	}
	if err != nil {
		return told, fmt.Errorf("line %d: %w", row.Line, err)
	}
	return told, nil
}

// Kept returns how many time points are kept: those since the begin of the first window that is not complete.
func (w *Watcher) Kept() int { return w.follower.Kept() }

// Add takes a time point: its time, NaN where the stream has none, and its values in the training's order, NaN for
// missing ones. It returns what can be told now.
func (w *Watcher) Add(ctx context.Context, time float64, values []float64) (told []Told, err error) {
	complete, skipped, err := w.follower.Add(time, values)
	if errors.Is(err, recording.ErrSetBack) && w.lastTime-time <= w.window {
		w.leave(time, values)
		return nil, nil
	}
	if errors.Is(err, recording.ErrSetBack) {
		w.note(fmt.Sprintf("time %s is before the last one, %s: the clock was set back, and all begins anew",
			w.written.Text(time), w.written.Text(w.lastTime)))
		told, err = w.Finish(ctx)
		if err != nil {
			return told, err
		}
		complete, skipped, err = w.follower.Add(time, values)
	}
	if err != nil {
		return told, err
	}
	err = w.pace.add(time, values)
	if err != nil {
		return told, err
	}
	if w.rows == 0 {
		if !w.resting {
			told = append(told, w.gap(time)...)
		}
		w.gapTold, w.lateBegin = false, math.NaN()
		w.Untimed = time != time && w.classifier.Form.Rate == 0
	}
	w.Rows, w.rows, w.Missing = w.Rows+1, w.rows+1, w.Missing+skipped
	w.lastTime, w.values = time, append(w.values[:0], values...)
	if skipped == 0 {
		told = append(told, w.tellGap(w.lateBegin)...)
		w.lateBegin = math.NaN()
	}
	more, err := w.tell(ctx, complete)
	told = append(told, more...)
	switch {
	case err != nil || skipped == 0:
	case w.resting: // of times in another unit each row comes after a gap: another one shows
		w.lateBegin = time
	default:
		told = append(told, w.tellGap(time)...)
	}
	return told, err
}

// tellGap tells of a gap before a time; NaN is none.
func (w *Watcher) tellGap(before float64) []Told {
	if before != before || w.gapTold {
		return nil
	}
	w.note(fmt.Sprintf("a gap before time %s: all begins anew", w.written.Text(before)))
	return w.gap(before)
}

// gap tells that a window is missing, so that no class is known, or not yet, once until the next window.
func (w *Watcher) gap(now float64) (told []Told) {
	if w.gapTold {
		return nil
	}
	told = w.count(w.decider.Finish(), now)
	w.resting, w.gapTold = true, true
	w.Gaps++
	return append(told, Told{along.Told{Start: now, End: now, Class: along.Unknown, Raw: along.Unknown, Gap: true}, now})
}

// leave leaves out a row that is not later than the one before, but by no more than a window earlier: one that was sent
// again, or came late. A note tells of the first of each kind.
func (w *Watcher) leave(time float64, values []float64) {
	same := func(a, b float64) bool { return a == b || a != a && b != b }
	if time == w.lastTime && slices.EqualFunc(values, w.values, same) {
		w.Resent++
		if w.Resent == 1 {
			w.note(fmt.Sprintf("left out: a row that repeats the one before, at time %s; further ones are counted",
				w.written.Text(time)))
		}
		return
	}
	w.Late++
	if w.Late > 1 {
		return
	}
	why := "is before the last one, " + w.written.Text(w.lastTime)
	if time == w.lastTime {
		why = "had a row already, with other values"
	}
	w.note(fmt.Sprintf("left out: a row whose time %s %s; further ones are counted", w.written.Text(time), why))
}

// Finish tells what is left at the end of the stream, and begins anew.
func (w *Watcher) Finish(ctx context.Context) (told []Told, err error) {
	told, err = w.tell(ctx, w.follower.Finish())
	if err != nil {
		return told, err
	}
	told = append(told, w.count(w.decider.Finish(), w.lastEnd)...)
	if w.rows > 0 && w.Windows+w.Unusable+w.Gaps == 0 {
		w.note(fmt.Sprintf("no class is told: the stream ended before its first window of %s was whole", w.cut.Window))
	}
	w.rows = 0
	return told, nil
}

// tell classifies windows that are complete.
func (w *Watcher) tell(ctx context.Context, complete []recording.Followed) (told []Told, err error) {
	for _, window := range complete {
		w.lastEnd = window.End
		series, _, err := w.classifier.Form.Series(window.Recording)
		var predictions []models.Prediction
		if err == nil {
			predictions, err = w.classify(ctx, [][]float32{series})
			if _, isSignal := errors.AsType[*models.SignalError](err); err != nil && !isSignal {
				return told, err
			}
		}
		if err != nil {
			w.Unusable++
			if w.Unusable == 1 || !w.gapTold {
				w.note(fmt.Sprintf("the window from %s to %s is left out: %v", w.written.Text(window.Start),
					w.written.Text(window.End), err))
			}
			told = append(told, w.gap(window.End)...)
			continue
		}
		if w.decider.unit == 0 {
			w.decider.unit = UnitOf(w.classifier.Form.Rate, window.Start, window.End, window.Timepoints())
			w.window *= w.decider.unit
		}
		some, err := w.decider.Add(window.Start, window.End, predictions[0].Probabilities)
		if err != nil {
			return told, err
		}
		told = append(told, w.count(some, window.End)...)
		w.resting, w.gapTold = false, false
		if predictions[0].Warnings != nil {
			w.tellOdd(window, series)
		}
	}
	return told, nil
}

// count adds what is told to the summary.
func (w *Watcher) count(told []along.Told, now float64) (all []Told) {
	for _, one := range told {
		w.Windows++
		lasts := w.follower.Step() * w.decider.unit
		w.Lasted[Class(w.classifier.ClassNames, one.Class)] += lasts / cmp.Or(w.classifier.Form.Second, 1)
		one.Gap = false // which has a line of its own
		changesTo(&w.last, one.Class, &w.Changes)
		changesTo(&w.raw, one.Raw, &w.Raw)
		all = append(all, Told{one, now})
	}
	return all
}

// changesTo counts a change from the last known class to the next one, which may be none.
func changesTo(last *int, next int, changes *int) {
	if next == along.Unknown {
		return
	}
	if *last != along.Unknown && *last != next {
		*changes++
	}
	*last = next
}

// tellOdd warns of each sensor once whose values are unlike the training's, as of one in another unit or a stuck one.
func (w *Watcher) tellOdd(window recording.Followed, series []float32) {
	first, others := "", 0
	for column, odd := range w.classifier.OutsideColumns(series) {
		sensor := column / w.classifier.Form.Channels
		if odd == "" || w.odd[sensor] {
			continue
		}
		w.odd[sensor] = true
		if first == "" {
			first = odd
		} else {
			others++
		}
	}
	if others > 0 {
		first += fmt.Sprintf("; %s as odd", isOrAre(others))
	}
	if first != "" {
		w.note(fmt.Sprintf("warning: from %s to %s %s", w.written.Text(window.Start), w.written.Text(window.End), first))
	}
}

// isOrAre writes how many other sensors something is said of.
func isOrAre(sensors int) string {
	if sensors == 1 {
		return "1 other sensor is"
	}
	return text.Count(sensors, "other sensor") + " are"
}

// Class returns the name of a class, "" for Unknown.
func Class(names []string, class int) string {
	if class == along.Unknown {
		return ""
	}
	return names[class]
}
