package recordings

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/clusterpool/ccp/ccp/affinity"
)

const (
	allLinked   = 8             // the most sensors that are all joined to each other
	correlated  = 4             // the number of sensors that each of more sensors is joined to by correlation
	correlating = 2_000_000_000 // the most products for correlations; with more, evenly spaced samples are used
)

// links returns the pairs of sensors that belong together, and says where the pairs come from. That is a file of pairs,
// a file of positions or, without a file, the signals.
func (r *reading) links(s *set, frames int, signal func(i int, dst []float32)) (links [][2]int, from string,
	err error) {
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
	case count == 1:
		return nil, "one sensor, each frame with the two before and after", nil
	case count <= allLinked:
		for a := range count {
			for b := a + 1; b < count; b++ {
				links = append(links, [2]int{a, b})
			}
		}
		return links, "every sensor with every other (--links or --positions say which belong together)", nil
	}
	which := map[bool]string{true: "training", false: fmt.Sprint(len(s.samples))}[s.by != ""]
	links, err = r.correlatedLinks(s, frames, signal)
	return links, fmt.Sprintf("each sensor with the %d most correlated to it over the %s samples "+
		"(--links or --positions say which belong together)", correlated, which), err
}

// correlatedLinks joins each sensor to the sensors whose signals are most correlated with its own. It sums |r| over the
// channels, each r over all values of the training samples. Of equal sensors it takes the lower number. It joins two
// sensors if either chooses the other.
func (r *reading) correlatedLinks(s *set, frames int, signal func(i int, dst []float32)) ([][2]int, error) {
	sensors, training := len(s.sensors), s.training()
	cost := sensors * sensors * frames * s.channels
	if most := max(1, correlating/cost); most < len(training) {
		r.note("the graph compares sensors by %d of the %d samples", most, len(training))
		for i := range most {
			training[i] = training[i*len(training)/most]
		}
		training = training[:most]
	}
	width := sensors * s.channels
	sample := make([]float32, frames*width)
	mean, n := make([]float64, width), float64(len(training)*frames)
	for _, i := range training {
		signal(i, sample)
		for at, v := range sample {
			mean[at%width] += float64(v)
		}
	}
	for column := range mean { // the sum of equal float32 values is exact, so that a constant sensor has deviation 0
		mean[column] /= n
	}
	products := make([]float64, sensors*sensors*s.channels) // `[channels, sensors, sensors]`
	centred := make([]float64, sensors)
	for done, i := range training {
		if err := r.tell("comparing sensors", float64(done)/float64(len(training))); err != nil {
			return nil, err
		}
		signal(i, sample)
		for frame := range frames {
			for channel := range s.channels {
				for sensor := range sensors {
					column := sensor*s.channels + channel
					centred[sensor] = float64(sample[frame*width+column]) - mean[column]
				}
				for a, x := range centred {
					row := products[(channel*sensors+a)*sensors:][:sensors]
					for b, y := range centred {
						row[b] += x * y
					}
				}
			}
		}
	}
	return strongest(products, sensors, s.channels), nil
}

// strongest joins each sensor to the most correlated others. products is `[channels, sensors, sensors]`.
func strongest(products []float64, sensors, channels int) [][2]int {
	var links [][2]int
	for a := range sensors {
		strength := make([]float64, sensors)
		var others []int
		for b := range sensors {
			if b == a {
				continue
			}
			others = append(others, b)
			for channel := range channels {
				at := func(i, j int) float64 { return products[(channel*sensors+i)*sensors+j] }
				if scale := math.Sqrt(at(a, a) * at(b, b)); scale > 0 { // a constant sensor correlates with nothing
					strength[b] += math.Abs(at(a, b)) / scale
				}
			}
		}
		slices.SortStableFunc(others, func(i, j int) int { return cmp.Compare(strength[j], strength[i]) })
		for _, b := range others[:min(correlated, len(others))] {
			if link := [2]int{min(a, b), max(a, b)}; !slices.Contains(links, link) {
				links = append(links, link)
			}
		}
	}
	slices.SortFunc(links, func(x, y [2]int) int { return slices.Compare(x[:], y[:]) })
	return links
}
