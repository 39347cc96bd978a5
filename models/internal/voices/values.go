package voices

import (
	"math"

	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/mat"
)

// gaussians are the widths that the voice of values chooses from. 0 stands for the scalar product.
var gaussians = []float64{0.03, 0.1, 0.3, 1, 0}

// values is a map to kernel values: exp(-g·|x-y|²/width) for each kept sample y, or x·y/width if g is 0.
type values struct {
	g           float64
	size        int       // values of a sample
	mean, scale []float32 // of each value
	samples     []float32 // `[kept, size]`, standardised
	norms       []float32 // the squared norm of each
}

// newValues makes room for so many samples.
func newValues(size, kept int, g float64) *values {
	return &values{g: g, size: size, mean: make([]float32, size), scale: make([]float32, size),
		samples: make([]float32, kept*size)}
}

func (m *values) width() int { return len(m.samples) / m.size }

func (m *values) arrays() []array {
	return []array{{path: "values/centre", floats: m.mean}, {path: "values/unit", floats: m.scale},
		{path: "values/samples", floats: m.samples}}
}

// raw writes a recording's values, `[columns, moments]`. One of another length is stretched to the kept samples'.
func (m *values) raw(w *work, out []float32) {
	moments := m.size / len(w.columns)
	for c, column := range w.columns {
		for p := range moments {
			at := 0.0
			if moments > 1 {
				at = float64(p) * float64(w.moments-1) / float64(moments-1)
			}
			low := int(at)
			part := float32(at - float64(low))
			out[c*moments+p] = column[low] + part*(column[min(low+1, w.moments-1)]-column[low])
		}
	}
}

// standardise changes raw values.
func (m *values) standardise(x []float32) {
	for i := range x {
		x[i] = (x[i] - m.mean[i]) * m.scale[i]
	}
}

// ready computes the norms of the kept samples.
func (m *values) ready() {
	m.norms = make([]float32, m.width())
	for i := range m.norms {
		m.norms[i] = norm(m.samples[i*m.size : (i+1)*m.size])
	}
}

func norm(x []float32) float32 { return blas32.Dot(vector(x), vector(x)) }

func (m *values) features(w *work, out []float32) {
	w.sum = sized(w.sum, m.size)
	m.raw(w, w.sum)
	m.standardise(w.sum)
	own := norm(w.sum)
	for i := range out {
		product := blas32.Dot(vector(w.sum), vector(m.samples[i*m.size:(i+1)*m.size]))
		out[i] = float32(m.kernel(float64(product), float64(own), float64(m.norms[i])))
	}
}

// gram turns scalar products of samples into kernel values.
func (m *values) gram(products *mat.SymDense) *mat.SymDense {
	n := products.SymmetricDim()
	k := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			k.SetSym(i, j, m.kernel(products.At(i, j), products.At(i, i), products.At(j, j)))
		}
	}
	return k
}

// kernel takes the scalar product of two samples, and their squared norms.
func (m *values) kernel(product, a, b float64) float64 {
	if m.g == 0 {
		return product / float64(m.size)
	}
	return math.Exp(-m.g * max(0, a+b-2*product) / float64(m.size))
}
