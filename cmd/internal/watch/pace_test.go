package watch

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/clusterpool/ccp/datasets/recording"
	"github.com/clusterpool/ccp/internal/messagetest"
)

// notesOfPace are the notes of times that come one by one to a training of 10 time points a second and windows of 2 s.
func notesOfPace(t *testing.T, count int, time func(i int) float64) (notes []string) {
	t.Helper()
	cut := recording.Cut{Window: recording.Span{Length: 2}}
	p := newPace(&recording.Form{Channels: 1, Rate: 10}, cut, func(line string) { notes = append(notes, line) })
	for i := range count {
		require.NoError(t, p.add(time(i), []float64{1}))
	}
	return notes
}

// Another rate is told by the usual step, whatever pauses, lost rows and rounded times there are.
func TestRateOfStream(t *testing.T) {
	tenth := func(i int) float64 { return float64(i) / 10 }
	pause := func(from, seconds float64) func(i int) float64 {
		return func(i int) float64 {
			if tenth(i) >= from {
				return tenth(i) + seconds
			}
			return tenth(i)
		}
	}
	assert.Empty(t, notesOfPace(t, 400, tenth))
	assert.Empty(t, notesOfPace(t, 400, pause(5, 30)))
	assert.Empty(t, notesOfPace(t, 400, pause(0.1, 3600)), "after the first row")
	assert.Empty(t, notesOfPace(t, 400, func(i int) float64 { return tenth(i + i/50) }), "a row in fifty is lost")
	for i, slow := range []func(i int) float64{
		func(i int) float64 { return float64(i) / 5 },
		func(i int) float64 { return float64(i)/5 + pause(5, 30)(i) - tenth(i) },
	} {
		notes := notesOfPace(t, 400, slow)
		require.Len(t, notes, 1, i)
		messagetest.Names(t, notes[0], "come at 5 a second … training's at 10")
	}
	assert.Empty(t, notesOfPace(t, 100, func(i int) float64 { return float64(i) / 5 }), "too few to tell")
	assert.Empty(t, notesOfPace(t, 400, func(int) float64 { return math.NaN() }), "no times")

	var notes []string
	p := newPace(&recording.Form{Channels: 1, Rate: 300}, recording.Cut{Window: recording.Span{Length: 1}},
		func(line string) { notes = append(notes, line) })
	for i := range 400 { // in whole milliseconds: steps of 3 and 4, and a pause
		require.NoError(t, p.add(math.Round(float64(i)/0.3)/1000+30*float64(min(i/90, 1)), []float64{1}))
	}
	assert.Empty(t, notes)
	inTimepoints := recording.Cut{Window: recording.Span{Length: 50, Timepoints: true}}
	p = newPace(&recording.Form{Channels: 1, Rate: 10}, inTimepoints, func(line string) { notes = append(notes, line) })
	for i := range 400 {
		require.NoError(t, p.add(float64(i), []float64{1}))
	}
	assert.Len(t, notes, 1, "windows of time points tell of another rate, too")

	notes = nil
	p = newPace(&recording.Form{Channels: 2, Rate: 50}, recording.Cut{Window: recording.Span{Length: 2}},
		func(line string) { notes = append(notes, line) })
	none := math.NaN()
	for i := range 200 { // two sensors that are read one after the other, 25 times a second each
		require.NoError(t, p.add(float64(i)/25, []float64{1, 1, none, none}))
		require.NoError(t, p.add(float64(i)/25+0.001, []float64{none, none, 1, 1}))
	}
	assert.Empty(t, notes)
}
