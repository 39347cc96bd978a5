package voices

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/clusterpool/ccp/models/internal/kernels"
	"gonum.org/v1/gonum/mat"
)

// solution is a readout of all samples.
type solution struct {
	weights     []*mat.Dense // of each candidate's features, `[features, classes]`
	centres     [][]float64  // each candidate's mean features
	residuals   *mat.Dense
	unexplained unexplained
}

// solve solves for the readout, and keeps what LeftOut and Without need.
func (f *fit) solve(ctx context.Context) error {
	method := f.primal
	if f.dual {
		method = f.dualOf
	}
	s, err := method(ctx)
	if err != nil || ctx.Err() != nil {
		return err
	}
	answers, ok := f.leftOut(s.unexplained, 256, s.residuals)
	if !ok {
		return fmt.Errorf("voices: the readout of %d samples is singular; are groups copies of each other?", len(f.samples))
	}
	judged := f.judge(answers)
	v := f.voices
	v.header.Parts = append(v.header.Parts, Part{"all", 1, judged.accuracy, judged.loss})
	v.voices, v.Names = nil, nil
	bias := slices.Clone(f.middle)
	for i, c := range f.candidates {
		width, _ := s.weights[i].Dims()
		c.weights = make([]float32, f.Classes*width)
		for j := range width {
			for k, x := range s.weights[i].RawRowView(j) {
				c.weights[k*width+j] = float32(judged.gain * x)
				bias[k] -= x * s.centres[i][j]
			}
		}
		v.voices, v.Names = append(v.voices, c.voice), append(v.Names, c.name)
	}
	copy(v.bias, logitsOf(bias, judged.gain))
	return f.keep(ctx, s, judged)
}

// keep answers all samples, also those that were not used.
func (f *fit) keep(ctx context.Context, s solution, judged score) error {
	k := &kept{task: f.task, gain: judged.gain, unexplained: s.unexplained, residuals: s.residuals,
		rows: slices.Repeat([]int{-1}, len(f.all)), leftOut: make([][]float32, len(f.all))}
	for row, i := range f.used {
		k.rows[i], k.leftOut[i] = row, logitsOf(judged.decisions.RawRowView(row), judged.gain)
	}
	f.voices.kept = k
	return inParallel(ctx, len(f.all), func(_ *work, i int) {
		if k.rows[i] < 0 {
			k.leftOut[i] = f.voices.Logits(f.all[i].Values)
		}
	})
}

// dualOf solves for a weight of each sample.
func (f *fit) dualOf(context.Context) (s solution, err error) {
	var grams []*mat.SymDense
	var weights, squares []float64
	for _, c := range f.candidates {
		rows, square := centred(c.gram)
		grams, weights, squares = append(grams, c.gram), append(weights, c.weight), append(squares, square)
		s.centres = append(s.centres, rows)
	}
	d, ok := f.newDual(weighted(grams, weights), f.penalty)
	if !ok {
		return s, fmt.Errorf("voices: rounding made the readout of %d samples singular", len(f.samples))
	}
	s.residuals, s.unexplained = d.residuals, d.unexplained
	for i, c := range f.candidates {
		part := new(mat.Dense)
		if c.kernel != nil {
			c.kernel.kept = slices.Concat(c.rows...)
			c.kernel.ready()
			part.Scale(c.weight/squares[i], d.c)
		} else {
			width := c.width()
			part = mat.NewDense(width, f.Classes, nil)
			for from := 0; from < width; from += together {
				to := min(from+together, width)
				part.Slice(from, to, 0, f.Classes).(*mat.Dense).Mul(block(c.rows, from, to, to-from).T(), d.c)
			}
			part.Scale(c.weight/squares[i], part)
			s.centres[i] = means(c.rows)
		}
		s.weights = append(s.weights, part)
	}
	return s, nil
}

// means returns the mean of each feature.
func means(rows [][]float32) []float64 {
	sum := make([]float64, len(rows[0]))
	for _, row := range rows {
		for j, x := range row {
			sum[j] += float64(x) / float64(len(rows))
		}
	}
	return sum
}

// primal solves for a weight of each feature. The voice of values gets features whose scalar products are its kernel's,
// as far as the kept samples tell (Nyström).
func (f *fit) primal(ctx context.Context) (s solution, err error) {
	var factors []float64
	var centres [][]float64
	var root *mat.TriDense // of the kept samples' kernel values
	total := 0
	for _, c := range f.candidates {
		if c.kernel != nil {
			if root, err = f.nystrom(ctx, c); err != nil {
				return s, err
			}
		}
		centre, square := means(c.rows), 0.0
		for _, row := range c.rows {
			for j, x := range row {
				square += (float64(x) - centre[j]) * (float64(x) - centre[j]) / float64(len(c.rows))
			}
		}
		total += len(centre)
		centres = append(centres, centre)
		factors = append(factors, math.Sqrt(c.weight/square))
	}
	z := func(some []int) *mat.Dense {
		z := mat.NewDense(len(some), total, nil)
		for at, i := range some {
			row := z.RawRowView(at)
			for v, c := range f.candidates {
				for j, x := range c.rows[i] {
					row[j] = factors[v] * (float64(x) - centres[v][j])
				}
				row = row[len(c.rows[i]):]
			}
		}
		return z
	}
	n := len(f.samples)
	every := make([]int, n)
	for i := range every {
		every[i] = i
	}
	side := mat.NewDense(total, f.Classes, nil)
	gram, err := kernels.Squares(f.Backend, total, true, func(yield func(*mat.Dense) bool) {
		for some := range slices.Chunk(every, together) {
			part, product := z(some), new(mat.Dense)
			product.Mul(part.T(), f.y.Slice(some[0], some[0]+len(some), 0, f.Classes))
			side.Add(side, product)
			if ctx.Err() != nil || !yield(part) {
				return
			}
		}
	})
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return s, err
	}
	for i := range total {
		gram.SetSym(i, i, gram.At(i, i)+f.penalty)
	}
	factor, weights, symmetric := new(mat.Cholesky), new(mat.Dense), new(mat.SymDense)
	if !factor.Factorize(gram) || factor.SolveTo(weights, side) != nil || factor.InverseTo(symmetric) != nil {
		return s, fmt.Errorf("voices: rounding made the readout of %d features singular", total)
	}
	inverse := mat.DenseCopyOf(symmetric) // gonum multiplies by it faster
	s.residuals = mat.DenseCopyOf(f.y)
	for some := range slices.Chunk(every, together) {
		product := new(mat.Dense)
		product.Mul(z(some), weights)
		rows := s.residuals.Slice(some[0], some[0]+len(some), 0, f.Classes).(*mat.Dense)
		rows.Sub(rows, product)
	}
	s.unexplained = func(some []int) *mat.Dense {
		part, seen, block := z(some), new(mat.Dense), new(mat.Dense)
		seen.Mul(part, inverse)
		block.Mul(seen, part.T())
		block.Apply(func(i, j int, x float64) float64 {
			if x = -x - 1/float64(n); i == j {
				x++
			}
			return x
		}, block)
		return block
	}
	from := 0
	for v, c := range f.candidates {
		to := from + len(c.rows[0])
		part := mat.DenseCopyOf(weights.Slice(from, to, 0, f.Classes))
		part.Scale(factors[v], part)
		from = to
		if c.kernel != nil { // back to weights of kernel values
			if err = root.SolveTo(part, true, part); err != nil {
				return s, fmt.Errorf("voices: the voice of values: %w", err)
			}
			mean := mat.NewVecDense(len(centres[v]), centres[v])
			mean.MulVec(root, mat.VecDenseCopyOf(mean))
		}
		s.weights, s.centres = append(s.weights, part), append(s.centres, centres[v])
	}
	return s, nil
}

// nystrom turns the rows of the voice of values into features φ = L⁻¹·k: k are the kernel values with the kept samples,
// and L·Lᵀ is those among themselves. It returns L.
func (f *fit) nystrom(ctx context.Context, c *candidate) (*mat.TriDense, error) {
	kept, m := pick(c.rows, f.held), c.kernel
	m.kept = slices.Concat(kept...)
	m.ready()
	among, err := f.squares(ctx, kept)
	if err != nil {
		return nil, err
	}
	among = m.gram(among)
	jitter := 1e-6 * mat.Trace(among) / float64(len(kept))
	for i := range kept {
		among.SetSym(i, i, among.At(i, i)+jitter)
	}
	factor, root := new(mat.Cholesky), new(mat.TriDense)
	if !factor.Factorize(among) {
		return nil, fmt.Errorf("voices: rounding made the kernel of the values singular")
	}
	factor.LTo(root)
	others, rows := block(kept, 0, m.width, m.width), [][]float32(nil)
	for some := range slices.Chunk(c.rows, together) {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		k := new(mat.Dense)
		k.Mul(others, block(some, 0, m.width, m.width).T())
		k.Apply(func(i, j int, x float64) float64 {
			return m.value(x, float64(m.norms[i]), float64(dot(some[j], some[j])))
		}, k)
		if err := root.SolveTo(k, false, k); err != nil {
			return nil, fmt.Errorf("voices: the voice of values: %w", err)
		}
		for j := range some {
			row := make([]float32, len(kept))
			for i := range row {
				row[i] = float32(k.At(i, j))
			}
			rows = append(rows, row)
		}
	}
	c.rows = rows
	return root, nil
}
