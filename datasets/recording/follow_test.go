package recording

import (
	"cmp"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/clusterpool/ccp/internal/messagetest"
)

// followed cuts a recording into windows time point by time point, and says how many are kept at most.
func followed(t *testing.T, f *Form, r Recording, cut Cut) (all []Followed, kept int) {
	t.Helper()
	w, err := f.Follow(cut)
	require.NoError(t, err)
	width := f.Width()
	for at := range len(r.Values) / width {
		time := math.NaN()
		if r.Times != nil {
			time = r.Times[at]
		}
		some, _, err := w.Add(time, r.Values[at*width:][:width])
		require.NoError(t, err)
		all, kept = append(all, some...), max(kept, len(w.times))
	}
	return append(all, w.Finish()...), kept
}

// A stream gives the windows of the whole recording: the same times, and the same series, with and without times, with
// jitter, gaps and steps of any length, at the training's rate and at others.
func TestFollowAsWindows(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for name, of := range map[string]struct {
		cut    Cut
		jitter float64
		gaps   bool
		timed  bool
		rate   float64
		own    float64 // the stream's rate; 0: 50
	}{
		"even":                  {Cut{Window: Span{2, false}, Step: Span{0.5, false}}, 0, false, true, 50, 0},
		"without times":         {Cut{Window: Span{2, false}, Step: Span{0.5, false}}, 0, false, false, 50, 0},
		"jitter":                {Cut{Window: Span{2, false}, Step: Span{1, false}}, 0.05, false, true, 50, 0},
		"gaps":                  {Cut{Window: Span{2, false}, Step: Span{0.3, false}}, 0.05, true, true, 50, 0},
		"steps beyond a window": {Cut{Window: Span{1, false}, Step: Span{1.7, false}}, 0, true, true, 50, 0},
		"time points":           {Cut{Window: Span{64, true}, Step: Span{16, true}}, 0, false, true, 50, 0},
		"time points only":      {Cut{Window: Span{64, true}}, 0, false, false, 0, 0},
		"a quarter of the rate": {Cut{Window: Span{2, false}, Step: Span{1, false}}, 0, true, true, 50, 12.5},
		"a fifth of the rate":   {Cut{Window: Span{2, false}, Step: Span{0.5, false}}, 0.05, true, true, 50, 10},
		"a few time points":     {Cut{Window: Span{2, false}, Step: Span{1, false}}, 0, true, true, 10, 1.6},
		"twice the rate":        {Cut{Window: Span{2, false}, Step: Span{0.3, false}}, 0.05, true, true, 50, 100},
		"one time point":        {Cut{Window: Span{1, true}}, 0, false, true, 50, 0},
	} {
		t.Run(name, func(t *testing.T) {
			f := &Form{Sensors: []string{"a", "b"}, Channels: 1, Rate: of.rate}
			r := Recording{Sensors: f.Sensors, Channels: 1}
			time, own := 3.0, cmp.Or(of.own, 50)
			for at := range 1000 {
				r.Values = append(r.Values, rng.NormFloat64(), rng.NormFloat64())
				r.Times = append(r.Times, time+of.jitter/own*(rng.Float64()-0.5))
				time += 1 / own
				if of.gaps && (at == 300 || at == 700) {
					time += 7.304 // no half of a step, where jitter puts a time point into one window or the next
				}
			}
			if !of.timed {
				r.Times = nil
			}
			ordered, windows, _, err := f.Windows(r, of.cut, math.MaxInt)
			require.NoError(t, err)
			got, kept := followed(t, f, r, of.cut)
			require.Len(t, got, len(windows))
			for i, w := range windows {
				assert.InDelta(t, w.Start, got[i].Start, 1e-9)
				assert.InDelta(t, w.End, got[i].End, 1e-9)
				want, _, err := f.Series(ordered.Part(w))
				require.NoError(t, err)
				series, _, err := f.Series(got[i].Recording)
				require.NoError(t, err)
				assert.Equal(t, want, series)
			}
			assert.LessOrEqual(t, kept, int(2*own)+2)
		})
	}
}

// A pause leaves a window that still has half of its time points, at the stream's own rate, and no window with fewer:
// the same with the digits of dates, of milliseconds and of seconds, in a stream and in a whole recording.
func TestHalfOfAWindow(t *testing.T) {
	value := []float64{1}
	for _, own := range []float64{25, 10, 50} {
		for _, unit := range []struct{ begin, second float64 }{{0, 1}, {1717147800, 1}, {1717147800123, 1000}} {
			for left, want := range map[int]int{0: 4, -1: 3} { // of [2, 4), before the pause, from the half on
				f := &Form{Sensors: []string{"a"}, Channels: 1, Rate: 25 / unit.second, Second: unit.second}
				r := Recording{Sensors: f.Sensors, Channels: 1}
				half := int(own)
				for at := range 4 * half {
					time := float64(at) / own
					if at >= 3*half+left {
						time += 2 - float64(left+half)/own
					}
					r.Times = append(r.Times, unit.begin+math.Round(time*1000)/1000*unit.second)
					r.Values = append(r.Values, value...)
				}
				cut := Cut{Window: Span{Length: 2}, Step: Span{Length: 1}}
				_, windows, _, err := f.Windows(r, cut, math.MaxInt)
				require.NoError(t, err)
				got, _ := followed(t, f, r, cut)
				assert.Equal(t, []int{want, want}, []int{len(windows), len(got)}, "%g a second from %g, %d", own, unit.begin, left)
			}
		}
	}
}

// A stream whose rate changes has windows of the new one soon, and sensors that are read in turn have a rate of their
// own.
func TestFollowAnotherRate(t *testing.T) {
	f := &Form{Sensors: []string{"a", "b"}, Channels: 1, Rate: 25}
	w, err := f.Follow(Cut{Window: Span{Length: 2}, Step: Span{Length: 1}})
	require.NoError(t, err)
	cuts, time := 0, 0.0
	for at := range 500 {
		some, _, err := w.Add(time, []float64{1, 2})
		require.NoError(t, err)
		if time > 40 {
			cuts += len(some)
		}
		time += 0.04
		if at >= 250 {
			time += 0.16
		}
	}
	assert.Equal(t, 19, cuts)

	f.Rate = 2
	w, err = f.Follow(Cut{Window: Span{Length: 5}})
	require.NoError(t, err)
	cuts = 0
	for at := range 30 {
		for _, one := range []struct {
			after  float64
			values []float64
		}{{0, []float64{1, math.NaN()}}, {0.01, []float64{math.NaN(), 2}}} {
			some, _, err := w.Add(float64(at)+one.after, one.values)
			require.NoError(t, err)
			cuts += len(some)
		}
	}
	assert.Equal(t, 6, cuts+len(w.Finish()))
}

// A gap of years takes no longer than one of a second, and a clock that is set back is an error.
func TestFollowOddTimes(t *testing.T) {
	f := &Form{Sensors: []string{"a"}, Channels: 1, Rate: 10}
	w, err := f.Follow(Cut{Window: Span{Length: 1}})
	require.NoError(t, err)
	value := []float64{1}
	skips := 0
	for _, from := range []float64{0, 1e8} {
		for at := range 25 {
			_, skipped, err := w.Add(from+float64(at)/10, value)
			require.NoError(t, err)
			skips += skipped
		}
	}
	assert.InDelta(t, 1e8, skips, 5)
	_, _, err = w.Add(5, value)
	messagetest.Names(t, err, "time 5 … not after … 100000002.4")
	_, _, err = w.Add(math.NaN(), value)
	messagetest.Names(t, err, "a time … none")
	_, _, err = w.Add(2e8, []float64{1, 2})
	messagetest.Names(t, err, "2 values … needs 1")
	w.Reset()
	assert.Empty(t, w.Finish())

	_, err = (&Form{Sensors: []string{"a"}, Channels: 1}).Follow(Cut{Window: Span{Length: 1}})
	messagetest.Names(t, err, "no times … number of time points")
	_, err = f.Follow(Cut{Window: Span{Length: 0.01}})
	messagetest.Names(t, err, "0.1 of time apart … 0.01s")
	_, err = f.Follow(Cut{Window: Span{Length: 1}, Step: Span{5, true}})
	messagetest.Names(t, err, "both as durations")
}

// Times so far from 0 that a time point more changes nothing are an error, and no search without an end.
func TestFollowTimesFarFromZero(t *testing.T) {
	f := &Form{Sensors: []string{"a"}, Channels: 1, Rate: 50}
	w, err := f.Follow(Cut{Window: Span{Length: 2}})
	require.NoError(t, err)
	for _, time := range []float64{1e300, -1e300, math.Inf(1), 1e15} {
		_, _, err = w.Add(time, []float64{1})
		messagetest.Names(t, err, "time … beyond … 0.02 apart")
	}
	_, _, err = w.Add(1.7e9, []float64{1})
	require.NoError(t, err, "a date in seconds")
	_, _, err = w.Add(1e14, []float64{1})
	messagetest.Names(t, err, "100000000000000 … beyond")
}

// Durations are told in seconds, whatever the unit of the times is, or in time points.
// So many time points last what their times say, without what float64 adds.
func TestLasts(t *testing.T) {
	for _, c := range []struct {
		rate, want float64
		timepoints int
	}{{10.000000000000009, 2.2, 22}, {1 / 0.30000000000000004, 0.6, 2}, {128, 0.171875, 22}, {0.01, 300, 3},
		{0, 22, 22}, {1e-3, 7000, 7}} {
		assert.Equal(t, c.want, (&Form{Rate: c.rate}).Lasts(c.timepoints), c.rate)
	}
}

func TestLasting(t *testing.T) {
	assert.Equal(t, "1.5 s", (&Form{Rate: 0.02, Second: 1000}).Lasting(1500))
	assert.Equal(t, "1.5 s", (&Form{Rate: 20}).Lasting(1.5))
	assert.Equal(t, "30 time points", (&Form{}).Lasting(30))
}
