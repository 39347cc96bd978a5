package recordings

// This file makes the series of an import: it chooses the form of its recordings, fills gaps, makes times even, and
// cuts windows.

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
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

// cut replaces recordings by their windows, in groups that no split parts. It leaves out what fills no window, or has a
// sensor without any value.
func (m *making) cut() error {
	whole, names := m.samples, distinctNames(m.samples)
	var short, lost []error
	var notes []string
	m.samples = nil
	for i, x := range whole {
		ordered, windows, about, err := m.form.Windows(x.Recording, m.Cut, math.MaxInt)
		if err != nil {
			err = fmt.Errorf("%s: %w", x.where, err)
		}
		switch {
		case errors.Is(err, recording.ErrShort):
			short = append(short, err)
		case err != nil:
			return err
		case about != nil:
			notes = append(notes, names[i]+": "+about[0])
		}
		for _, w := range m.divided(windows) {
			start, end := text.Time(w.Start), text.Time(w.End)
			part := &sample{Recording: ordered.Part(w.Window), source: x.source, group: x.group,
				where: fmt.Sprintf("%s, window from %s to %s", x.where, start, end)}
			part.Name = names[i] + " from " + start
			part.test = cmp.Or(w.test, part.test)
			if !m.grouped && !m.TestEnds {
				part.group = names[i]
			}
			part.Values = slices.Clone(part.Values) // windows share values
			err := m.even(part)
			if err != nil {
				lost = append(lost, err)
				continue
			}
			m.samples = append(m.samples, part)
		}
	}
	if len(m.samples) == 0 {
		return slices.Concat(lost, short)[0]
	}
	if short != nil {
		m.note("%d of %d recordings are left out, the first: %v", len(short), len(whole), short[0])
	}
	if lost != nil {
		m.note("%d of %d windows are left out, the first: %v", len(lost), len(lost)+len(m.samples), lost[0])
	}
	if notes != nil {
		m.note("%s (of %d recordings a part is left out)", notes[0], len(notes))
	}
	m.grouped = m.grouped || !m.TestEnds
	m.made.ReadAs += fmt.Sprintf("; %s, cut into windows of %s", text.Count(len(whole), "recording"), m.Cut.Window)
	if m.Cut.Step.Length > 0 {
		m.made.ReadAs += ", a step of " + m.Cut.Step.String()
	}
	return nil
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

// String says how long the samples are.
func (m Timepoints) String() string {
	as := fmt.Sprintf("%d to %d time points, median %d", m.Shortest, m.Longest, m.Median)
	if m.Shortest == m.Longest {
		as = text.Count(m.Longest, "time point") + " in all samples"
	}
	if m.Rate > 0 {
		as += fmt.Sprintf(", %.4g of time apart", 1/m.Rate)
	}
	return as
}
