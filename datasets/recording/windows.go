package recording

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/clusterpool/ccp/internal/text"
)

// Span is a stretch of a recording: a number of time points, or seconds, which are the unit of the times then.
type Span struct {
	Length     float64
	Timepoints bool
}

// String returns what ParseSpan reads.
func (s Span) String() string {
	text := strconv.FormatFloat(s.Length, 'g', 10, 64)
	if s.Timepoints {
		return text
	}
	return text + "s"
}

// ParseSpan reads a duration such as 0.5s or 1m30s, or a number of time points such as 100.
func ParseSpan(text string) (s Span, err error) {
	if n, wrong := strconv.Atoi(text); wrong == nil {
		s = Span{float64(n), true}
	} else if d, wrong := time.ParseDuration(text); wrong == nil {
		s = Span{d.Seconds(), false}
	}
	if s.Length <= 0 {
		err = errors.New("is neither a duration above 0, such as 0.5s or 1m30s, nor a number of time points, such as 100")
	}
	return s, err
}

// MarshalText returns what UnmarshalText reads.
func (s Span) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads what ParseSpan does, or nothing: a span of length 0.
func (s *Span) UnmarshalText(text []byte) (err error) {
	*s = Span{}
	if len(text) > 0 && string(text) != "0s" && string(text) != "0" {
		*s, err = ParseSpan(string(text))
	}
	return err
}

// Cut says how to cut recordings into windows. Step is the stretch from the begin of a window to that of the next; a
// step of length 0 is a whole window.
type Cut struct {
	Window Span `json:"window"`
	Step   Span `json:"step"`
}

// Window is a part of a recording: the time points from From to before To. Start and End are in the unit of the
// recording's times. Without times they count time points.
type Window struct {
	From, To   int
	Start, End float64
}

// Part returns the part of a recording with Sensors and Channels in a window. It shares the values.
func (r Recording) Part(w Window) Recording {
	r.isWindow, r.isPart = true, true
	width := len(r.Sensors) * r.Channels
	r.Values = r.Values[w.From*width : w.To*width]
	if r.Times != nil {
		r.Times = r.Times[w.From:w.To]
	}
	return r
}

// ErrShort says that a recording is shorter than a window.
var ErrShort = errors.New("take a shorter window")

// mostSteps is the largest number of steps in a recording. A wrong date would make more.
const mostSteps = 10_000_000

// Windows cuts a recording into at most most windows, for Part of ordered, which has the sensors of the form. A time
// point stands for the median time between two of them. Windows leaves out time points at the end that fill no window,
// and windows with fewer than half of the time points that they hold at its rate. The notes tell of both, and of what
// Series would tell of. The error says why there is no window; it wraps ErrShort if the recording is shorter than one.
func (f *Form) Windows(r Recording, cut Cut, most int) (ordered Recording, all []Window, notes []string, err error) {
	c := Changes{Notes: r.Notes}
	r.Notes = nil // of all windows together
	err = f.order(&r, &c)
	if err != nil {
		return r, nil, nil, err
	}
	if r.Times == nil && f.Rate > 0 {
		c.note("%s", f.RateNote())
		r.rateTold = true
	}
	ruler, err := f.ruler(r, cut, &c)
	if err != nil {
		return r, nil, nil, err
	}
	all, err = ruler.windows(most, &c)
	if err != nil {
		return r, nil, nil, err
	}
	if cut.Window.Timepoints && r.Times != nil {
		each := 1 / cmp.Or(r.Rate(), 1)
		for i, w := range all {
			all[i].Start, all[i].End = r.Times[w.From], tidy(r.Times[w.To-1]+each)
		}
	}
	return r, all, c.Notes, nil
}

// ruler measures a recording and the windows to cut of it, all in the unit of its times.
type ruler struct {
	times  []float64 // of the time points
	each   float64   // time that one time point stands for
	length float64   // of a window
	step   float64   // from the begin of a window to that of the next
	window Span      // as asked for
	text   func(time float64) string
}

// lasts returns the time from the begin of the first time point to the end of the last.
func (r *ruler) lasts() float64 { return r.times[len(r.times)-1] - r.times[0] + r.each }

// ruler returns how a recording is measured in order to be cut. The error says why it cannot be cut so.
func (f *Form) ruler(r Recording, cut Cut, c *Changes) (*ruler, error) {
	if cut.Step.Length == 0 {
		cut.Step = cut.Window
	}
	if cut.Window.Timepoints != cut.Step.Timepoints {
		return nil, fmt.Errorf("the window is %s and its step %s; give both as durations, or both as time points",
			cut.Window, cut.Step)
	}
	second := cmp.Or(f.Second, 1)
	times := r.Times
	switch {
	case cut.Window.Timepoints:
		second = 1
		times = counted(r.Timepoints(), 1)
	case times == nil && f.Rate > 0:
		times = counted(r.Timepoints(), f.Rate)
	case times == nil:
		return nil, fmt.Errorf("it has no times, so that %s may be any number of time points; give the window as a number "+
			"of time points, such as 100", cut.Window)
	}
	usual := cmp.Or(f.Rate, 1)
	if cut.Window.Timepoints {
		usual = 1
	}
	m := &ruler{times: times, each: 1 / cmp.Or(rateOf(times), usual), length: second * cut.Window.Length,
		step: second * cut.Step.Length, window: cut.Window, text: text.Time}
	if r.Times != nil && !cut.Window.Timepoints {
		m.text = r.Written.Text
	}
	if r.Times != nil && !cut.Window.Timepoints {
		_, _, fastest, _ := r.rates()
		m.each = 1 / cmp.Or(fastest, usual)
	}
	switch lasts := m.lasts(); {
	case min(m.length, m.step) < m.each*(1-1e-6):
		return nil, f.tooShort("its", m.each, cut)
	case m.length > lasts+m.each/2:
		length := Span{text.ToStep(lasts/second, m.each/second), cut.Window.Timepoints}
		return nil, fmt.Errorf("its length is %s, less than a window of %s; %w", length, cut.Window, ErrShort)
	case (lasts-m.length)/m.step > mostSteps:
		return nil, fmt.Errorf("its times go from %s to %s, more than %d steps of %s; check the times, or take a "+
			"longer step", m.text(times[0]), m.text(times[len(times)-1]), mostSteps, cut.Step)
	}
	return m, nil
}

// tooShort is the error of windows, or of a step, shorter than what is between two time points.
func (f *Form) tooShort(whose string, each float64, cut Cut) error {
	way := "take longer ones"
	if f.Second == 0 {
		way = "if its times are not in seconds, give both as numbers of time points"
	}
	return fmt.Errorf("%s time points are %s apart, more than a window of %s or its step of %s; %s", whose, f.Step(1/each),
		cut.Window, cut.Step, way)
}

// windows lists the windows that have at least half of the time points that belong into them. The notes tell of those
// that lie in gaps and of time points at the end that fill none.
func (r *ruler) windows(most int, c *Changes) (all []Window, err error) {
	times := r.times
	end := times[0] + r.lasts() + early(r.each) // that no window goes beyond
	from, to, gaps, gap := 0, 0, 0, 0.0
	start := times[0]
	for k := 0; start+r.length <= end; start = times[0] + float64(k)*r.step {
		from = r.reach(from, start)
		to = r.reach(max(to, from), start+r.length)
		next := k + 1
		switch {
		case tooFewIn(to-from, r.length, r.each):
			next = r.afterGap(k, to)
			gap = tidy(times[0] + float64(next-1)*r.step)
			gaps += next - k
		case len(all) == most:
			return nil, fmt.Errorf("it makes more than %d windows, which is the most here; take a longer step, or send it "+
				"in parts", most)
		default:
			all = append(all, Window{from, to, tidy(start), tidy(start + r.length)})
		}
		k = next
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("its times have gaps in every window of %s; take a longer window", r.window)
	}
	if gaps > 0 {
		c.note("%d of its %d windows lie in gaps of its times, the last from %s; left out", gaps, gaps+len(all),
			r.text(gap))
	}
	rest := len(times) - r.reach(to, start) // those before start lie between windows
	if rest > 0 {
		c.note("the last %d of its %d time points fill no window; left out", rest, len(times))
	}
	return all, nil
}

// afterGap returns the number of the window to look at after window k, which lies in a gap before time point to. All
// windows that end before that time point lie in the gap, too. They are passed over at once, but for the last, as
// rounding may have moved the end of the gap by a window.
func (r *ruler) afterGap(k, to int) int {
	if to == len(r.times) {
		return k + 1
	}
	reaches := (r.times[to] + r.each/2 - r.length - r.times[0]) / r.step // the window that reaches the time point
	return max(k+1, int(reaches)-1)
}

// reach returns the first time point from a given one on that does not begin before a time.
func (r *ruler) reach(from int, time float64) int {
	for from < len(r.times) && r.times[from] < time-early(r.each) {
		from++
	}
	return from
}

// tidy rounds a time to nanoseconds, so that three steps of 0.1 are 0.3.
func tidy(time float64) float64 { return math.Round(time*1e9) / 1e9 }
