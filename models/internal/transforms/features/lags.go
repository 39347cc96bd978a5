package features

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/clusterpool/ccp/internal/loop"
	"github.com/clusterpool/ccp/models/onnx"
	"gonum.org/v1/gonum/floats"
)

const (
	mostLagFeatures = 10_000
	// leastTimepoints are those of the median recording for lags and intervals: fewer have hardly any.
	leastTimepoints = 9
)

// lagsTransform is in checkpoints only, of before the transform links was there, of which it became a part.
var lagsTransform = Transform{
	Name:         "lags",
	Option:       "lags",
	Lacks:        lacksLags,
	New:          newLags,
	KnowsSensors: true,
}

// lags is the map to the correlations of pairs of columns at lags: which of two sensors sees something first, and by
// how much.
//
//	r_ij(l) = Σ_t x_i(t)·x_j(t+l) / √(Σ x_i² · Σ x_j²)
//
// The columns have a mean of zero in each recording. Features are means of r over bins of lags, which widen by half
// an octave, up to half of the median recording. The pairs are all columns, or those of linked sensors and of the
// channels of each sensor.
type lags struct {
	columns int
	pairs   [][2]int
	edges   []int // the bins of lags above zero: from edges[b] up to edges[b+1], without it
	// ones has the correlation of a column with itself at lag 0 be 1. It is, but for rounding, by which trees would split.
	// Those of the transform lags, in checkpoints, have learned it as it is computed.
	ones bool
}

// newLags chooses the bins and the pairs. Of more pairs than the width allows it takes some, evenly spread.
func newLags(s Shape) Map {
	m := &lags{columns: s.Columns, edges: lagBins(s.Length, math.Sqrt2)}
	most := mostLagFeatures / m.width()
	allFit := s.Columns*(s.Columns+1)/2 <= most
	for i := range s.Columns {
		for j := range i + 1 {
			if allFit || s.linked(i, j) {
				m.pairs = append(m.pairs, [2]int{j, i})
			}
		}
	}
	m.pairs = loop.Spread(m.pairs, most)
	return m
}

// linked reports whether two columns are of one sensor, or a channel of two that are linked.
func (s Shape) linked(i, j int) bool {
	a, b := i/s.Channels, j/s.Channels
	return a == b || i%s.Channels == j%s.Channels && s.Links != nil && s.Links.At(a, b) > 0
}

func lacksLags(s Shape) string {
	if s.Columns < 2 || s.Length < leastTimepoints {
		return fmt.Sprintf("two columns and %d time points, and the median recording has %d of %d",
			leastTimepoints, s.Length, s.Columns)
	}
	return ""
}

// width returns the number of features of a pair.
func (m *lags) width() int { return 2*len(m.edges) - 1 }

// Width implements Map.
func (m *lags) Width() int { return len(m.pairs) * m.width() }

// Features takes the correlations from products of spectra. Zeros behind the recording keep its end from meeting its
// beginning. It writes `[pairs, {lag 0, and for each bin lags above and below 0}]`.
func (m *lags) Features(rec *Recording, out []float32) {
	t := rec.Timepoints
	n := 1 << bits.Len(uint(2*t-1))
	fft := rec.fft(n)
	spectra, norms, x := make([][]complex128, m.columns), make([]float64, m.columns), make([]float64, n)
	for c, column := range rec.Columns {
		mean, _ := moments(column)
		for p, v := range column {
			x[p] = float64(v) - mean
		}
		norms[c] = math.Sqrt(floats.Dot(x[:t], x[:t]))
		spectra[c] = fft.Coefficients(nil, x)
	}
	product := make([]complex128, n/2+1)
	// r has n times the correlations, by lags modulo n, and sums has their cumulative sums.
	r, sums := make([]float64, n), make([]float64, n+1)
	for _, pair := range m.pairs {
		for k, z := range spectra[pair[0]] {
			product[k] = complex(real(z), -imag(z)) * spectra[pair[1]][k]
		}
		fft.Sequence(r, product)
		scale := 1 / (float64(n) * (norms[pair[0]]*norms[pair[1]] + powerFloor*float64(t)))
		for k, v := range r {
			sums[k+1] = sums[k] + v
		}
		out[0] = float32(r[0] * scale)
		if m.ones && pair[0] == pair[1] {
			out[0] = 1
		}
		for b, from := range m.edges[:len(m.edges)-1] {
			to := max(min(m.edges[b+1], t), min(from, t))
			mean := scale / float64(m.edges[b+1]-from)
			out[1+2*b] = float32((sums[to] - sums[min(from, t)]) * mean)
			out[2+2*b] = float32((sums[n-min(from, t)+1] - sums[n-to+1]) * mean)
		}
		out = out[m.width():]
	}
}

// Export multiplies values by sums over the time points of a bin, which gives the same as the products of spectra.
func (m *lags) Export(g *onnx.Graph, x string) string {
	t := g.Length(x)
	_, wide := g.Centred(g.To(onnx.Double, x))
	ends := make([][]int, 2)
	for _, pair := range m.pairs {
		ends[0], ends[1] = append(ends[0], pair[0]), append(ends[1], pair[1])
	}
	columnsAt := func(x string, end int) string { return g.Op("Gather", x, ends[end], onnx.Axis(1)) }
	norms := g.Op("Sqrt", g.Op("ReduceSum", g.Op("Mul", wide, wide), []int{2}))
	scale := g.Op("Add", g.Op("Mul", columnsAt(norms, 0), columnsAt(norms, 1)), g.Op("Mul", t, powerFloor))
	sums := g.Op("Pad", g.Op("CumSum", wide, 2), []int{0, 0, 1, 0, 0, 0}, 0.0)
	// sumBefore is, at each time point, the sum of the values before the time point that is so much later.
	sumBefore := func(lag int) string {
		end := g.Op("Min", g.Op("Add", g.Until(t), float64(lag)), t)
		return g.Op("Gather", sums, g.To(onnx.Int64, end), onnx.Axis(2))
	}
	correlation := func(x, y string) string { return g.Op("Unsqueeze", g.Sum(g.Op("Mul", x, y), 2), []int{2}) }
	atOnce := correlation(columnsAt(wide, 0), columnsAt(wide, 1))
	if m.ones {
		itself := make([]float64, len(m.pairs))
		for at, pair := range m.pairs {
			itself[at] = float64(asInt(pair[0] == pair[1]))
		}
		mask := g.Constant(itself, len(m.pairs), 1)
		atOnce = g.Op("Add", g.Op("Mul", atOnce, g.Op("Sub", 1.0, mask)), g.Op("Mul", scale, mask))
	}
	lagged := []any{atOnce, onnx.Axis(2)}
	for b, from := range m.edges[:len(m.edges)-1] {
		mean := g.Op("Div", g.Op("Sub", sumBefore(m.edges[b+1]), sumBefore(from)), float64(m.edges[b+1]-from))
		lagged = append(lagged,
			correlation(columnsAt(wide, 0), columnsAt(mean, 1)), correlation(columnsAt(mean, 0), columnsAt(wide, 1)))
	}
	return g.To(onnx.Float, g.Op("Flatten", g.Op("Div", g.Op("Concat", lagged...), scale)))
}
