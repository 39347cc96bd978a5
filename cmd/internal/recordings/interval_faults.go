package recordings

// This file tells of intervals that are not of their recording.

import (
	"cmp"
	"fmt"
	"math"
	"time"

	"github.com/clusterpool/ccp/datasets/recording"
)

// alienClock reports that intervals are times of day of which one ends after midnight, beside a recording whose times
// are none: not their order is wrong, but their clock is another one.
func (m *making) alienClock(own []interval) bool {
	for _, v := range own {
		if !m.ofDay && v.isOfDay() && v.start-v.end >= secondsOfDay/2 {
			return true
		}
	}
	return false
}

// offRecording returns the error that no interval lies in a recording, with all times as they are written. Where both
// are of one kind, the intervals are of another clock or zone, and the error says how far off; else it says that their
// unit is another one, or that they have no dates.
func (m *making) offRecording(own []interval, x *sample) error {
	first, last := x.Times[0], x.Times[len(x.Times)-1]
	areOfDay := !m.ofDay && own[0].isOfDay()
	begin, end := own[0], own[0]
	for _, v := range own {
		if v.start < begin.start && !areOfDay || v.line < begin.line && areOfDay {
			begin = v
		}
		if v.end > end.end && !areOfDay || v.line > end.line && areOfDay { // that may be after midnight
			end = v
		}
	}
	spans := fmt.Sprintf("its times go from %s to %s, and the intervals of %s from %s to %s", x.Written.Text(first),
		x.Written.Text(last), m.Labels, begin.written[0], end.endWritten())
	second := cmp.Or(m.chosen.second, 1)
	isDated := func(at float64) bool { // a number of seconds since 1970 in the years from 2001 to 2096
		return m.chosen.second != 0 && at/second >= 1e9 && at/second < 4e9
	}
	switch {
	case areOfDay:
		return fmt.Errorf("%s, which are times of day, or since a begin: give both by one clock, or count the intervals "+
			"from the begin of the recording", spans)
	case !m.ofDay && !(isDated(first) && isDated(begin.start)):
		return fmt.Errorf("%s: give both in one unit, or in seconds from the begin of the recording", spans)
	}
	off := (begin.start - first) / second
	way := "later"
	if off < 0 {
		way = "earlier"
	}
	if isDated(first) && x.Written.IsNumber() {
		dates := recording.TimeForm{Layout: time.DateTime, Zone: time.UTC, Mark: "."}
		way += fmt.Sprintf(" (the recording begins at %s in UTC)", dates.Text(first/second))
	}
	return fmt.Errorf("%s, which begin %s %s: give both by one clock and in one time zone, or the intervals in seconds "+
		"from the begin of the recording", spans, time.Duration(math.Abs(off)*float64(time.Second)).Round(time.Millisecond),
		way)
}

// noteOutside notes intervals that reach beyond a recording by more than a window.
func (m *making) noteOutside(own []interval, x *sample) {
	first, last := x.Times[0], x.Times[len(x.Times)-1]
	window := m.Cut.Window.Length * cmp.Or(m.chosen.second, 1)
	if m.Cut.Window.Timepoints {
		window *= (last - first) / float64(max(1, len(x.Times)-1))
	}
	for _, v := range own {
		if v.start < first-window || v.end > last+window {
			m.noteOf("outside", fmt.Sprintf("line %d of %s goes from %s to %s, beyond the recording, which has times "+
				"from %s to %s", v.line, m.Labels, x.Written.Text(v.start), x.Written.Text(v.end), x.Written.Text(first),
				x.Written.Text(last)))
		}
	}
}
