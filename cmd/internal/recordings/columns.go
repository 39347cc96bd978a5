package recordings

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// columns holds the columns of values, and the sensor of each column.
type columns struct{ names, of []string }

// taken returns the names of the columns to take. The options name columns, or sensors with all their columns.
func (r *reading) taken(c columns, rest []int) (names []string) {
	for _, name := range r.Take {
		before := len(names)
		for _, i := range rest {
			if (c.names[i] == name || c.of[i] == name) && !slices.Contains(names, c.names[i]) {
				names = append(names, c.names[i])
			}
		}
		if len(names) == before {
			names = append(names, name) // there is none
		}
	}
	return names
}

// pick returns the columns at of values of that width.
func pick(values []float64, width int, at []int) []float64 {
	if width == len(at) && slices.IsSorted(at) {
		return values
	}
	picked := make([]float64, 0, len(values)/width*len(at))
	for row := range slices.Chunk(values, width) {
		for _, i := range at {
			picked = append(picked, row[i])
		}
	}
	return picked
}

// crossed returns a column for each axis of each sensor, which has the name of the sensor if there is one axis.
func crossed(sensors, axes []string) (c columns) {
	if len(axes) < 2 {
		return columns{sensors, sensors}
	}
	for _, sensor := range sensors {
		for _, axis := range axes {
			c.names, c.of = append(c.names, sensor+"."+axis), append(c.of, sensor)
		}
	}
	return c
}

// counted returns n names with the numbers from 0.
func counted(prefix string, n int) (names []string) {
	for i := range n {
		names = append(names, prefix+strconv.Itoa(i))
	}
	return names
}

// sensors returns the sensors and their number of channels. All sensors have as many, which are side by side.
func (c columns) sensors() (sensors []string, channels int, err error) {
	axis := func(i int) string { return strings.TrimPrefix(c.names[i], c.of[i]) }
	with, axes := map[string]int{}, map[string]int{} // the sensors with each axis, and the axes of each sensor
	for i, sensor := range c.of {
		with[axis(i)]++
		axes[sensor]++
	}
	sensors, channels = slices.Compact(slices.Clone(c.of)), slices.Max(slices.Collect(maps.Values(axes)))
	if len(sensors)*channels == len(c.of) {
		return sensors, channels, nil
	}
	most := slices.Max(slices.Collect(maps.Values(with)))
	var odd, short []string
	for i, name := range c.names {
		if with[axis(i)] < most {
			odd = append(odd, name)
		}
		if axes[c.of[i]] < channels {
			short = append(short, name)
		}
	}
	if odd == nil {
		odd = short
	}
	return nil, 0, fmt.Errorf("the sensors (%s) do not have as many axes each; name the columns sensor.axis, or leave "+
		"out what only some have: --leave %q", few(sensors), strings.Join(odd, ","))
}
