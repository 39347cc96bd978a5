package transforms

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/clusterpool/ccp/internal/loop"
	"github.com/clusterpool/ccp/models/onnx"
)

const (
	shapeletTaps      = 11
	shapeletDilations = 16
	alike             = 16    // shapelets of a group
	mostWindows       = 2_000 // by which a threshold is chosen
	// leastSigma is the standard deviation, relative to that of all time points, up to which a window counts as constant, all zeros.
	leastSigma = 1e-3
)

// shapelets is the map of the random dilated shapelet transform (RDST; Guillaume, Vrain and Elloumi 2022). A shapelet is cut out of a
// training sample: eleven values, a dilation apart. A recording's windows of this form are compared with it. Features are the
// least Euclidean distance, at which share of the recording that is, and the share of windows that are nearer than a threshold. In
// four of five groups windows and shapelets are scaled to the mean 0 and the variance 1 before.
type shapelets struct {
	sums
	groups     int       // of a dilation
	steps      []int     // the dilations
	values     []float32 // `[dilations, groups, alike, taps]`
	thresholds []float32 // of squared distances, `[dilations, groups, alike]`
}

// newShapelets makes about so many features for recordings of this median length. Nothing is drawn yet. The logarithms of the dilations
// are evenly spaced.
func newShapelets(h header) featureMap {
	m := &shapelets{groups: max(1, h.Features/(3*alike*shapeletDilations))}
	for i := range shapeletDilations {
		share := (float64(i) + 0.5) / shapeletDilations
		m.steps = append(m.steps, int(math.Pow(float64(h.Length-1)/(shapeletTaps-1), share)))
	}
	all := len(m.steps) * m.groups
	m.values, m.thresholds, m.sums = make([]float32, all*alike*shapeletTaps), make([]float32, all*alike), newSums(h, all)
	return m
}

func (m *shapelets) width() int { return 3 * len(m.thresholds) }

func (m *shapelets) arrays() map[string][]float32 {
	return map[string][]float32{"values": m.values, "thresholds": m.thresholds, "columns": m.columns}
}

// scaled reports whether the windows of a group are scaled.
func scaled(group int) bool { return group%5 != 4 }

// windows are those of a recording for one group, by their first time points.
type windows struct {
	step        int
	series      []float32
	mean, scale []float32 // 0 and 1 if they are not scaled; the scale of a constant window is 0
	squares     []float32 // sums over a window
	products    []float32
}

// inside returns the centre of the first window of a group, and how many there are. They lie inside; if none does, the middle ones
// reach beyond both ends, where the recording is zero.
func (m *shapelets) inside(timepoints, group int) (first, n int) {
	first = min(shapeletTaps/2*m.steps[group/m.groups], (timepoints-1)/2)
	return first, timepoints - 2*first
}

// windows returns those of the recording in w.
func (m *shapelets) windows(w *work, group int) (v windows) {
	v.step = m.steps[group/m.groups]
	reach := shapeletTaps / 2 * v.step
	first, n := m.inside(w.timepoints, group)
	w.sum = sized(w.sum, n+2*reach)
	v.series = w.sum
	m.add(v.series[reach-first:][:w.timepoints], w.columns, group)
	for i := range 4 {
		w.responses[i] = sized(w.responses[i], n)
	}
	v.mean, v.scale, v.products, v.squares = w.responses[0], w.responses[1], w.responses[2], w.responses[3]
	if scaled(group) {
		for tap := range shapeletTaps {
			shiftAdd(v.mean, 1.0/shapeletTaps, v.series, tap*v.step)
		}
	}
	for tap := range shapeletTaps {
		for p, x := range v.series[tap*v.step:][:n] {
			v.squares[p] += (x - v.mean[p]) * (x - v.mean[p])
		}
	}
	for p := range v.scale {
		sigma := float32(math.Sqrt(float64(v.squares[p]) / shapeletTaps))
		switch {
		case !scaled(group):
			v.scale[p] = 1
		case sigma > leastSigma:
			v.scale[p], v.squares[p] = 1/sigma, shapeletTaps
		default:
			v.squares[p] = 0
		}
	}
	return v
}

// distances returns the squared distances of the windows from a shapelet. They hold until the next call.
//
//	d(p)² = Σ_k s_k² + Σ_k x_pk² - 2·Σ_k s_k·x_pk
//
// The shapelet has the mean 0 if windows are scaled, so that their means need not be taken off for the products.
func (v windows) distances(shapelet []float32) []float32 {
	clear(v.products)
	own := float32(0)
	for tap, x := range shapelet {
		shiftAdd(v.products, x, v.series, tap*v.step)
		own += x * x
	}
	scale, squares := v.scale[:len(v.products)], v.squares[:len(v.products)]
	for p, x := range v.products {
		v.products[p] = own + squares[p] - 2*x*scale[p]
	}
	return v.products
}

// draw cuts shapelets out of samples. The threshold of each is a quantile, from 5 to 10%, of its distances from another sample of its
// class, or from its own if there is no other. Samples are read once for all their shapelets, and once for all thresholds. Of a long
// sample's distances evenly spaced ones are taken, since sorting all would take longer than computing them.
func (m *shapelets) draw(ctx context.Context, u units, samples []Sample, seed uint64) error {
	const stream = 0x73686170656c6574
	m.sums.draw(rand.New(rand.NewPCG(seed, stream)))
	of, cut, compared := map[int32][]int{}, make([][]int, len(samples)), make([][]int, len(samples)) // shapelets by samples
	for i, s := range samples {
		of[s.Label] = append(of[s.Label], i)
	}
	places, shares := make([]int, len(m.thresholds)), make([]float64, len(m.thresholds))
	for at := range places {
		rng := rand.New(rand.NewPCG(seed, stream+1+uint64(at)))
		i := rng.IntN(len(samples))
		cut[i] = append(cut[i], at)
		_, n := m.inside(cmp.Or(u.stretch, max(1, len(samples[i].Values)/len(u.mean))), at/alike)
		places[at] = rng.IntN(n)
		same := of[samples[i].Label]
		other := same[rng.IntN(len(same))]
		shares[at] = 0.05 + 0.05*rng.Float64()
		if next := slices.Index(same, i) + 1; other == i {
			other = same[next%len(same)]
		}
		compared[other] = append(compared[other], at)
	}
	shapelet := func(at int) []float32 { return m.values[at*shapeletTaps:][:shapeletTaps] }
	if err := inParallel(ctx, len(samples), func(w *work, i int) {
		if len(cut[i]) > 0 {
			u.read(w, samples[i].Values)
		}
		for _, at := range cut[i] {
			v, p := m.windows(w, at/alike), places[at]
			for tap := range shapelet(at) {
				shapelet(at)[tap] = (v.series[p+tap*v.step] - v.mean[p]) * v.scale[p]
			}
		}
	}); err != nil {
		return err
	}
	return inParallel(ctx, len(samples), func(w *work, i int) {
		if len(compared[i]) > 0 {
			u.read(w, samples[i].Values)
		}
		for _, at := range compared[i] {
			distances := m.windows(w, at/alike).distances(shapelet(at))
			sorted := loop.Convert[float64](loop.Spread(distances, mostWindows))
			slices.Sort(sorted)
			m.thresholds[at] = float32(threshold(sorted, shares[at]))
		}
	})
}

// features writes `[dilations, groups, alike, {distance, place, share}]`.
func (m *shapelets) features(w *work, out []float32) {
	for group := range len(m.steps) * m.groups {
		v := m.windows(w, group)
		n := float32(len(v.mean))
		for at := group * alike; at < (group+1)*alike; at++ {
			least, place, near, limit := float32(math.Inf(1)), 0, 0, m.thresholds[at]
			for p, d := range v.distances(m.values[at*shapeletTaps:][:shapeletTaps]) {
				near += one(d < limit)
				if d < least {
					least, place = d, p
				}
			}
			distance := float32(math.Sqrt(max(0, float64(least))))
			copy(out[3*at:], []float32{distance, float32(place) / n, float32(near) / n})
		}
	}
}

func (m *shapelets) export(g *onnx.Graph, x string) string {
	all, last := []any{onnx.Axis(1)}, onnx.Attribute{Name: "axes", Value: []int{3}}
	t := g.Count(x)
	for i, step := range m.steps {
		from, to := i*m.groups, (i+1)*m.groups
		var some []bool
		var squares []float32 // of the shapelets
		for group := from; group < to; group++ {
			some = append(some, scaled(group))
		}
		values := m.values[from*alike*shapeletTaps : to*alike*shapeletTaps]
		for shapelet := range slices.Chunk(values, shapeletTaps) {
			own := float32(0)
			for _, x := range shapelet {
				own += x * x
			}
			squares = append(squares, own)
		}
		scaled := g.Constant(some, m.groups, 1, 1)
		first := g.Op("Min", shapeletTaps/2*step, g.Op("Div", g.Op("Sub", t, 1), 2))
		taps := g.Taps(m.sums.export(g, x, from, to), shapeletTaps, step, first, g.Op("Sub", t, first))
		mean, sum := "", ""
		for _, x := range taps {
			mean = g.Plus(mean, g.Op("Mul", x, float32(1.0/shapeletTaps)))
		}
		mean = g.Op("Where", scaled, mean, float32(0))
		for _, x := range taps {
			apart := g.Op("Sub", x, mean)
			sum = g.Plus(sum, g.Op("Mul", apart, apart))
		}
		sigma := g.To(onnx.Float, g.Op("Sqrt", g.Op("Div", g.To(onnx.Double, sum), float64(shapeletTaps))))
		varied := g.Op("Greater", sigma, float32(leastSigma))
		scale := g.Op("Where", scaled, g.Op("Where", varied, g.Op("Div", float32(1), sigma), float32(0)), float32(1))
		sum = g.Op("Where", scaled, g.Op("Where", varied, float32(shapeletTaps), float32(0)), sum)
		products := g.Op("Mul", g.Weigh(taps, g.Constant(values, m.groups, alike, shapeletTaps)), float32(2))
		distances := g.Op("Sub", g.Op("Add", g.Constant(squares, m.groups, alike, 1), sum), g.Op("Mul", products, scale))
		limits := g.Constant(m.thresholds[from*alike:to*alike], m.groups, alike, 1)
		n := g.To(onnx.Float, g.Op("Sub", t, g.Op("Add", first, first)))
		least := g.Op("Sqrt", g.Op("Max", g.Op("ReduceMin", distances, last), float32(0)))
		place := g.Op("Div", g.To(onnx.Float, g.Op("ArgMin", distances, onnx.Axis(3))), n)
		near := g.Op("Div", g.Op("ReduceSum", g.To(onnx.Float, g.Op("Less", distances, limits)), []int{3}), n)
		all = append(all, g.Op("Flatten", g.Op("Concat", least, place, near, onnx.Axis(3))))
	}
	return g.Op("Concat", all...)
}
