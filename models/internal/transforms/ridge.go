package transforms

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// penalties are relative to the mean square of a sample's features. A search begins in the middle of the list.
var penalties = floats.LogSpan(make([]float64, 13), 1e-4, 1e2)

const (
	midPenalty = 6
	// lonePenalty is taken where no held-out sample can choose one. It is small, because one sample of a class has all
	// that is known of it.
	lonePenalty = 3
)

// solveDual solves (K + αI)·c = y for a centred K and a penalty relative to K's mean diagonal. Then I - H is α·(K +
// αI)⁻¹ less 1/n, and the residuals are α·c. Errors are those of invert.
func (t task) solveDual(ctx context.Context, k *mat.SymDense, penalty float64) (
	c *mat.Dense, left residuals, u unexplained, err error) {
	n := len(t.labels)
	alpha := penalty * mat.Trace(k) / float64(n)
	sum := mat.NewSymDense(n, slices.Clone(k.RawSymmetric().Data))
	for i := range n {
		sum.SetSym(i, i, sum.At(i, i)+alpha)
	}
	inverse, err := invert(ctx, t.times, sum)
	if err != nil {
		return nil, nil, nil, err
	}
	c = t.timesTargets(inverse, 0)
	left = func(some []int) (*mat.Dense, error) {
		rows := mat.NewDense(len(some), t.classes(), nil)
		for at, i := range some {
			floats.ScaleTo(rows.RawRowView(at), alpha, c.RawRowView(i))
		}
		return rows, nil
	}
	u = func(some []int) (*mat.Dense, error) {
		part := mat.NewDense(len(some), len(some), nil)
		part.Apply(func(a, b int, _ float64) float64 { return alpha*inverse.At(some[a], some[b]) - 1/float64(n) }, part)
		return part, nil
	}
	return c, left, u, nil
}

// best walks from a penalty to its neighbours for as long as the loss of the held-out samples falls. Then it takes the
// largest penalty that costs at most one nat over all samples, and a twentieth of the loss: less is chance. If ctx ends
// meanwhile, the score is of no use.
func (t task) best(ctx context.Context, k *mat.SymDense, start int) score {
	if t.lone {
		return score{loss: t.baselineLoss(), penalty: lonePenalty}
	}
	known := map[int]score{} // by penalties
	at := func(penalty int) score {
		s, found := known[penalty]
		if !found {
			s = t.scoreOf(ctx, k, penalty)
			known[penalty] = s
		}
		return s
	}
	i, step := start, -1
	if at(i-1).loss >= at(i).loss {
		step = 1
	}
	for at(i+step).loss < at(i).loss {
		i += step
	}
	most := at(i).loss + min(1/float64(len(t.labels)), at(i).loss/20)
	for i+1 < len(penalties) && at(i+1).loss <= most {
		i++
	}
	return at(i)
}

// scoreOf returns the score of a ridge classifier with a penalty, by its number. The loss is infinite if there is no
// such penalty, or if it is too small for the matrix to be inverted.
func (t task) scoreOf(ctx context.Context, k *mat.SymDense, penalty int) score {
	failed := score{loss: math.Inf(1), penalty: penalty}
	if penalty < 0 || penalty >= len(penalties) {
		return failed
	}
	_, left, u, err := t.solveDual(ctx, k, penalties[penalty])
	if err != nil {
		return failed
	}
	decisions, err := t.heldOut(ctx, u, left)
	if err != nil {
		return failed
	}
	s := t.adjusted(ctx, decisions, 0)
	s.penalty = penalty
	return s
}
