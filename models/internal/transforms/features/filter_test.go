package features

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
)

// drawnValues returns so many values, with equal ones among them.
func drawnValues(rng *rand.Rand, n int) []float32 {
	values := make([]float32, n)
	for i := range values {
		values[i] = float32(math.Round(20*rng.NormFloat64()) / 10)
	}
	return values
}

// Sums of products, counts and nearest windows are those of their definitions, for series that fill the processor's
// vectors and for those that do not.
func TestVectors(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 7))
	for n := 1; n < 80; n++ {
		step := 1 + n%3
		weights, out := drawnValues(rng, hydraTaps), make([]float32, n)
		x := drawnValues(rng, n+(hydraTaps-1)*step)
		filter(out, x, weights, step)
		for p := range out {
			want := 0.0
			for k, weight := range weights {
				want += float64(weight) * float64(x[p+k*step])
			}
			assert.InDelta(t, want, out[p], 1e-4, "%d of %d", p, n)
		}
		thresholds := [4]float32{out[0], -1, 0.1, 100}
		for k, count := range countAbove(out, thresholds) {
			want := 0
			for _, v := range out {
				want += asInt(v > thresholds[k])
			}
			assert.EqualValues(t, want, count, "%d above %v", n, thresholds[k])
		}
	}
}

// The nearest window is the first one of the least distance.
func TestNearestWindow(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 8))
	for n := 1; n < 80; n++ {
		shapelet := drawnValues(rng, shapeletTaps)
		v := windows{dilation: 1, series: drawnValues(rng, n+shapeletTaps-1), scale: drawnValues(rng, n),
			squares: drawnValues(rng, n), products: make([]float32, n)}
		if n > 20 {
			copy(v.series[:shapeletTaps+9], make([]float32, shapeletTaps+9)) // the first ten distances are equal
			copy(v.squares[:10], make([]float32, 10))
		}
		found, want := v.nearest(shapelet, 1), nearestWindow{least: float32(math.Inf(1))}
		for p, d := range v.distances(shapelet) {
			want.near += asInt(d < 1)
			if d < want.least {
				want.least, want.at = d, p
			}
		}
		assert.Equal(t, want, found, n)
	}
}

// The greatest response wins and the least one loses; of equal ones the last kernel wins and the first one loses.
func TestCompete(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 9))
	for n := range 80 {
		var responses [kernelsPerGroup][]float32
		for k := range responses {
			responses[k] = drawnValues(rng, n)
		}
		var want [2 * kernelsPerGroup]float32
		for p := range n {
			winner, loser := 0, 0
			for k := range responses {
				if responses[k][p] >= responses[winner][p] {
					winner = k
				}
				if responses[k][p] < responses[loser][p] {
					loser = k
				}
			}
			want[2*winner] += responses[winner][p]
			want[2*loser+1]++
		}
		assert.InDeltaSlice(t, want[:], competing(&responses, n), 1e-4, n)
	}
}

// competing returns what compete returns as a slice.
func competing(responses *[kernelsPerGroup][]float32, n int) []float32 {
	counts := compete(responses, n)
	return counts[:]
}
