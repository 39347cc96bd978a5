package datasets

// This file counts what lies in holes of an .npz file's recordings: what is interpolated there was never measured.

import (
	"fmt"

	"github.com/clusterpool/ccp/datasets/recording"
)

// npzHoles counts holes series by series. Those of the training samples become the form's.
type npzHoles struct {
	*npzReader
	form       *recording.Form
	training   []bool // of the samples; nil: no split says which they are
	most       *recording.Holes
	values, of int
	samples    int     // with holes
	worst      float64 // the largest share of a sample, and its number
	worstAt    int
	longest    float64 // hole; the sample and the sensor that it is in
	longestAt  int
	sensor     string
	told       bool // some sample has so much in holes that a person should know
	late       int  // samples that begin without values, the most such time points, and the sample with them
	latest     int
	latestAt   int
}

// newHoles returns a count of the holes of all series.
func (r *npzReader) newHoles(form *recording.Form) *npzHoles {
	h := &npzHoles{npzReader: r, form: form}
	if split := r.raw.Split; split != nil && len(split.Train) > 0 {
		h.training = make([]bool, r.samples)
		for _, i := range split.Train {
			h.training[i] = true
		}
	}
	return h
}

// count adds the holes of series i.
func (h *npzHoles) count(i int, of recording.Holes) {
	if how := h.raw.made[i]; how != nil {
		how.MadeUp = of.Share
	}
	if h.training == nil || h.training[i] {
		h.most = h.most.Most(of, len(h.form.Sensors))
	}
	if late := of.Late(); late > 0 {
		h.late++
		if late > h.latest {
			h.latest, h.latestAt = late, i
		}
	}
	values, all := of.Values()
	h.values, h.of = h.values+values, h.of+all
	if values == 0 {
		return
	}
	h.samples++
	h.told = h.told || of.Told()
	if of.Share > h.worst {
		h.worst, h.worstAt = of.Share, i
	}
	if longest, sensor := of.LongestOf(); longest > h.longest {
		h.longest, h.longestAt, h.sensor = longest, i, h.form.Sensors[sensor]
	}
}

// settle tells of the holes, unless the series are to test a classifier, whose training has told of its own, and puts
// them into the form. What an import knows of its files stays: it has filled their holes.
func (h *npzHoles) settle() {
	if h.opts.Form != nil {
		return
	}
	if h.raw.Recorded == nil || h.raw.Recorded.Holes != nil {
		if h.form.Holes != nil {
			h.most = h.most.Most(*h.form.Holes, len(h.form.Sensors))
		}
		h.form.Holes = h.most
	}
	h.tellImport()
	if h.told {
		share := 100 * float64(h.values) / float64(max(1, h.of))
		longest := fmt.Sprintf("%.4g time points", h.longest)
		if h.form.Rate > 0 {
			longest = h.form.Step(1 / h.longest)
		}
		appendf(&h.raw.Warnings, "%.2g%% of the values at even time points lie in holes, pauses or several missing values "+
			"in a row, and are made up: in %d of %d series, at most %.2g%% (series[%d]); the longest is %s long "+
			"(series[%d], sensor %q)", share, h.samples, h.npzReader.samples, 100*h.worst, h.worstAt, longest, h.longestAt,
			h.sensor)
	}
	if h.late > 0 {
		appendf(&h.raw.Notes, "%d of %d series begin without values, up to %d time points (series[%d]): the first value is "+
			"repeated there, so that what follows keeps its place", h.late, h.npzReader.samples, h.latest, h.latestAt)
	}
}

// tellImport tells of what an import made up in holes: its series do not show it.
func (h *npzHoles) tellImport() {
	const least = 0.02 // of all values
	mean, holed, worst := 0.0, 0, 0
	for i, seen := range h.raw.asRead {
		mean += seen.MadeUp / float64(len(h.raw.asRead))
		if seen.MadeUp > 0 {
			holed++
		}
		if seen.MadeUp > h.raw.asRead[worst].MadeUp {
			worst = i
		}
	}
	if mean >= least {
		appendf(&h.raw.Warnings, "the import made up %.2g%% of the values at even time points: they lie in holes, where "+
			"nothing was measured, in %d of %d series, at most %.2g%% (series[%d])", 100*mean, holed, len(h.raw.asRead),
			100*h.raw.asRead[worst].MadeUp, worst)
	}
}

// judge returns what a person should know of a recording to classify, with what its holes tell. Where samples are
// classified, too much that is made up is an error; where a classifier is tested, it is told.
func (r *npzReader) judge(form *recording.Form, i int, changed recording.Changes) (notes []string, err error) {
	if r.opts.Form == nil {
		return changed.Notes, nil
	}
	err = r.judgeImport(form, i)
	if err != nil {
		return changed.Notes, err
	}
	note, err := form.Judge(changed.Holes)
	switch {
	case err != nil && r.predicts:
		return changed.Notes, err
	case err != nil:
		note = err.Error()
	}
	if note != "" {
		return append(changed.Notes, note), nil
	}
	return changed.Notes, nil
}

// noteRecording keeps what a person should know of recording i.
func (r *npzReader) noteRecording(i int, notes []string, timepoints int) {
	if r.series.untimed && timepoints > 1 {
		notes = append(notes, r.opts.Form.RateNote())
	}
	if notes == nil {
		return
	}
	if r.raw.SampleNotes == nil {
		r.raw.SampleNotes = make([][]string, r.samples)
	}
	r.raw.SampleNotes[i] = notes
}

// judgeImport returns an error if an import made up too much of a sample to classify.
func (r *npzReader) judgeImport(form *recording.Form, i int) error {
	if !r.judgesImport() || !form.TooMuch(r.raw.asRead[i].MadeUp) {
		return nil
	}
	return fmt.Errorf("the import made up %.2g%% of its values, in the training at most %.2g%%: a class would rest on "+
		"what was not measured", 100*r.raw.asRead[i].MadeUp, 100*form.Holes.Share)
}

// judgesImport reports that samples to classify are of an import, which has filled their holes and counted them.
func (r *npzReader) judgesImport() bool { return r.predicts && r.raw.asRead != nil }

// warnHoles warns of an import to classify whose recordings had more holes than those of the training: they were
// filled, and no series tells.
func (r *npzReader) warnHoles(form *recording.Form) {
	own, trained := form.Holes, r.opts.Form.Holes
	if own == nil || trained == nil || !own.Told() || own.Share <= trained.Share {
		return
	}
	r.raw.Warnings = append(r.raw.Warnings, fmt.Sprintf("the import made up %.2g%% of the values of a recording, "+
		"which lie in holes, and for the training at most %.2g%%: its class may be wrong", 100*own.Share, 100*trained.Share))
}
