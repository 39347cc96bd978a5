package features

import (
	"fmt"
	"math"
	"math/bits"
	"math/cmplx"

	"github.com/clusterpool/ccp/internal/loop"
	"github.com/clusterpool/ccp/models/onnx"
)

const (
	mostLevels           = 5 // of intervals
	mostIntervalFeatures = 10_000
	smoothTaps           = 5 // first differences whose mean is taken
)

var intervalsTransform = Transform{
	Name:          "intervals",
	Option:        "intervals",
	Lacks:         lacksIntervals,
	New:           newIntervals,
	InForest:      always,
	AlsoStretched: true,
}

// intervals is the map to quantiles over dyadic intervals (QUANT, Dempster et al. 2024): of each column, of its first
// differences, which are means of five, of its second differences, and of the magnitudes of its spectrum. Level l has
// 2^l intervals and, shifted by half of one, 2^l - 1 more. An interval at the last level has four quantiles, and one
// at a level before has twice as many as one behind. Every second quantile is less the mean of its interval, so that
// trees see the form of values as well as their height.
type intervals struct {
	columns, levels int
	// meansSubtracted says that every second quantile is less a mean, and that first differences are smoothed. Neither was
	// so in 0.1.0.
	meansSubtracted bool
}

// newIntervals takes as many levels as the length and the width allow.
func newIntervals(s Shape) Map {
	m := &intervals{s.Columns, mostLevels, s.MeansSubtract}
	for m.levels > 1 && (m.Width() > mostIntervalFeatures || s.Length < 4<<m.levels) {
		m.levels--
	}
	return m
}

func lacksIntervals(s Shape) string {
	if lacks := LacksSeries(s); lacks != "" {
		return lacks
	}
	if s.Length < leastTimepoints || 16*s.Columns > mostIntervalFeatures {
		return fmt.Sprintf("%d time points, and at most %d values each", leastTimepoints, mostIntervalFeatures/16)
	}
	return ""
}

// intervalsAt returns how many intervals a level has, half of them but one shifted.
func intervalsAt(level int) int { return 2<<level - 1 }

// quantilesAt returns how many quantiles an interval of a level has.
func (m *intervals) quantilesAt(level int) int { return 1 << (m.levels + 1 - level) }

// Width implements Map.
func (m *intervals) Width() (n int) {
	for level := range m.levels {
		n += intervalsAt(level) * m.quantilesAt(level)
	}
	return 4 * m.columns * n
}

// Features writes `[columns, {values, first differences, second differences, magnitudes}, intervals, quantiles]`.
func (m *intervals) Features(r *Recording, out []float32) {
	t := r.Timepoints
	n := max(4, 1<<bits.Len(uint(t-1)))
	magnitudes, sorted := make([]float32, n/2), make([]float32, max(t, n))
	smooth, second := make([]float32, t-1), make([]float32, max(0, t-2))
	padded, coefficients := make([]float64, n), make([]complex128, n/2+1)
	for c, column := range r.Columns {
		mean, _ := moments(column)
		for p, v := range column {
			padded[p] = float64(v) - mean
		}
		r.fft(n).Coefficients(coefficients, padded)
		for k := range magnitudes {
			magnitudes[k] = float32(cmplx.Abs(coefficients[k+1]) / math.Sqrt(float64(t)))
		}
		first := r.differences[c]
		for p := range second {
			second[p] = first[p+1] - first[p]
		}
		if m.meansSubtracted {
			clear(smooth)
			for tap := range smoothTaps {
				shiftAdd(smooth, 1.0/smoothTaps, first, tap-smoothTaps/2)
			}
			first = smooth
		}
		for _, series := range [][]float32{column, first, second, magnitudes} {
			out = m.quantiles(r, series, sorted, out)
		}
	}
}

// quantiles writes those of all intervals of a series, and returns what is left of out. An interval without values
// keeps its zeros. sorted is a buffer as long as the series.
func (m *intervals) quantiles(r *Recording, series, sorted, out []float32) []float32 {
	positions := r.ascending(series)
	for level := range m.levels {
		count := m.quantilesAt(level)
		length := float64(len(series)) / float64(int(1)<<level)
		for i := range intervalsAt(level) {
			start := float64(i) / 2 // in lengths of an interval
			from := int(math.Round(start * length))
			to := min(len(series), max(from+1, int(math.Round((start+1)*length))))
			if from < to {
				inside := sorted[:to-from]
				sortedInside(series, positions, from, inside)
				m.interpolate(inside, out[:count])
			}
			out = out[count:]
		}
	}
	return out
}

// sortedInside writes the sorted values of the interval that begins at from and is as long as inside. positions are
// those of all values of the series, ascending. It has no branch that depends on values.
func sortedInside(series []float32, positions []uint64, from int, inside []float32) {
	for k, at := 0, 0; k < len(inside); at++ {
		position := int(uint32(positions[at]))
		inside[k] = series[position]
		k += asInt(uint(position-from) < uint(len(inside))) // else the next value overwrites this one
	}
}

// interpolate writes evenly spaced quantiles of sorted values, every second less their mean if means are subtracted.
func (m *intervals) interpolate(sorted, quantiles []float32) {
	sum := 0.0 // in float64, so that nothing is left of a constant interval
	for _, v := range sorted {
		sum += float64(v)
	}
	for q := range quantiles {
		place := (float64(q) + 0.5) / float64(len(quantiles)) * float64(len(sorted)-1)
		below := int(place)
		above := min(below+1, len(sorted)-1)
		quantiles[q] = sorted[below] + float32(place-float64(below))*(sorted[above]-sorted[below])
		if m.meansSubtracted && q%2 == 1 {
			quantiles[q] -= float32(sum / float64(len(sorted)))
		}
	}
}

// Export implements Map.
func (m *intervals) Export(g *onnx.Graph, x string) string {
	steps, all := g.Steps(x), []any{onnx.Axis(2)}
	_, deviation := g.Centred(g.To(onnx.Double, x))
	squares, _ := g.Spectrum(deviation)
	magnitudes := g.Op("Div", g.Op("Sqrt", squares), g.Op("Sqrt", g.Length(x)))
	magnitudes = g.Op("Slice", magnitudes, []int{1}, []int{math.MaxInt32}, []int{2}) // all but that of frequency 0
	first := steps
	if m.meansSubtracted {
		first = ""
		for _, x := range g.Taps(steps, smoothTaps, 1, 0, g.Count(steps)) {
			first = g.Plus(first, g.Op("Mul", x, float32(1.0/smoothTaps)))
		}
		first = g.Op("Squeeze", first, []int{2})
	}
	for _, series := range []string{x, first, g.Steps(steps), g.To(onnx.Float, magnitudes)} {
		for level := range m.levels {
			all = append(all, m.exportLevel(g, series, level))
		}
	}
	return g.Op("Flatten", g.Op("Concat", all...))
}

// exportedIntervals are the intervals of a level as the nodes of an ONNX model have them: all of type double and of
// the shape `[intervals, 1]`, but for longest, a scalar.
type exportedIntervals struct {
	count    int
	from, to string // their ends, as numbers of values
	n        string // their lengths, which may be zero
	longest  string // the greatest length, at least 1
}

// exportEnds adds nodes that find the intervals of a level in a series of t values.
func exportEnds(g *onnx.Graph, t string, level int) exportedIntervals {
	v := exportedIntervals{count: intervalsAt(level)}
	var starts, ends []float64 // as shares of the series
	for i := range v.count {
		start := float64(i) / 2 / float64(int(1)<<level)
		starts, ends = append(starts, start), append(ends, start+1/float64(int(1)<<level))
	}
	round := func(shares []float64) string {
		return g.Op("Floor", g.Op("Add", g.Op("Mul", g.Constant(shares, v.count, 1), t), 0.5))
	}
	v.from = round(starts)
	v.to = g.Op("Min", t, g.Op("Max", g.Op("Add", v.from, 1.0), round(ends)))
	v.n = g.Op("Max", g.Op("Sub", v.to, v.from), 0.0)
	v.longest = g.Op("Max", g.Op("ReduceMax", v.n, onnx.Attribute{Name: "keepdims", Value: 0}), 1.0)
	return v
}

// exportLevel adds nodes that compute the quantiles of a level's intervals. They sort the values of each interval
// side by side, with infinity behind shorter ones.
func (m *intervals) exportLevel(g *onnx.Graph, x string, level int) string {
	most, t := m.quantilesAt(level), g.Length(x)
	v := exportEnds(g, t, level)
	at := g.Until(v.longest)
	x = g.Op("Pad", x, []int{0, 0, 0, 0, 0, 1}) // so that a series without time points has something to gather
	positions := g.To(onnx.Int64, g.Op("Min", g.Op("Add", v.from, at), g.Op("Sub", t, 1.0)))
	within, found := g.Op("Less", at, v.n), g.Op("Gather", x, positions, onnx.Axis(2))
	values := g.Op("Where", within, found, float32(math.Inf(1)))
	sorted := g.Op("Reshape", g.Sorted(values), g.Op("Mul", []int{0, 0, v.count}, g.To(onnx.Int64, v.longest)))

	var shares []float64 // which the quantiles are
	for q := range most {
		shares = append(shares, (float64(q)+0.5)/float64(most))
	}
	last := g.Op("Max", g.Op("Sub", v.n, 1.0), 0.0)
	place := g.Op("Mul", shares, last)
	below := g.Op("Floor", place)
	first := g.Op("Mul", g.Constant(loop.Convert[float64](loop.Indices(v.count)), v.count, 1), v.longest)
	valueAt := func(place string) string {
		return g.Op("Gather", sorted, g.To(onnx.Int64, g.Op("Add", first, place)), onnx.Axis(2))
	}
	low := valueAt(below)
	rise := g.Op("Sub", valueAt(g.Op("Min", g.Op("Add", below, 1.0), last)), low)
	quantiles := g.Op("Add", low, g.Op("Mul", g.To(onnx.Float, g.Op("Sub", place, below)), rise))
	if m.meansSubtracted {
		sum := g.Op("ReduceSum", g.Op("Where", within, g.To(onnx.Double, found), 0.0), []int{3})
		mean := g.To(onnx.Float, g.Op("Div", sum, g.Op("Max", v.n, 1.0)))
		everySecond := make([]float32, most)
		for q := 1; q < most; q += 2 {
			everySecond[q] = 1
		}
		quantiles = g.Op("Sub", quantiles, g.Op("Mul", mean, everySecond))
	}
	quantiles = g.Op("Where", g.Op("Less", v.from, v.to), quantiles, float32(0))
	return g.Op("Reshape", quantiles, []int{0, 0, v.count * most})
}
