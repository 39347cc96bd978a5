package recordings

// This file makes a test of the ends of recordings, where no whole recording can be held out.

import (
	"github.com/clusterpool/ccp/datasets/recording"
)

// testEnds is what the split is by.
const testEnds = "--test-ends"

// dividedWindow is a window, and what makes it one to test on; "" for one to train on.
type dividedWindow struct {
	recording.Window
	test string
}

// divided marks the last fifth of a recording's windows as tests, if that is asked for. It leaves out the windows
// before that reach into them, and those less than a window away: what follows at once is hardly new.
func (m *making) divided(windows []recording.Window) (all []dividedWindow) {
	const of = 5
	tests := len(windows) / of
	if !m.TestEnds || tests == 0 {
		for _, w := range windows {
			all = append(all, dividedWindow{Window: w})
		}
		return all
	}
	m.made.SplitBy = testEnds
	first := windows[len(windows)-tests]
	for i, w := range windows {
		switch {
		case i >= len(windows)-tests:
			all = append(all, dividedWindow{w, testEnds})
		case w.To+(w.To-w.From) <= first.From:
			all = append(all, dividedWindow{Window: w})
		}
	}
	return all
}

// noteUndrawable notes that no test can be drawn: each class has one sample, or its samples are of one group.
func (m *making) noteUndrawable() {
	if m.made.SplitBy != "" || len(m.made.Classes) < 2 {
		return
	}
	first := map[string]*sample{} // of each class
	for _, x := range m.samples {
		before, has := first[x.label]
		if has && (!m.grouped || before.group != x.group) {
			return
		}
		first[x.label] = x
	}
	m.made.Undrawable = true
	way := "--window LENGTH --test-ends cuts windows, and tests on the last fifth of each recording, a window apart"
	if m.Cut.Window.Length > 0 {
		way = testEnds + " tests on the last fifth of each recording, a window apart"
	}
	m.note("each class has one recording or group, so that none can be held out for a test: record each class several "+
		"times, on other days; or %s, which says little of another day or person", way)
}
