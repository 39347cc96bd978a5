package models

import (
	"context"
	"errors"
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
