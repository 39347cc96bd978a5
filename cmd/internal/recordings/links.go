package recordings

import (
	"fmt"

	"github.com/clusterpool/ccp/ccp/affinity"
)

// links returns the pairs of sensors that belong together, and says where the pairs come from: a file of pairs or a file
// of positions. Without a file there are none, and a training links the sensors.
func (r *reading) links(s *set) (links [][2]int, from string, err error) {
	count := len(s.sensors)
	switch {
	case r.Links != "" && r.Positions != "":
		return nil, "", fmt.Errorf("the graph is given by --links %s and by --positions %s; keep one of them", r.Links,
			r.Positions)
	case r.Links != "":
		links, err = r.readLinks(r.Links, s.sensors)
		return links, fmt.Sprintf("the %d links of %s", len(links), r.Links), err
	case r.Positions != "" && count == 1:
		return nil, "", fmt.Errorf("--positions %s: there is one sensor, which has no neighbours; leave it out", r.Positions)
	case r.Positions != "":
		points, dims, err := r.places.points(s.sensors, r.Positions)
		if err != nil {
			return nil, "", err
		}
		k := min(r.Neighbours, count-1)
		graph, err := affinity.KNN(points, count, dims, k, affinity.Euclidean)
		if err != nil {
			return nil, "", fmt.Errorf("%s: %w", r.Positions, err)
		}
		for _, edge := range graph.EdgeList() {
			links = append(links, [2]int{edge.I, edge.J})
		}
		sphere := map[bool]string{true: ", on the sphere"}[r.places.degrees]
		return links, fmt.Sprintf("each sensor with its %d nearest by %s%s", k, r.Positions, sphere), nil
	}
	return nil, "a training links the sensors: all of few, of more the correlated ones (--links or --positions say which)", nil
}
