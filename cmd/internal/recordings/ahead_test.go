package recordings

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/datasets/recording"
	"github.com/clusterpool/ccp/internal/messagetest"
)

// The class of a window is the event that begins soon after it; windows in an event and after one are left out, and
// so are those near which one may have been that nobody recorded. All are counted here one by one.
func TestAhead(t *testing.T) {
	parts := []part{{"", 300}, {"fall", 20}, {"", 300}, {"fit", 40}, {"", 200}}
	path := put(t, t.TempDir(), "events.csv", streamOf(true, parts...))
	o := Options{Label: "state", Cut: recording.Cut{Window: recording.Span{Length: 2}, Step: recording.Span{Length: 1}},
		Ahead: recording.Span{Length: 5}, After: recording.Span{Length: 3}}
	result, d := imported(t, o, path)
	var want []string
	left, unknown := 0, 0
	for begin := 0; begin+20 <= 860; begin += 10 {
		end, label, out := begin+20, noEvent, false
		for event, span := range map[string][2]int{"fall": {300, 320}, "fit": {620, 660}} {
			out = out || span[0] < end && begin < span[1]+30
			if span[0] >= end && span[0]-end <= 50 {
				label = event
			}
		}
		switch {
		case out:
			left++
		case label == noEvent && (begin < 30 || end+50 > 860): // an event may be before the begin, or after the end
			unknown++
		default:
			want = append(want, label)
		}
	}
	var got []string
	for _, label := range d.Labels {
		got = append(got, d.ClassNames[label])
	}
	assert.Equal(t, want, got)
	messagetest.OneNames(t, result.Notes, fmt.Sprintf("%d windows in an event … 3s … --after", left))
	messagetest.OneNames(t, result.Notes, fmt.Sprintf("%d windows … 5s … --ahead … 3s … --after … not wholly recorded",
		unknown))
	assert.Len(t, result.Groups, 3, "the time before each event, and after the last")
	assert.Len(t, d.Stretches, 5)
	o.Ahead.Length = 0.1
	o.Cut.Step.Length = 6.5
	messagetest.Names(t, refused(t, o, path), "no window … --ahead")
}

// Events that no window comes before are counted.
func TestEventsWithoutWindows(t *testing.T) {
	path := put(t, t.TempDir(), "events.csv", streamOf(true, part{"", 100}, part{"fall", 20}, part{"", 115},
		part{"fall", 20}, part{"", 60}))
	result, _ := imported(t, Options{Label: "state", Cut: recording.Cut{Window: recording.Span{Length: 2},
		Step: recording.Span{Length: 4}}, Ahead: recording.Span{Length: 1}}, path)
	messagetest.OneNames(t, result.Notes, "1 of 2 events … window … 1s … --step … --ahead")
}

// Where --ahead and --after leave no window, or none of a class, the error says that they do, and what to change.
func TestAheadLeavesNoWindows(t *testing.T) {
	path := put(t, t.TempDir(), "events.csv", streamOf(true, part{"fall", 20}, part{"", 100}, part{"fall", 20},
		part{"", 100}, part{"fit", 20}, part{"fall", 20}))
	o := Options{Label: "state", Cut: recording.Cut{Window: recording.Span{Length: 2}, Step: recording.Span{Length: 1}},
		Ahead: recording.Span{Length: 30}}
	messagetest.Names(t, refused(t, o, path), "2s … windows in an event … 30s … --after")
	o.After.Length = 1
	messagetest.Names(t, refused(t, o, path), `"`+noEvent+`" … 30s … --ahead … --after`)
	o.Ahead.Length = 3
	o.Cut.Step.Length = 4.5
	messagetest.Names(t, refused(t, o, path), `"fit" … 1 event … --step`)
	o.Rest = "fall"
	messagetest.Names(t, refused(t, o, path), `"fall" … --rest`)
}

// beginsOf returns at how many seconds the windows of each class begin.
func beginsOf(d *datasets.Dataset) map[string][]float64 {
	all := map[string][]float64{}
	for i, w := range d.Windows {
		class := d.ClassNames[d.Labels[i]]
		all[class] = append(all[class], w.Start)
	}
	return all
}

// A recording that is cut just before an event, or of which a pause has the event's begin, does not tell that nothing
// follows its last windows. Nor does one that goes on after a pause tell that nothing was before its first.
func TestAheadOfWhatWasNotRecorded(t *testing.T) {
	lines := strings.SplitAfter(streamOf(true, part{"", 300}, part{"fall", 20}, part{"", 600}, part{"fall", 20},
		part{"", 200}), "\n")
	o := Options{Label: "state", Cut: recording.Cut{Window: recording.Span{Length: 2}, Step: recording.Span{Length: 1}},
		Ahead: recording.Span{Length: 5}, After: recording.Span{Length: 3}}
	within := func(from, to float64) (all []float64) { // the begins of windows, a second apart
		for at := from; at <= to; at++ {
			all = append(all, at)
		}
		return all
	}
	for _, points := range []bool{false, true} {
		if points {
			o.Cut = recording.Cut{Window: recording.Span{Length: 20, Timepoints: true},
				Step: recording.Span{Length: 10, Timepoints: true}}
			o.Ahead, o.After = recording.Span{Length: 50, Timepoints: true}, recording.Span{Length: 30, Timepoints: true}
		}
		// Cut 1 s before the second event, which begins at 92 s: windows that end by 86 s are followed by 5 s.
		_, d := imported(t, o, put(t, t.TempDir(), "cut.csv", strings.Join(lines[:1+910], "")))
		assert.Equal(t, map[string][]float64{"fall": within(23, 28), noEvent: append(within(3, 22), within(35, 84)...)},
			beginsOf(d))
		// A pause from 60 to 62.5 s in which an event may have been, and the file's end 20 s after the second event.
		paused := slices.Concat(lines[:1+600], lines[1+625:])
		_, d = imported(t, o, put(t, t.TempDir(), "paused.csv", strings.Join(paused, "")))
		begins := beginsOf(d)
		quiet := slices.Concat(within(3, 22), within(35, 53))
		after := []float64{66, 67} // windows from 62.5 s on are less than 3 s after the pause until 65.5 s
		if points {
			after = []float64{65.5, 66.5}
		}
		assert.Equal(t, slices.Concat(quiet, after), begins[noEvent][:len(quiet)+2])
		last := begins[noEvent][len(begins[noEvent])-1]
		assert.LessOrEqual(t, last+2+5, 114.0)
		assert.Greater(t, last+3+5, 114.0)
	}
}

// A single time point that was lost, or a pause shorter than a window, leaves all windows.
func TestAheadPassesLostTimePoints(t *testing.T) {
	lines := strings.SplitAfter(streamOf(true, part{"", 300}, part{"fall", 20}, part{"", 200}), "\n")
	o := Options{Label: "state", Cut: recording.Cut{Window: recording.Span{Length: 2}}, Ahead: recording.Span{Length: 4},
		After: recording.Span{Length: 1}}
	result, _ := imported(t, o, put(t, t.TempDir(), "whole.csv", strings.Join(lines, "")))
	lost := slices.Concat(lines[:1+150], lines[1+151:1+420], lines[1+430:])
	fewer, _ := imported(t, o, put(t, t.TempDir(), "lost.csv", strings.Join(lost, "")))
	assert.Equal(t, result.Samples, fewer.Samples)
}
