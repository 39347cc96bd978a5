package recordings

// This file reads the parts of a body, and other files with a sensor and a word in each line.

import (
	"fmt"
	"slices"
	"strings"
)

// Part is a part of a body and the numbers of its sensors.
type Part struct {
	Name    string `json:"name"`
	Sensors []int  `json:"sensors"`
}

// takeParts reads a CSV with a sensor and the name of its part of a body in each line, if the options name one. Parts
// have the order of their first lines.
func (m *making) takeParts() error {
	switch {
	case m.Parts == "":
		return nil
	case m.Scale != nil && *m.Scale:
		return fmt.Errorf("--scale would bend the body that --parts %s is of; leave one of them out", m.Parts)
	case 3*m.Bodies > m.made.Channels:
		return fmt.Errorf("--bodies %d: each has x, y and z, and there are %d channels; "+
			"--bodies 0 says that they are no positions in space", m.Bodies, m.made.Channels)
	}
	partOf := slices.Repeat([]int32{-1}, len(m.made.Sensors)) // the number of each sensor's part; -1 for none
	err := m.readPairs(m.Parts, "a sensor and the name of its part of the body",
		"part; write a sensor and its part in each line, or leave --parts out", func(sensor int, name string) error {
			if partOf[sensor] >= 0 {
				return fmt.Errorf("sensor %q is in two parts; keep one", m.made.Sensors[sensor])
			}
			partOf[sensor] = int32(m.addToPart(sensor, name))
			return nil
		})
	keep(m, "parts", partOf)
	keep(m, "bodies", []int32{int32(m.Bodies)})
	return err
}

// addToPart adds a sensor to the part of that name, a new one if there is none, and returns its number.
func (m *making) addToPart(sensor int, name string) int {
	part := slices.IndexFunc(m.made.Parts, func(p Part) bool { return p.Name == name })
	if part < 0 {
		part = len(m.made.Parts)
		m.made.Parts = append(m.made.Parts, Part{Name: name})
	}
	m.made.Parts[part].Sensors = append(m.made.Parts[part].Sensors, sensor)
	return part
}

// readPairs reads a CSV with a sensor and another word in each line, and calls each with the number of the sensor and
// the word. want says what the two cells of a line are, and none what a file without lines lacks.
func (m *making) readPairs(path, want, none string, each func(sensor int, with string) error) error {
	pairs := 0
	err := readText(m.job, path, func(_ *input, _ int, cells []string) error {
		pairs++
		if len(cells) != 2 {
			return fmt.Errorf("%d cells; want %s", len(cells), want)
		}
		sensor, err := sensorOf(m.made.Sensors, cells[0])
		switch {
		case err != nil && pairs == 1:
			return fmt.Errorf("%w; if the line is a heading, remove it", err)
		case err != nil:
			return err
		}
		return each(sensor, strings.Clone(cells[1]))
	})
	if err == nil && pairs == 0 && len(m.made.Sensors) > 1 {
		err = fmt.Errorf("%s holds no %s", path, none)
	}
	return err
}

// sensorOf returns the number of the sensor of that name.
func sensorOf(sensors []string, name string) (int, error) {
	at := slices.Index(sensors, name)
	if at < 0 {
		return at, fmt.Errorf("%q is not one of the sensors: %s", name, few(sensors))
	}
	return at, nil
}
