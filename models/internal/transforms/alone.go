package transforms

import (
	"context"
	"math"

	"gonum.org/v1/gonum/floats"
)

// Held are samples by which each transform alone is judged, and nothing is chosen.
type Held struct {
	Samples []Sample  // nil: no transform is judged
	Shares  []float64 // of the classes among all samples, of which these were held out
}

// Accuracy returns the share of predictions that are right if each class has its share. Held-out samples have shares of
// their own, and the others lack what these have too much of. Whoever knows nothing predicts the class that is
// commonest among the others, which is then rarer among the held-out ones: of two classes of 30 a quarter has 8 and 7,
// and 47% would be right. Classes that are not among the labels do not count.
func Accuracy(predicted []int, labels []int32, shares []float64) (accuracy float64) {
	right, count := make([]float64, len(shares)), make([]float64, len(shares))
	for i, label := range labels {
		count[label]++
		right[label] += float64(asInt(predicted[i] == int(label)))
	}
	present := 0.0
	for class, n := range count {
		if n > 0 {
			accuracy += shares[class] * right[class] / n
			present += shares[class]
		}
	}
	return accuracy / present
}

// judgeAlone predicts the held samples, at most mostChosen of them, by a ridge classifier on one transform, which is
// fitted to the samples that transforms are chosen by. If these are of some classes only, nothing is told: they know no
// others.
func (f *fit) judgeAlone(ctx context.Context, t *trial, v int) (s Score, err error) {
	c, alone := f.candidates[v], t.alone[v]
	if f.Held.Samples == nil || t.lone || t.some || math.IsInf(alone.loss, 1) || t.square[v] == 0 {
		return s, nil
	}
	coefficients, _, _, err := t.solveDual(ctx, t.grams[v], penalties[alone.penalty])
	if err != nil {
		return s, nil // as where penalties are compared
	}
	held, rows := pick(f.Held.Samples, spread(f.Held.Samples, mostChosen)), pick(c.rows, t.chosen)
	norms := make([]float64, len(rows))
	for j, row := range rows {
		norms[j] = float64(dot(row, row))
	}
	n, losses := float64(len(rows)), make([]float64, len(held))
	predicted, labels := make([]int, len(held)), make([]int32, len(held))
	err = inParallel(ctx, len(held), func(w *work, i int) {
		x := make([]float32, c.Width())
		w.read(f.classifier.scaling, held[i].Values)
		c.raw(w, x)
		c.standardiser.Apply(x)
		k, own := make([]float64, len(rows)), float64(dot(x, x))
		for j, row := range rows {
			k[j] = float64(dot(x, row))
			if c.kernel != nil {
				k[j] = c.kernel.value(k[j], own, norms[j])
			}
		}
		floats.AddConst((floats.Sum(t.centre[v])-floats.Sum(k))/n, k)
		floats.Sub(k, t.centre[v])
		decisions := append([]float64(nil), t.meanTarget...)
		for j, x := range k {
			floats.AddScaled(decisions, x/t.square[v], coefficients.RawRowView(j))
		}
		logits := t.logits(decisions, alone)
		predicted[i], labels[i] = floats.MaxIdx(logits), held[i].Label
		p := math.Exp(logits[labels[i]] - floats.LogSumExp(logits))
		losses[i] = -math.Log(((n+1)*p + 1/float64(f.Classes)) / (n + 2))
	})
	s = Score{Loss: floats.Sum(losses) / float64(len(held)), Samples: len(held)}
	s.Accuracy = Accuracy(predicted, labels, f.Held.Shares)
	if groups := len(groupsOf(held)); groups < len(held) {
		s.Groups = groups
	}
	return s, err
}
