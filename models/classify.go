package models

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/clusterpool/ccp/datasets/recording"
	"github.com/clusterpool/ccp/models/along"
	"github.com/clusterpool/ccp/models/conformal"
	"github.com/clusterpool/ccp/models/early"
	"github.com/clusterpool/ccp/models/internal/prob"
	"gonum.org/v1/gonum/floats"
)

// SignalError says which signal is unusable, counted from 0, and why: the caller's data, not the classifier, is at
// fault.
type SignalError struct {
	Index  int
	Reason string
	More   []*SignalError // the other unusable signals, in order
}

// Error returns the text with the signal's number.
func (e *SignalError) Error() string { return fmt.Sprintf("unusable signal %d: %s", e.Index, e.Reason) }

// noForm is a SignalError that is recording.ErrNoForm, too.
type noForm struct{ *SignalError }

// Unwrap returns both errors.
func (e noForm) Unwrap() []error { return []error{e.SignalError, recording.ErrNoForm} }

// Prediction is what a classifier predicts for one signal. In JSON, "class" is a name, as in all that the program
// prints.
type Prediction struct {
	// Class is the most probable class, Name its name and Probability its probability. Of a recording of which
	// ClassifyEarly knows nothing yet they are along.Unknown, "" and 0.
	Class       int     `json:"class_number"`
	Name        string  `json:"class"`
	Probability float64 `json:"probability"`
	// Probabilities are of every class, at the temperature of Classifier.Calibration, summing to 1.
	Probabilities []float64 `json:"probabilities"`
	// Warnings tell where the signal lies far outside the training data, as with another unit. The class may then be
	// wrong.
	Warnings []string `json:"warnings,omitempty"`
	// Early is nil but for ClassifyEarly.
	Early *early.Decision `json:"early,omitempty"`
}

// Classify predicts the class of each signal on a graph, `[nodes, channels]` row-major, in the raw units of the data
// set. If signals are unusable, the error is a SignalError. It names the first one's node and channel. The
// predictions of the others are returned with it. A cancelled context ends the work before the next batch of at most
// 64 signals. After Close the error is ErrClosed.
//
// A slice does not say which of its axes is time. If the classifier has a Form, a signal is therefore an error: it is
// for ClassifyRecording, or ClassifySeries.
func (c *Classifier) Classify(ctx context.Context, signals [][]float32) ([]Prediction, error) {
	if c.Form != nil && len(signals) > 0 {
		return nil, &SignalError{Reason: "the model was trained on recordings, and a bare slice does not say which " +
			"of its axes is time; give ClassifyRecording a recording.Recording, whose Values have one row for each " +
			"time point, or ClassifySeries a series"}
	}
	return c.classify(ctx, signals, make([]*SignalError, len(signals)))
}

// ClassifySeries predicts the class of each series: the values of a recording at even time points, `[timepoints,
// sensors, channels]` row-major, with the training data's sensors in their order, in its unit of time and without
// gaps. [recording.Form.Series] makes such a series of a recording, and datasets.Dataset.Series has those of a data
// set. Errors are those of Classify. If the training data was no recordings, the error is recording.ErrNoForm, too.
func (c *Classifier) ClassifySeries(ctx context.Context, series [][]float32) ([]Prediction, error) {
	if c.Form == nil && len(series) > 0 {
		return nil, noForm{&SignalError{Reason: recording.ErrNoForm.Error()}}
	}
	return c.classify(ctx, series, make([]*SignalError, len(series)))
}

// classify predicts the signals, which are on a graph or series. It leaves out those that have an error of errs already
// or are unusable, and returns their errors as one, with the predictions of the others.
func (c *Classifier) classify(ctx context.Context, signals [][]float32, errs []*SignalError) ([]Prediction, error) {
	predictions := make([]Prediction, len(signals))
	var unusable []*SignalError
	var index []int // of the usable signals
	var points []point
	for i, s := range signals {
		if wrong := cmp.Or(errs[i], c.unusable(i, s)); wrong != nil {
			unusable = append(unusable, wrong)
		} else {
			index, points = append(index, i), append(points, point{signal: s, share: 1})
		}
	}
	err := c.compute(ctx, c.logits, points, func(j int, outputs [][]float32) {
		i := index[j]
		predictions[i] = c.predict(outputs[0])
		predictions[i].Warnings = c.Outside(signals[i])
		if math.IsNaN(predictions[i].Probabilities[0]) {
			unusable = append(unusable, &SignalError{Index: i,
				Reason: "its values are so large that the network's output is not a number; rescale them"})
		}
	})
	if err != nil {
		return nil, err
	}
	if len(unusable) > 0 {
		slices.SortFunc(unusable, func(a, b *SignalError) int { return a.Index - b.Index })
		unusable[0].More = unusable[1:]
		return predictions, unusable[0]
	}
	return predictions, nil
}

// unusable returns what is wrong with signal i, or nil.
func (c *Metadata) unusable(i int, s []float32) *SignalError {
	wrong := func(format string, values ...any) *SignalError {
		return &SignalError{Index: i, Reason: fmt.Sprintf(format, values...)}
	}
	nodes, channels, form := c.Spec.Nodes, c.Spec.Channels, c.Form
	if form == nil && len(s) != nodes*channels {
		return wrong("it has %d values; the model needs %d nodes x %d channels = %d", len(s), nodes, channels,
			nodes*channels)
	}
	if form != nil && (len(s) == 0 || len(s)%form.Width() != 0) {
		return wrong("it has %d values; the model needs time points x sensors x channels, a multiple of %d x %d",
			len(s), len(form.Sensors), channels)
	}
	j := slices.IndexFunc(s, func(v float32) bool { return v-v != 0 }) // NaN, +Inf, -Inf
	switch {
	case j < 0:
		return nil
	case form == nil:
		return wrong("node %d, channel %d is %v; replace it by a number", j/channels, j%channels, s[j])
	}
	return wrong("%s at time point %d is %v; replace it by a number, or classify the recording",
		recording.Column(form.Sensors, channels, j%form.Width()), j/form.Width(), s[j])
}

func (c *Classifier) predict(logits []float32) Prediction {
	plain := prob.Softmax(logits)
	p := Prediction{Class: floats.MaxIdx(plain), Probabilities: plain}
	if c.Calibration != nil {
		p.Probabilities = prob.Temper(plain, c.Calibration.Temperature)
	}
	p.Probability, p.Name = p.Probabilities[p.Class], c.ClassNames[p.Class]
	return p
}

// ClassifyRecording predicts the class of each recording. It reads recordings as the training data was read: the
// sensors in the same order, gaps filled, as many time points in a unit of time. Prediction.Warnings tells of other
// sensors, another order, another length or another unit.
//
// If recordings are unusable, the error is a SignalError. It names the first one, its sensor and its time point, or
// says that rows are sensors instead of time points. The predictions of the others are returned with it. If the
// training data was no recordings, the error is recording.ErrNoForm, too.
func (c *Classifier) ClassifyRecording(ctx context.Context, recordings ...recording.Recording) ([]Prediction, error) {
	n := len(recordings)
	if c.Form == nil && n > 0 {
		return nil, noForm{&SignalError{Reason: recording.ErrNoForm.Error()}}
	}
	series, notes, errs := make([][]float32, n), make([][]string, n), make([]*SignalError, n)
	for i, r := range recordings {
		var err error
		series[i], notes[i], err = c.Form.Series(r)
		if err != nil {
			errs[i] = &SignalError{Index: i, Reason: err.Error()}
		}
	}
	predictions, err := c.classify(ctx, series, errs)
	for i := range predictions {
		predictions[i].Warnings = append(notes[i], predictions[i].Warnings...)
	}
	return predictions, err
}

// Calibration says how sure a classifier may be, by samples that were held out of its training.
type Calibration struct {
	Samples int `json:"samples"` // held out
	// Temperature divides the logits before their softmax (Guo et al. 2017, "On calibration of modern neural
	// networks"). Below 1 it sharpens the probabilities. The classes of predictions stay as they are.
	Temperature float64 `json:"temperature"`
}

// held is what a snapshot keeps beside the weights to classify by.
type held struct {
	Calibration *Calibration         `json:"calibration,omitempty"`
	Along       *along.Model         `json:"along,omitempty"`
	Conformal   *conformal.Predictor `json:"conformal,omitempty"`
	Early       *early.Rule          `json:"early,omitempty"`
}
