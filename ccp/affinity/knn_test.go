package affinity

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/clusterpool/ccp/internal/messagetest"
)

// TestKNNOnALine: points at 0, 1, 3 with k = 1 have nearest neighbours at 1, 1 and 2, so σ = 4/3.
func TestKNNOnALine(t *testing.T) {
	m, err := KNN([]float64{0, 1, 3}, 3, 1, 1, Euclidean)
	require.NoError(t, err)
	require.Equal(t, 2, m.Edges())
	assert.InDelta(t, math.Exp(-9.0/16), m.At(0, 1), 1e-15)
	assert.InDelta(t, math.Exp(-9.0/4), m.At(1, 2), 1e-15)
	assert.Zero(t, m.At(1, 1))
}

// TestKNNCosine: at angles 0°, 60° and 180° of different lengths, 1 − cos is 0.5 (0-1), 1.5 (1-2) and 2 (0-2).
func TestKNNCosine(t *testing.T) {
	points := []float64{3, 0, 0.5, math.Sqrt(3) / 2, -1e-200, 0}
	m, err := KNN(points, 3, 2, 1, Cosine)
	require.NoError(t, err)
	sigma := (0.5 + 0.5 + 1.5) / 3
	require.Equal(t, 2, m.Edges())
	assert.InDelta(t, math.Exp(-0.25/(sigma*sigma)), m.At(0, 1), 1e-12)
	assert.InDelta(t, math.Exp(-2.25/(sigma*sigma)), m.At(1, 2), 1e-12)
}

func TestKNNTiesGoToTheLowerIndex(t *testing.T) {
	// Node 0 in the middle of four others, each at distance 1 and √2 or 2 from each other.
	m, err := KNN([]float64{0, 0, 1, 0, -1, 0, 0, 1, 0, -1}, 5, 2, 2, Euclidean)
	require.NoError(t, err)
	var pairs [][2]int
	for _, e := range m.EdgeList() {
		pairs = append(pairs, [2]int{e.I, e.J})
	}
	// 0 takes 1 and 2. 1 and 2 take 0 and then 3, at √2 as 4 is; 3 and 4 take 0 and then 1.
	assert.Equal(t, [][2]int{{0, 1}, {0, 2}, {0, 3}, {0, 4}, {1, 3}, {1, 4}, {2, 3}}, pairs)
}

func TestKNNEqualPoints(t *testing.T) {
	m, err := KNN(make([]float64, 4*3), 4, 3, 2, Euclidean)
	require.NoError(t, err)
	// 0 takes 1 and 2, 1 takes 0 and 2, 2 and 3 take 0 and 1; σ = 0 makes the weights 1.
	assert.Equal(t, []Edge{{0, 1, 1}, {0, 2, 1}, {0, 3, 1}, {1, 2, 1}, {1, 3, 1}}, m.EdgeList())
}

// The unit of points changes no bit of a graph, also where their squared distances would overflow or vanish.
func TestKNNInAnyUnit(t *testing.T) {
	const n, dims, k = 700, 3, 4 // more than NearKNN compares with each other
	points := plane(n, dims)
	for at := range points { // of few digits, so that the smallest float64s hold them too
		points[at] = math.Round(points[at]*0x1p20) / 0x1p20
	}
	exact, err := KNN(points, n, dims, k, Euclidean)
	require.NoError(t, err)
	some, err := NearKNN(points, n, dims, k, 7)
	require.NoError(t, err)
	for _, unit := range []int{1023, 700, 500, 300, 1, -1, -300, -500, -530, -700, -1000, -1054} {
		scaled := make([]float64, len(points))
		for at, v := range points {
			scaled[at] = math.Ldexp(v, unit)
		}
		before := slices.Clone(scaled)
		m, err := KNN(scaled, n, dims, k, Euclidean)
		require.NoError(t, err)
		assert.Equal(t, exact.Hash(), m.Hash(), "2^%d", unit)
		m, err = NearKNN(scaled, n, dims, k, 7)
		require.NoError(t, err)
		assert.Equal(t, some.Hash(), m.Hash(), "2^%d, near", unit)
		assert.Equal(t, before, scaled, "the caller's points stay")
	}
}

// Tiny distances count beside large ones, and the ends of the range of a float64 are as far as they are.
func TestKNNOfDistancesOfDifferentSizes(t *testing.T) {
	for _, c := range []struct {
		what   string
		points []float64
		want   [][2]int
	}{
		{"tiny beside 1", []float64{1, 0, 3e-200, 1e-200, 5e-200}, [][2]int{{0, 1}, {1, 3}, {2, 3}, {2, 4}}},
		{"from end to end", []float64{-math.MaxFloat64, math.MaxFloat64, -1e308, 1.1e308}, [][2]int{{0, 2}, {1, 3}}},
		{"the smallest", []float64{5e-324, 50e-324, 15e-324, 45e-324}, [][2]int{{0, 2}, {1, 3}}},
	} {
		m, err := KNN(c.points, len(c.points), 1, 1, Euclidean)
		require.NoError(t, err)
		var pairs [][2]int
		for _, e := range m.EdgeList() {
			pairs = append(pairs, [2]int{e.I, e.J})
		}
		assert.Equal(t, c.want, pairs, c.what)
	}
}

// Points count if more others than neighbours lie where they do; 0 and -0 are one place.
func TestCoincident(t *testing.T) {
	points := []float64{5, 5, 0, 1, 7, 7, math.Copysign(0, -1), 1, 0, 1, 7, 7, 0, 2}
	for _, c := range []struct{ k, count, first int }{{1, 3, 1}, {2, 0, 0}, {0, 5, 1}} {
		count, first := Coincident(points, 2, c.k)
		assert.Equal(t, []int{c.count, c.first}, []int{count, first}, "k=%d", c.k)
	}
	count, _ := Coincident(make([]float64, 9), 1, 8)
	assert.Zero(t, count, "each is joined to all others")
}

// distanceOf returns the distance of two points by its definition.
func distanceOf(x, y []float64, metric Metric) float64 {
	var squares, dot, xx, yy float64
	for d := range x {
		squares += (x[d] - y[d]) * (x[d] - y[d])
		dot += x[d] * y[d]
		xx += x[d] * x[d]
		yy += y[d] * y[d]
	}
	if metric == Cosine {
		return 1 - dot/math.Sqrt(xx*yy)
	}
	return math.Sqrt(squares)
}

// TestKNNAgainstDefinition sorts all distances, computed by their definitions.
func TestKNNAgainstDefinition(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for _, c := range []struct{ n, dims, k int }{
		{2, 1, 1}, {5, 3, 4}, {40, 7, 5}, {100, 8, 16}, {60, 32, 6}, {60, 33, 6}, {90, 103, 16},
	} {
		points := make([]float64, c.n*c.dims)
		for i := range points {
			points[i] = random.NormFloat64()
		}
		for _, metric := range []Metric{Euclidean, Cosine} {
			distance := func(i, j int) float64 {
				return distanceOf(points[i*c.dims:][:c.dims], points[j*c.dims:][:c.dims], metric)
			}
			near := make([][]int, c.n)
			sigma := 0.0
			for i := range c.n {
				for j := range c.n {
					if i != j {
						near[i] = append(near[i], j)
					}
				}
				sort.SliceStable(near[i], func(a, b int) bool { return distance(i, near[i][a]) < distance(i, near[i][b]) })
				near[i] = near[i][:c.k]
				sigma += distance(i, near[i][c.k-1]) / float64(c.n)
			}
			want := make([]float64, c.n*c.n)
			for i := range near {
				for _, j := range near[i] {
					w := math.Exp(-math.Pow(distance(i, j)/sigma, 2))
					want[i*c.n+j], want[j*c.n+i] = w, w
				}
			}
			m, err := KNN(points, c.n, c.dims, c.k, metric)
			require.NoError(t, err)
			assert.InDeltaSlice(t, want, m.Dense(), 1e-11, "%v %+v", metric, c)
		}
	}
}

func TestKNNErrors(t *testing.T) {
	two := []float64{1, 2, 3, 4}
	for _, c := range []struct {
		points     []float64
		n, dims, k int
		metric     Metric
		want       string
	}{
		{two, 3, 2, 1, Euclidean, "4 coordinates, want 3 points of 2"},
		{two, 1 << 62, 4, 1, Euclidean, "4 coordinates, want 4611686018427387904 points of 4"},
		{two, 2, 0, 1, Euclidean, "want 2 points of 0"},
		{two, 2, 2, 0, Euclidean, "k=0 nearest neighbours among 2 points"},
		{two, 2, 2, 2, Euclidean, "k=2 nearest neighbours among 2 points"},
		{nil, 0, 2, 1, Euclidean, "k=1 nearest neighbours among 0 points"},
		{[]float64{1, 2, 3, math.NaN()}, 2, 2, 1, Euclidean, "row 1: coordinate 1 is NaN"},
		{[]float64{1, math.Inf(1), 3, 4}, 2, 2, 1, Cosine, "row 0: coordinate 1 is +Inf"},
		{[]float64{1, 2, 0, 0}, 2, 2, 1, Cosine, "row 1 … zero … direction"},
	} {
		_, err := KNN(c.points, c.n, c.dims, c.k, c.metric)
		messagetest.Names(t, err, c.want)
	}
}

func BenchmarkKNN(b *testing.B) {
	random := rand.New(rand.NewPCG(3, 4))
	const n, dims = 10_000, 100
	points := make([]float64, n*dims)
	for i := range points {
		points[i] = random.NormFloat64()
	}
	for b.Loop() {
		if _, err := KNN(points, n, dims, 16, Cosine); err != nil {
			b.Fatal(err)
		}
	}
}

func ExampleKNN() {
	corners := []float64{0, 0, 0, 1, 1, 0, 1, 1} // Of a unit square.
	m, err := KNN(corners, 4, 2, 2, Euclidean)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, e := range m.EdgeList() {
		fmt.Printf("%d-%d %.3f\n", e.I, e.J, e.Weight)
	}
	// Output:
	// 0-1 0.368
	// 0-2 0.368
	// 1-3 0.368
	// 2-3 0.368
}
