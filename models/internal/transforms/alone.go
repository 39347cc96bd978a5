package transforms

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
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

// judgeAlone predicts the held samples, at most mostChosen of them, by a ridge classifier on one candidate, which is
// fitted to the trial's samples. If these are of some classes only, nothing is told: they know no others.
func (c *chooser) judgeAlone(ctx context.Context, one *candidate, alone judgement) (s Score, err error) {
	if c.Held.Samples == nil || c.lone || c.someClasses || math.IsInf(alone.loss, 1) || alone.square == 0 {
		return s, nil
	}
	coefficients, _, _, err := c.solveDual(ctx, alone.gram, penalties[alone.penalty])
	if err != nil {
		return s, nil // as where penalties are compared
	}
	rows, err := one.features.pick(c.chosen)
	if err != nil {
		return s, err
	}
	lone := loneClassifier{candidate: one, judgement: alone, task: c.task, coefficients: coefficients, rows: rows}
	for _, row := range lone.rows {
		lone.norms = append(lone.norms, float64(dot(row, row)))
	}
	held := pick(c.Held.Samples, spread(c.Held.Samples, mostChosen))
	losses, predicted, labels := make([]float64, len(held)), make([]int, len(held)), labelsOf(held)
	n := float64(len(lone.rows))
	err = inParallel(ctx, len(held), func(w *work, i int) {
		w.takeSample(c.classifier.scaling, held[i].Values)
		logits := lone.logits(w)
		predicted[i] = floats.MaxIdx(logits)
		p := math.Exp(logits[labels[i]] - floats.LogSumExp(logits))
		losses[i] = -math.Log(((n+1)*p + 1/float64(c.Classes)) / (n + 2)) // with Laplace smoothing
	})
	s = Score{Loss: floats.Sum(losses) / float64(len(held)), Samples: len(held)}
	s.Accuracy = Accuracy(predicted, labels, c.Held.Shares)
	groups := len(groupsOf(held))
	if groups < len(held) {
		s.Groups = groups
	}
	return s, err
}

// loneClassifier is a ridge classifier on one candidate with a weight for each of the trial's samples.
type loneClassifier struct {
	*candidate
	judgement
	task
	coefficients *mat.Dense  // `[samples, classes]`
	rows         [][]float32 // the features of the trial's samples
	norms        []float64   // their squared norms
}

// logits returns the logits of the recording in w.
func (l *loneClassifier) logits(w *work) []float64 {
	x := make([]float32, l.Width())
	l.raw(w, x)
	l.standardiser.Apply(x)
	k, norm := make([]float64, len(l.rows)), float64(dot(x, x))
	for j, row := range l.rows {
		k[j] = float64(dot(x, row))
		if l.kernel != nil {
			k[j] = l.kernel.value(k[j], norm, l.norms[j])
		}
	}
	// The features behind k are centred as those behind the Gram matrix are.
	floats.AddConst((floats.Sum(l.centre)-floats.Sum(k))/float64(len(k)), k)
	floats.Sub(k, l.centre)
	decisions := slices.Clone(l.meanTarget)
	for j, x := range k {
		floats.AddScaled(decisions, x/l.square, l.coefficients.RawRowView(j))
	}
	return l.task.logits(decisions, l.score)
}
