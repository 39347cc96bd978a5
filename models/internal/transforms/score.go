package transforms

import (
	"context"
	"math"
	"slices"

	"github.com/clusterpool/ccp/internal/loop"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// score is how well held-out samples are predicted.
type score struct {
	inverseTemperature float64 // the factor of decisions with which the samples are most likely
	adjustment         float64 // the factor of task.negLogPrior in logits (Menon et al. 2021)
	loss               float64
	penalty            int // of penalties
}

// loneInverseTemperature is the inverse temperature where no held-out sample can choose it.
const loneInverseTemperature = 8

// adjusted returns the temperature with which predictions of the judged samples, `[judged, classes]`, have the least
// loss for this logit adjustment, and the loss. If ctx ends meanwhile, the score is of no use.
func (t task) adjusted(ctx context.Context, decisions *mat.Dense, adjustment float64) score {
	s := score{loss: math.Inf(1), adjustment: adjustment}
	for step := range 13 {
		inverseTemperature := math.Pow(2, float64(step)/2)
		loss := t.lossOf(ctx, decisions, inverseTemperature, adjustment)
		if loss < s.loss {
			s.loss, s.inverseTemperature = loss, inverseTemperature
		}
	}
	return s
}

// lossOf returns the log-loss of the judged samples by decisions, `[judged, classes]`. Logits are the decisions times
// the inverse temperature, and the logit adjustment times negLogPrior. Laplace smoothing shares 1/(n+2) of the
// probability among all classes, so that the loss is finite.
func (t task) lossOf(ctx context.Context, decisions *mat.Dense, inverseTemperature, adjustment float64) (loss float64) {
	losses, smoothing := make([]float64, len(t.judged)), smoothing(len(t.labels))
	loop.Workers(len(t.judged), func() func(at int) {
		logits := make([]float64, t.classes())
		return func(at int) {
			if ctx.Err() != nil {
				return
			}
			floats.ScaleTo(logits, inverseTemperature, decisions.RawRowView(at))
			if adjustment != 0 {
				floats.AddScaled(logits, adjustment, t.negLogPrior)
			}
			p := math.Exp(logits[t.labels[t.judged[at]]] - floats.LogSumExp(logits))
			losses[at] = math.Log((1-smoothing)*p+smoothing/float64(len(logits))) / float64(len(t.judged))
		}
	})
	for _, logarithm := range losses {
		loss -= logarithm
	}
	return loss
}

// adjust finds the logit adjustment (Menon et al. 2021) with the least loss. A ridge regression predicts rare classes
// too seldom. The adjustment is 0 if that costs less than a nat over all samples, as it does for classes of one size.
func (t task) adjust(ctx context.Context, decisions *mat.Dense) score {
	if t.lone {
		return score{loss: t.baselineLoss(), inverseTemperature: loneInverseTemperature}
	}
	plain := t.adjusted(ctx, decisions, 0)
	if floats.Max(t.negLogPrior) == floats.Min(t.negLogPrior) { // no adjustment changes a prediction
		return plain
	}
	best := plain
	for _, step := range []float64{0.25, -0.25} { // away from the best one, for as long as the loss falls
		for {
			next := t.adjusted(ctx, decisions, best.adjustment+step)
			if !(next.loss < best.loss) || next.adjustment < -2 || next.adjustment > 4 {
				break
			}
			best = next
		}
	}
	if plain.loss-best.loss < 1/float64(len(t.labels)) {
		return plain
	}
	return best
}

// logits returns the logits of decisions.
func (t task) logits(decisions []float64, s score) []float64 {
	logits := slices.Clone(decisions)
	floats.Scale(s.inverseTemperature, logits)
	floats.AddScaled(logits, s.adjustment, t.negLogPrior)
	return logits
}

// baselineLoss is the log-loss of the majority-class baseline, which predicts the frequencies of the classes.
func (t task) baselineLoss() (loss float64) {
	counts := make([]float64, t.classes())
	for _, label := range t.labels {
		counts[label]++
	}
	floats.Scale(1/float64(len(t.labels)), counts)
	return stat.Entropy(counts)
}

const (
	// The weight of a transform is its prior times l^-lossPower - g^-lossPower, where l is its log-loss on held-out
	// samples and g that of the majority-class baseline. The single best sum, or transforms added one by one for as long
	// as the loss falls, would follow the chance of the held-out samples.
	lossPower = 4
	// sharePower is the same for the weights of ridge classifiers in their mean, which is best in about equal parts.
	sharePower = 1
	// leastWeight is the weight below which a transform is dropped, which saves its time.
	leastWeight = 0.02
)

// weigh weighs transforms by the log-loss that each has alone on the held-out samples, and by their priors.
func (t task) weigh(alone []score, priors []float64, power float64) []float64 {
	weights, baseline := make([]float64, len(alone)), math.Pow(t.baselineLoss(), -power)
	for i, s := range alone {
		better := math.Pow(s.loss+1/float64(len(t.labels)), -power) // less than a nat in all is chance
		weights[i] = priors[i] * max(better-baseline, 1e-9*better)
	}
	total := floats.Sum(weights)
	for i := range weights {
		weights[i] /= total
		if !(weights[i] >= leastWeight) { // NaN, too
			weights[i] = 0
		}
	}
	floats.Scale(1/floats.Sum(weights), weights)
	return weights
}
