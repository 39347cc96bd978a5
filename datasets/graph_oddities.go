package datasets

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/internal/exact"
	"github.com/clusterpool/ccp/internal/loop"
	"github.com/clusterpool/ccp/internal/text"
	"gonum.org/v1/gonum/stat"
)

// What counts as odd in a graph.
const (
	fewNeighbours   = 8       // a node with no more is no hub
	fewEdges        = 10      // of which a rank correlation tells nothing
	growing         = 0.5     // the rank correlation of weights with distances above which they are distances
	mostTriangles   = 100_000 // that are looked at
	leastViolations = 20      // of the triangle inequality, if the weights were drawn
	similarity      = "numpy.exp(-(weights / weights.mean())**2)"
)

// graphOddities reports what is seldom intended of the graph that was given, one sentence each with what to do: hubs,
// nodes that are all linked alike, and weights that are distances.
func (d *Dataset) graphOddities() (lines []string) {
	graph, nodes := d.Graph, "node"
	if graph == nil {
		return nil
	}
	if d.Series != nil {
		nodes = "sensor"
	}
	graph = graph.WithoutLoops()
	n, edges := graph.N(), graph.EdgeList()
	links := make([]int, n)
	for _, e := range edges {
		links[e.I]++
		links[e.J]++
	}
	if len(edges) > 0 {
		if most := slices.Max(links); most > fewNeighbours && 2*most > len(edges) {
			lines = append(lines,
				fmt.Sprintf("%s %d has %d of the graph's %d links: the others have hardly a neighbour of their own, so that "+
					"clusters read few of them; leave a hub's links out, or train transforms alone (ccp train --fast), which read "+
					"every %[1]s",
					nodes, slices.Index(links, most), most, len(edges)))
		}
	}
	alike := !slices.ContainsFunc(edges, func(e affinity.Edge) bool { return e.Weight != edges[0].Weight })
	switch {
	case alike && n > fewNeighbours && len(edges) == n*(n-1)/2:
		lines = append(lines,
			fmt.Sprintf("all %d %ss are linked with each other by one weight: such a graph says nothing, and its clusters are "+
				"drawn at random; give links of those that belong together", n, nodes))
	case alike:
	default:
		if why := d.distances(graph, edges); why != "" {
			lines = append(lines,
				why+", and would link far "+nodes+"s the most; a weight says how near two are: store "+similarity)
		}
	}
	return lines
}

// distances says why the weights of a graph's edges seem to be distances; "" if they do not. With coordinates it looks
// whether they grow with the distance of their ends, else whether they obey the triangle inequality where drawn weights
// would not.
func (d *Dataset) distances(graph *affinity.Matrix, edges []affinity.Edge) string {
	if d.Raw.Coordinates != nil && len(d.Raw.Coordinates)%graph.N() == 0 {
		if len(edges) < fewEdges {
			return ""
		}
		dims, points := len(d.Raw.Coordinates)/graph.N(), exact.Squarable(d.Raw.Coordinates)
		weights, apart := make([]float64, len(edges)), make([]float64, len(edges))
		for i, e := range edges {
			weights[i] = e.Weight
			for k := range dims {
				difference := points[e.I*dims+k] - points[e.J*dims+k]
				apart[i] += difference * difference
			}
		}
		if r := rankCorrelation(weights, apart); r > growing {
			return fmt.Sprintf("the weights of links grow with the distance between their ends (rank correlation %.2f), as "+
				"distances do", r)
		}
		return ""
	}
	if triangles := metric(graph, edges); triangles > 0 {
		return fmt.Sprintf("in all of %d triangles of links no weight exceeds the sum of the other two, as distances do",
			triangles)
	}
	return ""
}

// metric counts the triangles of a graph if the weights obey the triangle inequality in each, as distances do, and
// would violate it in leastViolations if they were drawn; else it returns 0. Of shares of a node's links, which obey it
// too, the two largest of a triangle are equal. Of large graphs it looks at mostTriangles.
func metric(graph *affinity.Matrix, edges []affinity.Edge) int {
	order := rand.New(rand.NewPCG(0, uint64(len(edges)))).Perm(len(edges))
	triangles, violations, equal := countTriangles(graph, edges, order)
	if triangles == 0 || violations > 0 || 2*equal > triangles {
		return 0
	}
	drawn := slices.Clone(edges)
	for i := range drawn {
		drawn[i].Weight = edges[order[i]].Weight
	}
	other, err := affinity.New(graph.N(), drawn)
	if err != nil {
		return 0
	}
	_, violations, _ = countTriangles(other, drawn, order)
	if violations < leastViolations {
		return 0
	}
	return triangles
}

// countTriangles goes through the triangles of edges in an order, at most mostTriangles and those of one edge more. It
// counts those whose largest weight exceeds the sum of the others, and those whose two largest weights are equal.
func countTriangles(graph *affinity.Matrix, edges []affinity.Edge, order []int) (triangles, violations, equal int) {
	for _, at := range order {
		i, j := edges[at].I, edges[at].J
		for _, k := range common(graph, i, j) {
			sides := []float64{edges[at].Weight, graph.At(i, k), graph.At(j, k)}
			slices.Sort(sides)
			triangles++
			if sides[2] > (sides[0]+sides[1])*(1+symmetryTolerance) {
				violations++
			} else if sides[2] <= sides[1]*(1+symmetryTolerance) {
				equal++
			}
		}
		if triangles >= mostTriangles {
			break
		}
	}
	return triangles, violations, equal
}

// common lists the nodes that are linked with both of two nodes and come after them, so that each triangle is seen
// once.
func common(graph *affinity.Matrix, i, j int) (both []int) {
	of, _ := graph.Row(i)
	with, _ := graph.Row(j)
	after := max(i, j)
	for len(of) > 0 && len(with) > 0 {
		switch {
		case of[0] < with[0]:
			of = of[1:]
		case of[0] > with[0]:
			with = with[1:]
		default:
			if int(of[0]) > after {
				both = append(both, int(of[0]))
			}
			of, with = of[1:], with[1:]
		}
	}
	return both
}

// rankCorrelation is Spearman's; 0 if one of both is constant.
func rankCorrelation(a, b []float64) float64 {
	r := stat.Correlation(ranks(a), ranks(b), nil)
	if math.IsNaN(r) {
		return 0
	}
	return r
}

// ranks returns the rank of each value, the mean of their ranks for equal ones.
func ranks(values []float64) []float64 {
	order, of := loop.Indices(len(values)), make([]float64, len(values))
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(values[i], values[j]) })
	for first, end := 0, 0; first < len(order); first = end {
		for end = first; end < len(order) && values[order[end]] == values[order[first]]; {
			end++
		}
		for _, i := range order[first:end] {
			of[i] = float64(first+end-1) / 2
		}
	}
	return of
}

// UnsaidFrames says that the graph of a data set without a grid looks like sensors at frames, and how a file would say
// that they are; "" if it does not look so.
func (d *Dataset) UnsaidFrames() string {
	l := d.Layout
	if !l.Guessed || d.Grid != nil {
		return ""
	}
	grid := []int{l.Frames, l.Sensors}
	if l.SensorWise {
		slices.Reverse(grid)
	}
	return fmt.Sprintf("by its edges the graph could be %d frames of %s; its nodes are taken for places, not for "+
		"time points. If they are frames, store the recordings as series, or the array grid = [%d, %d]",
		l.Frames, text.Count(l.Sensors, "sensor"), grid[0], grid[1])
}
