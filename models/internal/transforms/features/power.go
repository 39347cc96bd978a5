package features

import (
	"math"
	"math/bits"

	"github.com/clusterpool/ccp/models/onnx"
	"gonum.org/v1/gonum/dsp/window"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
)

const (
	// BandCount is the number of the bands of frequency.
	BandCount = 16
	// powerFloor is added to a power before its logarithm, which is finite then. Columns have a variance of about 1.
	powerFloor = 1e-6
)

var powerTransform = Transform{
	Name:          "power",
	Option:        "power",
	Lacks:         LacksSeries,
	New:           newPower,
	Prior:         1,
	InCompact:     true,
	UsesKernel:    true,
	InForest:      always,
	AlsoStretched: true,
}

// power is the map to each column's mean, its log variance, and its log power in bands of frequency. Frequencies are in
// cycles per time point, so recordings of any length are comparable.
type power struct {
	columns int
	edges   []float64 // of the bands, in cycles per time point
}

// newPower spaces the bands' edges evenly in logarithm, from 0.75 cycles in the longest recording to 0.5 cycles per
// time point.
func newPower(s Shape) Map {
	low := min(0.75/float64(s.Longest), 0.25)
	return &power{s.Columns, floats.LogSpan(make([]float64, BandCount+1), low, 0.5)}
}

// LacksSeries returns what samples lack that are rows of a table.
func LacksSeries(s Shape) string {
	if s.Table {
		return "a series"
	}
	return ""
}

// Width implements Map.
func (m *power) Width() int { return m.columns * (2 + BandCount) }

// Features takes the power from the periodogram of a Hann window, with zeros behind up to a power of two. It writes
// `[columns, {mean, variance, bands}]`.
func (m *power) Features(r *Recording, out []float32) {
	t := r.Timepoints
	n := max(4, 1<<bits.Len(uint(t-1)))
	fft := r.fft(n)
	padded, coefficients := make([]float64, n), make([]complex128, n/2+1)
	hann := make([]float64, t)
	floats.AddConst(1, hann)
	if t > 2 { // of two time points, a Hann window leaves nothing
		window.Hann(hann)
	}
	size := floats.Dot(hann, hann)
	for c, column := range r.Columns {
		x := padded[:t]
		for p, v := range column {
			x[p] = float64(v)
		}
		mean, variance := stat.PopMeanVariance(x, nil)
		floats.AddConst(-mean, x)
		floats.Mul(x, hann)
		fft.Coefficients(coefficients, padded)
		features := out[c*(2+BandCount):]
		features[0], features[1] = float32(mean), float32(math.Log(variance+powerFloor))
		for b := range BandCount {
			from, to := m.band(b, n)
			power := 0.0
			for _, z := range coefficients[from:to] {
				power += real(z)*real(z) + imag(z)*imag(z)
			}
			features[2+b] = float32(math.Log(power/(float64(to-from)*size) + powerFloor))
		}
	}
}

// band returns the coefficients of band b in the spectrum of n values: from, and those before to. A band in which no
// frequency lies takes the nearest one.
func (m *power) band(b, n int) (from, to int) {
	from = int(math.Ceil(m.edges[b] * float64(n)))
	to = int(math.Ceil(m.edges[b+1] * float64(n)))
	if b == BandCount-1 {
		to = n/2 + 1
	}
	if from >= to {
		nearest := math.Round(math.Sqrt(m.edges[b]*m.edges[b+1]) * float64(n))
		from = max(1, min(n/2, int(nearest)))
		to = from + 1
	}
	return from, to
}

// CArguments returns where the bands begin and end in spectra of 4, 8, 16, … values: `[sizes, BandCount, {from, to}]`.
func (m *power) CArguments(padded int) []any {
	var bands []float32
	for n := 4; n <= padded; n *= 2 {
		for b := range BandCount {
			from, to := m.band(b, n)
			bands = append(bands, float32(from), float32(to))
		}
	}
	return []any{CArray{"int32_t", "bands", bands}}
}

// bandEdges returns where the bands begin and end in spectra of all sizes, see band. Both lists are
// `[onnx.Spectra, BandCount]`: a row for each size onnx.LeastSpectrum<<order.
func (m *power) bandEdges() (from, to []int) {
	for order := range onnx.Spectra {
		for b := range BandCount {
			begin, end := m.band(b, onnx.LeastSpectrum<<order)
			from, to = append(from, begin), append(to, end)
		}
	}
	return from, to
}

// Export implements Map. sin²(π·p/(t-1)) is the Hann window. Each band takes its mean power by a matrix product: of the
// squared magnitudes with inBand, `[coefficients, BandCount]`, which is 1 where a coefficient lies in the band.
func (m *power) Export(g *onnx.Graph, x string) string {
	t := g.Length(x)
	mean, deviation := g.Centred(g.To(onnx.Double, x))
	sine := g.Op("Sin", g.Op("Div", g.Op("Mul", g.Until(t), math.Pi), g.Op("Sub", t, 1.0)))
	hann := g.Op("Where", g.Op("LessOrEqual", t, 2.0), 1.0, g.Op("Mul", sine, sine))
	squares, order := g.Spectrum(g.Op("Mul", deviation, hann))
	begins, ends := m.bandEdges()
	from := g.Op("Gather", g.Constant(begins, onnx.Spectra, BandCount), order)
	to := g.Op("Gather", g.Constant(ends, onnx.Spectra, BandCount), order)
	at := g.Op("Unsqueeze", g.Below(g.Count(squares)), []int{1})
	inBand := g.To(onnx.Double, g.Op("And", g.Op("GreaterOrEqual", at, from), g.Op("Less", at, to)))
	size := g.Op("Mul", g.To(onnx.Double, g.Op("Sub", to, from)), g.Sum(g.Op("Mul", hann, hann), 0))
	powers := g.Op("Concat", g.Variance(deviation), g.Op("Div", g.Op("MatMul", squares, inBand), size), onnx.Axis(2))
	all := g.Op("Concat", mean, g.Op("Log", g.Op("Add", powers, powerFloor)), onnx.Axis(2))
	return g.To(onnx.Float, g.Op("Flatten", all))
}
