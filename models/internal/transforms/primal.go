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

// byFeatures solves for a weight of each feature. A transform with a kernel gets features whose scalar products are its kernel's,
// as far as the landmarks tell (Nyström).
func (f *fit) byFeatures(ctx context.Context) (residuals, unexplained, error) {
	n := len(f.samples)
	rows := make([][]float32, n) // of all transforms, centred and weighted
	var scales []float64
	roots := map[*candidate]*mat.TriDense{}
	for _, c := range f.candidates {
		if c.kernel != nil {
			var err error
			roots[c], err = f.nystrom(ctx, c)
			if err != nil {
				return nil, nil, err
			}
		}
		c.centre, c.square = features.Means(c.rows), 0
		for _, row := range c.rows {
			for j, x := range row {
				c.square += (float64(x) - c.centre[j]) * (float64(x) - c.centre[j]) / float64(n)
			}
		}
		scales = append(scales, math.Sqrt(c.weight/c.square))
		for i, row := range c.rows {
			for j, x := range row {
				rows[i] = append(rows[i], float32(scales[len(scales)-1]*(float64(x)-c.centre[j])))
			}
		}
		c.rows = nil
	}
	width := len(rows[0])
	side, at := mat.NewDense(width, f.Classes, nil), 0
	gram, err := squares(f.Backend, width, true, func(yield func(*mat.Dense) bool) {
		for some := range slices.Chunk(rows, blockSize) {
			part := block(some, 0, width, width)
			side.Add(side, f.timesTargets(part.T(), at))
			at += len(some)
			if ctx.Err() != nil || !yield(part) {
				return
			}
		}
	})
	err = cmp.Or(err, ctx.Err())
	if err != nil {
		return nil, nil, err
	}
	for i := range width {
		gram.SetSym(i, i, gram.At(i, i)+f.penalty)
	}
	inverse, err := invert(ctx, f.times, gram)
	if err != nil {
		return nil, nil, fmt.Errorf("transforms: the ridge classifier of %d features: %w", width, err)
	}
	weights, err := f.product(inverse, side)
	if err != nil {
		return nil, nil, err
	}
	left := func(some []int) (*mat.Dense, error) {
		off := f.targets(pick(f.labels, some))
		explained, err := f.product(block(pick(rows, some), 0, width, width), weights)
		if err != nil {
			return nil, err
		}
		off.Sub(off, explained)
		return off, nil
	}
	u := func(some []int) (*mat.Dense, error) {
		part := pick(rows, some)
		for len(part)%heldAtOnce > 0 { // of few sizes, for each of which the backend compiles
			part = append(part, make([]float32, width))
		}
		seen := block(part, 0, width, width)
		left, err := f.times(seen, inverse)
		if err == nil {
			left, err = f.times(left, seen.T())
		}
		if err != nil {
			return nil, err
		}
		left = left.Slice(0, len(some), 0, len(some)).(*mat.Dense)
		left.Apply(func(i, j int, x float64) float64 { return float64(asInt(i == j)) - x - 1/float64(n) }, left)
		return left, nil
	}
	from := 0
	for v, c := range f.candidates {
		to := from + len(c.centre)
		c.coefficients = mat.DenseCopyOf(weights.Slice(from, to, 0, f.Classes))
		c.coefficients.Scale(scales[v], c.coefficients)
		from = to
		if c.kernel != nil { // back to kernel values
			if err := roots[c].SolveTo(c.coefficients, true, c.coefficients); err != nil {
				return nil, nil, fmt.Errorf("transforms: %s: %w", c.Name, err)
			}
			centre := mat.NewVecDense(len(c.centre), c.centre)
			centre.MulVec(roots[c], mat.VecDenseCopyOf(centre))
		}
	}
	return left, u, nil
}

// nystrom turns the rows of a transform into features φ = L⁻¹·k: k are the kernel values with the landmarks,
// and L·Lᵀ is those among themselves. It returns L.
func (f *fit) nystrom(ctx context.Context, c *candidate) (*mat.TriDense, error) {
	landmarks, m := pick(c.rows, f.landmarks), c.kernel
	c.setLandmarks(landmarks)
	among, err := f.squares(ctx, landmarks)
	if err != nil {
		return nil, err
	}
	among = m.gram(among)
	jitter := 1e-6 * mat.Trace(among) / float64(len(landmarks))
	for i := range landmarks {
		among.SetSym(i, i, among.At(i, i)+jitter)
	}
	factor, root := new(mat.Cholesky), new(mat.TriDense)
	if !factor.Factorize(among) {
		return nil, fmt.Errorf("transforms: rounding made the kernel of the transform %s singular", c.Name)
	}
	factor.LTo(root)
	others, rows := block(landmarks, 0, m.width, m.width), [][]float32(nil)
	for some := range slices.Chunk(c.rows, blockSize) {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		k := new(mat.Dense)
		k.Mul(others, block(some, 0, m.width, m.width).T())
		k.Apply(func(i, j int, x float64) float64 {
			return m.value(x, float64(m.norms[i]), float64(dot(some[j], some[j])))
		}, k)
		if err := root.SolveTo(k, false, k); err != nil {
			return nil, fmt.Errorf("transforms: %s: %w", c.Name, err)
		}
		for j := range some {
			rows = append(rows, loop.Convert[float32](mat.Col(nil, j, k)))
		}
	}
	c.rows = rows
	return root, nil
}
