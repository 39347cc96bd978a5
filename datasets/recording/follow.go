package recording

// This file cuts a stream into windows while it comes. Nothing looks ahead, and only the time points of windows that
// are not complete are kept.

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/clusterpool/ccp/internal/text"
)

// Follower cuts a stream of time points into the windows that Form.Windows cuts of the whole, as soon as a time point
// after a window has come. A stream with times has the rate of its last time points, and another one the training's.
type Follower struct {
	form  *Form
	cut   Cut
	width int

	each, length, step float64 // of a time point, a window, and from the begin of one to that of the next, by the clock
	recent             recent  // which say what each is of a stream with times
	timed              bool    // the time points have times
	begin              float64 // of the first window, by the clock
	next               int     // the number of the next window
	count              int     // time points so far, since the begin
	last               float64 // their last time
	begun              bool

	// Of the time points that are kept: their values, their times, and the clock, which is the time or, where windows are
	// numbers of time points, counts these.
	values, times, clock []float64
}

// Followed is a window of a stream that is complete. Recording has its time points, as Form.Series takes them.
type Followed struct {
	Recording
	Start, End float64
}

// ErrSetBack says that a time point of a stream is not later than the one before.
var ErrSetBack = errors.New("not after the time before")

// Follow returns what cuts a stream into windows. Durations need the training's rate; else the error says to give
// numbers of time points.
func (f *Form) Follow(cut Cut) (*Follower, error) {
	if cut.Step.Length == 0 {
		cut.Step = cut.Window
	}
	if cut.Window.Timepoints != cut.Step.Timepoints {
		return nil, fmt.Errorf("the window is %s and its step %s; give both as durations, or both as time points",
			cut.Window, cut.Step)
	}
	if f.Rate == 0 && !cut.Window.Timepoints {
		return nil, fmt.Errorf("the training's recordings have no times, so that %s may be any number of time points; give "+
			"the window as a number of time points, such as 100", cut.Window)
	}
	each, second := 1/cmp.Or(f.Rate, 1), cmp.Or(f.Second, 1)
	if cut.Window.Timepoints {
		each, second = 1, 1
	}
	w := &Follower{form: f, cut: cut, width: f.Width(), each: each, length: second * cut.Window.Length,
		step: second * cut.Step.Length}
	if min(w.length, w.step) < w.each*(1-1e-6) {
		return nil, f.tooShort("the training's", w.each, cut)
	}
	return w, nil
}

// Step returns the time from the begin of a window to that of the next or, if the training's recordings have no rate,
// the time points.
func (w *Follower) Step() float64 {
	if w.cut.Window.Timepoints {
		return w.step / cmp.Or(w.form.Rate, 1)
	}
	return w.step
}

// Add takes the values of the next time point, `[sensors, channels]` in the training's order, NaN for missing ones, and
// its time; NaN where the stream has none. It returns the windows that are complete now. skipped counts those that lie
// in a gap before it, with less than half of their time points. The error says that the time is not after the one
// before, ErrSetBack, or too far from 0 to tell time points apart.
func (w *Follower) Add(time float64, values []float64) (complete []Followed, skipped int, err error) {
	timed := time == time
	switch {
	case len(values) != w.width:
		return nil, 0, fmt.Errorf("a time point has %d values; the classifier needs %d", len(values), w.width)
	case w.begun && timed != w.timed:
		return nil, 0, fmt.Errorf("time point %d has a time and another one has none; give each a time, or none", w.count)
	case !timed:
		time = float64(w.count) / cmp.Or(w.form.Rate, 1)
	case w.begun && time <= w.last:
		return nil, 0, fmt.Errorf("time %s is %w, %s", text.Time(time), ErrSetBack, text.Time(w.last))
	}
	clock := time
	if w.cut.Window.Timepoints {
		clock = float64(w.count)
	}
	if most := mostTimepoints * w.each; math.Abs(clock) > most {
		return nil, 0, fmt.Errorf("time %s is beyond %.4g, where time points %.4g apart cannot be told apart; count times "+
			"from a later begin", text.Time(time), most, w.each)
	}
	if !w.begun {
		w.begun, w.begin, w.timed = true, clock, timed
	}
	if each := w.own(time, values); each > 0 {
		w.each = each
	}
	complete, skipped = w.upTo(clock)
	w.last = time
	w.count++
	w.values, w.times, w.clock = append(w.values, values...), append(w.times, time), append(w.clock, clock)
	return complete, skipped, nil
}

// own returns the time that one time point stands for in the stream itself; 0 if that is not to be known, or windows
// are numbers of time points.
func (w *Follower) own(time float64, values []float64) float64 {
	if !w.timed || w.cut.Window.Timepoints {
		return 0
	}
	return w.recent.add(time, values, w.form.Channels)
}

// early returns how long before the begin of a window a time point may come that is in it.
func (w *Follower) early() float64 { return early(min(w.each, w.length, w.step)) }

// mostTimepoints bounds how far from 0 times may be, in time points, so that float64 tells halves of these apart.
const mostTimepoints = 1 << 51

// Kept returns how many time points are kept.
func (w *Follower) Kept() int { return len(w.clock) }

// Finish returns the last windows that end with the stream, and begins anew.
func (w *Follower) Finish() (complete []Followed) {
	if w.begun {
		clock := w.last + w.each
		if w.cut.Window.Timepoints {
			clock = float64(w.count)
		}
		complete, _ = w.upTo(clock)
	}
	w.Reset()
	return complete
}

// Reset forgets all time points: the next one begins the first window.
func (w *Follower) Reset() {
	w.values, w.times, w.clock, w.next, w.count, w.begun = w.values[:0], w.times[:0], w.clock[:0], 0, 0, false
	w.recent.reset()
}

// upTo returns the windows that end before a time point at this time by the clock, and forgets the time points that no
// later window needs.
func (w *Follower) upTo(time float64) (complete []Followed, skipped int) {
	for {
		start := w.begin + float64(w.next)*w.step
		end := start + w.length
		if time < end-w.early() {
			break
		}
		from, to := w.reach(start), w.reach(end)
		w.next++
		if tooFewIn(to-from, w.length, w.each) {
			skipped++
			if from == len(w.clock) { // nothing is left: the next window that may have something reaches the time
				most := int((time + w.early() - w.length - w.begin) / w.step)
				skipped, w.next = skipped+max(0, most-w.next), max(w.next, most)
			}
			continue
		}
		complete = append(complete, w.window(from, to, start, end))
	}
	w.forget()
	return complete, skipped
}

// reach returns the first kept time point that does not begin before a time.
func (w *Follower) reach(time float64) int {
	at := 0
	for at < len(w.clock) && w.clock[at] < time-w.early() {
		at++
	}
	return at
}

// window returns a window of kept time points, with values of its own.
func (w *Follower) window(from, to int, start, end float64) Followed {
	f := Followed{Start: tidy(start), End: tidy(end),
		Recording: Recording{Sensors: w.form.Sensors, Channels: w.form.Channels,
			Values: slices.Clone(w.values[from*w.width : to*w.width]), rateTold: true, isWindow: true}}
	if w.timed {
		f.Times = slices.Clone(w.times[from:to])
	}
	if w.cut.Window.Timepoints {
		each := 1 / cmp.Or(w.form.Rate, 1)
		if w.form.Rate == 0 && w.timed { // the training does not tell
			each = 1 / cmp.Or(rateOf(f.Times), 1)
		}
		f.Start, f.End = w.times[from], tidy(w.times[to-1]+each)
	}
	return f
}

// forget drops the time points before the next window.
func (w *Follower) forget() {
	at := w.reach(w.begin + float64(w.next)*w.step)
	if at == 0 {
		return
	}
	w.values = w.values[:copy(w.values, w.values[at*w.width:])]
	w.times = w.times[:copy(w.times, w.times[at:])]
	w.clock = w.clock[:copy(w.clock, w.clock[at:])]
}

// Seconds returns the length of a window in seconds or, if the training's recordings have no rate, in time points.
func (w *Follower) Seconds() float64 {
	if w.cut.Window.Timepoints {
		return w.length / cmp.Or(w.form.Rate, 1) / cmp.Or(w.form.Second, 1)
	}
	return w.length / cmp.Or(w.form.Second, 1)
}
