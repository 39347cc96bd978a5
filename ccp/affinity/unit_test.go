package affinity

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// scaled is a graph with all weights times a factor.
func scaled(t *testing.T, m *Matrix, factor float64) *Matrix {
	t.Helper()
	edges := m.EdgeList()
	for i := range edges {
		edges[i].Weight *= factor
	}
	other, err := New(m.N(), edges)
	require.NoError(t, err)
	return other
}

func TestRelativeWeightsHaveNoUnit(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	few := []float64{math.Exp(-1), math.Exp(-2), 0.1, 1, 3}
	for kind, weight := range []func() float64{
		func() float64 { return 1 },
		func() float64 { return float64(1 + random.IntN(5)) },
		func() float64 { return few[random.IntN(len(few))] },
	} {
		var edges []Edge
		for i := range 12 {
			edges = append(edges, Edge{i, (i + 1) % 12, weight()}, Edge{i, (i + 5) % 12, weight()})
		}
		m, err := New(12, append(edges, Edge{3, 3, 7}))
		require.NoError(t, err)
		for _, unit := range []float64{1000, 0.1, 1.0 / 3, math.Pi, 1e30, 1e-30, 1e300, 1e-300} {
			assert.Equal(t, m.Relative(), scaled(t, m, unit).Relative(), "weights of kind %d times %g", kind, unit)
		}
	}
}

func TestRelativeWeightsThatAreFineStay(t *testing.T) {
	// A mean of equal weights is one of them but for rounding.
	m, err := New(3, []Edge{{0, 1, 1}, {1, 2, 0.9999999999999997}})
	require.NoError(t, err)
	assert.Equal(t, m, m.Relative())
	m, err = New(3, []Edge{{0, 1, 1}, {1, 2, 0.25}})
	require.NoError(t, err)
	assert.Equal(t, m, m.Relative())
	m, err = New(2, nil)
	require.NoError(t, err)
	assert.Zero(t, m.Relative().Edges())
}

// Neither end of what a float64 holds loses an edge.
func TestExtremeWeightsKeepTheirEdges(t *testing.T) {
	m, err := New(4, []Edge{{0, 1, math.MaxFloat64}, {1, 2, math.MaxFloat64}, {2, 3, math.SmallestNonzeroFloat64}})
	require.NoError(t, err)
	assert.Equal(t, 3, m.Relative().Edges())
	for _, w := range m.Relative().Normalized().data {
		assert.True(t, w > 0 && w <= 1, "%g", w)
	}
}
