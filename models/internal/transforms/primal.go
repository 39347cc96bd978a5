package transforms

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/clusterpool/ccp/internal/loop"
	"gonum.org/v1/gonum/mat"
)

// design has the features of all candidates side by side, as the ridge classifier by features reads them: those of a
// candidate are centred, and multiplied by one number, so that their variances add up to the candidate's weight. They
// are put together for a block of samples at a time.
type design struct {
	blocks []designBlock
	width  int
}

// designBlock is a candidate's part of a design.
type designBlock struct {
	features *table    // the candidate's, or those of nystrom
	centre   []float64 // the mean features
	scale    float64   // that the features are multiplied by
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
	s.normal = newTiled(s.times, d.width, mostFactored)
	side, err := s.normalEquations(ctx, d)
	if err != nil {
		return nil, err
	}
	if err := s.normal.factorise(ctx, s.penalty); err != nil {
		return nil, fmt.Errorf("transforms: the ridge classifier of %d features: %w", d.width, err)
	}
	solution, err := s.normal.solve(mat.DenseCopyOf(side.T()))
	if err != nil {
		return nil, err
	}
	weights := mat.DenseCopyOf(solution.T())
	terms, err := s.terms(d, weights)
	if err != nil {
		return nil, err
	}
	left := func(some []int) (*mat.Dense, error) {
		rows, err := d.rows(some, len(some))
		if err != nil {
			return nil, err
		}
		explained, err := s.product(rows, weights)
		if err != nil {
			return nil, err
		}
		targets := s.targets(pick(s.labels, some))
		targets.Sub(targets, explained)
		return targets, nil
	}
	u := func(some []int) (*mat.Dense, error) { return s.unexplainedOf(d, some) }
	return &solved{terms, left, u}, nil
}

// design makes the design of all candidates.
func (s *solver) design(ctx context.Context) (*design, error) {
	d := new(design)
	for i, c := range s.candidates {
		b := designBlock{features: c.features}
		var err error
		if c.kernel != nil {
			b.root, b.features, err = s.nystrom(ctx, c)
			if err != nil {
				return nil, err
			}
		}
		d.blocks = append(d.blocks, b)
		if err := d.blocks[i].measure(s.weights[i]); err != nil {
			return nil, err
		}
		d.width += b.features.width
	}
	return d, nil
}

// measure sets the centre, and the scale with which the variances of the features add up to a weight.
func (b *designBlock) measure(weight float64) (err error) {
	b.centre, err = b.features.means()
	if err != nil {
		return err
	}
	variance := 0.0 // of all features together
	err = b.features.each(func(rows [][]float32) error {
		for _, row := range rows {
			for j, x := range row {
				variance += (float64(x) - b.centre[j]) * (float64(x) - b.centre[j]) / float64(b.features.samples)
			}
		}
		return nil
	})
	b.scale = math.Sqrt(weight / variance)
	return err
}

// rows returns the features of some samples, `[count, width]`, with rows of zeros behind them.
func (d *design) rows(some []int, count int) (*mat.Dense, error) {
	all, from := mat.NewDense(count, d.width, nil), 0
	for _, b := range d.blocks {
		rows, err := b.features.pick(some)
		if err != nil {
			return nil, err
		}
		for i, row := range rows {
			line := all.RawRowView(i)[from : from+len(row)]
			for j, x := range row {
				line[j] = float64(float32(b.scale * (float64(x) - b.centre[j])))
			}
		}
		from += b.features.width
	}
	return all, nil
}

// normalEquations adds up the products of the features with each other, and returns those with the targets,
// `[features, classes]`. The samples come in blocks of one size, so that the backend compiles once.
func (s *solver) normalEquations(ctx context.Context, d *design) (*mat.Dense, error) {
	side, at := mat.NewDense(d.width, s.Classes, nil), 0
	for some := range slices.Chunk(everySample(s.plan), blockSize) {
		rows, err := d.rows(some, blockSize)
		if err != nil {
			return nil, err
		}
		side.Add(side, s.timesTargets(rows.Slice(0, len(some), 0, d.width).T(), at))
		at += len(some)
		if err := s.normal.addSquare(ctx, rows); err != nil {
			return nil, err
		}
	}
	return side, ctx.Err()
}

// unexplainedOf returns (I - H)_ss of some samples of a design, whose normal equations are factorised.
func (s *solver) unexplainedOf(d *design, some []int) (*mat.Dense, error) {
	n := len(some)
	whole := (n + heldAtOnce - 1) / heldAtOnce * heldAtOnce // of few sizes, for each of which the backend compiles
	rows, err := d.rows(some, whole)
	if err != nil {
		return nil, err
	}
	u, err := s.normal.unexplained(rows)
	if err != nil {
		return nil, err
	}
	u = u.Slice(0, n, 0, n).(*mat.Dense)
	all := float64(len(s.samples))
	u.Apply(func(_, _ int, x float64) float64 { return x - 1/all }, u)
	return u, nil
}

// terms returns the part of each candidate in the decisions, by the weights of the design's features.
func (s *solver) terms(d *design, weights *mat.Dense) (terms []term, err error) {
	from := 0
	for i, b := range d.blocks {
		to := from + len(b.centre)
		t := term{slices.Clone(b.centre), mat.DenseCopyOf(weights.Slice(from, to, 0, s.Classes))}
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
func (s *solver) nystrom(ctx context.Context, c *candidate) (root *mat.TriDense, found *table, err error) {
	landmarks, err := c.features.pick(s.landmarks)
	if err != nil {
		return nil, nil, err
	}
	m := c.kernel
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
	found, err = s.newTable(c.features.samples, len(landmarks), s.inMemory)
	if err != nil {
		return nil, nil, err
	}
	others, at := block(landmarks, 0, m.width, m.width), 0
	err = c.features.each(func(some [][]float32) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		k, err := s.times(others, block(some, 0, m.width, m.width).T()) // `[landmarks, samples]`
		if err != nil {
			return err
		}
		k.Apply(func(i, j int, x float64) float64 {
			return m.value(x, float64(m.norms[i]), float64(dot(some[j], some[j])))
		}, k)
		if err := root.SolveTo(k, false, k); err != nil {
			return fmt.Errorf("transforms: %s: %w", c.Name, err)
		}
		rows := found.rows(at, at+len(some))
		for j := range some {
			copy(rows[j], loop.Convert[float32](mat.Col(nil, j, k)))
		}
		at += len(some)
		return found.put(at-len(some), rows)
	})
	return root, found, err
}
