package watch

import (
	"cmp"
	"math"
	"slices"

	"github.com/clusterpool/ccp/cmd/internal/recordings"
	"github.com/clusterpool/ccp/datasets/recording"
)

// timeline says when the time points of a stream are: in seconds that were recorded since the first one. A pause, in
// which no time point comes for longer than a window, is no part of these. Where the training's recordings have no
// times, time points are counted in place of seconds, whatever times the stream has.
type timeline struct {
	times []float64 // in the unit of the training's; nil: time points come at the training's rate
	each  float64   // from one time point to the next, in that unit
	when  []float64 // of each time point and, behind them, of the end
}

// timelineOf returns that of a stream, whose windows have a length in the unit of its times.
func timelineOf(form *recording.Form, s recordings.Annotated, window float64) timeline {
	l := timeline{times: s.Times, each: 1 / cmp.Or(form.Rate, 1), when: make([]float64, s.Timepoints()+1)}
	if s.Times != nil {
		l.each = 1 / cmp.Or(s.Rate(), 1/l.each)
	}
	for i := range s.Timepoints() {
		step := l.each
		if form.Rate > 0 && i+1 < len(s.Times) && s.Times[i+1]-s.Times[i] <= window {
			step = s.Times[i+1] - s.Times[i]
		}
		if form.Rate == 0 {
			step = 1
		}
		l.when[i+1] = l.when[i] + step/cmp.Or(form.Second, 1)
	}
	return l
}

// recorded returns how long the stream is.
func (l timeline) recorded() float64 { return l.when[len(l.when)-1] }

// point returns the first time point that does not begin before a time in the unit of the stream's.
func (l timeline) point(time float64) int {
	if l.times == nil {
		return min(int(math.Round(time/l.each)), len(l.when)-1)
	}
	at, _ := slices.BinarySearch(l.times, time-l.each/2)
	return at
}

// moment returns when a time in the unit of the stream's is. In a pause no more than a time point passes.
func (l timeline) moment(time float64) float64 {
	last := len(l.when) - 2
	at, since := min(int(time/l.each), last), 0.0
	if l.times == nil {
		since = time/l.each - float64(at)
	} else {
		after, _ := slices.BinarySearch(l.times, math.Nextafter(time, math.Inf(1)))
		at = max(0, after-1)
		since = (time - l.times[at]) / l.each
		if at < last {
			since = (time - l.times[at]) / (l.times[at+1] - l.times[at])
		}
	}
	return l.when[at] + max(0, min(since, 1))*(l.when[at+1]-l.when[at])
}
