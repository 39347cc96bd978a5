package recording

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/clusterpool/ccp/internal/messagetest"
)

// ofHundred is a form of one sensor, whose training had recordings of a hundred time points and no holes.
func ofHundred() *Form {
	f := oneSensor(noHoles(1))
	f.Shortest, f.Longest = 100, 100
	return f
}

// What lies behind too much in holes is not read, and what came before is as if nothing had followed.
func TestSoFarEndsBeforeTooMuch(t *testing.T) {
	nothingLost := recorded(100, within())
	for name, c := range map[string]struct {
		lost           [2]int
		missing        bool // values in place of lines
		read           int
		says, notTimed string
	}{
		"lost lines":   {lost: [2]int{60, 90}, read: 60, says: "up to time 0.59 … 0.31"},
		"a long pause": {lost: [2]int{8, 92}, read: 8, says: "up to time 0.07 … 0.07 to 0.92"},
		"missing values": {lost: [2]int{60, 90}, missing: true, read: 60, says: "up to time 0.59",
			notTimed: "first 60 time points"},
		"at the very end": {lost: [2]int{70, 99}, missing: true, read: 70, says: "up to time 0.69",
			notTimed: "first 70 time points"},
	} {
		lost := within(c.lost)
		r := recorded(100, func(i int) bool { return !c.missing && lost(i) })
		for i := range 100 {
			if c.missing && lost(i) {
				r.Values[i] = nan
			}
		}
		for _, says := range []string{c.says, c.notTimed} {
			if says == "" {
				continue
			}
			if says == c.notTimed {
				r.Times = nil
			}
			_, _, refused := ofHundred().Series(r)
			require.Error(t, refused, name)
			values, unread, _, err := ofHundred().SoFar(r)
			require.NoError(t, err, name)
			require.NotNil(t, unread, name)
			require.Len(t, values, c.read, name)
			for i, v := range values {
				assert.InDelta(t, nothingLost.Values[i], v, 1e-6, name)
			}
			assert.Equal(t, 100, unread.Timepoints, name)
			messagetest.Names(t, fmt.Errorf("%s", unread.Why), says)
			assert.NotContains(t, unread.Why, "cut it there")
		}
	}
}

// A recording that is sent as far as it has come is read at each time if it is read as a whole: its holes, and its
// jitter, are those of a recording as long as the training's.
func TestSoFarOfWhatIsReadWhole(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	jitter := recorded(100, within())
	for i := range jitter.Times {
		jitter.Times[i] = float64(i+2*((i+20)/30))/100 + 0.004*rng.Float64()
	}
	for name, r := range map[string]Recording{
		"a gap":            recorded(100, within([2]int{4, 12})),
		"gaps":             recorded(100, within([2]int{9, 13}, [2]int{20, 25}, [2]int{30, 36})),
		"every other line": recorded(100, func(i int) bool { return i > 5 && i < 40 && i%4 > 1 }),
		"jitter":           jitter,
	} {
		_, _, err := ofHundred().Series(r)
		require.NoError(t, err, name)
		refused := 0
		for n := 1; n <= len(r.Times); n++ {
			part := Recording{Values: r.Values[:n], Times: r.Times[:n]}
			if _, _, err := ofHundred().Series(part); err != nil {
				refused++
			}
			values, unread, _, err := ofHundred().SoFar(part)
			require.NoError(t, err, name)
			assert.NotEmpty(t, values, name)
			assert.Nil(t, unread, "%s after %d time points", name, n)
		}
		assert.Positive(t, refused, "%s: else nothing was tested", name)
	}
}

// While a sensor has no value, nothing can be read.
func TestSoFarBeforeASensorBegins(t *testing.T) {
	f := ofHundred()
	f.Sensors, f.Holes = []string{"a", "b"}, noHoles(2)
	r := Recording{Values: []float64{1, nan, 2, nan, 3, 4}, Times: []float64{0, 0.01, 0.02}}
	for n := 1; n <= 3; n++ {
		values, unread, _, err := f.SoFar(Recording{Values: r.Values[:2*n], Times: r.Times[:n]})
		require.NoError(t, err)
		if n == 3 {
			assert.Equal(t, []float32{1, 4, 2, 4, 3, 4}, values)
			assert.Nil(t, unread)
			continue
		}
		assert.Empty(t, values)
		assert.Equal(t, n, unread.Timepoints)
		messagetest.Names(t, fmt.Errorf("%s", unread.Why), `so far … "b" … no value`)
		assert.NotContains(t, unread.Why, "remove")
	}
}

// A recording that is as long as some of the training, and holds too much made up for one that has ended, may go on.
func TestSoFarOfOneThatMayHaveEnded(t *testing.T) {
	f := ofHundred()
	f.Shortest = 40
	r := recorded(60, within([2]int{30, 38}))
	values, unread, notes, err := f.SoFar(r)
	require.NoError(t, err)
	assert.Len(t, values, 60)
	require.NotNil(t, unread)
	assert.Equal(t, 60, unread.Timepoints)
	messagetest.Names(t, fmt.Errorf("%s", unread.Why), "goes on … 0.09")
	messagetest.EachNames(t, notes, "made up")
}

// What no later time point mends is an error, and what has not begun is none.
func TestSoFarErrors(t *testing.T) {
	f := ofHundred()
	whole := recorded(20, within())
	turned := recorded(20, within())
	slices.Reverse(turned.Times)
	slow := recorded(20, within())
	for i := range slow.Times {
		slow.Times[i] *= 1000
	}
	other := whole
	other.Sensors = []string{"w"}
	for says, r := range map[string]Recording{
		"mine … time point 1 … ascend": turned,
		"mine … unit":                  slow,
		`mine … no sensor "v"`:         other,
	} {
		r.Name = "mine"
		_, _, _, err := f.SoFar(r)
		messagetest.Names(t, err, says)
	}
	for name, r := range map[string]Recording{
		"none":     {},
		"silent":   {Values: []float64{nan, nan}, Times: []float64{0, 0.01}},
		"two":      {Values: []float64{nan, nan}},
		"far away": {Values: []float64{1, 2}, Times: []float64{0, 1e30}},
	} {
		values, unread, _, err := f.SoFar(r)
		require.NoError(t, err, name)
		assert.Empty(t, values, name)
		require.NotNil(t, unread, name)
		messagetest.Names(t, fmt.Errorf("%s", unread.Why), "so far")
	}
	series := Recording{Series: []float32{1}, Unread: &Unread{Timepoints: 7}}
	values, unread, _, err := f.SoFar(series)
	require.NoError(t, err)
	assert.Equal(t, series.Series, values)
	assert.Equal(t, series.Unread, unread)
	_, _, _, err = (*Form)(nil).SoFar(series)
	require.ErrorIs(t, err, ErrNoForm)
}

// Looks are no later than the end of the training's longest recording: what comes later needs no search.
func TestSoFarOfALongOne(t *testing.T) {
	f := ofHundred()
	r := recorded(1000, within([2]int{500, 800}))
	values, unread, _, err := f.SoFar(r)
	require.NoError(t, err)
	assert.Len(t, values, 100)
	require.NotNil(t, unread)
	assert.Equal(t, 1000, unread.Timepoints)
	messagetest.Names(t, fmt.Errorf("%s", unread.Why), "goes on … made up")
	assert.NotContains(t, unread.Why, "cut it")
}
