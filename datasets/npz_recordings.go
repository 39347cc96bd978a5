package datasets

// This file makes the raw series of a data set of an .npz file's recordings: it finds or completes their form, fills
// their gaps and makes their time points even.

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/clusterpool/ccp/datasets/internal/audit"
	"github.com/clusterpool/ccp/datasets/recording"
	"github.com/clusterpool/ccp/internal/loop"
	"github.com/clusterpool/ccp/internal/suggest"
)

// readRecordings makes the raw series of the recordings: without gaps, at even time points.
func (r *npzReader) readRecordings() error {
	s, raw := r.series, r.raw
	if s == nil || s.values == nil {
		return nil
	}
	form := r.form()
	own := form.Sensors
	err := r.completeForm(form)
	if err != nil {
		return err
	}
	if r.opts.Form == nil {
		r.warnGaps(form.Width(), r.visit,
			func(column int) string { return recording.Column(form.Sensors, form.Channels, column) })
	}
	r.warnPadding()
	changes, err := r.prepareSeries(form, own)
	if err != nil {
		return err
	}
	if s.other { // what the file has for its own sensors does not fit
		r.nodes, raw.Nodes = len(form.Sensors), len(form.Sensors)
		raw.Graph, raw.Directed, raw.Coordinates, raw.Parts = r.opts.Graph, nil, nil, nil
	}
	first := slices.IndexFunc(raw.SampleNotes, func(notes []string) bool { return notes != nil })
	if first >= 0 {
		appendf(&raw.Warnings, "series[%d]: %s", first, strings.Join(raw.SampleNotes[first], "; "))
	}
	if changes.Interpolated > 0 {
		appendf(&raw.Notes, "%d missing values were interpolated in time", changes.Interpolated)
	}
	if changes.Filled > 0 {
		appendf(&raw.Notes, "%d missing values were filled by neighbours or the mean of the training samples", changes.Filled)
	}
	raw.record(*form, r.opts)
	return nil
}

// form returns the form of an import, or makes one of the names and the rate that the file has.
func (r *npzReader) form() *recording.Form {
	s, form, trained := r.series, r.raw.Recorded, r.opts.Form
	if form != nil && s.times == nil {
		s.rate = cmp.Or(s.rate, form.Rate)
	}
	if form == nil {
		form = &recording.Form{Sensors: r.sensorNames(), Channels: r.raw.Channels, Rate: s.rate}
	}
	if form.Rate == 0 && s.times != nil {
		form.Rate = recording.Rate(r.samples, r.recording)
	}
	s.untimed = trained != nil && trained.Rate > 0 && form.Rate == 0
	if form.Cut == nil {
		form.Cut = r.cut(form.Rate > 0)
	}
	return form
}

// sensorNames returns the names of the sensors in a file that no import has made. Without names they are those of the
// training, if that has as many, and else numbers.
func (r *npzReader) sensorNames() []string {
	names, trained := r.series.names, r.opts.Form
	if names == nil && trained != nil && len(trained.Sensors) == r.nodes {
		return trained.Sensors
	}
	known := len(names) // fewer than all in a damaged file
	if known < r.nodes {
		names = append(names, recording.Numbered(known, r.nodes)...)
	}
	return names
}

// completeForm completes the form of the file's recordings. If they are to train on, it learns what gaps are filled
// with. If they are to test a classifier, all of that comes from the classifier's form. Where the file has some of its
// sensors, in any order, the form has exactly its sensors, and recordings are brought to them by name.
func (r *npzReader) completeForm(form *recording.Form) (err error) {
	trained, s := r.opts.Form, r.series
	if trained == nil {
		form.Filled = form.Filled || r.gaps()
		if form.Filled && form.Fill == nil {
			form.Fill, err = r.learnFill(form)
		}
		return err
	}
	form.Rate = cmp.Or(trained.Rate, form.Rate)
	form.Zeros, form.Filled, form.Fill, form.Gaps = trained.Zeros, trained.Filled, trained.Fill, trained.Gaps
	r.warnHoles(form)
	form.Holes = trained.Holes
	areNamed := s.names != nil || r.raw.Recorded != nil
	if !areNamed || form.Channels != trained.Channels || slices.Equal(form.Sensors, trained.Sensors) {
		return nil
	}
	_, missing, _, _ := suggest.Match(trained.Sensors, form.Sensors)
	if len(missing) == len(trained.Sensors) { // none is the training's
		return nil
	}
	own := recording.Form{Sensors: form.Sensors, Channels: form.Channels}
	s.other, form.Sensors = true, trained.Sensors
	return own.Check()
}

// learnFill learns from the training samples, or from all if there are none, what sensors without a value are filled
// with.
func (r *npzReader) learnFill(form *recording.Form) (*recording.Fill, error) {
	samples, graph := loop.Indices(r.samples), r.raw.Graph
	if r.raw.Split != nil && len(r.raw.Split.Train) > 0 {
		samples = r.raw.Split.Train
	}
	var links [][2]int
	switch {
	case graph != nil:
		for _, edge := range graph.EdgeList() {
			if edge.I != edge.J {
				links = append(links, [2]int{edge.I, edge.J})
			}
		}
	case r.nodes <= allLinked:
		for a := range r.nodes {
			for b := a + 1; b < r.nodes; b++ {
				links = append(links, [2]int{a, b})
			}
		}
	}
	return recording.NewFill(form.Sensors, form.Channels, links, func(yield func(row []float64)) {
		for _, i := range samples {
			for row := range slices.Chunk(r.recording(i).Values, form.Width()) {
				yield(row)
			}
		}
	})
}

// prepareSeries fills the gaps of each recording and makes its time points even, in the memory of what was read. own
// are the file's names of the sensors. Recordings that need neither are only turned.
func (r *npzReader) prepareSeries(form *recording.Form, own []string) (changes recording.Changes, err error) {
	plain := *form
	plain.Origin, plain.Untracked = "", false // what an import has done
	r.raw.Series = make([][]float32, r.samples)
	checked := false
	uneven, rate := 0, 0
	h := r.newHoles(form)
	prepared := r.series.times != nil || r.retimed() || r.series.other || plain.Gaps != nil || r.judgesImport()
	made := r.looksAt()
	read := func(i int, x recording.Recording) error {
		changed, err := plain.Prepare(&x)
		if err == nil {
			h.count(i, changed.Holes)
			changed.Notes, err = r.judge(&plain, i, changed)
		}
		if err != nil {
			return err
		}
		changes.Add(changed)
		r.noteRecording(i, changed.Notes, x.Timepoints())
		byTimes, byRate := plain.Resamples(x)
		switch {
		case byTimes:
			uneven++
		case byRate:
			rate++
		}
		r.raw.Series[i] = plain.Even(x, r.sample(i))
		return nil
	}
	if r.soFar {
		read = r.readerSoFar(plain)
	}
	for i := range r.raw.Series {
		if checked && !prepared && r.takeTurned(i, h) {
			continue
		}
		x := r.recording(i)
		if !checked || r.series.other { // else the names are checked once
			x.Sensors = own
		}
		if made[i] {
			r.raw.made[i] = howMade(x, &plain)
		}
		err := read(i, x)
		checked = checked || err == nil
		if err != nil && r.skip != nil {
			r.skip(i, err)
			continue
		}
		if err != nil {
			return changes, fmt.Errorf("series[%d]: %w", i, err)
		}
	}
	r.noteResampled(uneven, rate, &plain)
	h.settle()
	r.series.values, r.series.room, r.series.buffer = nil, nil, nil
	return changes, nil
}

// howMade says how a recording was made that is not prepared yet.
func howMade(x recording.Recording, form *recording.Form) *audit.Making {
	how := audit.Made(loop.Convert[float32](x.Values), form.Width(), form.Rate)
	x.Channels = form.Channels
	how.Rate, how.Jitter = x.Timing()
	if len(x.Times) > 0 {
		how.Begin = x.Times[0]
	}
	return &how
}

// takeTurned takes a complete recording as it is, but turned. It reports false if the recording is not complete.
func (r *npzReader) takeTurned(i int, h *npzHoles) bool {
	series := r.turned(i)
	if series == nil {
		return false
	}
	r.raw.Series[i] = series
	h.count(i, recording.Holes{})
	r.noteRecording(i, nil, len(series)/h.form.Width())
	return true
}

// turned puts the values of sample i, `[sensors, timepoints, axes]`, in the order of a series, `[timepoints, sensors,
// axes]`, where they lie, without the time points at the end at which nothing was measured. It is nil, and the values
// stay as they are, if a value is missing or infinite.
func (r *npzReader) turned(i int) []float32 {
	sensors, axes, end := r.nodes, r.raw.Channels, r.timepoints(i)
	sample, row, width := r.sample(i), r.series.timepoints*axes, sensors*axes
	for end > 1 && r.nothingAt(sample, end-1) {
		end--
	}
	for sensor := range sensors {
		if !allFinite(sample[sensor*row:][:end*axes]) {
			return nil
		}
	}
	if sensors == 1 {
		return sample[:end*axes]
	}
	if r.series.room == nil {
		r.series.room = make([]float32, len(sample))
	}
	room := r.series.room[:end*width]
	const atOnce = 64 // time points, so that both places stay in the processor's cache
	for from := 0; from < end; from += atOnce {
		to := min(from+atOnce, end)
		for sensor := range sensors {
			values := sample[sensor*row+from*axes : sensor*row+to*axes]
			if axes == 1 {
				for k, v := range values {
					room[(from+k)*sensors+sensor] = v
				}
				continue
			}
			for k := range to - from {
				copy(room[(from+k)*width+sensor*axes:][:axes], values[k*axes:])
			}
		}
	}
	copy(sample, room)
	return sample[:len(room)]
}

// nothingAt reports whether no sensor has a value at a time point of a sample.
func (r *npzReader) nothingAt(sample []float32, timepoint int) bool {
	axes := r.raw.Channels
	for sensor := range r.nodes {
		for _, v := range sample[(sensor*r.series.timepoints+timepoint)*axes:][:axes] {
			if v == v {
				return false
			}
		}
	}
	return true
}

// looksAt returns the samples of which the audit asks how they were made: some of those to train on.
func (r *npzReader) looksAt() map[int]bool {
	if r.opts.Form != nil || r.raw.Split == nil {
		return nil
	}
	chosen := map[int]bool{}
	for _, i := range chosenOf(r.raw.Split.Train, auditedSamples) {
		chosen[i] = true
	}
	r.raw.made = make(map[int]*audit.Making, len(chosen))
	return chosen
}

// noteResampled notes how many series were resampled, unless they are to test a classifier, and why.
func (r *npzReader) noteResampled(uneven, rate int, to *recording.Form) {
	if r.opts.Form != nil {
		return
	}
	if uneven > 0 {
		appendf(&r.raw.Notes, "times are uneven in %d of %d series: values are interpolated at even times", uneven, r.samples)
	}
	if rate > 0 {
		appendf(&r.raw.Notes, "%d of %d series have another rate than most: resampled to time points %s apart",
			rate, r.samples, to.Step(to.Rate))
	}
}
