package datasets

// This file reads where in their recordings the windows of an import lie, and what came after what there.

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/clusterpool/ccp/datasets/recording"
)

// Stretch is a part of a recording in which the class stays the same. Start and End are in the unit of the recording's
// times or, if it has none and no rate, time points.
type Stretch struct {
	Recording  int
	Start, End float64
	Class      int
}

// Window says where in its recording a sample was cut, and of which of Raw.Stretches. Start and End are as in Stretch.
type Window struct {
	Stretch    int
	Start, End float64
}

// readStreams reads `stretches`, [stretches, 4], and `windows`, [samples, 3], which ccp data import writes of windows.
func (r *npzReader) readStreams() error {
	if r.series == nil || !r.Has("stretches") || !r.Has("windows") || r.samples <= 0 {
		return nil
	}
	stretches, err := r.rows("stretches", -1, 4)
	if err != nil {
		return err
	}
	windows, err := r.rows("windows", r.samples, 3)
	if err != nil {
		return err
	}
	isIndex := func(v float64, below int) bool { return v == math.Trunc(v) && v >= 0 && v < float64(below) }
	for i, row := range stretches {
		if !isIndex(row[0], math.MaxInt32) || !(row[1] <= row[2]) || !isIndex(row[3], len(r.raw.ClassNames)) {
			return fmt.Errorf("stretches[%d] is %v; want a recording, a begin, an end after it and a class below %d; leave the "+
				"array out", i, row, len(r.raw.ClassNames))
		}
		r.raw.Stretches = append(r.raw.Stretches, Stretch{int(row[0]), row[1], row[2], int(row[3])})
	}
	for i, row := range windows {
		if !isIndex(row[0], len(stretches)) || !(row[1] <= row[2]) {
			return fmt.Errorf("windows[%d] is %v; want a stretch below %d, a begin and an end after it; leave the array out", i,
				row, len(stretches))
		}
		r.raw.Windows = append(r.raw.Windows, Window{int(row[0]), row[1], row[2]})
	}
	return nil
}

// cut returns how the windows of the file were cut: their usual length, and the usual step from the begin of one to
// that of the next in its stretch; nil if the file has none. Both are seconds if there are times, else time points.
func (r *npzReader) cut(timed bool) *recording.Cut {
	var lengths, steps []float64
	for i, w := range r.raw.Windows {
		lengths = append(lengths, w.End-w.Start)
		if i == 0 || w.Stretch != r.raw.Windows[i-1].Stretch {
			continue
		}
		if step := w.Start - r.raw.Windows[i-1].Start; step > 0 {
			steps = append(steps, step)
		}
	}
	if lengths == nil || usual(lengths) == 0 {
		return nil
	}
	cut := recording.Cut{Window: recording.Span{Length: usual(lengths), Timepoints: !timed}}
	if steps != nil {
		cut.Step = recording.Span{Length: usual(steps), Timepoints: !timed}
	}
	return &cut
}

// usual returns the median of some times, to nanoseconds. It sorts them.
func usual(times []float64) float64 {
	slices.Sort(times)
	return math.Round(times[len(times)/2]*1e9) / 1e9
}

// rows reads an array of so many rows, or any number for -1, of finite numbers.
func (r *npzReader) rows(name string, count, width int) (rows [][]float64, err error) {
	a, err := r.Array(name)
	if err != nil {
		return nil, err
	}
	if len(a.Shape) != 2 || a.Shape[1] != width || count >= 0 && a.Shape[0] != count {
		return nil, fmt.Errorf("%s has shape %v; want a row of %d numbers for each, as ccp data import writes it; "+
			"leave it out if samples were changed after the import", name, a.Shape, width)
	}
	values, err := a.Floats()
	if err != nil {
		return nil, err
	}
	for i := range a.Shape[0] {
		row := values[i*width : (i+1)*width]
		for _, v := range row {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, errors.New(a.Element(name, i*width) + " and what follows: want finite numbers; leave the array out")
			}
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// warnSessions warns that the test has stretches of recordings that are trained on, too.
func (d *Dataset) warnSessions() {
	if d.Windows == nil {
		return
	}
	stretchesOf := func(samples []int) (stretches, recordings map[int]bool) {
		stretches, recordings = map[int]bool{}, map[int]bool{}
		for _, i := range samples {
			at := d.Windows[i].Stretch
			stretches[at], recordings[d.Stretches[at].Recording] = true, true
		}
		return stretches, recordings
	}
	tested, testRecordings := stretchesOf(d.Test)
	_, trained := stretchesOf(d.Train)
	shared := 0
	for recording := range testRecordings {
		if trained[recording] {
			shared++
		}
	}
	if shared > 0 {
		appendf(&d.Warnings,
			"%d of %d recordings with a test stretch are trained on, too (%d test stretches in all): the test "+
				"says little about another day or person; ccp data import --test PATTERN tests on whole recordings",
			shared, len(testRecordings), len(tested))
	}
}
