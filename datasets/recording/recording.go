// Package recording turns recordings of sensors into signals on a graph of space and time. Node `frame * sensors +
// sensor` is a sensor at a time point. Imports and classifiers both use this package, so both make the same signal of a
// recording.
package recording

import (
	"fmt"
	"slices"

	"github.com/clusterpool/ccp/internal/jsonread"
	"github.com/clusterpool/ccp/internal/suggest"
)

// Recording holds what some sensors measured at successive time points.
type Recording struct {
	Name     string    // what errors call the recording, such as its file
	Sensors  []string  // in the order of Values; nil: those of the training data, in their order
	Channels int       // values of a sensor at a time point; 0: as many as in the training data
	Values   []float64 // `[timepoints, sensors, channels]`, row-major, in the training data's units; NaN is a missing value
	Times    []float64 // of the time points, ascending, in the training data's unit; nil: the time points are evenly spaced
	Width    int       // values of a time point, if the JSON said that; else 0
}

// UnmarshalJSON reads an object with name, sensors, values and times. Only values is needed: a list for each time point.
// The list holds the channels of each sensor side by side, and null for a missing value.
func (r *Recording) UnmarshalJSON(raw []byte) (err error) {
	*r, err = Read(jsonread.New(raw), func(int) error { return nil })
	return err
}

// Read reads a recording as UnmarshalJSON does. Before the recording occupies more memory, Read calls take with the
// number of bytes, and fails with its error.
func Read(from *jsonread.Reader, take func(bytes int) error) (r Recording, err error) {
	var value float64
	float := from.Float(&value)
	number := func(list *[]float64, what string) error {
		err := float(what)
		if err == nil && len(*list) == cap(*list) {
			more := max(64, len(*list)/2)
			if err = take(2 * 8 * more); err == nil { // twice, since the old list is there while it is copied
				*list = slices.Grow(*list, more)
			}
		}
		if err == nil {
			*list = append(*list, value)
		}
		return err
	}
	row := from.List(func(int) error { return number(&r.Values, "a value") })
	members := map[string]jsonread.Value{
		"name": from.Text(&r.Name),
		"sensors": from.List(func(i int) error {
			var name string
			err := from.Text(&name)("a name in sensors")
			if err == nil {
				err = take(len(name) + 256) // also in the maps of those who match names
			}
			r.Sensors = append(r.Sensors[:i], name)
			return err
		}),
		"values": from.List(func(timepoint int) error {
			if timepoint == 0 {
				r.Values = r.Values[:0]
			}
			before := len(r.Values)
			if err := row("a time point in values"); err != nil {
				return err
			}
			width := len(r.Values) - before
			if timepoint == 0 {
				r.Width = width
			}
			if width != r.Width {
				return fmt.Errorf("time point %d has %d values, time point 0 has %d; write null for a missing value", timepoint, width, r.Width)
			}
			return nil
		}),
		"times": from.List(func(i int) error {
			r.Times = r.Times[:i]
			return number(&r.Times, "a time")
		}),
	}
	err = from.Members(func(name string) (jsonread.Value, error) {
		if members[name] == nil {
			return nil, fmt.Errorf("a recording has no %q; it has name, sensors, values and times", suggest.Clip(name))
		}
		return members[name], nil
	})("a recording")
	return r, err
}
