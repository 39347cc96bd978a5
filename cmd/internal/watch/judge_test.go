package watch

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/clusterpool/ccp/cmd/internal/recordings"
	"github.com/clusterpool/ccp/datasets/recording"
	"github.com/clusterpool/ccp/internal/messagetest"
	"github.com/clusterpool/ccp/models"
	"github.com/clusterpool/ccp/models/along"
)

// tenths returns events whose times are tenths of a second.
func tenths(events []Event) (all []Event) {
	for _, e := range events {
		all = append(all, Event{e.Class, e.Begin / 10, e.Told / 10})
	}
	return all
}

// judged matches events by hand, at ten time points a second. Their times are in time points.
func judged(tolerance int, truth, told []Event) (Judged, StreamScore) {
	j := Judged{Tolerance: tolerance, PerClass: []EventScore{{Name: "a"}, {Name: "b"}, {Name: "c"}}, Hours: new(0.5),
		Confusion: [][]int{make([]int, 4), make([]int, 4), make([]int, 4), make([]int, 4)},
		rate:      10, delays: make([]float64, 3)}
	var s StreamScore
	j.match(&s, tenths(truth), tenths(told))
	j.finish()
	return j, s
}

// A hit lies within the tolerance on each side, inclusive; no event is hit twice; a wrong class at the right time is a
// miss and a false alarm; F of a class that is missed is 0, and a class without events does not count.
func TestMatchEvents(t *testing.T) {
	truth := []Event{{0, 100, 100}, {1, 200, 200}, {0, 300, 300}}
	j, s := judged(5, truth, []Event{{0, 105, 120}, {1, 195, 210}, {0, 306, 310}})
	assert.Equal(t, []int{1, 1, 0}, []int{j.PerClass[0].Hits, j.PerClass[1].Hits, j.PerClass[2].Hits})
	assert.Equal(t, []int{1, 1}, []int{j.PerClass[0].Missed, j.PerClass[0].False}, "306 is 6 from 300")
	assert.Equal(t, 0.5, *j.PerClass[0].F)
	assert.Nil(t, j.PerClass[2].F, "no event, and none told")
	assert.Equal(t, 0.75, j.F, "the mean of two classes")
	assert.InDelta(t, 2, *j.PerClass[0].Delay, 1e-9)
	assert.Nil(t, j.PerClass[2].Delay)
	assert.InDelta(t, 1.5, *j.Delay, 1e-9)
	assert.Equal(t, 2.0, *j.FalseAlarmsPerHour)
	assert.Equal(t, StreamScore{Events: 3, Hits: 2, False: 1}, s)
	assert.Equal(t, [][]int{{1, 0, 0, 1}, {0, 1, 0, 0}, {0, 0, 0, 0}, {1, 0, 0, 0}}, j.Confusion)

	j, _ = judged(5, truth[:1], []Event{{0, 98, 99}, {0, 102, 103}})
	assert.Equal(t, []int{1, 1}, []int{j.PerClass[0].Hits, j.PerClass[0].False}, "one event, told twice")

	j, _ = judged(5, truth[:2], []Event{{2, 100, 101}})
	assert.Equal(t, 1, j.Confusion[0][2])
	assert.Equal(t, []int{1, 1}, []int{j.PerClass[0].Missed, j.PerClass[2].False})
	assert.Zero(t, j.F)
	assert.Nil(t, j.Delay, "no hit has one")
	assert.Equal(t, 1, j.Confusion[1][3], "the other is not told at all")

	j, _ = judged(5, nil, nil)
	assert.Zero(t, j.F)
	assert.Zero(t, *j.FalseAlarmsPerHour)

	// Of two near events each has the one that leaves the other a hit.
	j, _ = judged(5, []Event{{0, 100, 100}, {0, 106, 106}}, []Event{{0, 103, 103}, {0, 110, 110}})
	assert.Equal(t, 2, j.PerClass[0].Hits)
}

// counts returns the timeline of a stream without times, whose training had none either.
func counts(timepoints int) timeline {
	return timelineOf(&recording.Form{}, ofTimes(nil, timepoints), 0)
}

// ofTimes returns a stream with times, or with so many time points without any.
func ofTimes(times []float64, timepoints int) recordings.Annotated {
	return recordings.Annotated{Recording: recording.Recording{Sensors: []string{"v"}, Channels: 1, Times: times,
		Values: make([]float64, max(timepoints, len(times)))}}
}

// What is measured of a stream is in seconds of it, at whatever rate it comes, but for its pauses. Where the training
// has no times it is in time points.
func TestTimeline(t *testing.T) {
	form := &recording.Form{Rate: 2} // training at 2 time points a second; a window of a second
	l := timelineOf(form, ofTimes([]float64{10, 10.25, 10.5, 10.75, 11}, 0), 1)
	assert.Equal(t, []float64{0, 0.25, 0.5, 0.75, 1, 1.25}, l.when, "at its own rate, to the end of the last time point")
	assert.Equal(t, 1.25, l.recorded())
	assert.Equal(t, []int{1, 2, 5}, []int{l.point(10.3), l.point(10.4), l.point(99)})
	assert.Equal(t, []float64{0, 0.375, 1, 1.125, 1.25}, []float64{l.moment(9), l.moment(10.375), l.moment(11),
		l.moment(11.125), l.moment(99)})

	// A lost time point, and a pause of 100 s: of 102.5 s, 3 are recorded.
	l = timelineOf(form, ofTimes([]float64{0, 0.5, 1.5, 101.5, 102}, 0), 1)
	assert.Equal(t, []float64{0, 0.5, 1.5, 2, 2.5, 3}, l.when)
	assert.Equal(t, 3.0, l.recorded())
	assert.InDelta(t, 1.75, l.moment(51.5), 1e-9, "in the pause")
	assert.Equal(t, 2.0, l.moment(101.5))

	form.Second = 1000 // times in ms, at 2 a second
	form.Rate = 0.002
	assert.Equal(t, 1.5, timelineOf(form, ofTimes([]float64{0, 500, 1000}, 0), 2000).recorded())
	l = timelineOf(form, ofTimes(nil, 4), 2000)
	assert.Equal(t, []float64{2, 1.25}, []float64{l.recorded(), l.moment(1250)}, "at the training's rate")
	assert.Equal(t, 3, l.point(1400))

	assert.Equal(t, []float64{0, 1, 2, 3}, counts(3).when)
	l = timelineOf(&recording.Form{}, ofTimes([]float64{0, 0.5, 1}, 0), 16)
	assert.Equal(t, []float64{3, 2}, []float64{l.recorded(), l.moment(1)}, "time points, whatever the times are")
	assert.Zero(t, timelineOf(form, ofTimes(nil, 0), 1).recorded())
}

// A class that goes on after time points without one is one event.
func TestEventsOf(t *testing.T) {
	n := along.Unknown
	assert.Equal(t, []Event{{0, 1, 1}, {1, 5, 5}, {0, 7, 7}}, eventsOf([]int{n, 0, 0, n, 0, 1, 1, 0}, counts(8)))
}

// A class that is told again after a gap goes on, and is no event of its own.
func TestTakeAfterGap(t *testing.T) {
	c := &models.Classifier{Form: &recording.Form{}}
	of := told{classifier: c, line: counts(40)}
	tell := func(class int, since float64, changed bool) {
		of.take([]Told{{Told: along.Told{Class: class, Since: since, Changed: changed}, Time: since + 1}}, along.Unknown)
	}
	tell(0, 3, true)
	tell(along.Unknown, 9, false)
	tell(0, 12, true)
	tell(1, 20, true)
	tell(0, 30, true)
	assert.Equal(t, []Event{{0, 3, 4}, {1, 20, 21}, {0, 30, 31}}, of.events)
}

// The truth of each time point comes of the parts; other classes than the training's are an error that names both.
func TestTruthOf(t *testing.T) {
	s := recordings.Annotated{Recording: recording.Recording{Name: "x", Sensors: []string{"v"}, Channels: 1,
		Values: make([]float64, 5)}, Parts: []recordings.Marking{{From: 1, To: 3, Class: "b"}}}
	truth, err := truthOf(s, []string{"a", "b"})
	require.NoError(t, err)
	assert.Equal(t, []int{-1, 1, 1, -1, -1}, truth)
	for _, names := range [][]string{{"2.0", "1.0"}, {"2", "1"}} { // as samples of a file, too
		numbered := recordings.Annotated{Recording: s.Recording, Parts: []recordings.Marking{{From: 0, To: 2, Class: "1"}}}
		truth, err := truthOf(numbered, names)
		require.NoError(t, err)
		assert.Equal(t, []int{1, 1}, truth[:2])
	}
	_, err = truthOf(s, []string{"a", "c"})
	messagetest.Names(t, err, `x … "b" … a, c`)
}

// Windows are those asked for, or else the training's, or its recordings.
func TestCutOf(t *testing.T) {
	seconds := func(n float64) recording.Span { return recording.Span{Length: n} }
	points := func(n float64) recording.Span { return recording.Span{Length: n, Timepoints: true} }
	form := &recording.Form{Longest: 100, Rate: 50, Cut: &recording.Cut{Window: seconds(2), Step: seconds(1)}}
	assert.Equal(t, *form.Cut, CutOf(form, recording.Cut{}))
	assert.Equal(t, recording.Cut{Window: seconds(2), Step: seconds(0.5)}, CutOf(form, recording.Cut{Step: seconds(0.5)}))
	asked := recording.Cut{Window: seconds(3)}
	assert.Equal(t, recording.Cut{Window: seconds(3), Step: seconds(1)}, CutOf(form, asked), "the training's step")
	assert.Equal(t, recording.Cut{Window: points(100), Step: points(50)}, CutOf(form, recording.Cut{Window: points(100)}))
	form.Cut = &recording.Cut{Window: points(100), Step: points(25)}
	assert.Equal(t, recording.Cut{Window: seconds(3), Step: seconds(0.5)}, CutOf(form, asked))
	form.Rate = 0
	assert.Equal(t, asked, CutOf(form, asked), "without times nothing tells how long 25 time points are")
	form.Rate, form.Cut = 50, &recording.Cut{Window: seconds(2)}
	assert.Equal(t, asked, CutOf(form, asked), "the training has no step but whole windows")
	form.Cut = nil
	assert.Equal(t, asked, CutOf(form, asked))
	assert.Equal(t, recording.Cut{Window: points(100), Step: points(50)}, CutOf(form, recording.Cut{}))
	assert.Equal(t, recording.Cut{Window: seconds(2), Step: seconds(1)}, CutOf(form, recording.Cut{Step: seconds(1)}))
	assert.Equal(t, recording.Cut{Window: points(100), Step: points(10)}, CutOf(form, recording.Cut{Step: points(10)}))
}
