// Package recording turns recordings of sensors into signals on a graph of space and time. Node `frame * sensors +
// sensor` is a sensor at a moment. Imports and classifiers both use this package, so both make the same signal of a
// recording.
package recording

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
)

// Recording holds what some sensors measured at successive moments.
type Recording struct {
	Name     string    // what errors call the recording, such as its file
	Sensors  []string  // in the order of Values; nil: those of the training data, in their order
	Channels int       // values of a sensor at a moment; 0: as many as in the training data
	Values   []float64 // `[moments, sensors, channels]`, row-major, in the training data's units; NaN is a missing value
	Times    []float64 // of the moments, ascending, in any unit; nil: the moments are evenly spaced
	width    int       // values of a moment, if the JSON said that
}

// UnmarshalJSON reads an object with name, sensors, values and times. Only values is needed: a list for each moment.
// The list holds the channels of each sensor side by side, and null for a missing value.
func (r *Recording) UnmarshalJSON(raw []byte) error {
	var from struct {
		Name    string       `json:"name"`
		Sensors []string     `json:"sensors"`
		Values  [][]*float64 `json:"values"`
		Times   []float64    `json:"times"`
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&from); err != nil {
		return err
	}
	missing := math.NaN()
	*r = Recording{Name: from.Name, Sensors: from.Sensors, Times: from.Times}
	for moment, values := range from.Values {
		if first := len(from.Values[0]); len(values) != first {
			return fmt.Errorf("moment %d has %d values, moment 0 has %d; write null for a missing value", moment, len(values),
				first)
		}
		r.width = len(values)
		for _, v := range values {
			if v == nil {
				v = &missing
			}
			r.Values = append(r.Values, *v)
		}
	}
	return nil
}
