package transforms

import (
	"context"
	"errors"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

const heldAtOnce = 512 // samples that are explained at a time

var errCopies = errors.New("rounding made its matrix singular; are groups copies of each other?")

// Of some samples, unexplained returns (I - H)_ss and residuals (y - H·y)_s, `[some, classes]`. H is the matrix from
// targets to predictions, with its intercept.
type (
	unexplained func(some []int) (*mat.Dense, error)
	residuals   func(some []int) (*mat.Dense, error)
)

// without returns the predictions of a group by the ridge classifier of the others: y - (I - H)_ss⁻¹·(y - H·y)_s. off
// are its residuals, which it changes. It fails if there are no others, or if rounding made the matrix singular.
func (t task) without(group []int, part, off *mat.Dense) (*mat.Dense, error) {
	predictions := t.targets(pick(t.labels, group))
	for at := range group {
		floats.Add(predictions.RawRowView(at), t.meanTarget)
	}
	if len(group) == 1 {
		off.Scale(1/part.At(0, 0), off)
	} else if err := off.Solve(part, off); err != nil {
		return nil, errCopies
	}
	predictions.Sub(predictions, off)
	if sum := mat.Sum(predictions); math.IsNaN(sum) || math.IsInf(sum, 0) {
		return nil, errCopies
	}
	return predictions, nil
}

// heldOut predicts each of the judged samples by the ridge classifier of the samples outside its group, `[judged,
// classes]`. It goes from block to block of groups, so that nothing else is as large, and ends with ctx.
func (t task) heldOut(ctx context.Context, u unexplained, left residuals) (*mat.Dense, error) {
	predictions, rows := mat.NewDense(len(t.judged), t.classes(), nil), map[int]int{}
	for row, i := range t.judged {
		rows[i] = row
	}
	isJudged := func(i int) bool { _, found := rows[i]; return found }
	groups := slices.DeleteFunc(slices.Clone(t.groups), func(group []int) bool { return !slices.ContainsFunc(group, isJudged) })
	for from := 0; from < len(groups); {
		var some []int
		to := from
		for ; to < len(groups) && (to == from || len(some)+len(groups[to]) <= heldAtOnce); to++ {
			some = append(some, groups[to]...)
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		block, err := u(some)
		if err != nil {
			return nil, err
		}
		off, err := left(some)
		if err != nil {
			return nil, err
		}
		at := 0
		for _, group := range groups[from:to] {
			end := at + len(group)
			found, err := t.without(group, block.Slice(at, end, at, end).(*mat.Dense),
				off.Slice(at, end, 0, t.classes()).(*mat.Dense))
			if err != nil {
				return nil, err
			}
			for i, sample := range group {
				if row, judges := rows[sample]; judges {
					predictions.SetRow(row, found.RawRowView(i))
				}
			}
			at = end
		}
		from = to
	}
	return predictions, nil
}
