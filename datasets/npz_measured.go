package datasets

// This file gives the recordings of an .npz file as they were measured, so that they can be cut into windows.

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/clusterpool/ccp/datasets/recording"
)

// ReadMeasured reads the recordings of an .npz file as they were measured, for recording.Form.Windows: gaps stay gaps,
// and time points have their own times. Where there are times or a rate, a time point at which nothing was measured is
// left out, so that a pause is one as it is in a table. skip is called with the name of a recording that cannot be
// read, and the reason; if it is nil, that is an error. The warnings are what a person should know of the file's other
// arrays. Errors name the array.
func ReadMeasured(path string, form *recording.Form, skip func(name string, err error)) (all []recording.Recording,
	warnings []string, err error) {
	r, err := openNPZ(path, Options{Form: form})
	if err != nil {
		return nil, nil, err
	}
	defer r.Close()
	r.predicts = true
	if skip != nil { // then takeSeries leaves values that are no numbers to those who cut
		r.skip = func(int, error) {}
	}
	var sensors []string // the file's own
	takeForm := func() (err error) {
		sensors, err = r.takeForm()
		return err
	}
	fits := func() error { return form.Fits(r.raw.Recorded) }
	for _, step := range []func() error{r.readFeatures, r.readForm, r.readNames, takeForm, r.fits, fits} {
		if err := step(); err != nil {
			return nil, nil, r.Errorf("%w", separate(err)[0])
		}
	}
	for i := range r.samples {
		x := r.measured(i, sensors)
		if len(x.Values) > 0 {
			all = append(all, x)
			continue
		}
		nothing := errors.New("it has no values")
		if skip == nil {
			return nil, nil, r.Errorf("series[%d] (%s): %w", i, x.Name, nothing)
		}
		skip(x.Name, nothing)
	}
	return all, r.raw.Warnings, nil
}

// takeForm completes the form of the recordings, and returns the file's own names of the sensors.
func (r *npzReader) takeForm() ([]string, error) {
	if r.series == nil {
		return nil, nil
	}
	form := r.form()
	if r.raw.Recorded != nil && form.Origin != "" {
		return nil, fmt.Errorf("an import has subtracted the first position of %q from each recording, and windows have "+
			"first positions of their own; give the recordings that were imported", form.Origin)
	}
	own := form.Sensors
	err := r.completeForm(form)
	r.raw.record(*form, r.opts)
	return own, err
}

// measured returns sample i with its name, sensors and times.
func (r *npzReader) measured(i int, sensors []string) recording.Recording {
	x := r.recording(i)
	x.Name, x.Sensors, x.Channels, x.Values = r.nameOf(i), sensors, r.raw.Channels, slices.Clone(x.Values)
	if x.Times == nil && r.series.rate > 0 {
		x.Times = r.counted(i)
	}
	leaveOutUnmeasured(&x)
	return x
}

// nameOf names a sample; one without a name is numbered.
func (r *npzReader) nameOf(sample int) string {
	if r.raw.SampleNames == nil {
		return strconv.Itoa(sample)
	}
	return r.raw.SampleNames[sample]
}

// leaveOutUnmeasured leaves out the time points of a recording that have no value; of one without times those at its
// end, as the others count.
func leaveOutUnmeasured(x *recording.Recording) {
	width, isMeasured := len(x.Sensors)*x.Channels, func(v float64) bool { return v == v }
	kept := 0
	for timepoint := range len(x.Values) / width {
		row := x.Values[timepoint*width : (timepoint+1)*width]
		switch {
		case x.Times == nil && slices.ContainsFunc(row, isMeasured):
			kept = timepoint + 1
		case x.Times != nil && slices.ContainsFunc(row, isMeasured):
			copy(x.Values[kept*width:], row)
			x.Times[kept] = x.Times[timepoint]
			kept++
		}
	}
	x.Values = x.Values[:kept*width]
	if x.Times != nil {
		x.Times = x.Times[:kept]
	}
}
