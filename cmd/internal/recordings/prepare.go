package recordings

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/clusterpool/ccp/datasets/recording"
	"github.com/clusterpool/ccp/internal/text"
	"github.com/gomlx/gomlx/support/xslices"
)

// choose makes the form of the recordings.
func (m *making) choose() (err error) {
	if m.Origin != "" {
		if _, err := sensorOf(m.made.Sensors, m.Origin); err != nil {
			return fmt.Errorf("--origin %w", err)
		}
	}
	long := func(x *sample) bool { return x.Times != nil || x.Timepoints() > 1 }
	m.form = &recording.Form{Sensors: m.made.Sensors, Channels: m.made.Channels, Zeros: m.Missing == "zero",
		Origin:  m.Origin,
		Written: recording.Written{Gaps: m.Gaps, Second: m.chosen.second, Untracked: m.positions()},
		Filled:  m.Missing == "fill" || m.Missing == "" && !slices.ContainsFunc(m.samples, long), Scale: m.Scale}
	m.form.Rate = recording.Rate(len(m.samples), func(i int) recording.Recording { return m.samples[i].Recording })
	for _, gap := range m.Gaps {
		there := func(v float64) bool { return v == gap || v == float64(float32(gap)) }
		if !slices.ContainsFunc(m.samples, func(x *sample) bool { return slices.ContainsFunc(x.Values, there) }) {
			m.noteOf(fmt.Sprint("no gap ", gap), fmt.Sprintf("--gap %g: no recording has this value", gap))
		}
	}
	m.extremes = make([]recording.Extremes, m.form.Width())
	m.form.Reading, err = json.Marshal(m.settingsForAlike())
	return err
}

// positions reports whether the channels are positions of sensors in one space, of which no time point has all at 0.
func (m *making) positions() bool {
	return m.made.Channels > 1 && (m.Origin != "" || m.Parts != "" && m.Bodies > 0)
}

// prepare makes series at even time points of the samples: without gaps, less their origin. With windows it cuts them
// first.
func (m *making) prepare() error {
	if m.Cut.Window.Length > 0 {
		if err := m.cut(); err != nil {
			return err
		}
	} else {
		for _, x := range m.samples {
			if err := m.even(x); err != nil {
				return err
			}
		}
	}
	if m.zeroEnds.where != "" && m.zeroEnds.other == 0 {
		m.noteOf("zero ends", fmt.Sprintf("every sensor is 0 in the first or last time points of %s, such as %s, and "+
			"nowhere else: if nothing was measured there, say --gap 0",
			text.Count(m.zeroEnds.samples, "recording"), m.zeroEnds.where))
	}
	m.resampled.tell(m)
	for at := range m.extremes {
		for _, gap := range m.extremes[at].Gaps() {
			m.noteOf(fmt.Sprint("gap ", gap.Value), fmt.Sprintf("%s %s: if it stands for a missing value, say --gap %g",
				recording.Column(m.made.Sensors, m.made.Channels, at), gap, gap.Value))
		}
	}
	// a training could not learn from a sensor that is never there
	for at := 0; at < m.form.Width() && m.form.Filled; at++ {
		there := func(x *sample) bool { return x.test == "" && x.series[at] == x.series[at] }
		if !slices.ContainsFunc(m.samples, there) {
			return fmt.Errorf("%s has no value in any training sample; leave it out with --leave",
				recording.Column(m.made.Sensors, m.made.Channels, at))
		}
	}
	return nil
}

// even replaces the values of a sample, once prepared, by a series at even time points.
func (m *making) even(x *sample) error {
	m.noteZeroEnds(x)
	changes, err := m.form.Prepare(&x.Recording)
	if err != nil {
		return fmt.Errorf("%s: %w", x.where, err)
	}
	if m.made.Filled.Add(changes) {
		m.made.Filled.Samples++
	}
	m.made.Filled.Of += len(x.Values)
	for _, note := range changes.Notes {
		m.noteOf(note, fmt.Sprintf("%s, such as in %s", note, x.where))
	}
	m.roundedOff(x)
	m.resampled.add(m.form, x)
	x.series, x.Values = m.form.Even(x.Recording, nil), nil
	return nil
}

// resampled counts samples whose values are not those of the file, by the reason, and keeps the first of each.
type resampled struct {
	uneven, rate           int
	firstUneven, firstRate string
}

// add counts a sample, once prepared.
func (r *resampled) add(form *recording.Form, x *sample) {
	uneven, rate := form.Resamples(x.Recording)
	switch {
	case uneven:
		r.uneven, r.firstUneven = r.uneven+1, cmp.Or(r.firstUneven, x.where)
	case rate:
		r.rate, r.firstRate = r.rate+1, cmp.Or(r.firstRate, x.where)
	}
}

// tell notes how many samples are resampled, and why.
func (r *resampled) tell(m *making) {
	if r.uneven > 0 {
		m.note("times are uneven, in %s, such as %s: values are interpolated at even times",
			ofAll(r.uneven, len(m.samples)), r.firstUneven)
	}
	if r.rate > 0 {
		m.note("%s, such as %s, have another rate than most: resampled to %.4g time points a unit of time",
			ofAll(r.rate, len(m.samples)), r.firstRate, m.form.Rate)
	}
}

// ofAll writes a number of samples among all: 3 of 10 samples.
func ofAll(n, all int) string { return text.Thousands(n) + " of " + text.Count(all, "sample") }

// zeroEnds counts recordings that begin or end with time points at which every sensor is 0, as some programs write
// where nothing was measured.
type zeroEnds struct {
	samples int
	where   string // the first of them
	other   int    // zeros elsewhere, which show that 0 is a value like others
}

// noteZeroEnds looks for zeros at the ends of a sample of several columns, unless something says what zeros are: --gap
// 0, or positions, of which no time point has all at 0. The ends of windows are no ends of recordings, and show
// nothing.
func (m *making) noteZeroEnds(x *sample) {
	width := m.form.Width()
	known, cut := m.form.Untracked || slices.Contains(m.Gaps, 0), m.Cut.Window.Length > 0
	if width < 2 || known || cut || len(x.Values)%width != 0 {
		return
	}
	zero := func(row []float64) bool { return !slices.ContainsFunc(row, func(v float64) bool { return v != 0 }) }
	begin, end := 0, len(x.Values)
	for begin < end && zero(x.Values[begin:begin+width]) {
		begin += width
	}
	for end > begin && zero(x.Values[end-width:end]) {
		end -= width
	}
	for _, v := range x.Values[begin:end] {
		if v == 0 {
			m.zeroEnds.other++
		}
	}
	if begin > 0 || end < len(x.Values) {
		m.zeroEnds.samples++
		if m.zeroEnds.samples == 1 {
			m.zeroEnds.where = x.where
		}
	}
}

// roundedOff adds the values of a sample to the extremes of all, and notes a sensor whose values lie so far from zero
// that float32, which the file holds, cannot tell them apart.
func (m *making) roundedOff(x *sample) {
	const digits = 1 << 24 // of float32
	width := m.form.Width()
	for column := range width {
		least, most := math.Inf(1), math.Inf(-1)
		for at := column; at < len(x.Values); at += width {
			if v := x.Values[at]; v == v {
				least, most = min(least, v), max(most, v)
				m.extremes[column].Add(v)
			}
		}
		if far := max(-least, most); most > least && far/digits > (most-least)/100 {
			m.noteOf("rounded", fmt.Sprintf("%s goes from %.9g to %.9g in %s, and the file holds it in steps of %.2g: take a "+
				"constant from that column, or if all sensors are positions, let --origin %q take its first value from all",
				recording.Column(m.form.Sensors, m.form.Channels, column), least, most, x.where, 2*far/digits,
				m.form.Sensors[column/m.form.Channels]))
		}
	}
}

// cut replaces recordings by their windows, in groups that no split parts. It leaves out what fills no window, or has a
// sensor without any value.
func (m *making) cut() error {
	whole, names := m.samples, names(m.samples)
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
		for _, w := range windows {
			start, end := recording.TimeText(w.Start), recording.TimeText(w.End)
			one := &sample{Recording: ordered.Part(w), source: x.source, group: x.group,
				where: fmt.Sprintf("%s, window from %s to %s", x.where, start, end)}
			one.Name = names[i] + " from " + start
			if !m.grouped {
				one.group = names[i]
			}
			one.Values = slices.Clone(one.Values) // windows share values
			if err := m.even(one); err != nil {
				lost = append(lost, err)
				continue
			}
			m.samples = append(m.samples, one)
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
	m.grouped = true
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
