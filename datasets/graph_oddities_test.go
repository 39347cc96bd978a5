package datasets

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/internal/messagetest"
	"github.com/clusterpool/ccp/internal/npz"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// scattered are the coordinates of points in the unit square.
func scattered(rng *rand.Rand, n int) []float64 {
	points := make([]float64, 2*n)
	for i := range points {
		points[i] = rng.Float64()
	}
	return points
}

// nearEdges joins each point to its k nearest, with the weight that a function makes of the distance.
func nearEdges(points []float64, k int, weight func(distance float64) float64) (edges []affinity.Edge) {
	n := len(points) / 2
	seen := map[[2]int]struct{}{}
	for i := range n {
		order := make([]int, n)
		far := func(j int) float64 { return math.Hypot(points[2*i]-points[2*j], points[2*i+1]-points[2*j+1]) }
		for j := range order {
			order[j] = j
		}
		slices.SortFunc(order, func(a, b int) int { return cmp.Compare(far(a), far(b)) })
		for _, j := range order[1 : k+1] {
			pair := [2]int{min(i, j), max(i, j)}
			if _, known := seen[pair]; !known {
				seen[pair] = struct{}{}
				edges = append(edges, affinity.Edge{I: pair[0], J: pair[1], Weight: weight(far(j))})
			}
		}
	}
	return edges
}

// oddGraph returns what is odd of a graph, perhaps with coordinates.
func oddGraph(t *testing.T, n int, edges []affinity.Edge, coordinates []float64) string {
	t.Helper()
	graph, err := affinity.New(n, edges)
	require.NoError(t, err)
	d := &Dataset{Raw: Raw{Graph: graph, Coordinates: coordinates}}
	return strings.Join(d.graphOddities(), "\n")
}

func TestWeightsThatAreDistancesAreTold(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	same := func(x float64) float64 { return x }
	for trial := range 20 {
		points := scattered(rng, 40+5*trial)
		edges := nearEdges(points, 6, same)
		messagetest.Names(t, oddGraph(t, len(points)/2, edges, points), "grow … distance")
		messagetest.Names(t, oddGraph(t, len(points)/2, edges, nil), "no weight … sum … distances")
		all := nearEdges(points, len(points)/2-1, same)
		messagetest.Names(t, oddGraph(t, len(points)/2, all, nil), "distances … far nodes")
	}
}

// The unit of coordinates decides nothing, also where their squared distances would overflow or vanish.
func TestWeightsThatAreDistancesAreToldInAnyUnit(t *testing.T) {
	points := scattered(rand.New(rand.NewPCG(5, 6)), 60)
	distances := nearEdges(points, 6, func(x float64) float64 { return x })
	kernel := nearEdges(points, 6, func(x float64) float64 { return math.Exp(-60 * x * x) })
	for _, unit := range []int{1000, 700, 520, 1, 0, -500, -540, -700, -1000} {
		scaled := make([]float64, len(points))
		for at, v := range points {
			scaled[at] = math.Ldexp(v, unit)
		}
		messagetest.Names(t, oddGraph(t, 60, distances, scaled), "grow … distance", "2^%d", unit)
		assert.Empty(t, oddGraph(t, 60, kernel, scaled), "2^%d", unit)
	}
}

// Affinities of all kinds are not taken for distances: kernels, inverse distances, correlations, counts, equal weights,
// drawn ones, and shares of a node's links.
func TestAffinitiesAreNoDistances(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for trial := range 20 {
		n := 40 + 5*trial
		points := scattered(rng, n)
		for name, weight := range map[string]func(x float64) float64{
			"kernel":  func(x float64) float64 { return math.Exp(-x * x * float64(n)) },
			"inverse": func(x float64) float64 { return 1 / x },
			"similar": func(x float64) float64 { return 2 - x },
			"equal":   func(float64) float64 { return 1 },
			"counts":  func(float64) float64 { return float64(1 + rng.IntN(9)) },
			"drawn":   func(float64) float64 { return 0.01 + rng.Float64() },
		} {
			edges := nearEdges(points, 6, weight)
			assert.Empty(t, oddGraph(t, n, edges, points), name)
			assert.Empty(t, oddGraph(t, n, edges, nil), name)
		}
		shares := nearEdges(points, 6, func(float64) float64 { return 1 })
		degrees := make([]float64, n)
		for _, e := range shares {
			degrees[e.I]++
			degrees[e.J]++
		}
		larger, roots := slices.Clone(shares), slices.Clone(shares)
		for i, e := range shares {
			larger[i].Weight = max(1/degrees[e.I], 1/degrees[e.J])
			roots[i].Weight = 1 / math.Sqrt(degrees[e.I]*degrees[e.J])
		}
		assert.Empty(t, oddGraph(t, n, larger, nil), "shares of a node's links")
		assert.Empty(t, oddGraph(t, n, roots, nil), "normalised by degrees")
		var correlations []affinity.Edge
		for i := range n {
			for j := range i {
				if r := rng.Float64(); r > 0.7 {
					correlations = append(correlations, affinity.Edge{I: j, J: i, Weight: r})
				}
			}
		}
		assert.Empty(t, oddGraph(t, n, correlations, nil), "correlations above a threshold")
	}
}

func TestHubsAreTold(t *testing.T) {
	var star, complete []affinity.Edge
	for i := 1; i < 30; i++ {
		star = append(star, affinity.Edge{I: 0, J: i, Weight: 1})
		for j := range i {
			complete = append(complete, affinity.Edge{I: j, J: i, Weight: 1})
		}
	}
	messagetest.Names(t, oddGraph(t, 30, star, nil), "node 0 … 29 … 29 links")
	assert.Empty(t, oddGraph(t, 9, star[:8], nil), "one neighbourhood reads so few")
	messagetest.Names(t, oddGraph(t, 30, complete, nil), "all 30 nodes … one weight")
	assert.Empty(t, oddGraph(t, 30, complete[:200], nil))
	assert.Empty(t, oddGraph(t, 5, nil, nil))
}

// A file tells of it, in a check as in a training.
func TestDistancesOfAFileAreTold(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	points := scattered(rng, 40)
	edges := nearEdges(points, 5, func(x float64) float64 { return x })
	ends, weights := make([]int64, 0, 2*len(edges)), make([]float64, 0, len(edges))
	for _, e := range edges {
		ends, weights = append(ends, int64(e.I), int64(e.J)), append(weights, e.Weight)
	}
	features := make([]float64, 20*40)
	for i := range features {
		features[i] = rng.NormFloat64()
	}
	labels := make([]int64, 20)
	for i := range labels {
		labels[i] = int64(i % 2)
	}
	path := arrays{"features": &npz.Array{Shape: []int{20, 40}, Data: features}, "labels": vectorOf(labels...),
		"edges": matrixOf(2, ends...), "weights": vectorOf(weights...)}.write(t)
	report, err := CheckNPZ(path, Options{})
	require.NoError(t, err)
	messagetest.Names(t, strings.Join(textsOf(report.Findings), "\n"), "distances … far nodes … near")
}
