package datasets

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/clusterpool/ccp/internal/npz"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// field returns an .npz file of features that are alike at near places, with links of pairs nearer than reach, weighted
// by their distance.
func field(rng *rand.Rand, nodes int, reach float64, edge func(i, j int, distance float64) (from, to int,
	weight float64)) arrays {
	const samples, waves = 160, 12
	x, y := make([]float64, nodes), make([]float64, nodes)
	for i := range nodes {
		x[i], y[i] = 10*rng.Float64(), 10*rng.Float64()
	}
	values, labels := make([]float32, samples*nodes), make([]int64, samples)
	for s := range samples {
		labels[s] = int64(s % 2)
		for range waves {
			kx, ky, phase := 1.2*rng.NormFloat64(), 1.2*rng.NormFloat64(), 6.3*rng.Float64()
			for i := range nodes {
				values[s*nodes+i] += float32(math.Sin(kx*x[i] + ky*y[i] + phase))
			}
		}
	}
	var edges []int64
	var weights []float64
	for i := range nodes {
		for j := range i {
			if distance := math.Hypot(x[i]-x[j], y[i]-y[j]); distance < reach {
				from, to, weight := edge(i, j, distance)
				if from >= 0 {
					edges, weights = append(edges, int64(from), int64(to)), append(weights, weight)
				}
			}
		}
	}
	return arrays{"features": {Shape: []int{samples, nodes}, Data: values}, "labels": vectorOf(labels...),
		"edges":   {Shape: []int{len(weights), 2}, Data: edges},
		"weights": &npz.Array{Shape: []int{len(weights)}, Data: weights}}
}

// linksOf returns what an audit says of the links of a file.
func linksOf(t *testing.T, a arrays) (said []string) {
	t.Helper()
	found, err := Audit(a.load(t, Options{}))
	require.NoError(t, err)
	for _, f := range found {
		if f.Kind == ofLinks || f.Kind == ofGraph {
			said = append(said, f.Level+" "+f.What)
		}
	}
	return said
}

// A graph is asked whether it is that of the values: by its links, and by their weights, also where most nodes are
// linked. What is right is not asked, such as a node 0 that is truly alone.
func TestLinksAreComparedWithValues(t *testing.T) {
	const nodes = 50
	nearness := func(distance float64) float64 { return math.Exp(-distance * distance / 4) }
	for seed := range uint64(3) {
		rng := rand.New(rand.NewPCG(seed, 8))
		order := rng.Perm(nodes)
		cases := map[string]struct {
			reach float64
			edge  func(i, j int, distance float64) (from, to int, weight float64)
			said  []string
		}{
			"near":      {3, func(i, j int, d float64) (int, int, float64) { return i, j, nearness(d) }, nil},
			"all, near": {20, func(i, j int, d float64) (int, int, float64) { return i, j, nearness(d) }, nil},
			"travel times": {4, func(i, j int, d float64) (int, int, float64) {
				return i, j, d * math.Exp(0.4*rng.NormFloat64())
			}, []string{"warning " + distanceText}},
			"squares": {4, func(i, j int, d float64) (int, int, float64) { return i, j, d * d },
				[]string{"warning " + distanceText}},
			"another order": {3, func(i, j int, d float64) (int, int, float64) {
				return order[i], order[j], nearness(d)
			}, []string{"question "}},
			"all, another order": {20, func(i, j int, d float64) (int, int, float64) {
				return order[i], order[j], nearness(d)
			}, []string{"question " + weightText}},
			"0 alone": {3, func(i, j int, d float64) (int, int, float64) {
				if j == 0 {
					return -1, 0, 0
				}
				return i, j, nearness(d)
			}, nil},
			"from 1": {3, func(i, j int, d float64) (int, int, float64) {
				if i == nodes-1 {
					return -1, 0, 0
				}
				return i + 1, j + 1, nearness(d)
			}, []string{"warning " + fromOneText}},
		}
		for _, name := range slices.Sorted(maps.Keys(cases)) { // all draw from rng
			c := cases[name]
			assert.Equal(t, c.said, linksOf(t, field(rng, nodes, c.reach, c.edge)), "%s, draw %d", name, seed)
		}
	}
}
