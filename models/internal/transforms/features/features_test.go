package features

import (
	"github.com/clusterpool/ccp/datasets/recording"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
)

// unscaled is a scaling that changes nothing.
func unscaled(columns int) Scaling {
	s := NewScaling(columns, 1, 0)
	for c := range s.Scale {
		s.Scale[c] = 1
	}
	return s
}

// drawn makes recordings of one class and of three columns that need no standardising.
func drawn(timepoints ...int) Training {
	rng := rand.New(rand.NewPCG(1, 1))
	t := Training{Scaling: unscaled(3), Labels: make([]int32, len(timepoints))}
	for _, n := range timepoints {
		x := make([]float32, 3*n)
		for i := range x {
			x[i] = float32(rng.NormFloat64())
		}
		t.Values = append(t.Values, x)
	}
	return t
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
	training := drawn(40, 25, 90, 12)
	m := newMiniRocket(Shape{Columns: 3, Length: 40, Features: 1000}).(*miniRocket)
	require.NoError(t, m.Draw(t.Context(), training, 7))
	weights, r := slotWeights(), new(Recording)
	for _, x := range training.Values {
		out := make([]float32, m.Width())
		training.Scaling.Read(r, x)
		m.Features(r, out)
		n, j := len(x)/3, 0
		for d, q := range m.perKernel {
			for k := range kernelCount {
				var responses []float64
				whole := (k+d)%2 == 1 && n > 8*m.dilations[d]
				for p := range n {
					if whole && (p < 4*m.dilations[d] || p >= n-4*m.dilations[d]) {
						continue
					}
					r := 0.0
					for slot := range 9 {
						for c := range 3 {
							r += float64(weights[slot*kernelCount+k]*m.signs[(d*3+c)*kernelCount+k]) * at(x, p+(slot-4)*m.dilations[d], c)
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
	training := drawn(40, 10, 1)
	m, r := newHydra(Shape{Columns: 3, Length: 40, Groups: 4}).(*hydra), new(Recording)
	require.NoError(t, m.Draw(t.Context(), training, 7))
	require.Equal(t, []int{1, 2, 4}, m.dilations)
	for _, x := range training.Values {
		got, want := make([]float32, m.Width()), make([]float64, m.Width())
		training.Scaling.Read(r, x)
		m.Features(r, got)
		for group := range len(m.dilations) * m.groups {
			n, c := len(x)/3, int(m.drawn[group])
			value := func(p int) float64 { return at(x, p, c) }
			if group%4 >= 2 {
				n--
				value = func(p int) float64 {
					if p < 0 || p >= n {
						return 0
					}
					return at(x, p+1, c) - at(x, p, c)
				}
			}
			for p := range n {
				most, least, winner, loser := math.Inf(-1), math.Inf(1), 0, 0
				for k := range 8 {
					r := 0.0
					for tap := range 9 {
						r += float64(m.weights[(group*8+k)*9+tap]) * value(p+(tap-4)*m.dilations[group/4])
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

// The features are those of loops over windows and shapelets, of recordings longer and shorter than the median. A
// shapelet is a window of a training sample, and near its threshold lie 5 to 10% of the windows of another sample of
// the class.
func TestShapeletsDirectly(t *testing.T) {
	training := drawn(40, 25, 90, 12, 1)
	for i := range 20 {
		training.Values[0][3*i] = 2 // a constant piece
	}
	m, r := newShapelets(Shape{Columns: 3, Length: 40, Features: 1600}).(*shapelets), new(Recording)
	require.NoError(t, m.Draw(t.Context(), training, 7))
	require.Equal(t, []int{1, 3, 2}, []int{m.dilations[0], m.dilations[shapeletDilations-1], m.groups})
	cut, constant := 0, 0
	for _, x := range training.Values {
		got := make([]float32, m.Width())
		training.Scaling.Read(r, x)
		m.Features(r, got)
		length := len(x) / 3
		for shapelet := range m.thresholds {
			group := shapelet / shapeletsPerGroup
			step, own := m.dilations[group/m.groups], m.values[11*shapelet:][:11]
			first := min(5*step, (length-1)/2)
			var distances []float64
			for centre := first; centre < length-first; centre++ {
				var window []float64
				for tap := range 11 {
					window = append(window, at(x, centre+(tap-5)*step, int(m.drawn[group])))
				}
				if group%5 != 4 {
					mean, deviation := stat.PopMeanStdDev(window, nil)
					floats.AddConst(-mean, window)
					if deviation > leastSigma {
						floats.Scale(1/deviation, window)
					} else {
						constant++
						clear(window)
					}
				}
				square := 0.0
				for tap, v := range own {
					square += (float64(v) - window[tap]) * (float64(v) - window[tap])
				}
				distances = append(distances, math.Sqrt(square))
			}
			place := floats.MinIdx(distances)
			if distances[place] < 1e-3 {
				cut++
			}
			near := 0.0
			for _, d := range distances {
				if d*d < float64(m.thresholds[shapelet])-1e-5 { // all windows but constant ones are as far from a constant shapelet
					near += 1 / float64(len(distances))
				}
			}
			f := got[3*shapelet:][:3]
			assert.InDelta(t, distances[place], f[0], 5e-3)
			assert.InDelta(t, distances[int(math.Round(float64(f[1])*float64(len(distances))))], distances[place], 1e-3)
			assert.InDelta(t, near, f[2], 1.01/float64(len(distances)))
		}
	}
	assert.GreaterOrEqual(t, cut, len(m.thresholds)*9/10, "shapelets are pieces of the samples")
	assert.Positive(t, constant)
}

// HYDRA's scaler divides by the deviation plus the fourth power of the share of zeros, and keeps zeros.
func TestSparse(t *testing.T) {
	rows := [][]float32{{0, 1}, {4, 3}}
	s := Find("hydra").NewStandardiser(2)
	s.Measure(rows)
	for _, row := range rows {
		s.Apply(row)
	}
	assert.InDeltaSlice(t, []float32{0, -1}, rows[0], 1e-6)
	assert.InDeltaSlice(t, []float32{2 / (2 + 1.0/16), 1}, rows[1], 1e-6)
}

// A sine's power lies in its band, as much in a long recording as in a short one.
func TestPowerOfASine(t *testing.T) {
	m, r := newPower(Shape{Columns: 1, Longest: 100}).(*power), new(Recording)
	scaling := unscaled(1)
	for _, n := range []int{64, 100, 1000} {
		x := make([]float32, n)
		for p := range x {
			x[p] = float32(3 + math.Sqrt2*math.Sin(2*math.Pi*0.21*float64(p)))
		}
		scaling.Read(r, x)
		out := make([]float32, m.Width())
		m.Features(r, out)
		assert.InDelta(t, 3, out[0], 0.05)
		assert.InDelta(t, 0, out[1], 0.05) // the logarithm of a variance of 1
		loudest := slices.Index(out, slices.Max(out[2:])) - 2
		assert.True(t, m.edges[loudest] <= 0.21 && 0.21 < m.edges[loudest+1], n)
	}
}

// The correlations are those of loops over time points, of recordings longer and shorter than the median.
func TestLagsDirectly(t *testing.T) {
	training := drawn(40, 25, 90, 3)
	m, r := newLags(Shape{Columns: 3, Channels: 1, Length: 40}).(*lags), new(Recording)
	require.Equal(t, []int{1, 2, 3, 4, 5, 8, 11, 16, 20}[:2], m.edges[:2])
	require.Equal(t, 20, m.edges[len(m.edges)-1])
	require.Len(t, m.pairs, 6, "each two of three columns, and each with itself")
	for _, x := range training.Values {
		n := len(x) / 3
		mean := [3]float64{}
		for p := range n {
			for c := range mean {
				mean[c] += at(x, p, c) / float64(n)
			}
		}
		value := func(p, c int) float64 {
			if p < 0 || p >= n {
				return 0
			}
			return at(x, p, c) - mean[c]
		}
		norm := func(c int) (sum float64) {
			for p := range n {
				sum += value(p, c) * value(p, c)
			}
			return math.Sqrt(sum)
		}
		var want []float64
		for _, pair := range m.pairs {
			r := func(lag int) (sum float64) {
				for p := range n {
					sum += value(p, pair[0]) * value(p+lag, pair[1])
				}
				return sum / (norm(pair[0])*norm(pair[1]) + powerFloor*float64(n))
			}
			want = append(want, r(0))
			for b, from := range m.edges[:len(m.edges)-1] {
				later, sooner := 0.0, 0.0
				for lag := from; lag < m.edges[b+1]; lag++ {
					later += r(lag) / float64(m.edges[b+1]-from)
					sooner += r(-lag) / float64(m.edges[b+1]-from)
				}
				want = append(want, later, sooner)
			}
		}
		out := make([]float32, m.Width())
		training.Scaling.Read(r, x)
		m.Features(r, out)
		require.Len(t, want, m.Width())
		for i := range want {
			assert.InDelta(t, want[i], out[i], 1e-5, "%d of %d time points", i, n)
		}
	}
}

// A walk's steps are powers of P = (I + D⁻¹·A)/2, and a lone node keeps its value.
func TestWalk(t *testing.T) {
	links, err := affinity.New(4, []affinity.Edge{{I: 0, J: 1, Weight: 1}, {I: 1, J: 2, Weight: 3}})
	require.NoError(t, err)
	x, spare := []float32{8, 16, 0, 5}, make([]float32, 4)
	m := newWalk(links)
	m.steps(x, spare, 1)
	assert.Equal(t, []float32{12, 9, 8, 5}, x)
	m.steps(x, spare, 2)
	assert.InDeltaSlice(t, []float32{(12+9)/2./2 + (4.5+1.5+3)/2, 0, 0, 5}[3:], x[3:], 1e-6)
	assert.InDelta(t, (10.5+9)/2, x[0], 1e-6)
}

// What the transform scattering sees does not depend on the place, here on a ring; averages tell places apart.
func TestScatteringHasNoPlace(t *testing.T) {
	var edges []affinity.Edge
	for i := range 24 {
		edges = append(edges, affinity.Edge{I: i, J: (i + 1) % 24, Weight: 1})
	}
	ring, err := affinity.New(24, edges)
	require.NoError(t, err)
	h := Shape{Columns: 48, Channels: 2, Length: 5, Links: ring}
	scaling, rng := unscaled(48), rand.New(rand.NewPCG(2, 3))
	values := make([]float32, 5*48)
	for i := range values {
		values[i] = float32(rng.NormFloat64())
	}
	turned := make([]float32, len(values))
	for i := range values {
		turned[i/48*48+(i%48+14)%48] = values[i]
	}
	for name, same := range map[string]bool{"scattering": true, "averages": false} {
		m, r := Find(name).New(h), new(Recording)
		a, b := make([]float32, m.Width()), make([]float32, m.Width())
		scaling.Read(r, values)
		m.Features(r, a)
		scaling.Read(r, turned)
		m.Features(r, b)
		worst := 0.0
		for i := range a {
			worst = max(worst, math.Abs(float64(a[i]-b[i])))
		}
		assert.Equal(t, same, worst < 1e-4, "%s: %g", name, worst)
	}
}

// Samples whose axes are sensors, frames and channels are read as those with frames first.
func TestTurned(t *testing.T) {
	const sensors, frames, channels = 3, 4, 2
	plain := unscaled(6)
	turned := plain
	turned.Channels, turned.SensorFrames = channels, frames
	a, b := make([]float32, 24), make([]float32, 24)
	for s := range sensors {
		for f := range frames {
			for c := range channels {
				v := float32(100*s + 10*f + c)
				a[(f*sensors+s)*channels+c], b[(s*frames+f)*channels+c] = v, v
				assert.Equal(t, s*channels+c, turned.column((s*frames+f)*channels+c))
			}
		}
	}
	v, r := new(Recording), new(Recording)
	plain.Read(v, a)
	turned.Read(r, b)
	assert.Equal(t, v.Columns, r.Columns)
}

// The quantiles are those of loops over intervals, each second one less the mean of its interval; a checkpoint of
// 0.1.0 has them as they are, and differences that are not smoothed. A recording stretched in time has nearly the
// same.
func TestIntervalsDirectly(t *testing.T) {
	m := newIntervals(Shape{Columns: 1, Length: 16}).(*intervals)
	require.Equal(t, 4*(8+3*4), m.Width())
	scaling, r := unscaled(1), new(Recording)
	x := []float32{3, 1, 4, 1, 5, 9, 2, 6}
	scaling.Read(r, x)
	out := make([]float32, m.Width())
	quantile := func(x []float32, q float64) float64 {
		x = slices.Clone(x)
		slices.Sort(x)
		place := q * float64(len(x)-1)
		below := int(place)
		return float64(x[below]) + (place-float64(below))*float64(x[min(below+1, len(x)-1)]-x[below])
	}
	smooth := []float32{-2. / 5, 2. / 5, 6. / 5, 1. / 5, 2. / 5, 5. / 5, 1. / 5}
	for _, first := range [][]float32{{-2, 3, -3, 4, 4, -7, 4}, smooth} {
		var want []float64
		m.meansSubtracted = &first[0] == &smooth[0]
		for _, series := range [][]float32{x, first, {5, -6, 7, 0, -11, 11}} {
			n := float64(len(series))
			quantiles := func(from, to float64, most int) {
				part, mean := series[int(math.Round(from*n)):int(math.Round(to*n))], 0.0
				for _, v := range part {
					mean += float64(v) / float64(len(part))
				}
				for q := range most {
					want = append(want, quantile(part, (float64(q)+0.5)/float64(most)))
					if m.meansSubtracted && q%2 == 1 {
						want[len(want)-1] -= mean
					}
				}
			}
			quantiles(0, 1, 8)
			for _, half := range []float64{0, 0.25, 0.5} {
				quantiles(half, half+0.5, 4)
			}
		}
		m.Features(r, out)
		for i, v := range want {
			assert.InDelta(t, v, out[i], 1e-5, "%d, meansSubtracted %v", i, m.meansSubtracted)
		}
	}
	waves := func(n int) []float32 {
		x := make([]float32, n)
		for p := range x {
			x[p] = float32(math.Sin(9 * float64(p) / float64(n)))
		}
		return x
	}
	stretched := make([]float32, m.Width())
	scaling.Read(r, waves(400))
	m.Features(r, out)
	scaling.Read(r, waves(900))
	m.Features(r, stretched)
	assert.InDeltaSlice(t, out[:20], stretched[:20], 0.02)
	scaling.Read(r, []float32{1})
	m.Features(r, out)
	assert.InDelta(t, 1, out[0], 1e-6, "of one time point")
}

// The map of stretched recordings is that of recordings which were stretched before, thresholds included.
func TestStretchedDirectly(t *testing.T) {
	plain, other := Find("minirocket"), Find("minirocket-stretched")
	shape := Shape{Columns: 1, Length: 50, Longest: 80, Features: 500}
	assert.NotEmpty(t, other.Lacks(Shape{Columns: 1, Length: 50, Longest: 54}))
	require.Empty(t, other.Lacks(shape))
	rng := rand.New(rand.NewPCG(4, 5))
	var short, long [][]float32
	for range 6 {
		x, y := make([]float32, 30+rng.IntN(40)), make([]float32, 50)
		for p := range x {
			x[p] = float32(rng.NormFloat64())
		}
		recording.Resample(y, x, 1)
		short, long = append(short, x), append(long, y)
	}
	scaling := unscaled(1)
	featuresOf := func(m Map, samples [][]float32) (all [][]float32) {
		require.NoError(t, m.(DrawnMap).Draw(t.Context(), Training{scaling, samples, make([]int32, len(samples))}, 3))
		r := new(Recording)
		for _, x := range samples {
			out := make([]float32, m.Width())
			scaling.Read(r, x)
			m.Features(r, out)
			all = append(all, out)
		}
		return all
	}
	assert.Equal(t, featuresOf(plain.New(shape), long), featuresOf(other.New(shape), short))
}

// A column too small for float32's normal numbers tells nothing, and takes nothing from the others.
func TestTinyColumn(t *testing.T) {
	s := NewScaling(2, 1, 0)
	s.Measure([][]float32{{1, 1e-41, 3, 3e-41}})
	assert.Equal(t, []float32{1, 0}, s.Scale)
}
