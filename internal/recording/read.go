package recording

import (
	"fmt"
	"math"
	"slices"

	"github.com/clusterpool/ccp/internal/jsonread"
	"github.com/clusterpool/ccp/internal/suggest"
)

// UnmarshalJSON reads an object with name, sensors, values and times. Only values is needed: a list for each moment.
// The list holds the channels of each sensor side by side, and null for a missing value.
func (r *Recording) UnmarshalJSON(raw []byte) (err error) {
	*r, err = Read(jsonread.New(raw), func(int) error { return nil })
	return err
}

// Read reads a recording as UnmarshalJSON does. Before the recording occupies more memory, Read calls take with the
// number of bytes, and fails with its error.
func Read(from *jsonread.Reader, take func(bytes int) error) (r Recording, err error) {
	number := func(list *[]float64, what string) error {
		value, missing, err := from.Number(what)
		if missing {
			value = math.NaN()
		}
		if len(*list) == cap(*list) && err == nil {
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
	err = from.Object("a recording", func(member string) (err error) {
		switch member {
		case "name":
			r.Name, err = from.Text("name")
		case "sensors":
			r.Sensors = nil
			err = from.List("sensors", func(int) error {
				name, err := from.Text("a name in sensors")
				if err == nil {
					err = take(len(name) + 256) // also in the maps of those who match names
				}
				r.Sensors = append(r.Sensors, name)
				return err
			})
		case "values":
			r.Values, r.width = nil, 0
			err = from.List("values", func(moment int) error {
				before := len(r.Values)
				if err := from.List("a moment in values", func(int) error { return number(&r.Values, "a value") }); err != nil {
					return err
				}
				width := len(r.Values) - before
				if moment == 0 {
					r.width = width
				}
				if width != r.width {
					return fmt.Errorf("moment %d has %d values, moment 0 has %d; write null for a missing value", moment, width, r.width)
				}
				return nil
			})
		case "times":
			r.Times = nil
			err = from.List("times", func(int) error { return number(&r.Times, "a time") })
		default:
			err = fmt.Errorf("a recording has no %q; it has name, sensors, values and times", suggest.Clip(member))
		}
		return err
	})
	return r, err
}
