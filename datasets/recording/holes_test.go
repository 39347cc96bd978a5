package recording

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/clusterpool/ccp/internal/messagetest"
)

// oneSensor is a form of one sensor, whose training had these holes.
func oneSensor(h *Holes) *Form {
	return &Form{Sensors: []string{"v"}, Channels: 1, Rate: 100, Holes: h}
}

// noHoles are those of a training without any.
func noHoles(sensors int) *Holes {
	return (*Holes)(nil).Most(Holes{}, sensors)
}

// recorded returns a recording of one sensor at a hundred time points a second, without those that are lost.
func recorded(timepoints int, lost func(i int) bool) Recording {
	var r Recording
	for i := range timepoints {
		if lost(i) {
			continue
		}
		r.Values = append(r.Values, math.Sin(float64(i)/5))
		r.Times = append(r.Times, float64(i)/100)
	}
	return r
}

// within reports whether a time point is in one of the stretches [from, to).
func within(stretches ...[2]int) func(i int) bool {
	return func(i int) bool {
		for _, s := range stretches {
			if i >= s[0] && i < s[1] {
				return true
			}
		}
		return false
	}
}

// What lies in holes is counted by sensor: lost lines, missing values, late starts and early ends alike. What is
// sampled unevenly, or less often than other sensors, has no holes for that.
func TestHolesAreCounted(t *testing.T) {
	jitter := func(i int) float64 { return float64(i)/100 + 0.003*math.Sin(float64(i*i)) }
	for name, c := range map[string]struct {
		make    func() Recording
		made    int
		share   float64
		longest float64
	}{
		"none": {func() Recording { return recorded(1000, within()) }, 0, 0, 0},
		"three bursts": {func() Recording {
			return recorded(1000, within([2]int{150, 260}, [2]int{400, 510}, [2]int{700, 810}))
		}, 330, 0.33, 1.11},
		"single losses": {func() Recording { return recorded(1000, func(i int) bool { return i%100 == 7 }) },
			0, 0, 0},
		"jitter": {func() Recording {
			r := recorded(1000, within())
			for i := range r.Times {
				r.Times[i] = jitter(i)
			}
			return r
		}, 0, 0, 0},
		"pairs from a radio": {func() Recording {
			r := recorded(1000, within())
			for i := range r.Times {
				r.Times[i] = float64(i/2)/50 + 0.004*float64(i%2)
			}
			return r
		}, 0, 0, 0},
		"missing values": {func() Recording {
			r := recorded(1000, within())
			for i := 200; i < 500; i++ {
				r.Values[i] = nan
			}
			return r
		}, 300, 0.3, 3.01},
		"missing values without times": {func() Recording {
			r := recorded(1000, within())
			r.Times = nil
			for i := 200; i < 500; i++ {
				r.Values[i] = nan
			}
			return r
		}, 300, 0.3, 3.01},
		"a late start": {func() Recording {
			r := recorded(1000, within())
			for i := range 100 {
				r.Values[i] = nan
			}
			return r
		}, 100, 0.1, 1.01},
		"values at both ends alone": {func() Recording {
			r := recorded(1000, within())
			for i := 1; i < 999; i++ {
				r.Values[i] = nan
			}
			return r
		}, 998, 0.998, 9.99},
	} {
		r := c.make()
		changes, err := oneSensor(nil).Prepare(&r)
		require.NoError(t, err, name)
		made, of := changes.Holes.Values()
		assert.Equal(t, c.made, made, name)
		assert.InDelta(t, c.share, changes.Holes.Share, 1e-9, name)
		assert.InDelta(t, c.share, float64(made)/float64(of), 1e-9, name)
		longest, _ := changes.Holes.LongestOf()
		assert.InDelta(t, c.longest, longest, 1e-6, name)
	}
}

// A sensor that is read every tenth time point has no holes, and one that fell silent has.
func TestHolesOfSensorsAtTheirOwnRates(t *testing.T) {
	f := &Form{Sensors: []string{"fast", "slow"}, Channels: 1}
	make2 := func(slow func(i int) bool) Recording {
		var r Recording
		for i := range 1000 {
			v := nan
			if slow(i) {
				v = float64(i)
			}
			r.Values, r.Times = append(r.Values, float64(i%7), v), append(r.Times, float64(i))
		}
		return r
	}
	r := make2(func(i int) bool { return i%10 == 0 })
	changes, err := f.Prepare(&r)
	require.NoError(t, err)
	assert.False(t, changes.Holes.Told())
	r = make2(func(i int) bool { return i%10 == 0 && (i < 200 || i > 600) })
	changes, err = f.Prepare(&r)
	require.NoError(t, err)
	assert.InDelta(t, 0.4, changes.Holes.Sensors[1], 0.01)
	assert.Zero(t, changes.Holes.Sensors[0])
}

// A recording to classify is refused if more than a quarter of it would be made up, or if it has a hole of a tenth and
// longer than any of the training, unless the training had such recordings. Less is told.
func TestHolesOfARecordingToClassify(t *testing.T) {
	bursts := within([2]int{100, 210}, [2]int{400, 510}, [2]int{700, 810})
	one, short := within([2]int{300, 450}), within([2]int{300, 350})
	known := func(lost func(i int) bool) *Holes {
		r := recorded(1000, lost)
		changes, err := oneSensor(nil).Prepare(&r)
		require.NoError(t, err)
		return (*Holes)(nil).Most(changes.Holes, 1)
	}
	for name, c := range map[string]struct {
		form  *Form
		lost  func(i int) bool
		error string
		note  string
	}{
		"whole":                        {oneSensor(noHoles(1)), within(), "", ""},
		"single losses":                {oneSensor(noHoles(1)), func(i int) bool { return i%50 == 3 }, "", ""},
		"a third":                      {oneSensor(noHoles(1)), bursts, "33% … training … 0%", ""},
		"a long hole":                  {oneSensor(noHoles(1)), one, "1.51 … longer … training", ""},
		"a short hole":                 {oneSensor(noHoles(1)), short, "", "5% … made up … 0.51"},
		"half missing, one by one":     {oneSensor(noHoles(1)), nil, "50% … missing … training … 0%", ""},
		"a third, as the training":     {oneSensor(known(bursts)), bursts, "", "33% … made up … training … 33%"},
		"a long hole, as there":        {oneSensor(known(one)), one, "", "15% … made up"},
		"a third, of a form of before": {oneSensor(nil), bursts, "", "33% … made up"},
	} {
		r := recorded(1000, func(i int) bool { return c.lost != nil && c.lost(i) })
		if c.lost == nil {
			for i := range r.Values {
				if i%2 == 1 {
					r.Values[i] = nan
				}
			}
		}
		_, notes, err := c.form.Series(r)
		if c.error == "" {
			require.NoError(t, err, name)
		} else {
			messagetest.Names(t, err, c.error)
		}
		if c.note == "" {
			assert.Empty(t, notes, name)
		} else {
			messagetest.EachNames(t, notes, c.note)
		}
	}
}

// Packets that get lost as in the training are hardly ever a reason to refuse a recording. One in 25 has a longer hole
// than 24 of the training, which is why a longer one alone refuses none.
func TestLossesAsInTheTraining(t *testing.T) {
	const sets, trained, timepoints = 400, 24, 1000
	refused, longer := 0, 0
	for set := range uint64(sets) {
		rng := rand.New(rand.NewPCG(set, 3))
		holes := func() Holes {
			lost := make([]bool, timepoints)
			for range 6 {
				from := 1 + rng.IntN(timepoints-2)
				for i := range int(1 + 15*rng.ExpFloat64()) {
					lost[min(from+i, timepoints-2)] = true
				}
			}
			r := recorded(timepoints, func(i int) bool { return lost[i] })
			return oneSensor(nil).holes(&r)
		}
		var most *Holes
		for range trained {
			most = most.Most(holes(), 1)
		}
		h := holes()
		_, err := oneSensor(most).Judge(h)
		if err != nil {
			refused++
		}
		if h.Longest != nil && h.Longest[0] > most.Longest[0] {
			longer++
		}
	}
	t.Logf("of %d recordings %d have a longer hole, and %d are refused", sets, longer, refused)
	assert.LessOrEqual(t, refused, sets/100)
	assert.Greater(t, longer, refused)
}

// A hole of one sensor among many is refused, too, unless a hole of the training is about as long, of whichever sensor.
func TestHoleOfOneSensorIsRefused(t *testing.T) {
	f := &Form{Sensors: []string{"a", "b", "c", "d"}, Channels: 1, Holes: noHoles(4)}
	var r Recording
	for i := range 200 {
		for sensor := range 4 {
			v := float64(i * i % 7)
			if sensor == 2 && i >= 100 && i < 130 {
				v = nan
			}
			r.Values = append(r.Values, v)
		}
	}
	_, _, err := f.Series(r)
	messagetest.Names(t, err, `sensor "c" … 31 … longer … training … windows`)
	r.Sensors, r.Channels = f.Sensors, 1
	_, _, err = f.Series(r.Part(Window{0, 200, 0, 200}))
	messagetest.Names(t, err, `sensor "c" … 31 … longer … training`)
	assert.NotContains(t, err.Error(), "windows", "of a window")
	f.Holes.Longest[0] = 28
	_, _, err = f.Series(r)
	assert.NoError(t, err)
}

// A sensor that was measured at both ends only is a straight line, which no answer rests on. Where the training has
// such a sensor, it is told.
func TestStraightLineIsRefused(t *testing.T) {
	f := &Form{Sensors: []string{"a", "b", "c", "d", "e", "f"}, Channels: 1, Holes: noHoles(6)}
	var r Recording
	for i := range 100 {
		for range 5 {
			r.Values = append(r.Values, float64(i%7))
		}
		v := nan
		if i == 0 || i == 99 {
			v = float64(i)
		}
		r.Values = append(r.Values, v)
	}
	_, _, err := f.Series(r)
	messagetest.Names(t, err, `98% … sensor "f" … made up`)
	f.Holes.Sensors[5], f.Holes.Longest[5] = 0.99, 99
	_, _, err = f.Series(r)
	assert.NoError(t, err)
}

// A recording whose sensors start late keeps its places: a value at time point 40 stays there. The end is cut.
func TestLateStartKeepsPlaces(t *testing.T) {
	for name, times := range map[string]bool{"with times": true, "without": false} {
		r := Recording{}
		for i := range 100 {
			v := 0.0
			switch {
			case i < 20 || i >= 90:
				v = nan
			case i == 40:
				v = 1
			}
			r.Values = append(r.Values, v)
			if times {
				r.Times = append(r.Times, float64(i)/100)
			}
		}
		series, _, err := oneSensor(nil).Series(r)
		require.NoError(t, err, name)
		require.Len(t, series, 90, name)
		assert.Equal(t, float32(1), series[40], name)
	}
}

// A recording of a higher rate than the training's is resampled through a low-pass, whether its times are even or not:
// what is too fast for the training's rate vanishes, and what is slow stays.
func TestResamplingDownHasALowPass(t *testing.T) {
	f := &Form{Sensors: []string{"v"}, Channels: 1, Rate: 20}
	largest := func(frequency, jitter float64) (most float64) {
		var r Recording
		for i := range 1000 {
			time := float64(i)/100 + jitter*math.Sin(float64(i*i))
			r.Times, r.Values = append(r.Times, time), append(r.Values, math.Sin(2*math.Pi*frequency*time))
		}
		series, _, err := f.Series(r)
		require.NoError(t, err)
		assert.InDelta(t, 200, len(series), 1)
		for _, v := range series[2 : len(series)-2] {
			most = max(most, math.Abs(float64(v)))
		}
		return most
	}
	for _, jitter := range []float64{0, 0.003} {
		assert.Less(t, largest(19, jitter), 0.2, "it would look like 1 a second: jitter %g", jitter)
		assert.Greater(t, largest(1, jitter), 0.9, "jitter %g", jitter)
	}
}
