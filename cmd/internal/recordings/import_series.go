package recordings

// This file makes the series of an import: it chooses the form of its recordings, fills gaps, makes times even, and
// cuts windows.

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"

	"github.com/clusterpool/ccp/datasets/recording"
	"github.com/clusterpool/ccp/internal/extremes"
	"github.com/clusterpool/ccp/internal/text"
	"github.com/gomlx/gomlx/support/xslices"
)

// chooseForm makes the form of the recordings.
func (m *making) chooseForm() (err error) {
	if m.Origin != "" {
		_, err := sensorOf(m.made.Sensors, m.Origin)
		if err != nil {
			return fmt.Errorf("--origin %w", err)
		}
	}
	isInTime := func(x *sample) bool { return x.Times != nil || x.Timepoints() > 1 }
	fills := m.Missing == "fill" || m.Missing == "" && !slices.ContainsFunc(m.samples, isInTime)
	m.form = &recording.Form{Sensors: m.made.Sensors, Channels: m.made.Channels, Zeros: m.Missing == "zero",
		Origin: m.Origin,
		Gaps:   m.Gaps, Second: m.chosen.second, Untracked: m.arePositions(),
		Filled: fills, Scale: m.Scale, Axis: m.axis}
	m.form.Rate = recording.Rate(len(m.samples), func(i int) recording.Recording { return m.samples[i].Recording })
	m.noteUnseenGaps()
	m.extremes = make([]extremes.Column, m.form.Width())
	m.form.Reading, err = json.Marshal(m.settingsForAlike())
	return err
}

// noteUnseenGaps notes the values of --gap that no recording has.
func (m *making) noteUnseenGaps() {
	for _, gap := range m.Gaps {
		isGap := func(v float64) bool { return v == gap || v == float64(float32(gap)) }
		if !slices.ContainsFunc(m.samples, func(x *sample) bool { return slices.ContainsFunc(x.Values, isGap) }) {
			m.noteOf(fmt.Sprint("no gap ", gap), fmt.Sprintf("--gap %g: no recording has this value", gap))
		}
	}
}

// arePositions reports whether the channels are positions of sensors in one space, of which no time point has all at 0.
func (m *making) arePositions() bool {
	return m.made.Channels > 1 && (m.Origin != "" || m.Parts != "" && m.Bodies > 0)
}

// prepare makes series at even time points of the samples: without gaps, less their origin. With windows it cuts them
// first.
func (m *making) prepare() error {
	if m.Cut.Window.Length > 0 {
		err := m.cut()
		if err != nil {
			return err
		}
	} else {
		for _, x := range m.samples {
			err := m.even(x)
			if err != nil {
				return err
			}
		}
	}
	m.noteZeroEndsAlone()
	m.resampled.note(m)
	m.settleHoles()
	for column := range m.extremes {
		for _, gap := range m.extremes[column].Gaps() {
			m.noteOf(fmt.Sprint("gap ", gap.Value), fmt.Sprintf("%s %s: if it stands for a missing value, say --gap %g",
				recording.Column(m.made.Sensors, m.made.Channels, column), gap, gap.Value))
		}
	}
	return m.checkAllMeasured()
}

// checkAllMeasured returns an error if a sensor has no value in any training sample: a training could not learn what to
// fill it with.
func (m *making) checkAllMeasured() error {
	if !m.form.Filled {
		return nil
	}
	for column := range m.form.Width() {
		isMeasured := func(x *sample) bool { return x.test == "" && !math.IsNaN(float64(x.series[column])) }
		if !slices.ContainsFunc(m.samples, isMeasured) {
			return fmt.Errorf("%s has no value in any training sample; leave it out with --leave",
				recording.Column(m.made.Sensors, m.made.Channels, column))
		}
	}
	return nil
}

// even replaces the values of a sample, once prepared, by a series at even time points.
func (m *making) even(x *sample) error {
	m.countZeroEnds(x)
	rate, jitter := x.Timing()
	changes, err := m.form.Prepare(&x.Recording)
	if err != nil {
		return fmt.Errorf("%s: %w", x.where, err)
	}
	if m.made.Filled.Add(changes) {
		m.made.Filled.Samples++
	}
	m.made.Filled.Of += len(x.Values)
	m.countHoles(x, &changes.Holes)
	missing := changes.Interpolated + changes.Zeros + changes.Filled
	x.seen = [asReadColumns]float32{float32(x.Timepoints()), float32(rate), float32(jitter),
		float32(missing) / float32(max(1, len(x.Values))), float32(changes.Holes.Share)}
	m.holes.unseen = m.holes.unseen || rate > 0 || missing > 0
	for _, note := range changes.Notes {
		m.noteOf(note, fmt.Sprintf("%s, such as in %s", note, x.where))
	}
	m.addExtremes(x)
	m.resampled.add(m.form, x)
	x.series, x.Values = m.form.Even(x.Recording, nil), nil
	return nil
}

// cut replaces recordings, or stretches of one class, by their windows, in groups that no split parts. It leaves out
// what fills no window, or has a sensor without any value.
func (m *making) cut() error {
	c := cutter{making: m, whole: m.samples, ends: m.testsEnds(), events: map[string]eventCount{}}
	names, recordings := distinctNames(m.samples), map[int]bool{}
	m.samples = nil
	for i, x := range c.whole {
		err := c.add(x, names[i])
		if err != nil {
			return err
		}
		recordings[x.of] = true
	}
	err := c.check()
	if err != nil {
		return err
	}
	c.note()
	m.grouped = m.grouped || !c.ends
	what := text.Count(len(recordings), "recording")
	if len(recordings) < len(c.whole) {
		what = fmt.Sprintf("%s of one class in %s", stretchesOf(len(c.whole)), what)
	}
	m.made.ReadAs += fmt.Sprintf("; %s, cut into windows of %s", what, m.Cut.Window)
	if m.Cut.Step.Length > 0 {
		m.made.ReadAs += ", a step of " + m.Cut.Step.String()
	}
	m.form.Cut, m.form.Rest, m.form.Ahead = &m.Cut, m.Rest, m.Ahead
	return nil
}

// check returns an error if no window is left, or none of a class.
func (c *cutter) check() error {
	switch {
	case len(c.samples) == 0 && c.left != (leftOut{}):
		return fmt.Errorf("no window of %s is left: left out are %s; give a shorter --after or --ahead", c.Cut.Window,
			c.allLeft())
	case len(c.samples) == 0 && c.lost == nil && slices.ContainsFunc(c.whole, func(x *sample) bool { return x.isPart }):
		return c.refuseLostClasses(c.whole)
	case len(c.samples) == 0:
		return slices.Concat(c.lost, c.short)[0]
	case c.Ahead.Length > 0:
		return c.checkAhead()
	}
	return c.refuseLostClasses(c.whole)
}

// cutter is the cutting of recordings, or of stretches, into windows.
type cutter struct {
	*making
	whole       []*sample
	ends        bool                  // the last windows are the test
	short, lost []error               // recordings and windows that are left out
	left        leftOut               // windows that early warning leaves out
	points      int                   // time points of all
	outside     int                   // those in no window
	events      map[string]eventCount // by class, for early warning
}

// add cuts a recording, or a stretch.
func (c *cutter) add(x *sample, name string) error {
	m := c.making
	ordered, windows, about, err := m.form.Windows(x.Recording, m.Cut, math.MaxInt)
	if err != nil {
		err = fmt.Errorf("%s: %w", m.about(x), err)
	}
	c.countOutside(x, windows)
	switch {
	case errors.Is(err, recording.ErrShort):
		c.short = append(c.short, err)
		return nil
	case err != nil:
		return err
	case about != nil:
		c.keepNotes(x, about)
	}
	if m.Ahead.Length > 0 {
		warned, left, err := m.warnings(x, windows)
		if err != nil {
			return fmt.Errorf("%s: %w", x.where, err)
		}
		c.left.near, c.left.unknown = c.left.near+left.near, c.left.unknown+left.unknown
		c.countEvents(x, warned)
		for _, w := range warned {
			c.take(x, ordered, w.Window, fmt.Sprintf("%s event %d", name, w.after+1), w.label, "", name)
		}
		return nil
	}
	for _, w := range withEnds(windows, c.ends) {
		c.take(x, ordered, w.Window, name, x.label, w.test, name)
		m.made.SplitBy = cmp.Or(m.made.SplitBy, w.test)
	}
	return nil
}

// counts are the numbers in a note.
var counts = regexp.MustCompile(`[0-9.]+`)

// keepNotes keeps what a person should know of the windows of a recording or a stretch. Notes that differ by their
// numbers alone are of one kind, of which the first is told: windows in gaps are another kind than what is left at
// ends.
func (c *cutter) keepNotes(x *sample, about []string) {
	for _, note := range about {
		c.noteAmong(counts.ReplaceAllString(note, "0"), c.about(x)+": "+note, c.wholeCount())
	}
}

// wholeCount says how many recordings or stretches are cut.
func (c *cutter) wholeCount() string {
	if slices.ContainsFunc(c.whole, func(x *sample) bool { return x.isPart }) {
		return stretchesOf(len(c.whole))
	}
	return text.Count(len(c.whole), "recording")
}

// countOutside counts the time points of a recording or a stretch, and those in none of its windows.
func (c *cutter) countOutside(x *sample, windows []recording.Window) {
	reached, inside := 0, 0
	for _, w := range windows {
		inside += max(0, w.To-max(reached, w.From))
		reached = max(reached, w.To)
	}
	c.points, c.outside = c.points+x.Timepoints(), c.outside+x.Timepoints()-inside
}

// take makes a sample of a window of a recording or a stretch, whose name is given. Its class and its group are those
// given, unless samples have groups.
func (c *cutter) take(x *sample, ordered recording.Recording, w recording.Window, group, label, test, name string) {
	m := c.making
	start, end := c.begin(x, w.Start), c.begin(x, w.End)
	part := &sample{Recording: ordered.Part(w), source: x.source, group: x.group,
		where: fmt.Sprintf("%s, window from %s to %s", x.where, start, end)}
	part.Name = name + " from " + start
	part.label, part.test = label, cmp.Or(test, part.test)
	if !m.grouped && !c.ends {
		part.group = group
	}
	part.Values = slices.Clone(part.Values) // windows share values
	err := m.even(part)
	if err != nil {
		c.lost = append(c.lost, err)
		return
	}
	before := 0.0 // time of the recording before the stretch
	if x.Times == nil {
		before = float64(x.from) / cmp.Or(m.form.Rate, 1)
	}
	part.window = window{start: before + w.Start, end: before + w.End}
	part.window.stretch = c.stretchOf(x, label, part.window)
	m.samples = append(m.samples, part)
}

// begin writes a time of a recording or a stretch as its file does. Times of day that come again have the day, counted
// from the first, so that windows have names of their own.
func (c *cutter) begin(x *sample, at float64) string {
	if x.Times == nil {
		return text.Time(at)
	}
	written := x.Written.Text(at)
	if days := int((at - x.Times[0]) / secondsOfDay); c.making.ofDay && days > 0 {
		written += fmt.Sprintf(" on day %d", days+1)
	}
	return written
}

// stretchOf returns the number of the stretch that the next window of this class is of. With --ahead a stretch goes
// from the first to the last of windows of one class that follow each other; else it is what was cut.
func (c *cutter) stretchOf(x *sample, label string, w window) int {
	one, last := stretch{recording: x.of, label: label}, len(c.stretches)-1
	one.start, one.end = c.spanOf(x)
	if c.Ahead.Length > 0 {
		one.start, one.end = w.start, w.end
	}
	if last >= 0 && c.Ahead.Length > 0 && c.stretches[last].recording == x.of && c.stretches[last].label == label {
		c.stretches[last].end = w.end
		return last
	}
	if last < 0 || c.stretches[last] != one {
		c.stretches, last = append(c.stretches, one), last+1
	}
	return last
}

// note tells of what was left out.
func (c *cutter) note() {
	if c.outside > 0 && len(c.whole) > 1 {
		between := ""
		if c.Cut.Step.Length > c.Cut.Window.Length {
			between = "between two, "
		}
		c.making.note("%s of %s time points of %s are in no window: those behind the last, %sin gaps, or of what is shorter "+
			"than one", text.Thousands(c.outside), text.Thousands(c.points), c.wholeCount(), between)
	}
	if c.short != nil {
		c.making.note("%d of %s are left out, the first: %v", len(c.short), c.wholeCount(), c.short[0])
	}
	if c.lost != nil {
		c.making.note("%d of %d windows are left out, the first: %v", len(c.lost), len(c.lost)+len(c.samples), c.lost[0])
	}
	c.noteLeft()
	c.noteEvents()
}

// Timepoints are the lengths of the samples at even time points.
type Timepoints struct {
	Shortest int     `json:"shortest"`
	Median   int     `json:"median"`
	Longest  int     `json:"longest"`
	Rate     float64 `json:"rate"` // in a unit of the files' times; 0: unknown
}

// timepoints returns the lengths of samples that are prepared.
func (m *making) timepoints() Timepoints {
	lengths := xslices.Map(m.samples, func(x *sample) int { return len(x.series) / m.form.Width() })
	slices.Sort(lengths)
	return Timepoints{lengths[0], lengths[len(lengths)/2], lengths[len(lengths)-1], m.form.Rate}
}

// lengths says how long samples of these time points are, whose recordings have a form.
func (m Timepoints) lengths(form *recording.Form) string {
	as := fmt.Sprintf("%d to %d time points, median %d", m.Shortest, m.Longest, m.Median)
	if m.Shortest == m.Longest {
		as = text.Count(m.Longest, "time point") + " in all samples"
	}
	if m.Rate > 0 {
		as += fmt.Sprintf(", %s apart", form.Step(m.Rate))
	}
	return as
}
