package datasets

// This file reads recordings of an .npz file whose class is told before their end.

import "github.com/clusterpool/ccp/datasets/recording"

// readerSoFar returns what makes the series of a recording as far as it can be read. An import has filled the holes of
// its recordings and does not tell where they were.
func (r *npzReader) readerSoFar(form recording.Form) func(i int, x recording.Recording) error {
	form.Shortest, form.Longest = r.opts.Form.Shortest, r.opts.Form.Longest
	r.raw.Unread = make([]*recording.Unread, r.samples)
	return func(i int, x recording.Recording) error {
		err := r.judgeImport(&form, i)
		if err != nil {
			return err
		}
		if x.Times == nil && r.series.rate > 0 {
			x.Times = r.counted(i)
		}
		series, unread, notes, err := form.SoFar(x)
		if err == nil {
			r.raw.Series[i], r.raw.Unread[i] = series, unread
			r.noteRecording(i, notes, 0) // SoFar has told of its rate
		}
		return err
	}
}
