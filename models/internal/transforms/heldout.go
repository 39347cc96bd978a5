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

// unexplained returns (I - H)_ss of some samples, where H is the matrix from targets to predictions, with its
// intercept.
type unexplained func(some []int) (*mat.Dense, error)

// residuals returns (y - H·y)_s of some samples, `[some, classes]`, which its caller may change.
type residuals func(some []int) (*mat.Dense, error)

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
	sum := mat.Sum(predictions)
	if math.IsNaN(sum) || math.IsInf(sum, 0) {
		return nil, errCopies
	}
	return predictions, nil
}

// heldOut predicts each of the judged samples by the ridge classifier of the samples outside its group,
// `[judged, classes]`. It goes from batch to batch of groups, so that nothing else is as large, and ends with ctx.
func (t task) heldOut(ctx context.Context, u unexplained, left residuals) (*mat.Dense, error) {
	predictions, rowOf := mat.NewDense(len(t.judged), t.classes(), nil), map[int]int{}
	for row, sample := range t.judged {
		rowOf[sample] = row
	}
	isJudged := func(sample int) bool { _, found := rowOf[sample]; return found }
	groups := slices.DeleteFunc(slices.Clone(t.groups), func(group []int) bool {
		return !slices.ContainsFunc(group, isJudged)
	})
	for len(groups) > 0 {
		n := batchOf(groups)
		err := t.heldOutBatch(ctx, groups[:n], u, left, func(sample int, prediction []float64) {
			if isJudged(sample) {
				predictions.SetRow(rowOf[sample], prediction)
			}
		})
		if err != nil {
			return nil, err
		}
		groups = groups[n:]
	}
	return predictions, nil
}

// batchOf returns how many of the first groups are held out at a time: as many as have heldAtOnce samples together,
// and at least one.
func batchOf(groups [][]int) (n int) {
	samples := 0
	for n < len(groups) && (n == 0 || samples+len(groups[n]) <= heldAtOnce) {
		samples += len(groups[n])
		n++
	}
	return n
}

// heldOutBatch calls do with the predictions of all samples of some groups, each group's by the ridge classifier of the
// samples outside it.
func (t task) heldOutBatch(ctx context.Context, groups [][]int, u unexplained, left residuals,
	do func(sample int, prediction []float64)) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	some := slices.Concat(groups...)
	parts, err := u(some)
	if err != nil {
		return err
	}
	off, err := left(some)
	if err != nil {
		return err
	}
	at := 0
	for _, group := range groups {
		end := at + len(group)
		found, err := t.without(group, parts.Slice(at, end, at, end).(*mat.Dense),
			off.Slice(at, end, 0, t.classes()).(*mat.Dense))
		if err != nil {
			return err
		}
		for i, sample := range group {
			do(sample, found.RawRowView(i))
		}
		at = end
	}
	return nil
}
