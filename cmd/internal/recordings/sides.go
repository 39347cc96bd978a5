package recordings

import (
	"fmt"
	"slices"
	"strings"

	"github.com/clusterpool/ccp/ccp/affinity"
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
func (r *reading) readLabels(path string) error {
	first := map[string]int{}
	name, label := -1, -1 // columns
	r.given = map[string]string{}
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
		if was, ok := r.given[sample]; ok && was != cells[label] {
			return fmt.Errorf("sample %q is %q here and %q in line %d; keep one of them", sample, cells[label], was,
				first[sample])
		}
		r.given[sample], first[sample] = strings.Clone(cells[label]), line
		return nil
	})
	if err == nil && len(r.given) == 0 {
		err = fmt.Errorf("%s holds no label; want a column headed sample and one headed label", path)
	}
	return err
}

// readPairs reads a CSV with a sensor and another word in each line.
func (r *reading) readPairs(path, want, none string, each func(at int, with string) error) error {
	pairs := 0
	err := r.readTable(path, 0, func(_ *input, _ int, cells []string) error {
		if pairs++; len(cells) != 2 {
			return fmt.Errorf("%d cells; want %s", len(cells), want)
		}
		at, err := sensor(r.made.Sensors, cells[0])
		if err == nil {
			err = each(at, strings.Clone(cells[1]))
		}
		return err
	})
	if err == nil && pairs == 0 && len(r.made.Sensors) > 1 {
		err = fmt.Errorf("%s holds no %s", path, none)
	}
	return err
}

// readLinks reads a CSV with the names of two sensors in each line. It returns the numbers of the two, pair after pair.
func (r *reading) readLinks() (ends []int32, err error) {
	err = r.readPairs(r.Links, "the names of two sensors that belong together",
		"link; write a pair of sensors in each line, or leave --links out", func(a int, with string) error {
			b, err := sensor(r.made.Sensors, with)
			if err == nil && a == b {
				err = fmt.Errorf("sensor %q is linked with itself; a link joins two sensors", with)
			}
			ends = append(ends, int32(a), int32(b))
			return err
		})
	return ends, err
}

// Part is a part of a body and the numbers of its sensors.
type Part struct {
	Name    string `json:"name"`
	Sensors []int  `json:"sensors"`
}

// divide reads a CSV with a sensor and the name of its part of a body in each line, if the options name one. Parts have
// the order of their first lines.
func (r *reading) divide() error {
	switch {
	case r.Parts == "":
		return nil
	case r.Scale != nil && *r.Scale:
		return fmt.Errorf("--scale would bend the body that --parts %s is of; leave one of them out", r.Parts)
	case 3*r.Bodies > r.made.Channels:
		return fmt.Errorf("--bodies %d: each has x, y and z, and there are %d channels; "+
			"--bodies 0 says that they are no positions in space", r.Bodies, r.made.Channels)
	}
	of := slices.Repeat([]int32{-1}, len(r.made.Sensors)) // the part of each sensor; -1 for none
	err := r.readPairs(r.Parts, "a sensor and the name of its part of the body",
		"part; write a sensor and its part in each line, or leave --parts out", func(at int, name string) error {
			if of[at] >= 0 {
				return fmt.Errorf("sensor %q is in two parts; keep one", r.made.Sensors[at])
			}
			parts := r.made.Parts
			part := slices.IndexFunc(parts, func(p Part) bool { return p.Name == name })
			if part < 0 {
				part, parts = len(parts), append(parts, Part{Name: name})
			}
			parts[part].Sensors, of[at] = append(parts[part].Sensors, at), int32(part)
			r.made.Parts = parts
			return nil
		})
	keep(r, "parts", of)
	keep(r, "bodies", []int32{int32(r.Bodies)})
	return err
}

// link finds the pairs of sensors that belong together, and says where they come from: a file of pairs or a file of
// positions. Without a file there are none, and a training links the sensors.
func (r *reading) link() (err error) {
	count := len(r.made.Sensors)
	var ends []int32 // of the pairs
	r.made.Graph = "a training links the sensors: all of few, of more the correlated ones (--links or --positions say which)"
	switch {
	case r.Links != "" && r.Positions != "":
		return fmt.Errorf("the graph is given by --links %s and by --positions %s; keep one of them", r.Links, r.Positions)
	case r.Links != "":
		if ends, err = r.readLinks(); err != nil {
			return err
		}
		r.made.Graph = fmt.Sprintf("the %d links of %s", len(ends)/2, r.Links)
	case r.Positions != "" && count == 1:
		return fmt.Errorf("--positions %s: there is one sensor, which has no neighbours; leave it out", r.Positions)
	case r.Positions != "":
		points, dims, err := r.positions.points(r.made.Sensors, r.Positions)
		if err != nil {
			return err
		}
		k := min(r.Neighbours, count-1)
		graph, err := affinity.KNN(points, count, dims, k, affinity.Euclidean)
		if err != nil {
			return fmt.Errorf("%s: %w", r.Positions, err)
		}
		for _, edge := range graph.EdgeList() {
			ends = append(ends, int32(edge.I), int32(edge.J))
		}
		sphere := map[bool]string{true: ", on the sphere"}[r.positions.degrees]
		r.made.Graph = fmt.Sprintf("each sensor with its %d nearest by %s%s", k, r.Positions, sphere)
		plan, dims := r.positions.plan(r.made.Sensors)
		keep(r, "coordinates", plan, dims)
	}
	if r.made.Links = len(ends) / 2; ends != nil {
		keep(r, "edges", ends, 2)
	}
	return nil
}
