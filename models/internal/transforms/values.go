package transforms

import (
	"cmp"
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/mat"
)

// gaussians are the widths of kernels that a transform with few features chooses from. 0 stands for the scalar product.
var gaussians = []float64{0.03, 0.1, 0.3, 1, 0}

// trialGaussian is the kernel with which the number of features is chosen.
const trialGaussian = 0.1

// kernel compares features x with those of the landmarks y, which are training samples: exp(-g·|x-y|²/width), or x·y/width if g is 0.
type kernel struct {
	g         float64
	landmarks []float32 // `[samples, width]`
	norms     []float32 // the squared norm of each
	width     int
}

// ready computes the norms of the landmarks.
func (m *kernel) ready() {
	m.norms = make([]float32, len(m.landmarks)/m.width)
	for i := range m.norms {
		m.norms[i] = dot(m.sample(i), m.sample(i))
	}
}

func (m *kernel) sample(i int) []float32 { return m.landmarks[i*m.width : (i+1)*m.width] }

func dot(x, y []float32) float32 { return blas32.Dot(vector(x), vector(y)) }

// compare writes the kernel value with each landmark.
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

// resolve returns a transform with as many features as suit the samples, and the scalar products of those that transforms are chosen by.
// Fewer are taken if the log-likelihood of the held-out samples by all transforms together then rises by a nat.
func (f *fit) resolve(ctx context.Context, t *trial, v int) (best *candidate, squares *mat.SymDense, err error) {
	samples, h, least := pick(f.samples, t.chosen), f.classifier.header, math.Inf(1)
	h.Names, h.Landmarks = []string{f.candidates[v].Name}, 0
	for {
		c := &candidate{transform: h.open().transforms[0]}
		if err := f.extract(ctx, samples, nil, c); err != nil {
			return nil, nil, err
		}
		products, err := f.squares(ctx, c.rows)
		if err != nil {
			return nil, nil, err
		}
		coarser, more := c.Coarser(h.shape())
		var loss float64
		if more || best != nil { // else there is no other to compare with
			t.judge(ctx, v, (&kernel{g: trialGaussian, width: c.Width()}).gram(products))
			loss = t.joined(ctx).loss
		}
		if best == nil || loss < least-1/float64(len(samples)) {
			best, squares, least = c, products, loss
			f.classifier.Frames = h.Frames
		}
		if !more {
			return best, squares, nil
		}
		h.Frames = coarser.Frames
	}
}

// bend chooses the kernel with which a transform alone has the least loss. squares are the scalar products of the samples that
// transforms are chosen by.
func (f *fit) bend(ctx context.Context, t *trial, v int, c *candidate, squares *mat.SymDense) error {
	grams, scores := make([]*mat.SymDense, len(gaussians)), make([]score, len(gaussians))
	if err := inParallel(ctx, len(grams), func(_ *work, i int) {
		grams[i] = (&kernel{g: gaussians[i], width: c.Width()}).gram(squares)
		centred(grams[i])
		scores[i] = t.best(ctx, grams[i], midPenalty)
	}); err != nil {
		return err
	}
	i := slices.Index(scores, slices.MinFunc(scores, func(a, b score) int { return cmp.Compare(a.loss, b.loss) }))
	c.kernel.g, f.classifier.Gaussians[c.Name] = gaussians[i], gaussians[i]
	f.candidates[v] = c
	if len(t.chosen) == len(f.samples) { // whose scalar products are there
		c.gram = c.kernel.gram(squares)
		t.judge(ctx, v, part(c.gram, nil))
		return nil
	}
	if len(c.rows) < len(f.samples) {
		if err := f.extract(ctx, f.samples, nil, c); err != nil {
			return err
		}
	}
	err := f.multiply(ctx, t, v)
	if err == nil {
		t.judge(ctx, v, t.grams[v])
	}
	return err
}
