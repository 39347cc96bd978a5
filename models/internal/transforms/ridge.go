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

// penalties are relative to the mean square of a sample's features. A search begins in the middle of the list.
var penalties = floats.LogSpan(make([]float64, 13), 1e-4, 1e2)

const (
	midPenalty = 6
	// Where no held-out sample can choose them, the penalty is small, because one sample of a class has all that is
	// known of it.
	lonePenalty, loneInverseTemperature = 3, 8
)

// adjusted returns the temperature with which predictions of the judged samples, `[judged, classes]`, have the least
// loss for this logit adjustment, and the loss. Laplace smoothing shares 1/(n+2) of the probability among all
// classes, so that the loss is finite. If ctx ends meanwhile, the score is of no use.
func (t task) adjusted(ctx context.Context, decisions *mat.Dense, adjustment float64) score {
	s := score{loss: math.Inf(1), adjustment: adjustment}
	losses, smoothing := make([]float64, len(t.judged)), 1/float64(len(t.labels)+2)
	for step := range 13 {
		inverseTemperature, loss := math.Pow(2, float64(step)/2), 0.0
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
		for _, one := range losses {
			loss -= one
		}
		if loss < s.loss {
			s.loss, s.inverseTemperature = loss, inverseTemperature
		}
	}
	return s
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
	for _, step := range []float64{0.25, -0.25} { // away from 0, for as long as the loss falls
		for s := best; s.adjustment >= -2 && s.adjustment <= 4 && (s.adjustment == best.adjustment ||
			s.loss < best.loss); s = t.adjusted(ctx, decisions, s.adjustment+step) {
			best = s
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

// solveDual solves (K + αI)·c = y for a centred K and a penalty relative to K's mean diagonal. Then I - H is α·(K +
// αI)⁻¹ less 1/n, and the residuals are α·c. Errors are those of invert.
func (t task) solveDual(ctx context.Context, k *mat.SymDense, penalty float64) (c *mat.Dense, left residuals, u unexplained, err error) {
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
	return c, left, func(some []int) (*mat.Dense, error) {
		block := mat.NewDense(len(some), len(some), nil)
		block.Apply(func(a, b int, _ float64) float64 { return alpha*inverse.At(some[a], some[b]) - 1/float64(n) }, block)
		return block, nil
	}, nil
}

// best walks from a penalty to its neighbours for as long as the loss of the held-out samples falls. Then it takes
// the largest penalty that costs at most one nat over all samples, and a twentieth of the loss: less is chance. If
// ctx ends meanwhile, the score is of no use.
func (t task) best(ctx context.Context, k *mat.SymDense, start int) score {
	if t.lone {
		return score{loss: t.baselineLoss(), penalty: lonePenalty}
	}
	judged := map[int]score{}
	at := func(i int) score {
		s, known := judged[i]
		if known {
			return s
		}
		s.loss = math.Inf(1)
		if i >= 0 && i < len(penalties) {
			if _, left, u, err := t.solveDual(ctx, k, penalties[i]); err == nil {
				if decisions, err := t.heldOut(ctx, u, left); err == nil {
					s = t.adjusted(ctx, decisions, 0)
				}
			}
		}
		s.penalty = i
		judged[i] = s
		return s
	}
	i, step := start, -1
	if at(i-1).loss >= at(i).loss {
		step = 1
	}
	for at(i+step).loss < at(i).loss {
		i += step
	}
	for most := at(i).loss + min(1/float64(len(t.labels)), at(i).loss/20); i+1 < len(penalties) && at(i+1).loss <= most; {
		i++
	}
	return at(i)
}

const (
	// The weight of a transform is its prior times l^-lossPower - g^-lossPower, where l is its log-loss on held-out
	// samples and g that of the majority-class baseline. The single best sum, or transforms added one by one for as long
	// as the loss falls, would follow the chance of the held-out samples.
	lossPower   = 4
	sharePower  = 1    // the same for the weights of ridge classifiers in their mean, which are best in about equal parts
	leastWeight = 0.02 // a transform of less weight is dropped, which saves its time
)

// baselineLoss is the log-loss of the majority-class baseline, which predicts the frequencies of the classes.
func (t task) baselineLoss() (loss float64) {
	counts := make([]float64, t.classes())
	for _, label := range t.labels {
		counts[label]++
	}
	floats.Scale(1/float64(len(t.labels)), counts)
	return stat.Entropy(counts)
}

// weigh weighs transforms by the log-loss that each has alone on the held-out samples, and by their priors.
func (t task) weigh(alone []score, priors []float64, power float64) []float64 {
	weights, baseline := make([]float64, len(alone)), math.Pow(t.baselineLoss(), -power)
	for v, s := range alone {
		better := math.Pow(s.loss+1/float64(len(t.labels)), -power) // less than a nat in all is chance
		weights[v] = priors[v] * max(better-baseline, 1e-9*better)
	}
	total := floats.Sum(weights)
	for v := range weights {
		weights[v] /= total
		if !(weights[v] >= leastWeight) { // NaN, too
			weights[v] = 0
		}
	}
	floats.Scale(1/floats.Sum(weights), weights)
	return weights
}
