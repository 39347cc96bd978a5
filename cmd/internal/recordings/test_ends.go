package recordings

// This file makes a test of the ends of recordings, where no whole recording can be held out.

import (
	"github.com/clusterpool/ccp/datasets/recording"
)

// testEnds is what the split is by.
const testEnds = "the ends of recordings"

// dividedWindow is a window, and what makes it one to test on; "" for one to train on.
type dividedWindow struct {
	recording.Window
	test string
}

// testsEnds reports that the test is made of the ends of recordings: windows are cut, nothing says what to test on, and
// no class has two recordings, stretches or groups, so that none can be held out.
func (m *making) testsEnds() bool {
	return m.Ahead.Length == 0 && m.Test == "" && m.Group == "" && m.made.SplitBy == "" && m.undrawable()
}

// undrawable reports that of several classes each has one sample, or samples of one group.
func (m *making) undrawable() bool {
	first := map[string]*sample{} // of each class
	for _, x := range m.samples {
		before, has := first[x.label]
		if has && (!m.grouped || before.group != x.group) {
			return false
		}
		first[x.label] = x
	}
	return len(first) > 1
}

// withEnds marks the last fifth of a recording's windows as tests, if ends says so. It leaves out the windows before
// that reach into them, and those less than a window away: what follows at once is hardly new.
func withEnds(windows []recording.Window, ends bool) (all []dividedWindow) {
	const of = 5
	tests := len(windows) / of
	if !ends || tests == 0 {
		for _, w := range windows {
			all = append(all, dividedWindow{Window: w})
		}
		return all
	}
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

// noteUndrawable notes that no test can be drawn, or that the ends of recordings are the test.
func (m *making) noteUndrawable() {
	switch {
	case m.made.SplitBy == testEnds:
		m.note("each class has one recording, so the windows in the last fifth of each, a window apart, are the test: that " +
			"says little about another day or person; record each class several times")
	case m.made.SplitBy == "" && m.undrawable():
		m.made.Undrawable = true
		way := ""
		if m.Cut.Window.Length == 0 {
			way = "; or --window LENGTH cuts windows, and tests on the last fifth of each recording, a window apart, " +
				"which says little about another day or person"
		}
		m.note("each class has one recording or group, so that none can be held out for a test: record each class several "+
			"times, on other days%s", way)
	}
}
