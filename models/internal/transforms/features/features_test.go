package features

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/datasets/recording"
	"github.com/clusterpool/ccp/internal/loop"
	"github.com/clusterpool/ccp/internal/messagetest"
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

// responsesOf computes the responses of a kernel of MiniRocket by loops over positions and slots.
func responsesOf(m *miniRocket, x []float32, dilation, kernel int) (responses []float64) {
	weights, step, n := slotWeights(), m.dilations[dilation], len(x)/3
	inside := (kernel+dilation)%2 == 1 && n > 8*step
	for p := range n {
		if inside && (p < 4*step || p >= n-4*step) {
			continue
		}
		r := 0.0
		for slot := range 9 {
			for c := range 3 {
				weight := weights[slot*kernelCount+kernel] * m.signs[(dilation*3+c)*kernelCount+kernel]
				r += float64(weight) * at(x, p+(slot-4)*step, c)
			}
		}
		responses = append(responses, r)
	}
	return responses
}

// shareAbove returns the share of values above a threshold.
func shareAbove(values []float64, threshold float32) (share float64) {
	for _, v := range values {
		if v > float64(threshold) {
			share += 1 / float64(len(values))
		}
	}
	return share
}

// The shares are those of loops over positions and slots, of recordings longer and shorter than the median.
func TestMiniRocketDirectly(t *testing.T) {
	training := drawn(40, 25, 90, 12)
	m := newMiniRocket(Shape{Columns: 3, Length: 40, Features: 1000}).(*miniRocket)
	require.NoError(t, m.Draw(t.Context(), training, 7))
	r := new(Recording)
	for _, x := range training.Values {
		out := make([]float32, m.Width())
		training.Scaling.Read(r, x)
		m.Features(r, out)
		j := 0
		for d, q := range m.perKernel {
			for k := range kernelCount {
				responses := responsesOf(m, x, d, k)
				for range q {
					// Rounding may put a response on the other side of a threshold that is one of the responses.
					share := shareAbove(responses, m.thresholds[j])
					require.InDelta(t, share, out[j], 1.01/float64(len(responses)))
					j++
				}
			}
		}
	}
}

// countsOf computes the counts of a group of HYDRA's by loops over positions and taps, by time point.
func countsOf(m *hydra, x []float32, group int) []float64 {
	counts, n, c := make([]float64, 16), len(x)/3, int(m.drawn[group])
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
		responses := make([]float64, 8)
		for k := range responses {
			for tap := range 9 {
				responses[k] += float64(m.weights[(group*8+k)*9+tap]) * value(p+(tap-4)*m.dilations[group/4])
			}
		}
		counts[2*floats.MaxIdx(responses)] += floats.Max(responses) / float64(n)
		counts[2*floats.MinIdx(responses)+1] += 1 / float64(n)
	}
	return counts
}

// The counts are those of loops over positions and taps.
func TestHydraDirectly(t *testing.T) {
	training := drawn(40, 10, 1)
	m, r := newHydra(Shape{Columns: 3, Length: 40, Groups: 4}).(*hydra), new(Recording)
	require.NoError(t, m.Draw(t.Context(), training, 7))
	require.Equal(t, []int{1, 2, 4}, m.dilations)
	for _, x := range training.Values {
		got := make([]float32, m.Width())
		training.Scaling.Read(r, x)
		m.Features(r, got)
		for group := range len(m.dilations) * m.groups {
			for i, count := range countsOf(m, x, group) {
				require.InDelta(t, math.Sqrt(max(0, count)), got[16*group+i], 1e-4, "group %d, count %d", group, i)
			}
		}
	}
}

// distancesOf computes the distances of a shapelet from the windows of a recording by loops over both. It also counts
// the constant windows.
func distancesOf(m *shapelets, x []float32, shapelet int) (distances []float64, constant int) {
	group, length := shapelet/shapeletsPerGroup, len(x)/3
	step := m.dilations[group/m.groups]
	first := min(5*step, (length-1)/2)
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
		for tap, v := range m.values[11*shapelet:][:11] {
			square += (float64(v) - window[tap]) * (float64(v) - window[tap])
		}
		distances = append(distances, math.Sqrt(square))
	}
	return distances, constant
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
		for shapelet := range m.thresholds {
			distances, constantHere := distancesOf(m, x, shapelet)
			constant += constantHere
			least, n := floats.Min(distances), float64(len(distances))
			cut += asInt(least < 1e-3)
			near := 0.0
			for _, d := range distances {
				// All windows but constant ones are as far from a constant shapelet.
				near += float64(asInt(d*d < float64(m.thresholds[shapelet])-1e-5)) / n
			}
			f := got[3*shapelet:][:3]
			assert.InDelta(t, least, f[0], 5e-3)
			assert.InDelta(t, distances[int(math.Round(float64(f[1])*n))], least, 1e-3)
			assert.InDelta(t, near, f[2], 1.01/n)
		}
	}
	assert.GreaterOrEqual(t, cut, len(m.thresholds)*9/10, "shapelets are pieces of the samples")
	assert.Positive(t, constant)
}

// HYDRA's scaler divides by the deviation plus the fourth power of the share of zeros, and keeps zeros.
func TestSparse(t *testing.T) {
	rows := [][]float32{{0, 1}, {4, 3}}
	s := Find("hydra").NewStandardiser(2)
	s.Measure(len(rows), slices.Values([][][]float32{rows[:1], rows[1:]}))
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

// correlationsOf computes the features of a pair by loops over time points.
func correlationsOf(m *lags, x []float32, pair [2]int) []float64 {
	n := len(x) / 3
	deviations := func(c int) (values []float64) {
		for p := range n {
			values = append(values, at(x, p, c))
		}
		floats.AddConst(-stat.Mean(values, nil), values)
		return values
	}
	a, b := deviations(pair[0]), deviations(pair[1])
	scale := floats.Norm(a, 2)*floats.Norm(b, 2) + powerFloor*float64(n)
	r := func(lag int) (sum float64) {
		for p := range n {
			if later := p + lag; later >= 0 && later < n {
				sum += a[p] * b[later]
			}
		}
		return sum / scale
	}
	features := []float64{r(0)}
	for bin, from := range m.edges[:len(m.edges)-1] {
		later, sooner, width := 0.0, 0.0, float64(m.edges[bin+1]-from)
		for lag := from; lag < m.edges[bin+1]; lag++ {
			later += r(lag) / width
			sooner += r(-lag) / width
		}
		features = append(features, later, sooner)
	}
	return features
}

// The correlations are those of loops over time points, of recordings longer and shorter than the median.
func TestLagsDirectly(t *testing.T) {
	training := drawn(40, 25, 90, 3)
	m, r := newLags(Shape{Columns: 3, Channels: 1, Length: 40}).(*lags), new(Recording)
	require.Equal(t, []int{1, 2, 3, 4, 5, 8, 11, 16, 20}[:2], m.edges[:2])
	require.Equal(t, 20, m.edges[len(m.edges)-1])
	require.Len(t, m.pairs, 6, "each two of three columns, and each with itself")
	for _, x := range training.Values {
		var want []float64
		for _, pair := range m.pairs {
			want = append(want, correlationsOf(m, x, pair)...)
		}
		out := make([]float32, m.Width())
		training.Scaling.Read(r, x)
		m.Features(r, out)
		require.Len(t, want, m.Width())
		for i := range want {
			assert.InDelta(t, want[i], out[i], 1e-5, "%d of %d time points", i, len(x)/3)
		}
	}
}

// A pair's features are the product and the difference of its levels, which are means over a recording, and then its
// correlations.
func TestLinksDirectly(t *testing.T) {
	training := drawn(40, 25, 90, 3)
	m, r := newLinks(Shape{Columns: 3, Channels: 1, Length: 40, Features: 1_000}).(*links), new(Recording)
	require.Len(t, m.pairs, 3)
	for _, x := range training.Values {
		training.Scaling.Read(r, x)
		out, correlations := make([]float32, m.Width()), make([]float32, m.lags.Width())
		m.Features(r, out)
		m.lags.Features(r, correlations)
		for at, p := range m.pairs {
			a, b := stat.Mean(loop.Convert[float64](r.Columns[p.from]), nil),
				stat.Mean(loop.Convert[float64](r.Columns[p.to]), nil)
			assert.InDelta(t, a*b, out[2*at], 1e-6)
			assert.InDelta(t, b-a, out[2*at+1], 1e-6)
		}
		assert.Equal(t, correlations, out[6:])
		for at, ends := range m.lags.pairs {
			assert.Equal(t, ends[0] == ends[1], correlations[at*m.lags.width()] == 1, "no rounding is a feature")
		}
	}
	signal := newLinks(Shape{Columns: 3, Channels: 1, Length: 1, Features: 1_000})
	assert.Equal(t, 6, signal.Width(), "a signal has no lags")
}

// All pairs of sensors are compared where they have a place, with wider bins of lags if need be, and else those that
// are linked.
func TestPairsOfLinks(t *testing.T) {
	few, err := affinity.New(64, []affinity.Edge{{I: 0, J: 5, Weight: 1}, {I: 7, J: 60, Weight: 1}})
	require.NoError(t, err)
	opened := func(sensors int) *links {
		return newLinks(Shape{Columns: sensors, Channels: 1, Length: 250, Links: few, Features: 10_000}).(*links)
	}
	for _, sensors := range []int{16, 32} {
		m := opened(sensors)
		assert.Len(t, m.pairs, sensors*(sensors-1)/2)
		assert.LessOrEqual(t, m.lags.Width(), mostLinkFeatures)
	}
	assert.Len(t, opened(64).pairs, 2)
}

// pulse returns a recording of a ring of sensors, around which something runs from one sensor to the next, or back.
func pulse(rng *rand.Rand, sensors, timepoints, from, way int) []float32 {
	x := make([]float32, timepoints*sensors)
	for p := range timepoints {
		for s := range sensors {
			x[p*sensors+s] = float32(0.05 * rng.NormFloat64())
		}
		x[p*sensors+(from+way*p+sensors*timepoints)%sensors] += 1
	}
	return x
}

// What links-anywhere sees is the same wherever it happens, and of something that moves it sees the way: the quantiles
// of what is turned change their signs with it.
func TestAnywhereSeesTheWay(t *testing.T) {
	const sensors, timepoints = 24, 30
	var edges []affinity.Edge
	heights := make([]float32, sensors)
	for i := range sensors - 1 {
		edges = append(edges, affinity.Edge{I: i, J: i + 1, Weight: 1})
		heights[i+1] = float32(i + 1)
	}
	path, err := affinity.New(sensors, edges)
	require.NoError(t, err)
	m := newAnywhere(Shape{Columns: sensors, Channels: 1, Length: timepoints, Links: path, Heights: [][]float32{heights}})
	scaling, r, rng := unscaled(sensors), new(Recording), rand.New(rand.NewPCG(3, 4))
	median := func(x []float32) float32 { // of the differences of correlations at a lag of one time point, turned
		out := make([]float32, m.Width())
		scaling.Read(r, x)
		m.Features(r, out)
		c := m.(*anywhere).channels[0]
		same, signed := c.counts()
		return out[(same+signed+2)*len(linkQuantiles)+3]
	}
	for _, from := range []int{0, 9, 17} {
		assert.Greater(t, median(pulse(rng, sensors, timepoints, from, 1)), float32(0.3), from)
		assert.Less(t, median(pulse(rng, sensors, timepoints, from, -1)), float32(-0.3), from)
	}
}

// On a ring no heights tell the way, but links that lead one way do. What is unknown of a link turns it into neither.
func TestAnywhereFollowsDirectedLinks(t *testing.T) {
	const sensors, timepoints = 24, 30
	var edges []affinity.Edge
	var directed [][2]int
	for i := range sensors {
		to := (i + 7) % sensors // the ring's links lead both up and down
		edges = append(edges, affinity.Edge{I: i, J: to, Weight: 1})
		if i != 3 {
			directed = append(directed, [2]int{i, to})
		}
	}
	ring, err := affinity.New(sensors, edges)
	require.NoError(t, err)
	m := newAnywhere(Shape{Columns: sensors, Channels: 1, Length: timepoints, Links: ring, Directed: directed})
	assert.Len(t, m.(*anywhere).channels[0].leading[0], sensors-1)
	scaling, r, rng := unscaled(sensors), new(Recording), rand.New(rand.NewPCG(3, 4))
	for _, from := range []int{0, 9, 17} {
		for _, way := range []int{1, -1} {
			out := make([]float32, m.Width())
			scaling.Read(r, pulse(rng, sensors, timepoints, from, 7*way))
			m.Features(r, out)
			same, signed := m.(*anywhere).channels[0].counts()
			assert.Greater(t, float32(way)*out[(same+signed+2)*len(linkQuantiles)+3], float32(0.3))
		}
	}
}

// longAndShort returns a line of sensors at the places 0, 1, 2, …, of which each is linked with the next, with the one
// after that, and with one half of the line away.
func longAndShort(t *testing.T, sensors int) Shape {
	var edges []affinity.Edge
	places := make([]float32, sensors)
	for i := range sensors {
		places[i] = float32(i)
		for _, step := range []int{1, 2, sensors / 2} {
			if i+step < sensors {
				edges = append(edges, affinity.Edge{I: i, J: i + step, Weight: 1})
			}
		}
	}
	links, err := affinity.New(sensors, edges)
	require.NoError(t, err)
	return Shape{Columns: sensors, Channels: 1, Length: 1, Links: links, Heights: [][]float32{places}, Placed: true}
}

// Each third of the links, by their lengths, has the features that a graph of these links alone has. Links that are
// about as long as each other, and heights that are no places, are refused.
func TestLengths(t *testing.T) {
	const sensors = 60
	s := longAndShort(t, sensors)
	require.Empty(t, lacksLengths(s))
	m := newLengths(s).(*anywhere)
	require.Len(t, m.channels, 3)
	for part, longest := range []float64{1, 2, sensors / 2} {
		for _, p := range m.channels[part].pairs {
			assert.LessOrEqual(t, s.length(p), longest)
		}
	}
	scaling, r, rng := unscaled(sensors), new(Recording), rand.New(rand.NewPCG(7, 8))
	x := make([]float32, sensors)
	for i := range x {
		x[i] = float32(rng.NormFloat64())
	}
	scaling.Read(r, x)
	all, one := make([]float32, m.Width()), make([]float32, m.Width()/3)
	m.Features(r, all)
	for part, c := range m.channels {
		(&anywhere{channels: []channelLinks{c}}).Features(r, one)
		assert.Equal(t, one, all[part*len(one):(part+1)*len(one)])
	}
	unplaced := s
	unplaced.Placed = false
	alike := s
	alike.Heights = [][]float32{make([]float32, sensors)} // all at one place
	for _, lacking := range []Shape{unplaced, longAndShort(t, 8), alike} {
		messagetest.Names(t, lacksLengths(lacking), "positions … 48 links … 5 times")
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
