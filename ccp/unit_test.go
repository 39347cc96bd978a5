package ccp_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/clusterpool/ccp/ccp"
	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The unit of the weights changes nothing of a hierarchy, on graphs whose moves tie and on others.
func TestHierarchiesDoNotDependOnTheUnitOfWeights(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	random := rand.New(rand.NewPCG(5, 6))
	for name, weight := range map[string]func(far int) float64{
		"one weight":          func(int) float64 { return 1 },
		"small numbers":       func(int) float64 { return float64(1 + random.IntN(3)) },
		"tenths":              func(int) float64 { return float64(1+random.IntN(9)) / 10 },
		"kernel on a grid":    func(far int) float64 { return math.Exp(-float64(far)) },
		"weights of any kind": func(int) float64 { return random.ExpFloat64() },
	} {
		var edges []affinity.Edge
		const side = 6
		for node := range side * side {
			row, column := node/side, node%side
			if column+1 < side {
				edges = append(edges, affinity.Edge{I: node, J: node + 1, Weight: weight(1)})
			}
			if row+1 < side {
				edges = append(edges, affinity.Edge{I: node, J: node + side, Weight: weight(1)})
			}
			if row+1 < side && column+1 < side && random.IntN(3) > 0 {
				edges = append(edges, affinity.Edge{I: node, J: node + side + 1, Weight: weight(2)})
			}
		}
		prepared := func(unit float64) *ccp.Hierarchy {
			heavier := make([]affinity.Edge, len(edges))
			for i, e := range edges {
				heavier[i] = affinity.Edge{I: e.I, J: e.J, Weight: e.Weight * unit}
			}
			graph, err := affinity.New(side*side, heavier)
			require.NoError(t, err)
			h, err := ccp.Prepare(graph).Level(9, 9).Level(1, 9).Hierarchies(4).Around(9, 1).Directed(0, 1).Done(t.Context())
			require.NoError(t, err)
			return h
		}
		want := prepared(1)
		for _, unit := range []float64{1000, 0.1, 1.0 / 3, 1e30, 1e-30, 1e300, 1e-300} {
			assert.Equal(t, want, prepared(unit), fmt.Sprintf("%s times %g", name, unit))
		}
	}
}
