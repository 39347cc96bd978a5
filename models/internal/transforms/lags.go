package transforms

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/clusterpool/ccp/internal/loop"
	"github.com/clusterpool/ccp/models/onnx"
	"gonum.org/v1/gonum/floats"
)

const mostLagged = 10_000 // features of the transform lags

// lags is a map of the correlations of pairs of columns at lags: which of two sensors sees something first, and by how much.
//
//	r_ij(l) = Σ_t x_i(t)·x_j(t+l) / √(Σ x_i² · Σ x_j²)
//
// The columns have a mean of zero in each recording. Features are means of r over bins of lags, which widen by half an octave, up
// to half of the median recording. The pairs are all columns, or those of linked sensors and of the channels of each sensor.
type lags struct {
	columns int
	pairs   [][2]int
	edges   []int // the bins of lags above zero: from edges[b] up to edges[b+1], without it
}

func newLags(h header) featureMap {
	m := &lags{columns: h.Columns}
	for edge := 1.0; int(edge) <= max(1, h.Length/2); edge = max(edge+1, edge*math.Sqrt2) {
		m.edges = append(m.edges, int(edge))
	}
	m.edges = append(m.edges, max(m.edges[len(m.edges)-1]+1, h.Length/2))
	most := mostLagged / (2*len(m.edges) - 1)
	for i := range h.Columns {
		for j := range i + 1 {
			if h.Columns*(h.Columns+1)/2 <= most || h.linked(i, j) {
				m.pairs = append(m.pairs, [2]int{j, i})
			}
		}
	}
	m.pairs = loop.Spread(m.pairs, most)
	return m
}

// linked reports whether two columns are of one sensor, or a channel of two that are linked.
func (h header) linked(i, j int) bool {
	a, b := i/h.Channels, j/h.Channels
	return a == b || i%h.Channels == j%h.Channels && h.links != nil && h.links.At(a, b) > 0
}

func (h header) lacksLags() string {
	if h.Columns < 2 || h.Length < slots {
		return fmt.Sprintf("two columns and %d time points, and the median recording has %d of %d", slots, h.Length, h.Columns)
	}
	return ""
}

func (m *lags) width() int { return len(m.pairs) * (2*len(m.edges) - 1) }

// features takes the correlations from products of spectra. Zeros behind the recording keep its ends apart.
func (m *lags) features(w *work, out []float32) {
	t := w.timepoints
	n := 1 << bits.Len(uint(2*t-1))
	fft := w.fft(n)
	spectra, norms, x := make([][]complex128, m.columns), make([]float64, m.columns), make([]float64, n)
	for c, column := range w.columns {
		mean, _ := moments(column)
		for p, v := range column {
			x[p] = float64(v) - mean
		}
		norms[c] = math.Sqrt(floats.Dot(x[:t], x[:t]))
		spectra[c] = fft.Coefficients(nil, x)
	}
	product, r, sums := make([]complex128, n/2+1), make([]float64, n), make([]float64, n+1)
	for _, pair := range m.pairs {
		for k, z := range spectra[pair[0]] {
			product[k] = complex(real(z), -imag(z)) * spectra[pair[1]][k]
		}
		fft.Sequence(r, product)
		scale := 1 / (float64(n) * (norms[pair[0]]*norms[pair[1]] + floor*float64(t)))
		for k, v := range r {
			sums[k+1] = sums[k] + v
		}
		out[0] = float32(r[0] * scale)
		for b, from := range m.edges[:len(m.edges)-1] {
			to := max(min(m.edges[b+1], t), min(from, t))
			over := scale / float64(m.edges[b+1]-from)
			out[1+2*b] = float32((sums[to] - sums[min(from, t)]) * over)
			out[2+2*b] = float32((sums[n-min(from, t)+1] - sums[n-to+1]) * over)
		}
		out = out[2*len(m.edges)-1:]
	}
}

// export adds up pairs of values and of sums over a bin: the products of spectra are only faster.
func (m *lags) export(g *onnx.Graph, x string) string {
	t := g.Length(x)
	_, wide := g.Centred(g.To(onnx.Double, x))
	ends := make([][]int, 2)
	for _, pair := range m.pairs {
		ends[0], ends[1] = append(ends[0], pair[0]), append(ends[1], pair[1])
	}
	of := func(x string, end int) string { return g.Op("Gather", x, ends[end], onnx.Axis(1)) }
	norms := g.Op("Sqrt", g.Op("ReduceSum", g.Op("Mul", wide, wide), []int{2}))
	scale := g.Op("Add", g.Op("Mul", of(norms, 0), of(norms, 1)), g.Op("Mul", t, floor))
	sums := g.Op("Pad", g.Op("CumSum", wide, 2), []int{0, 0, 1, 0, 0, 0}, 0.0)
	after := func(lag int) string { // the sum of what is before a time point so much later
		return g.Op("Gather", sums, g.To(onnx.Int64, g.Op("Min", g.Op("Add", g.Until(t), float64(lag)), t)), onnx.Axis(2))
	}
	correlation := func(x, y string) string { return g.Op("Unsqueeze", g.Sum(g.Op("Mul", x, y), 2), []int{2}) }
	lagged := []any{correlation(of(wide, 0), of(wide, 1)), onnx.Axis(2)}
	for b, from := range m.edges[:len(m.edges)-1] {
		bin := g.Op("Div", g.Op("Sub", after(m.edges[b+1]), after(from)), float64(m.edges[b+1]-from))
		lagged = append(lagged, correlation(of(wide, 0), of(bin, 1)), correlation(of(bin, 0), of(wide, 1)))
	}
	return g.To(onnx.Float, g.Op("Flatten", g.Op("Div", g.Op("Concat", lagged...), scale)))
}
