package transforms

import (
	"math"

	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/mat"
)

// gaussians are the kernels that a transform with few features chooses from, by their widths: see kernel.g.
var gaussians = []float64{0.03, 0.1, 0.3, 1, 0}

// trialGaussian is the kernel with which the number of features is chosen.
const trialGaussian = 0.1

// kernel compares features x with those of the landmarks y, which are training samples: exp(-g·|x-y|²/width), or
// x·y/width if g is 0.
type kernel struct {
	g         float64
	landmarks []float32 // `[samples, width]`
	norms     []float32 // the squared norm of each
	width     int
}

// setLandmarks stores the training samples that a new recording is compared with.
func (m *kernel) setLandmarks(rows [][]float32) {
	m.landmarks = make([]float32, 0, len(rows)*m.width)
	for _, row := range rows {
		m.landmarks = append(m.landmarks, row...)
	}
	m.ready()
}

// ready computes the norms of the landmarks.
func (m *kernel) ready() {
	m.norms = make([]float32, len(m.landmarks)/m.width)
	for i := range m.norms {
		m.norms[i] = dot(m.landmark(i), m.landmark(i))
	}
}

func (m *kernel) landmark(i int) []float32 { return m.landmarks[i*m.width : (i+1)*m.width] }

func dot(x, y []float32) float32 { return blas32.Dot(vector(x), vector(y)) }

// compare writes the kernel value with each landmark.
func (m *kernel) compare(x, out []float32) {
	norm := float64(dot(x, x))
	for i := range out {
		out[i] = float32(m.value(float64(dot(x, m.landmark(i))), norm, float64(m.norms[i])))
	}
}

// value returns the kernel value of two samples with this scalar product and these squared norms.
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
