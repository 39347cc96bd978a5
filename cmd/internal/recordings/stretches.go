package recordings

// This file parts recordings into stretches of one class, of which windows are cut.

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/clusterpool/ccp/datasets/recording"
	"github.com/clusterpool/ccp/internal/suggest"
	"github.com/clusterpool/ccp/internal/text"
)

// stretch is a part of a recording in which the class stays the same, in the unit of the times or, without times and
// rate, in time points.
type stretch struct {
	recording  int
	start, end float64
	label      string
}

// window says where in its recording a sample lies.
type window struct {
	stretch    int
	start, end float64
}

// marked are the time points of a recording, from the one to before the other, that have a class.
type marked struct {
	from, to int
	label    string
}

// parse makes stretches of one class of recordings whose class changes, and leaves out what has no class, or makes it
// the class of --rest.
func (m *making) parse() error {
	if m.intervals != nil && m.Cut.Window.Length == 0 {
		return fmt.Errorf("%s has intervals of time: --window LENGTH cuts windows of them, of one class each", m.Labels)
	}
	if m.intervals != nil {
		err := m.splitByIntervals()
		if err != nil {
			return err
		}
	}
	if m.Ahead.Length > 0 {
		m.joinStretches()
		return nil
	}
	return m.leaveUnlabelled()
}

// leaveUnlabelled leaves out stretches without a class, or gives them that of --rest.
func (m *making) leaveUnlabelled() error {
	m.nameFirstStretches()
	points, unlabelled, without := 0, 0, 0
	kept := m.samples[:0:0]
	for _, x := range m.samples {
		points += x.Timepoints()
		if x.label == "" {
			unlabelled, without = unlabelled+x.Timepoints(), without+1
			x.label = suggest.Truth(suggest.Tidy(m.Rest))
		}
		if x.label != "" {
			kept = append(kept, x)
		}
	}
	switch {
	case m.Rest != "" && without == 0:
		return fmt.Errorf("--rest %s names the class of what has none, and each time point has one; leave it out", m.Rest)
	case m.Rest == "" && without > 0:
		m.note("%s of %s time points have no class (%s) and are left out; --rest NAME makes them a class",
			text.Thousands(unlabelled), text.Thousands(points), stretchesOf(without))
	}
	if len(kept) == 0 {
		return fmt.Errorf("%s: no time point has a class %s", m.input, m.classSource())
	}
	m.samples = kept
	return nil
}

// classSource says where classes would be.
func (m *making) classSource() string {
	if m.intervals != nil {
		return "by the intervals of " + m.Labels
	}
	return fmt.Sprintf("in column %s; write one in each line that has one, or name another column with --label",
		cmp.Or(m.labelName, "label"))
}

// beginsInLine names a stretch after the line in which it begins, as editors and compilers write places.
func (x *sample) beginsInLine(line int) {
	x.Name, x.where, x.isPart = fmt.Sprintf("%s:%d", x.Name, line), fmt.Sprintf("%s:%d", x.path, line), true
}

// nameFirstStretches names the first stretches of recordings whose class changes in a column. Before the second stretch
// began, they had the names of the whole.
func (m *making) nameFirstStretches() {
	parted := map[int]bool{}
	for _, x := range m.samples {
		parted[x.of] = parted[x.of] || x.from > 0
	}
	for _, x := range m.samples {
		if parted[x.of] && !x.isPart {
			x.beginsInLine(x.line)
		}
	}
}

// about says which recording or stretch a note or an error is about: of a stretch its class, too, and its times.
func (m *making) about(x *sample) string {
	if !x.isPart {
		return x.where
	}
	start, end := m.spanOf(x)
	return fmt.Sprintf("%s (%q, from %s to %s)", x.where, x.label, x.Written.Text(start), x.Written.Text(end))
}

// splitByIntervals replaces each recording by its stretches: those that an interval gives a class, and those between.
func (m *making) splitByIntervals() error {
	whole := m.samples
	m.samples = nil
	used := map[string]bool{}
	for i, x := range whole {
		own, err := m.intervalsOf(x, len(whole))
		if err != nil {
			return err
		}
		for _, v := range own {
			used[v.sample] = true
		}
		parts, err := m.place(own, x)
		if err != nil {
			return fmt.Errorf("%s: %w", x.where, err)
		}
		for n, p := range parts {
			part := *x
			part.Recording = x.Part(recording.Window{From: p.from, To: p.to})
			part.Name, part.label, part.of, part.from = fmt.Sprintf("%s stretch %d", x.Name, n+1), p.label, i, p.from
			part.where, part.isPart = fmt.Sprintf("%s stretch %d", x.where, n+1), true
			m.samples = append(m.samples, &part)
		}
	}
	for _, v := range m.intervals {
		if !used[v.sample] {
			return fmt.Errorf("%s, line %d: there is no recording %q; its recordings are %s", m.Labels, v.line, v.sample,
				few(distinctNames(whole)))
		}
	}
	return nil
}

// intervalsOf returns the intervals of one of so many recordings.
func (m *making) intervalsOf(x *sample, recordings int) (own []interval, err error) {
	for _, v := range m.intervals {
		if v.sample == "" && recordings > 1 {
			return nil, fmt.Errorf("%s, line %d: it does not say of which of %d recordings, such as %s, the interval is; add a "+
				"column sample with the name of each", m.Labels, v.line, recordings, x.Name)
		}
		if v.sample == "" || v.sample == x.Name {
			own = append(own, v)
		}
	}
	return own, nil
}

// place returns all time points of a recording in stretches, in order. Those without a class are between intervals.
func (m *making) place(own []interval, x *sample) (all []marked, err error) {
	if x.Times == nil {
		return nil, errors.New("it has no times, at which the intervals could be found; name their column with --time")
	}
	own, err = m.inTimesOf(own, x)
	if err != nil {
		return nil, err
	}
	each, at := 1/cmp.Or(x.Rate(), 1), 0
	reach := func(at float64) int {
		first, _ := slices.BinarySearch(x.Times, at-each/2)
		return first
	}
	for _, v := range own {
		from, to := max(at, reach(v.start)), reach(v.end)
		if m.Ahead.Length > 0 { // the begin of an event counts, also if it has no length
			to = max(to, min(from+1, len(x.Times)))
		}
		if from >= to {
			m.noteOf("intervals", fmt.Sprintf("line %d of %s holds no time point of %s", v.line, m.Labels, x.where))
			continue
		}
		if from > at {
			all = append(all, marked{at, from, ""})
		}
		if last := len(all) - 1; last >= 0 && all[last].label == v.label && from == at { // the same class goes on
			all[last].to = to
		} else {
			all = append(all, marked{from, to, v.label})
		}
		at = to
	}
	if at < len(x.Times) {
		all = append(all, marked{at, len(x.Times), ""})
	}
	return all, nil
}

// spanOf returns where a stretch lies in its recording: in the unit of the times or, without times and rate, in time
// points.
func (m *making) spanOf(x *sample) (start, end float64) {
	rate := cmp.Or(m.form.Rate, 1)
	if x.Times != nil {
		return x.Times[0], text.ToStep(x.Times[len(x.Times)-1]+1/rate, 1/rate)
	}
	return float64(x.from) / rate, float64(x.from+x.Timepoints()) / rate
}

// keepStretches adds the arrays stretches and windows to those that the import writes: what a class along time learns
// from. A row of stretches has the recording, the begin, the end and the class; a row of windows the stretch, the begin
// and the end.
func (m *making) keepStretches() {
	if m.stretches == nil {
		return
	}
	number := map[string]int{}
	for i, class := range m.made.Classes {
		number[class.Name] = i
	}
	var rows []float64
	for _, s := range m.stretches {
		rows = append(rows, float64(s.recording), s.start, s.end, float64(number[s.label]))
	}
	keep(m, "stretches", rows, 4)
	rows = nil
	for _, x := range m.samples {
		rows = append(rows, float64(x.window.stretch), x.window.start, x.window.end)
	}
	keep(m, "windows", rows, 3)
}

// refuseLostClasses returns an error if a class has recordings or stretches, and none of them has a window. Where no
// class has a window, it is about that with the longest stretch.
func (m *making) refuseLostClasses(whole []*sample) error {
	left, longest, of := map[string]bool{}, map[string]*sample{}, map[string]int{}
	for _, x := range m.samples {
		left[x.label] = true
	}
	length := func(x *sample) float64 {
		start, end := m.spanOf(x)
		return end - start
	}
	for _, x := range whole {
		if longest[x.label] == nil || length(x) > length(longest[x.label]) {
			longest[x.label] = x
		}
		of[x.label]++
	}
	var lost []*sample
	for _, class := range slices.Sorted(maps.Keys(longest)) {
		if !left[class] {
			lost = append(lost, longest[class])
		}
	}
	if lost == nil {
		return nil
	}
	x, advice := lost[0], "take a shorter window, or remove the class from the table"
	if len(m.samples) == 0 {
		x = slices.MaxFunc(lost, func(a, b *sample) int { return cmp.Compare(length(a), length(b)) })
		advice = "no other class has a longer one; take a shorter window"
	}
	for class := range longest {
		if class != x.label && strings.EqualFold(class, x.label) {
			advice = fmt.Sprintf("%q and %q differ in case only: write them alike", x.label, class)
		}
	}
	seconds := text.ToStep(length(x), 1/cmp.Or(m.form.Rate, 1)) / cmp.Or(m.form.Second, 1)
	lasts := recording.Span{Length: seconds, Timepoints: m.form.Rate == 0}
	if lasts.Length >= m.Cut.Window.Length {
		return fmt.Errorf("class %q would be lost: the longest of its %s, %s, has no window of %s with values of all "+
			"sensors; "+
			"leave out the sensor without any (--leave), or remove the class from the table", x.label,
			stretchesOf(of[x.label]), m.about(x), m.Cut.Window)
	}
	return fmt.Errorf("class %q would be lost: the longest of its %s, %s, is %s, less than a window of %s; %s", x.label,
		stretchesOf(of[x.label]), m.about(x), lasts, m.Cut.Window, advice)
}

// stretchesOf counts stretches, of which a recording of one class is one.
func stretchesOf(n int) string {
	if n == 1 {
		return "1 stretch"
	}
	return text.Thousands(n) + " stretches"
}
