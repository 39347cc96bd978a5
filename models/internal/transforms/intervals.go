package transforms

import (
	"fmt"
	"math"
	"math/bits"
	"math/cmplx"

	"github.com/clusterpool/ccp/internal/loop"
	"github.com/clusterpool/ccp/models/onnx"
)

const (
	mostLevels    = 5      // of intervals
	intervalWidth = 10_000 // features of the transform intervals, at most
	smoothTaps    = 5      // first differences whose mean is taken
)

// intervals is a map of quantiles over dyadic intervals (QUANT, Dempster et al. 2024): of each column, of its first differences,
// which are means of five, of its second differences, and of the magnitudes of its spectrum. Level l has 2^l intervals and, shifted by
// half of one, 2^l - 1 more. An interval at the last level has four quantiles, and one at a level before has twice as many as one
// behind. Every second quantile is less the mean of its interval, so that trees see the form of values as well as their height.
type intervals struct {
	columns, levels int
	centred         bool // else differences are as they are, and no mean is taken off
}

// newIntervals takes as many levels as the length and the width allow.
func newIntervals(h header) featureMap {
	m := &intervals{h.Columns, mostLevels, h.Centred}
	for m.levels > 1 && (m.width() > intervalWidth || h.Length < 4<<m.levels) {
		m.levels--
	}
	return m
}

func (h header) lacksIntervals() string {
	if lacks := h.lacksSeries(); lacks != "" {
		return lacks
	}
	if h.Length < slots || 16*h.Columns > intervalWidth {
		return fmt.Sprintf("%d time points, and at most %d values each", slots, intervalWidth/16)
	}
	return ""
}

func (m *intervals) width() (n int) {
	for level := range m.levels {
		n += (2<<level - 1) << (m.levels + 1 - level)
	}
	return 4 * m.columns * n
}

func (m *intervals) features(w *work, out []float32) {
	t := w.timepoints
	n := max(4, 1<<bits.Len(uint(t-1)))
	fft, padded, coefficients, magnitudes := w.fft(n), make([]float64, n), make([]complex128, n/2+1), make([]float32, n/2)
	smooth, second, sorted := make([]float32, t-1), make([]float32, max(0, t-2)), make([]float32, max(t, n))
	for c, column := range w.columns {
		mean, _ := moments(column)
		for p, v := range column {
			padded[p] = float64(v) - mean
		}
		fft.Coefficients(coefficients, padded)
		for k := range magnitudes {
			magnitudes[k] = float32(cmplx.Abs(coefficients[k+1]) / math.Sqrt(float64(t)))
		}
		first := w.steps[c]
		for p := range second {
			second[p] = first[p+1] - first[p]
		}
		if m.centred {
			clear(smooth)
			for tap := range smoothTaps {
				shiftAdd(smooth, 1.0/smoothTaps, first, tap-smoothTaps/2)
			}
			first = smooth
		}
		for _, x := range [][]float32{column, first, second, magnitudes} {
			out = m.quantiles(w, x, sorted, out)
		}
	}
}

// quantiles writes those of all intervals of a series, and returns what is left of out. An interval without values has zeros.
func (m *intervals) quantiles(w *work, x, sorted, out []float32) []float32 {
	places := w.ascending(x)
	for level := range m.levels {
		most := 1 << (m.levels + 1 - level)
		for half := range 2<<level - 1 { // in halves of an interval
			length := float64(len(x)) / float64(int(1)<<level)
			from := int(math.Round(float64(half) / 2 * length))
			to := min(len(x), max(from+1, int(math.Round((float64(half)/2+1)*length))))
			if from < to {
				some := sorted[:to-from]
				for k, at := 0, 0; k < len(some); at++ {
					place := int(uint32(places[at]))
					some[k] = x[place]
					k += one(uint(place-from) < uint(len(some)))
				}
				sum := 0.0 // in doubles, so that nothing is left of a constant interval
				for _, v := range some {
					sum += float64(v)
				}
				for q := range most {
					place := (float64(q) + 0.5) / float64(most) * float64(len(some)-1)
					below := int(place)
					above := min(below+1, len(some)-1)
					out[q] = some[below] + float32(place-float64(below))*(some[above]-some[below])
					if m.centred && q%2 == 1 {
						out[q] -= float32(sum / float64(len(some)))
					}
				}
			}
			out = out[most:]
		}
	}
	return out
}

func (m *intervals) export(g *onnx.Graph, x string) string {
	steps, all := g.Steps(x), []any{onnx.Axis(2)}
	_, deviation := g.Centred(g.To(onnx.Double, x))
	squares, _ := g.Spectrum(deviation)
	magnitudes := g.Op("Slice", g.Op("Div", g.Op("Sqrt", squares), g.Op("Sqrt", g.Length(x))), []int{1}, []int{math.MaxInt32}, []int{2})
	first := steps
	if m.centred {
		first = ""
		for _, x := range g.Taps(steps, smoothTaps, 1, 0, g.Count(steps)) {
			first = g.Plus(first, g.Op("Mul", x, float32(1.0/smoothTaps)))
		}
		first = g.Op("Squeeze", first, []int{2})
	}
	for _, x := range []string{x, first, g.Steps(steps), g.To(onnx.Float, magnitudes)} {
		for level := range m.levels {
			all = append(all, m.exportLevel(g, x, level))
		}
	}
	return g.Op("Flatten", g.Op("Concat", all...))
}

// exportLevel sorts the values of each interval of a level, side by side with infinity behind.
func (m *intervals) exportLevel(g *onnx.Graph, x string, level int) string {
	most, count, t := 1<<(m.levels+1-level), 2<<level-1, g.Length(x)
	var starts, ends, shares []float64
	for half := range count { // of the length
		start := float64(half) / 2 / float64(int(1)<<level)
		starts, ends = append(starts, start), append(ends, start+1/float64(int(1)<<level))
	}
	for q := range most {
		shares = append(shares, (float64(q)+0.5)/float64(most))
	}
	round := func(parts []float64) string {
		return g.Op("Floor", g.Op("Add", g.Op("Mul", g.Constant(parts, count, 1), t), 0.5))
	}
	from := round(starts)
	to := g.Op("Min", t, g.Op("Max", g.Op("Add", from, 1.0), round(ends)))
	n := g.Op("Max", g.Op("Sub", to, from), 0.0)
	longest := g.Op("Max", g.Op("ReduceMax", n, onnx.Attribute{Name: "keepdims", Value: 0}), 1.0)
	at := g.Until(longest)
	x = g.Op("Pad", x, []int{0, 0, 0, 0, 0, 1}) // so that a series without time points has something to gather
	places := g.To(onnx.Int64, g.Op("Min", g.Op("Add", from, at), g.Op("Sub", t, 1.0)))
	within, found := g.Op("Less", at, n), g.Op("Gather", x, places, onnx.Axis(2))
	values := g.Op("Where", within, found, float32(math.Inf(1)))
	sorted := g.Op("Reshape", g.Sorted(values), g.Op("Mul", []int{0, 0, count}, g.To(onnx.Int64, longest)))
	last := g.Op("Max", g.Op("Sub", n, 1.0), 0.0)
	place := g.Op("Mul", shares, last)
	below := g.Op("Floor", place)
	first := g.Op("Mul", g.Constant(loop.Convert[float64](loop.Indices(count)), count, 1), longest)
	value := func(place string) string {
		return g.Op("Gather", sorted, g.To(onnx.Int64, g.Op("Add", first, place)), onnx.Axis(2))
	}
	low := value(below)
	rise := g.Op("Sub", value(g.Op("Min", g.Op("Add", below, 1.0), last)), low)
	quantiles := g.Op("Add", low, g.Op("Mul", g.To(onnx.Float, g.Op("Sub", place, below)), rise))
	if m.centred {
		sum := g.Op("ReduceSum", g.Op("Where", within, g.To(onnx.Double, found), 0.0), []int{3})
		mean := g.To(onnx.Float, g.Op("Div", sum, g.Op("Max", n, 1.0)))
		second := make([]float32, most)
		for q := 1; q < most; q += 2 {
			second[q] = 1
		}
		quantiles = g.Op("Sub", quantiles, g.Op("Mul", mean, second))
	}
	quantiles = g.Op("Where", g.Op("Less", from, to), quantiles, float32(0))
	return g.Op("Reshape", quantiles, []int{0, 0, count * most})
}
