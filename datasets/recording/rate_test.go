package recording

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// ticked returns times at a rate as a clock writes them that knows whole ticks only.
func ticked(timepoints int, rate, tick float64, round func(float64) float64) []float64 {
	times := make([]float64, timepoints)
	for i := range times {
		times[i] = round(float64(i)/rate/tick) * tick
	}
	return times
}

// Even times that were rounded are even: their rate is that of the clock, not of a rounded step.
func TestRateOfRoundedTimes(t *testing.T) {
	for _, clock := range []struct{ rate, tick float64 }{
		{60, 0.01}, {30, 0.01}, {64, 0.01}, {75, 0.01}, {80, 0.01}, {60, 0.001}, {30, 0.001}, {120, 0.001}, {24, 0.001},
		{44.1, 0.001},
		{0.75, 1}, {2.0 / 3, 1}, {400, 0.001}, {700, 0.001}, {29.97, 0.01}, {60000. / 1001, 1. / 1024},
	} {
		for name, round := range map[string]func(float64) float64{"round": math.Round, "floor": math.Floor,
			"ceil": math.Ceil} {
			for _, timepoints := range []int{40, 150, 1001} {
				what := fmt.Sprintf("%g at a tick of %g, %s, %d", clock.rate, clock.tick, name, timepoints)
				for _, begin := range []float64{0, 1.7e9} {
					times := ticked(timepoints, clock.rate, clock.tick, round)
					for i := range times {
						times[i] += begin
					}
					assert.InEpsilon(t, clock.rate, rateOf(times), clock.tick*clock.rate/float64(timepoints-2)+1e-5, what)
					s := spacingOf(times)
					assert.True(t, s.even, what)
				}
			}
		}
	}
}

// Some lost time points do not change the rate of rounded times. Events, jitter and bursts have none to find.
func TestRateOfRoundedTimesWithLosses(t *testing.T) {
	lose := func(times []float64, lost ...int) []float64 {
		return slices.DeleteFunc(slices.Clone(times), func(time float64) bool {
			return slices.ContainsFunc(lost, func(at int) bool { return times[at] == time })
		})
	}
	for _, clock := range []struct{ rate, tick float64 }{{60, 0.01}, {90, 0.01}, {30, 0.01}, {75, 0.01}, {64, 0.01},
		{400, 0.001}, {700, 0.001}, {0.75, 1}, {100, 0.01}, {120, 0.001}} {
		for _, round := range []func(float64) float64{math.Round, math.Floor} {
			whole := ticked(300, clock.rate, clock.tick, round)
			for _, lost := range [][]int{{77}, {20, 200}, {100, 101, 102, 103, 104, 105}, {30, 60, 61, 90, 120, 250, 280}} {
				assert.InEpsilon(t, clock.rate, rateOf(lose(whole, lost...)), 0.005, "%v, lost %v", clock, lost)
			}
		}
	}
	rng := rand.New(rand.NewPCG(1, 1))
	events := []float64{0}
	for range 200 {
		events = append(events, events[len(events)-1]+float64(1+rng.IntN(5)))
	}
	jitter := make([]float64, 300)
	for i := range jitter {
		jitter[i] = math.Round((float64(i)+0.4*rng.Float64())*100) / 1000
	}
	for name, times := range map[string][]float64{"events": events, "jitter": jitter} {
		steps := make([]float64, len(times)-1)
		for i := range steps {
			steps[i] = times[i+1] - times[i]
		}
		slices.Sort(steps)
		assert.Zero(t, roundedWithLosses(times, steps), name)
	}
}

// Times of whole ticks that float64 holds a little too low or too high lose a tick when they are cut, as R's
// format(x, "%OS2") cuts them. They are even all the same.
func TestRateOfCutTimes(t *testing.T) {
	for _, clock := range []struct {
		rate, begin float64
		ticks       float64 // a second
	}{{50, 1717200000, 100}, {50, 1717199998, 100}, {20, 1.7e9, 100}, {250, 1717200000, 1000}} {
		for _, timepoints := range []int{24, 60, 500} {
			times := make([]float64, timepoints)
			for i := range times {
				at := clock.begin + float64(i)/clock.rate
				part := at - math.Floor(at)
				times[i] = math.Floor(at) - clock.begin + math.Floor(part*clock.ticks)/clock.ticks
			}
			what := fmt.Sprintf("%g from %g, %d", clock.rate, clock.begin, timepoints)
			assert.True(t, spacingOf(times).even, what)
			assert.InEpsilon(t, clock.rate, rateOf(times), 1.1*clock.rate/clock.ticks/float64(timepoints-1)+1e-9, what)
		}
	}
}

// Even says of a recording whether it changes its values, and why.
func TestResamples(t *testing.T) {
	f := &Form{Sensors: []string{"a"}, Channels: 1, Rate: 1}
	for name, c := range map[string]struct {
		times        []float64
		uneven, rate bool
	}{
		"none":         {},
		"even":         {times: []float64{0, 1, 2, 3, 4, 5}},
		"jitter":       {times: []float64{0, 1.02, 1.98, 3, 4.03, 5}},
		"uneven":       {times: []float64{0, 1, 1.5, 3, 4.5, 5}, uneven: true},
		"another rate": {times: []float64{0, 0.5, 1, 1.5, 2, 2.5}, rate: true},
		"a gap":        {times: []float64{0, 1, 2, 5, 6, 7}, uneven: true, rate: true},
	} {
		uneven, rate := f.Resamples(Recording{Times: c.times, Values: make([]float64, max(1, len(c.times)))})
		assert.Equal(t, [2]bool{c.uneven, c.rate}, [2]bool{uneven, rate}, name)
	}
}

// Other times with few different steps are as uneven as they are.
func TestUnevenTimesAreNotRounded(t *testing.T) {
	chance := uint32(1)
	random := func(n uint32) float64 {
		chance = chance*1664525 + 1013904223
		return float64(chance >> 16 % n)
	}
	times := func(n int, step func(i int) float64) []float64 {
		all := []float64{0}
		for i := range n {
			all = append(all, all[i]+step(i))
		}
		return all
	}
	few := func(at ...int) func(i int) float64 {
		return func(i int) float64 {
			for _, lost := range at {
				if i == lost {
					return 2
				}
			}
			return 1
		}
	}
	for name, all := range map[string][]float64{
		"one lost time point":            times(99, few(50)),
		"three lost time points, evenly": times(99, few(24, 49, 74)),
		"lost time points by chance":     times(99, func(int) float64 { return 1 + max(0, random(4)-2) }),
		"steps by chance":                times(99, func(int) float64 { return 3 + random(2) }),
		"two rates":                      times(100, func(i int) float64 { return float64(1 + i/50) }),
		"a few times":                    {0, 1, 3},
		"few times":                      {0, 0.2, 0.5, 0.7, 1},
		"a pause":                        {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 30, 31, 32},
		"one late time point": times(99, func(i int) float64 {
			switch i {
			case 50:
				return 3
			case 51:
				return 1
			}
			return 2
		}),
		"steps of 2, 1 and 3 by chance": times(99, func(int) float64 { return 1 + random(3) }),
		"steps of 1 and 3":              times(99, func(i int) float64 { return float64(1 + i%2*2) }),
	} {
		s := spacingOf(all)
		assert.False(t, s.even, name)
		assert.Zero(t, s.tick, name)
	}
	assert.Equal(t, 1.0, rateOf(times(99, few(50))), "the median step")
}

// A rounded recording keeps its values, as the same recording with exact times does, at the rate of the training.
func TestRoundedTimesAreNotResampled(t *testing.T) {
	for _, tick := range []float64{0.01, 0.001} {
		for _, timepoints := range []int{60, 61, 62, 63, 64, 65, 300} {
			values := make([]float64, timepoints)
			for i := range values {
				values[i] = float64(1 - 2*(i%2))
			}
			times := ticked(timepoints, 60, tick, math.Round)
			f := &Form{Sensors: []string{"a"}, Channels: 1, Rate: rateOf(times)}
			series, notes, err := f.Series(Recording{Times: times, Values: values})
			require.NoError(t, err)
			assert.Empty(t, notes)
			require.Len(t, series, timepoints)
			f.Rate = 60
			series, _, err = f.Series(Recording{Times: times, Values: values})
			require.NoError(t, err)
			require.Len(t, series, timepoints)
			for i, v := range series {
				assert.Equal(t, float32(values[i]), v)
			}
		}
	}
}

// Small deviations do not change the rate: it is that of all times.
func TestRateOfTimesWithJitter(t *testing.T) {
	times := ticked(200, 60, 0.001, math.Round)
	for i := range times {
		times[i] += float64(i*i%3-1) / 1000
	}
	assert.InEpsilon(t, 60, rateOf(times), 1e-3)
	assert.Equal(t, 50.0, rateOf([]float64{0, 0.02, 0.04, 0.06}), "even times have the rate of their steps")
}

// Dates are seconds since 1970, which float64 has to 1e-7: the rate has no more digits than they tell.
func TestRateOfDates(t *testing.T) {
	for _, step := range []float64{0.01, 0.02, 0.001, 0.0025, 0.04, 0.3, 1, 60, 86400} {
		for _, timepoints := range []int{8, 60, 61, 1000} {
			times := make([]float64, timepoints)
			for i := range times {
				times[i] = 1717140606.123 + float64(i)*step
			}
			f := &Form{Rate: rateOf(times)}
			assert.Equal(t, 1/step, f.Rate, "%d steps of %g", timepoints, step)
			for _, n := range []int{18, 54, 72, 5000} {
				want, err := strconv.ParseFloat(strconv.FormatFloat(float64(n)*step, 'f', 4, 64), 64)
				require.NoError(t, err)
				assert.Equal(t, want, f.Lasts(n), "%d steps of %g", n, step)
			}
		}
	}
	third := make([]float64, 301)
	for i := range third {
		third[i] = 1717140606.123 + float64(i)/60
	}
	assert.InEpsilon(t, 60, rateOf(third), 1e-6)
}
