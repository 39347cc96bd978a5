package transforms

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/clusterpool/ccp/internal/loop"
	"github.com/clusterpool/ccp/models/internal/transforms/features"
	"gonum.org/v1/gonum/mat"
)

// design has the features of all candidates side by side, as the ridge classifier by features reads them.
type design struct {
	rows   [][]float32 // centred and scaled, `[samples][features]`
	blocks []designBlock
}

// designBlock is a candidate's part of a design.
type designBlock struct {
	centre []float64 // the mean features, before they were centred
	scale  float64   // that the features were multiplied by
	// root is L of nystrom, by which kernel values became features; nil without a kernel.
	root *mat.TriDense
}

// byFeatures solves for a weight of each feature. A transform with a kernel gets features whose scalar products are its
// kernel's, as far as the landmarks tell (Nyström).
func (s *solver) byFeatures(ctx context.Context) (*solved, error) {
	d, err := s.design(ctx)
	if err != nil {
		return nil, err
	}
	gram, side, err := s.normalEquations(ctx, d.rows)
	if err != nil {
		return nil, err
	}
	width := len(d.rows[0])
	for i := range width {
		gram.SetSym(i, i, gram.At(i, i)+s.penalty)
	}
	inverse, err := invert(ctx, s.times, gram)
	if err != nil {
		return nil, fmt.Errorf("transforms: the ridge classifier of %d features: %w", width, err)
	}
	weights, err := s.product(inverse, side)
	if err != nil {
		return nil, err
	}
	terms, err := s.terms(d, weights)
	if err != nil {
		return nil, err
	}
	left := func(some []int) (*mat.Dense, error) {
		targets := s.targets(pick(s.labels, some))
		explained, err := s.product(block(pick(d.rows, some), 0, width, width), weights)
		if err != nil {
			return nil, err
		}
		targets.Sub(targets, explained)
		return targets, nil
	}
	u := func(some []int) (*mat.Dense, error) { return s.unexplainedOf(pick(d.rows, some), inverse) }
	return &solved{terms, left, u}, nil
}

// design puts the features of all candidates side by side in a row for each sample: the features of a candidate are
// centred, and multiplied by one number, so that their variances add up to the candidate's weight. It drops the
// candidates' own features, which would take the memory twice.
func (s *solver) design(ctx context.Context) (*design, error) {
	n := len(s.samples)
	d := &design{rows: make([][]float32, n)}
	for i, c := range s.candidates {
		var b designBlock
		rows := c.rows
		if c.kernel != nil {
			var err error
			b.root, rows, err = s.nystrom(ctx, c)
			if err != nil {
				return nil, err
			}
		}
		c.rows = nil
		b.centre = features.Means(rows)
		variance := 0.0 // of all features together
		for _, row := range rows {
			for j, x := range row {
				variance += (float64(x) - b.centre[j]) * (float64(x) - b.centre[j]) / float64(n)
			}
		}
		b.scale = math.Sqrt(s.weights[i] / variance)
		for sample, row := range rows {
			for j, x := range row {
				d.rows[sample] = append(d.rows[sample], float32(b.scale*(float64(x)-b.centre[j])))
			}
		}
		d.blocks = append(d.blocks, b)
	}
	return d, nil
}

// normalEquations returns the products of the features with each other, `[features, features]`, and with the targets,
// `[features, classes]`.
func (s *solver) normalEquations(ctx context.Context, rows [][]float32) (*mat.SymDense, *mat.Dense, error) {
	width := len(rows[0])
	side, at := mat.NewDense(width, s.Classes, nil), 0
	gram, err := squares(s.Backend, width, 0, func(yield func(*mat.Dense) bool) {
		for some := range slices.Chunk(rows, blockSize) {
			part := block(some, 0, width, width)
			side.Add(side, s.timesTargets(part.T(), at))
			at += len(some)
			if ctx.Err() != nil || !yield(part) {
				return
			}
		}
	})
	return gram, side, cmp.Or(err, ctx.Err())
}

// unexplainedOf returns (I - H)_ss of samples with these rows of a design. inverse is that of the normal equations.
func (s *solver) unexplainedOf(rows [][]float32, inverse *mat.Dense) (*mat.Dense, error) {
	n, width := len(rows), len(rows[0])
	for len(rows)%heldAtOnce > 0 { // of few sizes, for each of which the backend compiles
		rows = append(rows, make([]float32, width))
	}
	x := block(rows, 0, width, width)
	h, err := s.times(x, inverse)
	if err != nil {
		return nil, err
	}
	h, err = s.times(h, x.T())
	if err != nil {
		return nil, err
	}
	h = h.Slice(0, n, 0, n).(*mat.Dense)
	all := float64(len(s.samples))
	h.Apply(func(i, j int, x float64) float64 { return float64(asInt(i == j)) - x - 1/all }, h)
	return h, nil
}

// terms returns the part of each candidate in the decisions, by the weights of the design's features.
func (s *solver) terms(d *design, weights *mat.Dense) (terms []term, err error) {
	from := 0
	for i, b := range d.blocks {
		to := from + len(b.centre)
		t := term{b.centre, mat.DenseCopyOf(weights.Slice(from, to, 0, s.Classes))}
		t.coefficients.Scale(b.scale, t.coefficients)
		from = to
		if b.root != nil { // back to kernel values
			if err := b.root.SolveTo(t.coefficients, true, t.coefficients); err != nil {
				return nil, fmt.Errorf("transforms: %s: %w", s.candidates[i].Name, err)
			}
			centre := mat.NewVecDense(len(t.centre), t.centre)
			centre.MulVec(b.root, mat.VecDenseCopyOf(centre))
		}
		terms = append(terms, t)
	}
	return terms, nil
}

// nystrom returns features φ = L⁻¹·k of all samples in place of those of a candidate: k are the kernel values with the
// landmarks, and L·Lᵀ is those among themselves. It also returns L.
func (s *solver) nystrom(ctx context.Context, c *candidate) (root *mat.TriDense, rows [][]float32, err error) {
	landmarks, m := pick(c.rows, s.landmarks), c.kernel
	m.setLandmarks(landmarks)
	among, err := products(ctx, s.Backend, landmarks)
	if err != nil {
		return nil, nil, err
	}
	among = m.gram(among)
	jitter := 1e-6 * mat.Trace(among) / float64(len(landmarks))
	for i := range landmarks {
		among.SetSym(i, i, among.At(i, i)+jitter)
	}
	factor, root := new(mat.Cholesky), new(mat.TriDense)
	if !factor.Factorize(among) {
		return nil, nil, fmt.Errorf("transforms: rounding made the kernel of the transform %s singular", c.Name)
	}
	factor.LTo(root)
	others := block(landmarks, 0, m.width, m.width)
	for some := range slices.Chunk(c.rows, blockSize) {
		if ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		k := new(mat.Dense) // `[landmarks, samples]`
		k.Mul(others, block(some, 0, m.width, m.width).T())
		k.Apply(func(i, j int, x float64) float64 {
			return m.value(x, float64(m.norms[i]), float64(dot(some[j], some[j])))
		}, k)
		if err := root.SolveTo(k, false, k); err != nil {
			return nil, nil, fmt.Errorf("transforms: %s: %w", c.Name, err)
		}
		for j := range some {
			rows = append(rows, loop.Convert[float32](mat.Col(nil, j, k)))
		}
	}
	return root, rows, nil
}
