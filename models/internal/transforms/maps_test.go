package transforms

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/clusterpool/ccp/models/internal/kernels"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// drawn makes recordings of three columns that need no standardising.
func drawn(timepoints ...int) (u units, samples []Sample) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, n := range timepoints {
		s := Sample{Values: make([]float32, 3*n)}
		for i := range s.Values {
			s.Values[i] = float32(rng.NormFloat64())
		}
		samples = append(samples, s)
	}
	return units{[]float32{0, 0, 0}, []float32{1, 1, 1}}, samples
}

// at returns a value of a recording of three columns, zero beyond its ends.
func at(x []float32, p, c int) float64 {
	if i := 3*p + c; p >= 0 && i < len(x) {
		return float64(x[i])
	}
	return 0
}

// The shares are those of loops over positions and slots, of recordings longer and shorter than the median.
func TestMiniRocketDirectly(t *testing.T) {
	u, samples := drawn(40, 25, 90, 12)
	m := newMiniRocket(3, 40, 1000)
	require.NoError(t, m.draw(context.Background(), u, samples, 7))
	weights, w := kernels.SlotWeights(), new(work)
	for _, s := range samples {
		out := make([]float32, m.width())
		u.read(w, s.Values)
		m.features(w, out)
		n, j := len(s.Values)/3, 0
		for d, q := range m.each {
			for k := range kernels.Count {
				var responses []float64
				whole := (k+d)%2 == 1 && n > 8*m.steps[d]
				for p := range n {
					if whole && (p < 4*m.steps[d] || p >= n-4*m.steps[d]) {
						continue
					}
					r := 0.0
					for slot := range 9 {
						for c := range 3 {
							r += float64(weights[slot*kernels.Count+k]*m.signs[(d*3+c)*kernels.Count+k]) * at(s.Values, p+(slot-4)*m.steps[d], c)
						}
					}
					responses = append(responses, r)
				}
				for range q {
					share := 0.0
					for _, r := range responses {
						if r > float64(m.thresholds[j]) {
							share += 1 / float64(len(responses))
						}
					}
					// Rounding may put a response on the other side of a threshold that is one of the responses.
					require.InDelta(t, share, out[j], 1.01/float64(len(responses)))
					j++
				}
			}
		}
	}
}

// The counts are those of loops over positions and taps.
func TestHydraDirectly(t *testing.T) {
	u, samples := drawn(40, 10, 1)
	m, w := newHydra(3, 40, 4), new(work)
	m.draw(3, 7)
	require.Equal(t, []int{1, 2, 4}, m.steps)
	for _, s := range samples {
		got, want := make([]float32, m.width()), make([]float64, m.width())
		u.read(w, s.Values)
		m.features(w, got)
		for group := range len(m.steps) * m.groups {
			n, c := len(s.Values)/3, int(m.columns[group])
			value := func(p int) float64 { return at(s.Values, p, c) }
			if group%4 >= 2 {
				n--
				value = func(p int) float64 {
					if p < 0 || p >= n {
						return 0
					}
					return at(s.Values, p+1, c) - at(s.Values, p, c)
				}
			}
			for p := range n {
				most, least, winner, loser := math.Inf(-1), math.Inf(1), 0, 0
				for k := range 8 {
					r := 0.0
					for tap := range 9 {
						r += float64(m.weights[(group*8+k)*9+tap]) * value(p+(tap-4)*m.steps[group/4])
					}
					if r > most {
						most, winner = r, k
					}
					if r < least {
						least, loser = r, k
					}
				}
				want[group*16+2*winner] += most / float64(n)
				want[group*16+2*loser+1] += 1 / float64(n)
			}
		}
		for i := range want {
			require.InDelta(t, math.Sqrt(max(0, want[i])), got[i], 1e-4, i)
		}
	}
}

// HYDRA's scaler divides by the deviation plus the fourth power of the share of zeros, and keeps zeros.
func TestSparse(t *testing.T) {
	rows := [][]float32{{0, 1}, {4, 3}}
	v := &transform{name: Hydra, mean: make([]float32, 2), scale: make([]float32, 2)}
	measure(rows, v.mean, v.scale)
	sparse(rows, v.scale)
	for _, row := range rows {
		v.standardise(row)
	}
	assert.InDeltaSlice(t, []float32{0, -1}, rows[0], 1e-6)
	assert.InDeltaSlice(t, []float32{2 / (2 + 1.0/16), 1}, rows[1], 1e-6)
}

// A sine's power lies in its band, as much in a long recording as in a short one.
func TestPowerOfASine(t *testing.T) {
	m, w := newPower(1, 100), new(work)
	u := units{[]float32{0}, []float32{1}}
	for _, n := range []int{64, 100, 1000} {
		x := make([]float32, n)
		for p := range x {
			x[p] = float32(3 + math.Sqrt2*math.Sin(2*math.Pi*0.21*float64(p)))
		}
		u.read(w, x)
		out := make([]float32, m.width())
		m.features(w, out)
		assert.InDelta(t, 3, out[0], 0.05)
		assert.InDelta(t, 0, out[1], 0.05) // the logarithm of a variance of 1
		loudest := best(out[2:])
		assert.True(t, m.edges[loudest] <= 0.21 && 0.21 < m.edges[loudest+1], n)
	}
}
