package models

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/clusterpool/ccp/internal/recording"
	"gonum.org/v1/gonum/floats"
)

// ErrInput is in every error about a signal: the caller's data, not the classifier, is at fault.
var ErrInput = errors.New("unusable signal")

// SignalError is an ErrInput. It says which signal is unusable, counted from 0, and why.
type SignalError struct {
	Index  int
	Reason string
}

// Error returns the text with the signal's number.
func (e *SignalError) Error() string { return fmt.Sprintf("%v %d: %s", ErrInput, e.Index, e.Reason) }

// Unwrap returns ErrInput.
func (e *SignalError) Unwrap() error { return ErrInput }

// Prediction is a classifier's answer for one signal.
type Prediction struct {
	Class         int       // the most probable class
	Name          string    // its name
	Probability   float64   // its probability
	Probabilities []float64 // of every class, at the temperature of Classifier.Calibration, summing to 1
	// Warnings tell where the signal lies far outside the training data, as with another unit. The class is then a guess.
	Warnings []string
}

// Classify predicts the class of each sample in the raw units of the data set: a signal `[nodes, channels]` row-major or,
// if the classifier has a Form, a recording at even moments, `[moments, sensors, channels]`, of any length. If a
// signal is unusable, the error wraps ErrInput and names the first such signal, its node and its channel. A cancelled
// context ends the work before the next batch of at most 64 signals. After Close the error is ErrClosed.
func (c *Classifier) Classify(ctx context.Context, signals [][]float32) ([]Prediction, error) {
	if err := c.checkSignals(signals); err != nil {
		return nil, err
	}
	predictions, unusable, err := c.ClassifyEach(ctx, signals)
	if err == nil && len(unusable) > 0 {
		err = unusable[0]
	}
	if err != nil {
		return nil, err
	}
	return predictions, nil
}

// checkSignals returns the error of the first unusable signal.
func (c *Classifier) checkSignals(signals [][]float32) error {
	for i, s := range signals {
		if reason := c.unusable(s); reason != "" {
			return &SignalError{i, reason}
		}
	}
	return nil
}

// ClassifyEach is Classify for signals of different origin. It predicts the usable signals, and lists the unusable ones
// in order.
func (c *Classifier) ClassifyEach(ctx context.Context, signals [][]float32) (predictions []Prediction,
	unusable []*SignalError, err error) {
	predictions = make([]Prediction, len(signals))
	var index []int // of the usable signals
	var points []point
	for i, s := range signals {
		if reason := c.unusable(s); reason != "" {
			unusable = append(unusable, &SignalError{i, reason})
		} else {
			index, points = append(index, i), append(points, point{signal: s, share: 1})
		}
	}
	err = c.compute(ctx, c.logits, points, func(j int, outputs [][]float32) {
		i := index[j]
		predictions[i] = c.predict(outputs[0])
		predictions[i].Warnings = c.Outside(signals[i])
		if math.IsNaN(predictions[i].Probabilities[0]) {
			reason := "its values are so large that the network's output is not a number; rescale them"
			unusable = append(unusable, &SignalError{i, reason})
		}
	})
	if err != nil {
		return nil, nil, err
	}
	slices.SortFunc(unusable, func(a, b *SignalError) int { return a.Index - b.Index })
	return predictions, unusable, nil
}

// unusable returns what is wrong with a signal, or "".
func (c *Classifier) unusable(s []float32) string {
	nodes, channels := c.Spec.Nodes, c.Spec.Channels
	if c.Form != nil {
		sensors := len(c.Form.Sensors)
		if len(s) == 0 || len(s)%c.Form.Width() != 0 {
			return fmt.Sprintf("it has %d values; the model needs moments x sensors x channels, a multiple of %d x %d",
				len(s), sensors, channels)
		}
		for j, v := range s {
			if v-v != 0 {
				return fmt.Sprintf("%s at moment %d is %v; replace it by a number, or classify the recording",
					recording.Column(c.Form.Sensors, channels, j%(sensors*channels)), j/(sensors*channels), v)
			}
		}
		return ""
	}
	if len(s) != nodes*channels {
		return fmt.Sprintf("it has %d values; the model needs %d nodes x %d channels = %d",
			len(s), nodes, channels, nodes*channels)
	}
	for j, v := range s {
		if v-v != 0 { // NaN, +Inf, -Inf
			return fmt.Sprintf("node %d, channel %d is %v; replace it by a number", j/channels, j%channels, v)
		}
	}
	return ""
}

func (c *Classifier) predict(logits []float32) Prediction {
	plain := c.voices.Probabilities(logits)
	p := Prediction{Class: floats.MaxIdx(plain), Probabilities: c.Calibration.Temper(plain)}
	p.Probability, p.Name = p.Probabilities[p.Class], c.ClassNames[p.Class]
	return p
}

// softmax returns the probabilities of classes with these logits.
func softmax(logits []float32) []float64 {
	top, sum := float64(slices.Max(logits)), 0.0
	out := make([]float64, len(logits))
	for k, v := range logits {
		out[k] = math.Exp(float64(v) - top)
		sum += out[k]
	}
	for k := range out {
		out[k] /= sum
	}
	return out
}

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
