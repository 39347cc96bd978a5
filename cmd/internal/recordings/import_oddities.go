package recordings

// This file notes what is odd about the values and the times of an import: zeros at the ends, values that float32
// cannot tell apart, and series that are resampled.

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/clusterpool/ccp/datasets/recording"
	"github.com/clusterpool/ccp/internal/text"
)

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

// note notes how many samples are resampled, and why.
func (r *resampled) note(m *making) {
	if r.uneven > 0 {
		m.note("times are uneven, in %s, such as %s: values are interpolated at even times",
			ofAll(r.uneven, len(m.samples)), r.firstUneven)
	}
	if r.rate > 0 {
		m.note("%s, such as %s, have another rate than most: resampled to time points %s apart",
			ofAll(r.rate, len(m.samples)), r.firstRate, m.form.Step(m.form.Rate))
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

// countZeroEnds looks for zeros at the ends of a sample of several columns, unless something says what zeros are: --gap
// 0, or positions, of which no time point has all at 0. The ends of windows are no ends of recordings, and show
// nothing.
func (m *making) countZeroEnds(x *sample) {
	width := m.form.Width()
	known, cut := m.form.Untracked || slices.Contains(m.Gaps, 0), m.Cut.Window.Length > 0
	if width < 2 || known || cut || len(x.Values)%width != 0 {
		return
	}
	allZero := func(row []float64) bool { return !slices.ContainsFunc(row, func(v float64) bool { return v != 0 }) }
	begin, end := 0, len(x.Values)
	for begin < end && allZero(x.Values[begin:begin+width]) {
		begin += width
	}
	for end > begin && allZero(x.Values[end-width:end]) {
		end -= width
	}
	for _, v := range x.Values[begin:end] {
		if v == 0 {
			m.zeroEnds.other++
		}
	}
	if begin > 0 || end < len(x.Values) {
		m.zeroEnds.samples++
		m.zeroEnds.where = cmp.Or(m.zeroEnds.where, x.where)
	}
}

// noteZeroEndsAlone notes zeros at the ends of recordings, if there are none elsewhere.
func (m *making) noteZeroEndsAlone() {
	if m.zeroEnds.samples > 0 && m.zeroEnds.other == 0 {
		m.noteOf("zero ends", fmt.Sprintf("every sensor is 0 in the first or last time points of %s, such as %s, and "+
			"nowhere else: if nothing was measured there, say --gap 0",
			text.Count(m.zeroEnds.samples, "recording"), m.zeroEnds.where))
	}
}

// addExtremes adds the values of a sample to the extremes of all, and notes a sensor whose values lie so far from zero
// that float32, which the file holds, cannot tell them apart.
func (m *making) addExtremes(x *sample) {
	const digits = 1 << 24 // of float32
	width := m.form.Width()
	for column := range width {
		least, most := math.Inf(1), math.Inf(-1)
		for at := column; at < len(x.Values); at += width {
			v := x.Values[at]
			if math.IsNaN(v) {
				continue
			}
			least, most = min(least, v), max(most, v)
			m.extremes[column].Add(v)
		}
		far := max(-least, most)
		if most > least && far/digits > (most-least)/100 {
			m.noteOf("rounded", fmt.Sprintf("%s goes from %.9g to %.9g in %s, and the file holds it in steps of %.2g: take a "+
				"constant from that column, or if all sensors are positions, let --origin %q take its first value from all",
				recording.Column(m.form.Sensors, m.form.Channels, column), least, most, x.where, 2*far/digits,
				m.form.Sensors[column/m.form.Channels]))
		}
	}
}
