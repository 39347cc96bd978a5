// Package recording turns recordings of sensors into signals on a graph of space and time: node `frame * sensors +
// sensor` is a sensor at a moment. An import and a classifier use it alike, so that both make the same signal of a
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
	// Name is what errors call the recording, such as its file.
	Name string
	// Sensors names the sensors in the order of Values. nil means the sensors of the training data, in their order.
	Sensors []string
	// Channels is the number of values of a sensor at a moment. 0 means as many as in the training data.
	Channels int
	// Values are `[moments, sensors, channels]`, row-major, in the units of the training data. NaN is a missing value.
	Values []float64
	// Times of the moments are ascending, in any unit. nil means that the moments are evenly spaced.
	Times []float64
}

// cell holds the values of a sensor at a moment, in JSON a number or a list of numbers. null is a missing value.
type cell []float64

func (c *cell) UnmarshalJSON(raw []byte) error {
	values := make([]*float64, 1)
	var into any = &values[0]
	if raw[0] == '[' {
		into = &values
	}
	if err := json.Unmarshal(raw, into); err != nil {
		return err
	}
	for _, v := range values {
		if v == nil {
			*c = append(*c, math.NaN())
		} else {
			*c = append(*c, *v)
		}
	}
	return nil
}

// UnmarshalJSON reads an object of name, sensors, values and times. Only values must be there: a list for each moment,
// with a number for each sensor, or with a list of its channels. null is a missing value.
func (r *Recording) UnmarshalJSON(raw []byte) error {
	var from struct {
		Name    string    `json:"name"`
		Sensors []string  `json:"sensors"`
		Values  [][]cell  `json:"values"`
		Times   []float64 `json:"times"`
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&from); err != nil {
		return err
	}
	*r = Recording{Name: from.Name, Sensors: from.Sensors, Times: from.Times}
	if len(from.Values) == 0 || len(from.Values[0]) == 0 {
		return nil // Prepare says that there are no values
	}
	sensors := len(from.Values[0])
	r.Channels = len(from.Values[0][0])
	if r.Sensors != nil && len(r.Sensors) != sensors {
		return fmt.Errorf("moment 0 has values of %d sensors; sensors names %d", sensors, len(r.Sensors))
	}
	for moment, row := range from.Values {
		if len(row) != sensors {
			return fmt.Errorf("moment %d has values of %d sensors, moment 0 of %d; write null for a missing value",
				moment, len(row), sensors)
		}
		for at, values := range row {
			if len(values) != r.Channels {
				return fmt.Errorf("moment %d, sensor %d has %d channels, the first has %d; write null for a missing value",
					moment, at, len(values), r.Channels)
			}
			r.Values = append(r.Values, values...)
		}
	}
	return nil
}
