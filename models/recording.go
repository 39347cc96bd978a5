package models

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/clusterpool/ccp/internal/recording"
)

// Recording holds what some sensors measured at successive moments, in the units of the training data:
//
//	type Recording struct {
//		Name     string    // what errors call the recording, such as its file
//		Sensors  []string  // in the order of Values; nil: those of the training data
//		Channels int       // values of a sensor at a moment; 0: as in the training data
//		Values   []float64 // [moments, sensors, channels] row-major; NaN is a missing value
//		Times    []float64 // of the moments, ascending, in any unit; nil: evenly spaced
//	}
//
// Its JSON is an object with name, sensors, values and times. The field values has a list for each moment. The list
// holds the channels of each sensor side by side, and null for a missing value.
type Recording = recording.Recording

// ErrNoForm says that a classifier was not trained on recordings.
var ErrNoForm = errors.New("the classifier was trained on signals, not on recordings; store recordings as series, or import " +
	"them with ccp data import, and train on that file")

// ClassifyRecording predicts the class of each recording. It reads recordings as the training data was read: the sensors
// in the same order, gaps filled, as many moments in a unit of time. Prediction.Warnings tells of other sensors, another
// order, another length or another unit.
//
// If a recording is unusable, the error wraps ErrInput and names the recording, the sensor and the moment. If the
// training data was no recordings, the error is ErrNoForm.
func (c *Classifier) ClassifyRecording(ctx context.Context, recordings ...Recording) ([]Prediction, error) {
	series, notes, err := c.Series(recordings...)
	if err != nil {
		return nil, err
	}
	predictions, err := c.Classify(ctx, series)
	for i := range predictions {
		predictions[i].Warnings = append(notes[i], predictions[i].Warnings...)
	}
	return predictions, err
}

// ClassifyRecording calls Classifier.ClassifyRecording of the newest classifier.
func (r *Reloader) ClassifyRecording(ctx context.Context, recordings ...Recording) ([]Prediction, error) {
	c, release, err := r.Acquire()
	if err != nil {
		return nil, err
	}
	predictions, err := c.ClassifyRecording(ctx, recordings...)
	return predictions, errors.Join(err, release())
}

// Series makes of each recording what Classify takes: its values at even moments, `[moments, sensors, channels]`. The
// notes say what a person should know of each recording. Series fails as ClassifyRecording does.
func (m *Metadata) Series(recordings ...Recording) (series [][]float32, notes [][]string, err error) {
	if m.Form == nil {
		return nil, nil, ErrNoForm
	}
	series, notes = make([][]float32, len(recordings)), make([][]string, len(recordings))
	for i, r := range recordings {
		if series[i], notes[i], err = m.Form.Series(r); err != nil {
			return nil, nil, &SignalError{i, strings.TrimPrefix(r.Name+": "+err.Error(), ": ")}
		}
	}
	return series, notes, nil
}

// Range holds the limits of the raw training samples. Each list has a value for each channel. If the samples are
// recordings, it has a value for each channel of each sensor, `[sensors, channels]`.
type Range struct {
	Least  []float32 `json:"least"`
	Most   []float32 `json:"most"`
	Spread []float32 `json:"spread"` // the least difference between the greatest and the least value of a sample
}

// Measure sets the range and the baseline from the training samples. Spec, Form and Mean must be set. There is no
// baseline if all means are 0: then the data set itself says that 0 tells nothing, as an absent word.
func (m *Metadata) Measure(samples Samples) {
	width, means := m.Spec.Channels, m.Spec.Nodes*m.Spec.Channels
	if m.Form != nil {
		width, means = m.Form.Width(), m.Form.Width()
	}
	if !slices.ContainsFunc(m.Mean, func(mean float32) bool { return mean != 0 }) {
		means = 0
	}
	m.Range, m.Baseline = nil, nil
	sums, count := make([]float64, means), 0
	for sample := range samples {
		for at := 0; at < len(sample) && means > 0; at += means {
			for k, v := range sample[at : at+means] {
				sums[k] += float64(v)
			}
			count++
		}
		one := spans(sample, width)
		if m.Range == nil {
			m.Range = &one
		}
		for at, r := 0, m.Range; at < width; at++ {
			r.Least[at], r.Most[at] = min(r.Least[at], one.Least[at]), max(r.Most[at], one.Most[at])
			r.Spread[at] = min(r.Spread[at], one.Spread[at])
		}
	}
	for at := 0; at < means && count > 0; at++ {
		m.Baseline = append(m.Baseline, float32(sums[at]/float64(count)))
	}
}

// spans returns the range of one sample.
func spans(sample []float32, width int) Range {
	r := Range{make([]float32, width), make([]float32, width), make([]float32, width)}
	for at := range width {
		least, most := sample[at], sample[at]
		for i := at + width; i < len(sample); i += width {
			least, most = min(least, sample[i]), max(most, sample[i])
		}
		r.Least[at], r.Most[at], r.Spread[at] = least, most, most-least
	}
	return r
}

// still is how many times less than any training sample a signal varies if a person should know.
const still = 5

// outside returns what a person should know about a signal whose values lie far outside the training data's, or vary
// much less. Such a signal may be in another unit, and its class is a guess. Far means farther than the training data's
// own range is wide.
func (m *Metadata) outside(signal []float32) (warnings []string) {
	if m.Form != nil {
		if odd := m.Form.Length(len(signal) / m.Form.Width()); odd != "" {
			warnings = append(warnings, odd)
		}
	}
	if m.Range == nil {
		return warnings
	}
	one := spans(signal, len(m.Range.Least))
	text, others := "", 0
	for at, least := range m.Range.Least {
		most, spread := m.Range.Most[at], m.Range.Spread[at]
		far := cmp.Or(most-least, max(most, -most))
		wide := one.Least[at] < least-far || one.Most[at] > most+far
		switch {
		case !wide && one.Spread[at]*still >= spread:
		case text != "":
			others++
		case wide:
			text = fmt.Sprintf("%s goes from %.4g to %.4g, in the training data from %.4g to %.4g", m.column(at),
				one.Least[at], one.Most[at], least, most)
		default:
			text = fmt.Sprintf("%s varies by %.3g, in each training sample by %.3g or more", m.column(at), one.Spread[at],
				spread)
		}
	}
	if others > 0 {
		text += fmt.Sprintf(", and %d other channels or sensors are as odd", others)
	}
	if text != "" {
		warnings = append(warnings, text+"; is it in another unit?")
	}
	return warnings
}

// column names the channel, or the sensor and its channel, of a value of Range.
func (m *Metadata) column(at int) string {
	if m.Form == nil {
		return fmt.Sprintf("channel %d", at)
	}
	return recording.Column(m.Form.Sensors, m.Form.Channels, at)
}
