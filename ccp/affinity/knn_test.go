package affinity

import (
	"fmt"
	"math"
	"math/rand/v2"
	"sort"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
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

// TestKNNAgainstDefinition sorts all distances, computed by their definitions.
func TestKNNAgainstDefinition(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for _, c := range []struct{ n, dims, k int }{{2, 1, 1}, {5, 3, 4}, {40, 7, 5}, {100, 8, 16}, {60, 32, 6}, {60, 33, 6}, {90, 103, 16}} {
		points := make([]float64, c.n*c.dims)
		for i := range points {
			points[i] = random.NormFloat64()
		}
		for _, metric := range []Metric{Euclidean, Cosine} {
			distance := func(i, j int) float64 {
				var squares, dot, xx, yy float64
				for d := range c.dims {
					x, y := points[i*c.dims+d], points[j*c.dims+d]
					squares += (x - y) * (x - y)
					dot += x * y
					xx += x * x
					yy += y * y
				}
				if metric == Cosine {
					return 1 - dot/math.Sqrt(xx*yy)
				}
				return math.Sqrt(squares)
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
		{[]float64{1, 2, 0, 0}, 2, 2, 1, Cosine, "row 1 is zero and has no direction"},
		{[]float64{1e200, -1e200}, 2, 1, 1, Euclidean, "distances overflow"},
	} {
		_, err := KNN(c.points, c.n, c.dims, c.k, c.metric)
		assert.ErrorContains(t, err, c.want)
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
