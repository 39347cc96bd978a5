package recordings

import (
	"fmt"

	"github.com/clusterpool/ccp/ccp/affinity"
)

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
		points, dims, err := r.places.points(r.made.Sensors, r.Positions)
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
		sphere := map[bool]string{true: ", on the sphere"}[r.places.degrees]
		r.made.Graph = fmt.Sprintf("each sensor with its %d nearest by %s%s", k, r.Positions, sphere)
		plan, dims := r.places.plan(r.made.Sensors)
		keep(r, "coordinates", plan, dims)
	}
	if r.made.Links = len(ends) / 2; ends != nil {
		keep(r, "edges", ends, 2)
	}
	return nil
}
