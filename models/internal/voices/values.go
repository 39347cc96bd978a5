package voices

import (
	"math"

	"github.com/clusterpool/ccp/internal/recording"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/mat"
)

// values is the map to a recording's own values in frames as a network sees it, `[columns, frames]`.
type values struct{ columns, frames int }

func (m values) width() int { return m.columns * m.frames }

func (m values) arrays() map[string][]float32 { return nil }

func (m values) features(w *work, out []float32) {
	for c, column := range w.columns {
		recording.Resample(out[c*m.frames:(c+1)*m.frames], column[:w.moments], 1)
	}
}

// gaussians are the kernels that the voice of values chooses from. 0 stands for the scalar product.
var gaussians = []float64{0.03, 0.1, 0.3, 1, 0}

// kernel compares features x with those of kept samples y: exp(-g·|x-y|²/width), or x·y/width if g is 0.
type kernel struct {
	g     float64
	kept  []float32 // `[samples, width]`
	norms []float32 // the squared norm of each
	width int
}

// ready computes the norms of the kept samples.
func (m *kernel) ready() {
	m.norms = make([]float32, len(m.kept)/m.width)
	for i := range m.norms {
		m.norms[i] = dot(m.sample(i), m.sample(i))
	}
}

func (m *kernel) sample(i int) []float32 { return m.kept[i*m.width : (i+1)*m.width] }

func dot(x, y []float32) float32 { return blas32.Dot(vector(x), vector(y)) }

// compare writes the kernel value with each kept sample.
func (m *kernel) compare(x, out []float32) {
	own := float64(dot(x, x))
	for i := range out {
		out[i] = float32(m.value(float64(dot(x, m.sample(i))), own, float64(m.norms[i])))
	}
}

// value takes the scalar product of two samples, and their squared norms.
func (m *kernel) value(product, a, b float64) float64 {
	if m.g == 0 {
		return product / float64(m.width)
	}
	return math.Exp(-m.g * max(0, a+b-2*product) / float64(m.width))
}

// gram turns scalar products of samples into kernel values.
func (m *kernel) gram(products *mat.SymDense) *mat.SymDense {
	n := products.SymmetricDim()
	k := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			k.SetSym(i, j, m.value(products.At(i, j), products.At(i, i), products.At(j, j)))
		}
	}
	return k
}
