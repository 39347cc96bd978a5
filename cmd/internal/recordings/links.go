package recordings

// This file links sensors: by a file of pairs, or by their positions.

import (
	"errors"
	"fmt"

	"github.com/clusterpool/ccp/ccp/affinity"
)

// linkSensors finds the pairs of sensors that belong together, and says where they come from: a file of pairs or a file
// of positions. Without a file there are none, and a training links the sensors.
func (m *making) linkSensors() error {
	var ends []int32 // of the pairs, side by side
	var err error
	switch {
	case m.Links != "" && m.Positions != "":
		return fmt.Errorf("the graph is given by --links %s and by --positions %s; keep one of them", m.Links, m.Positions)
	case m.Directed && m.Links == "":
		return errors.New("--directed says that links lead from their first sensor to their second, and there are " +
			"none: give a file of pairs by --links, or leave --directed out")
	case m.Links != "":
		ends, err = m.linkedPairs()
		m.made.Graph = fmt.Sprintf("the %d links of %s", len(ends)/2, m.Links)
		if m.Directed {
			m.made.Graph += ", each from its first sensor to its second"
			keep(m, "directed", []bool{true})
		}
	case m.Positions != "":
		ends, err = m.linkNearest()
	default:
		m.made.Graph = "a training links the sensors: all of few, of more the correlated ones (--links or --positions " +
			"say which)"
	}
	m.made.Links = len(ends) / 2
	if ends != nil {
		keep(m, "edges", ends, 2)
	}
	return err
}

// linkedPairs reads the pairs of sensors that --links names.
func (m *making) linkedPairs() (ends []int32, err error) {
	err = m.readPairs(m.Links, "the names of two sensors that belong together, without a weight, and no heading",
		"link; write a pair of sensors in each line, or leave --links out", func(a int, with string) error {
			b, err := sensorOf(m.made.Sensors, with)
			if err == nil && a == b {
				err = fmt.Errorf("sensor %q is linked with itself; a link joins two sensors", with)
			}
			ends = append(ends, int32(a), int32(b))
			return err
		})
	return ends, err
}

// linkNearest links each sensor with its nearest ones, by the positions of all, and keeps where they lie in a picture.
func (m *making) linkNearest() (ends []int32, err error) {
	count := len(m.made.Sensors)
	if count == 1 {
		return nil, fmt.Errorf("--positions %s: there is one sensor, which has no neighbours; leave it out", m.Positions)
	}
	points, dims, err := m.places.points(m.made.Sensors, m.Positions)
	if err != nil {
		return nil, err
	}
	k := min(m.Neighbours, count-1)
	graph, err := affinity.KNN(points, count, dims, k, affinity.Euclidean)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", m.Positions, err)
	}
	crowded, first := affinity.Coincident(points, dims, k)
	if crowded > 0 {
		m.note("%d of the %d sensors of %s have more others at their place than the %d that they are joined to, such as "+
			"%s, so that their neighbours are those that come first; give each a position of its own, or the pairs in "+
			"--links", crowded, count, m.Positions, k, m.made.Sensors[first])
	}
	for _, edge := range graph.EdgeList() {
		ends = append(ends, int32(edge.I), int32(edge.J))
	}
	m.made.Graph = fmt.Sprintf("each sensor with its %d nearest by %s", k, m.Positions)
	if m.places.degrees {
		m.made.Graph += ", on the sphere"
	}
	plan, planDims := m.places.plan(m.made.Sensors)
	keep(m, "coordinates", plan, planDims)
	return ends, nil
}
