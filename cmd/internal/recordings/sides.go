package recordings

import (
	"fmt"
	"slices"
	"strings"

	"github.com/clusterpool/ccp/ccp/affinity"
)

// column returns the number of the column that a name means: the one with exactly this heading, or else the first
// whose heading differs in case only; -1 if there is none.
func column(headings []string, name string) int {
	exact := slices.Index(headings, name)
	if exact >= 0 {
		return exact
	}
	return slices.IndexFunc(headings, func(h string) bool { return strings.EqualFold(h, name) })
}

// sensorOf returns the number of the sensor of that name.
func sensorOf(sensors []string, name string) (int, error) {
	at := slices.Index(sensors, name)
	if at < 0 {
		return at, fmt.Errorf("%q is not one of the sensors: %s", name, few(sensors))
	}
	return at, nil
}

// readLabels reads a CSV of samples and their classes, with the columns sample and label.
func (j *job) readLabels(path string) (given map[string]string, err error) {
	first := map[string]int{}
	name, label := -1, -1 // columns
	given = map[string]string{}
	err = readText(j, path, func(_ *input, line int, cells []string) error {
		if name < 0 {
			name, label = column(cells, "sample"), column(cells, "label")
			if name < 0 || label < 0 {
				return fmt.Errorf("the columns are %s; want one headed sample and one headed label", strings.Join(cells, ", "))
			}
			return nil
		}
		if len(cells) <= max(name, label) || cells[label] == "" {
			return fmt.Errorf("no label of sample %q; each needs one", cells[min(name, len(cells)-1)])
		}
		sample := strings.Clone(cells[name])
		if was, ok := given[sample]; ok && was != cells[label] {
			return fmt.Errorf("sample %q is %q here and %q in line %d; keep one of them", sample, cells[label], was,
				first[sample])
		}
		given[sample], first[sample] = strings.Clone(cells[label]), line
		return nil
	})
	if err == nil && len(given) == 0 {
		err = fmt.Errorf("%s holds no label; want a column headed sample and one headed label", path)
	}
	return given, err
}

// readPairs reads a CSV with a sensor and another word in each line.
func (m *making) readPairs(path, want, none string, each func(at int, with string) error) error {
	pairs := 0
	err := readText(m.job, path, func(_ *input, _ int, cells []string) error {
		pairs++
		if len(cells) != 2 {
			return fmt.Errorf("%d cells; want %s", len(cells), want)
		}
		at, err := sensorOf(m.made.Sensors, cells[0])
		if err != nil && pairs == 1 {
			err = fmt.Errorf("%w; if the line is a heading, remove it", err)
		} else if err == nil {
			err = each(at, strings.Clone(cells[1]))
		}
		return err
	})
	if err == nil && pairs == 0 && len(m.made.Sensors) > 1 {
		err = fmt.Errorf("%s holds no %s", path, none)
	}
	return err
}

// Part is a part of a body and the numbers of its sensors.
type Part struct {
	Name    string `json:"name"`
	Sensors []int  `json:"sensors"`
}

// divide reads a CSV with a sensor and the name of its part of a body in each line, if the options name one. Parts have
// the order of their first lines.
func (m *making) divide() error {
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
		"part; write a sensor and its part in each line, or leave --parts out", func(at int, name string) error {
			if partOf[at] >= 0 {
				return fmt.Errorf("sensor %q is in two parts; keep one", m.made.Sensors[at])
			}
			parts := m.made.Parts
			part := slices.IndexFunc(parts, func(p Part) bool { return p.Name == name })
			if part < 0 {
				part, parts = len(parts), append(parts, Part{Name: name})
			}
			parts[part].Sensors, partOf[at] = append(parts[part].Sensors, at), int32(part)
			m.made.Parts = parts
			return nil
		})
	keep(m, "parts", partOf)
	keep(m, "bodies", []int32{int32(m.Bodies)})
	return err
}

// link finds the pairs of sensors that belong together, and says where they come from: a file of pairs or a file of
// positions. Without a file there are none, and a training links the sensors.
func (m *making) link() (err error) {
	count := len(m.made.Sensors)
	var ends []int32 // of the pairs
	m.made.Graph = "a training links the sensors: all of few, of more the correlated ones (--links or --positions " +
		"say which)"
	switch {
	case m.Links != "" && m.Positions != "":
		return fmt.Errorf("the graph is given by --links %s and by --positions %s; keep one of them", m.Links, m.Positions)
	case m.Links != "":
		err = m.readPairs(m.Links, "the names of two sensors that belong together, without a weight, and no heading",
			"link; write a pair of sensors in each line, or leave --links out", func(a int, with string) error {
				b, err := sensorOf(m.made.Sensors, with)
				if err == nil && a == b {
					err = fmt.Errorf("sensor %q is linked with itself; a link joins two sensors", with)
				}
				ends = append(ends, int32(a), int32(b))
				return err
			})
		m.made.Graph = fmt.Sprintf("the %d links of %s", len(ends)/2, m.Links)
	case m.Positions != "" && count == 1:
		return fmt.Errorf("--positions %s: there is one sensor, which has no neighbours; leave it out", m.Positions)
	case m.Positions != "":
		points, dims, err := m.places.points(m.made.Sensors, m.Positions)
		if err != nil {
			return err
		}
		k := min(m.Neighbours, count-1)
		graph, err := affinity.KNN(points, count, dims, k, affinity.Euclidean)
		if err != nil {
			return fmt.Errorf("%s: %w", m.Positions, err)
		}
		if same, first := affinity.Coincident(points, dims, k); same > 0 {
			m.note("%d of the %d sensors of %s have more others at their place than the %d that they are joined to, such as "+
				"%s, so that their neighbours are those that come first; give each a position of its own, or the pairs in "+
				"--links",
				same, count, m.Positions, k, m.made.Sensors[first])
		}
		for _, edge := range graph.EdgeList() {
			ends = append(ends, int32(edge.I), int32(edge.J))
		}
		m.made.Graph = fmt.Sprintf("each sensor with its %d nearest by %s", k, m.Positions)
		if m.places.degrees {
			m.made.Graph += ", on the sphere"
		}
		plan, dims := m.places.plan(m.made.Sensors)
		keep(m, "coordinates", plan, dims)
	}
	m.made.Links = len(ends) / 2
	if ends != nil {
		keep(m, "edges", ends, 2)
	}
	return err
}
