package recordings

import (
	"fmt"
	"slices"
	"strings"
)

// column returns the number of the column with a heading, regardless of case; -1 if there is none.
func column(headings []string, name string) int {
	return slices.IndexFunc(headings, func(h string) bool { return strings.EqualFold(h, name) })
}

// sensor returns the number of the sensor of that name.
func sensor(sensors []string, name string) (int, error) {
	at := slices.Index(sensors, name)
	if at < 0 {
		return at, fmt.Errorf("%q is not one of the sensors: %s", name, few(sensors))
	}
	return at, nil
}

// readLabels reads a CSV of samples and their classes, with the columns sample and label.
func (r *reading) readLabels(path string) (map[string]string, error) {
	labels, first := map[string]string{}, map[string]int{}
	name, label := -1, -1 // columns
	err := r.readTable(path, 0, func(_ *input, line int, cells []string) error {
		if name < 0 {
			if name, label = column(cells, "sample"), column(cells, "label"); name < 0 || label < 0 {
				return fmt.Errorf("the columns are %s; want one headed sample and one headed label", strings.Join(cells, ", "))
			}
			return nil
		}
		if len(cells) <= max(name, label) || cells[label] == "" {
			return fmt.Errorf("no label of sample %q; each needs one", cells[min(name, len(cells)-1)])
		}
		sample := strings.Clone(cells[name])
		if was, ok := labels[sample]; ok && was != cells[label] {
			return fmt.Errorf("sample %q is %q here and %q in line %d; keep one of them", sample, cells[label], was,
				first[sample])
		}
		labels[sample], first[sample] = strings.Clone(cells[label]), line
		return nil
	})
	if err == nil && len(labels) == 0 {
		err = fmt.Errorf("%s holds no label; want a column headed sample and one headed label", path)
	}
	return labels, err
}

// readPairs reads a CSV with a sensor and another word in each line.
func (r *reading) readPairs(path, want, none string, sensors []string, each func(at int, with string) error) error {
	pairs := 0
	err := r.readTable(path, 0, func(_ *input, _ int, cells []string) error {
		if pairs++; len(cells) != 2 {
			return fmt.Errorf("%d cells; want %s", len(cells), want)
		}
		at, err := sensor(sensors, cells[0])
		if err == nil {
			err = each(at, strings.Clone(cells[1]))
		}
		return err
	})
	if err == nil && pairs == 0 && len(sensors) > 1 {
		err = fmt.Errorf("%s holds no %s", path, none)
	}
	return err
}

// readLinks reads a CSV with the names of two sensors in each line.
func (r *reading) readLinks(path string, sensors []string) (links [][2]int, err error) {
	err = r.readPairs(path, "the names of two sensors that belong together",
		"link; write a pair of sensors in each line, or leave --links out", sensors, func(a int, with string) error {
			b, err := sensor(sensors, with)
			if err == nil && a == b {
				err = fmt.Errorf("sensor %q is linked with itself; a link joins two sensors", with)
			}
			links = append(links, [2]int{a, b})
			return err
		})
	return links, err
}

// Part is a part of a body and the numbers of its sensors.
type Part struct {
	Name    string `json:"name"`
	Sensors []int  `json:"sensors"`
}

// readParts reads a CSV with a sensor and the name of its part of a body in each line, if the options name one. Parts
// have the order of their first lines. The slice of holds the part of each sensor, -1 for none.
func (r *reading) readParts(path string, s *set) (parts []Part, of []int32, err error) {
	switch {
	case path == "":
		return nil, nil, nil
	case r.Scale != nil && *r.Scale:
		return nil, nil, fmt.Errorf("--scale would bend the body that --parts %s is of; leave one of them out", path)
	case 3*r.Bodies > s.channels:
		return nil, nil, fmt.Errorf("--bodies %d: each has x, y and z, and there are %d channels; "+
			"--bodies 0 says that they are no places in space", r.Bodies, s.channels)
	}
	of = slices.Repeat([]int32{-1}, len(s.sensors))
	err = r.readPairs(path, "a sensor and the name of its part of the body",
		"part; write a sensor and its part in each line, or leave --parts out", s.sensors, func(at int, name string) error {
			if of[at] >= 0 {
				return fmt.Errorf("sensor %q is in two parts; keep one", s.sensors[at])
			}
			part := slices.IndexFunc(parts, func(p Part) bool { return p.Name == name })
			if part < 0 {
				part, parts = len(parts), append(parts, Part{Name: name})
			}
			parts[part].Sensors, of[at] = append(parts[part].Sensors, at), int32(part)
			return nil
		})
	return parts, of, err
}
