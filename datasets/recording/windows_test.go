package recording

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/clusterpool/ccp/internal/messagetest"
	"github.com/clusterpool/ccp/internal/text"
)

// evenly returns a recording of one sensor at time points that far apart.
func evenly(timepoints int, from, each float64) (r Recording) {
	for i := range timepoints {
		r.Values = append(r.Values, float64(i))
		r.Times = append(r.Times, from+float64(i)*each)
	}
	return r
}

func cut(t *testing.T, window, step string) (c Cut) {
	t.Helper()
	var err error
	c.Window, err = ParseSpan(window)
	require.NoError(t, err)
	if step != "" {
		c.Step, err = ParseSpan(step)
		require.NoError(t, err)
	}
	return c
}

func TestWindows(t *testing.T) {
	f := &Form{Sensors: []string{"a"}, Channels: 1, Frames: 2}
	tenth, gap := evenly(10, 5, 0.1), evenly(12, 0, 1)
	for i := 6; i < 12; i++ {
		gap.Times[i] += 7
	}
	untimed := evenly(10, 0, 1)
	untimed.Times = nil
	rated := &Form{Sensors: []string{"a"}, Channels: 1, Rate: 5}
	_, all, notes, err := rated.Windows(untimed, cut(t, "1s", ""), 9)
	require.NoError(t, err)
	assert.Equal(t, []Window{{0, 5, 0, 1}, {5, 10, 1, 2}}, all)
	messagetest.EachNames(t, notes, "no times … 5 time points … second")
	for name, c := range map[string]struct {
		r            Recording
		window, step string
		want         []Window
		notes        []string
	}{
		"seconds": {tenth, "300ms", "", []Window{{0, 3, 5, 5.3}, {3, 6, 5.3, 5.6}, {6, 9, 5.6, 5.9}},
			[]string{"last 1 of its 10 … window … left out"}},
		"all of it": {tenth, "1s", "", []Window{{0, 10, 5, 6}}, nil},
		"overlap": {tenth, "600ms", "200ms", []Window{{0, 6, 5, 5.6}, {2, 8, 5.2, 5.8}, {4, 10, 5.4, 6}},
			nil},
		"between":    {tenth, "200ms", "700ms", []Window{{0, 2, 5, 5.2}, {7, 9, 5.7, 5.9}}, nil},
		"timepoints": {untimed, "4", "3", []Window{{0, 4, 0, 4}, {3, 7, 3, 7}, {6, 10, 6, 10}}, nil},
		"timed": {tenth, "4", "", []Window{{0, 4, 5, 5.4}, {4, 8, 5.4, 5.8}},
			[]string{"last 2 of its 10 … window … left out"}},
		"gap": {gap, "4s", "", []Window{{0, 4, 0, 4}, {4, 6, 4, 8}, {6, 9, 12, 16}},
			[]string{"1 of its 4 windows … gaps … from 8 … left out",
				"last 3 of its 12 … window … left out"}},
		"with a step": {evenly(8, 1.7e9, 0.5), "2s", "1s",
			[]Window{{0, 4, 1.7e9, 1.7e9 + 2}, {2, 6, 1.7e9 + 1, 1.7e9 + 3}, {4, 8, 1.7e9 + 2, 1.7e9 + 4}}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			ordered, got, notes, err := f.Windows(c.r, cut(t, c.window, c.step), math.MaxInt)
			require.NoError(t, err)
			assert.Equal(t, c.want, got)
			messagetest.EachNames(t, notes, c.notes...)
			last := ordered.Part(got[len(got)-1])
			assert.Equal(t, c.r.Values[got[len(got)-1].From], last.Values[0])
			assert.Len(t, last.Values, last.Timepoints())
		})
	}
	for _, c := range []struct {
		r                  Recording
		window, step, want string
	}{
		{untimed, "2s", "", "no times … 2s … number of time points"},
		{tenth, "2s", "3", "window is 2s … step 3 … durations"},
		{tenth, "2s", "", "length is 1s … 2s … shorter"},
		{tenth, "11", "", "length is 10 … 11 … shorter"},
		{tenth, "500ms", "50ms", "0.1 of time apart … 0.5s … 0.05s"},
		{Recording{Values: make([]float64, 4), Times: []float64{0, 1, 2, 1e9}}, "1s", "",
			"0 to 1000000000 … 10000000 steps … 1s"},
		{Recording{Values: make([]float64, 4), Times: []float64{0, 1, 100, 101}}, "60s", "",
			"gaps … every window … 60s"},
		{Recording{Values: make([]float64, 4), Times: []float64{0, 1, 1, 2}}, "2s", "",
			"time point 2 … time 1"},
		{tenth, "1", "", "more than 9 windows"},
	} {
		_, _, _, err := f.Windows(c.r, cut(t, c.window, c.step), 9)
		messagetest.Names(t, err, c.want)
	}
}

func TestParseSpan(t *testing.T) {
	for text, want := range map[string]Span{"2s": {2, false}, "1m30.5s": {90.5, false}, "100": {100, true}} {
		got, err := ParseSpan(text)
		require.NoError(t, err)
		assert.Equal(t, want, got)
	}
	for _, text := range []string{"", "0", "-1s", "-3", "1.5", "2 s", "NaN", "two"} {
		_, err := ParseSpan(text)
		messagetest.Names(t, err, "0.5s … duration … number of time points", text)
	}
}

// Sensors that are read at times of their own lie close together by chance. A second still holds a reading of each.
func TestWindowsOfSensorsApart(t *testing.T) {
	f := &Form{Sensors: []string{"a", "b"}, Channels: 1}
	var r Recording
	for i := range 30 {
		r.Times = append(r.Times, float64(i), float64(i)+0.01)
		r.Values = append(r.Values, 1, math.NaN(), math.NaN(), 2)
	}
	assert.InDelta(t, 2, r.Rate(), 1e-9)
	_, all, notes, err := f.Windows(r, cut(t, "5s", ""), 9)
	require.NoError(t, err)
	assert.Len(t, all, 6)
	assert.Empty(t, notes)
	r.Values[1] = 2
	for i := range 60 {
		r.Values[2*i] = 1
	}
	assert.InDelta(t, 100, r.Rate(), 1, "a sensor that is read at all times")
}

// A gap has the windows and notes that going through it step by step would give.
func TestWindowsAcrossGaps(t *testing.T) {
	f := &Form{Sensors: []string{"a"}, Channels: 1}
	random := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		r, length, step := evenly(30, random.Float64(), 1), 1+4*random.Float64(), 1+3*random.Float64()
		for i := range 30 {
			gap := 200 * random.Float64()
			for j := i; j < 30 && random.IntN(8) == 0; j++ {
				for k := j; k < 30; k++ {
					r.Times[k] += gap
				}
			}
		}
		each := 1 / r.Rate()
		if min(length, step) < each {
			continue
		}
		var want []Window
		gaps, last := 0, 0.0
		for k := 0; r.Times[0]+float64(k)*step+length <= r.Times[0]+(r.Times[29]-r.Times[0]+each)+0.49*each; k++ {
			start := r.Times[0] + float64(k)*step
			w := Window{Start: tidy(start), End: tidy(start + length)}
			for _, time := range r.Times {
				if time < start-0.49*each {
					w.From++
				}
				if time < start+length-0.49*each {
					w.To++
				}
			}
			w.To = max(w.To, w.From)
			if 2*(w.To-w.From) < int(length/each+0.01) {
				gaps, last = gaps+1, w.Start
			} else {
				want = append(want, w)
			}
		}
		_, got, notes, err := f.Windows(r, Cut{Span{length, false}, Span{step, false}}, math.MaxInt)
		require.NoError(t, err)
		require.Equal(t, want, got)
		if gaps > 0 {
			messagetest.OneNames(t, notes,
				fmt.Sprintf("%d of its %d windows … gaps … from %s … left out", gaps, gaps+len(want), text.Time(last)))
		}
	}
}

// A gap costs no more than its ends, however long it is: one step leads from a window in it to those that end it.
func TestAGapIsPassedInOneStep(t *testing.T) {
	r := &ruler{times: []float64{0, 1, 2, 1e7}, each: 1, length: 2, step: 1}
	const meets = 1e7 - 2 // the first window that reaches the last time point
	next := r.afterGap(3, 3)
	assert.LessOrEqual(t, next, int(meets))
	assert.Greater(t, next, int(meets)-4)
	assert.Equal(t, next+1, r.afterGap(next, 3), "near its end a gap is gone through window by window")
	assert.Equal(t, 4, r.afterGap(3, len(r.times)), "no time point follows")
	_, all, notes, err := (&Form{Sensors: []string{"a"}, Channels: 1}).Windows(
		Recording{Values: make([]float64, 4), Times: r.times}, cut(t, "2s", "1s"), 9)
	require.NoError(t, err)
	assert.Len(t, all, 4)
	messagetest.OneNames(t, notes, "gaps")
}
