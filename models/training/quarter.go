package training

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/internal/loop"
	"github.com/clusterpool/ccp/models/internal/transforms"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// quarter is what members say of the samples that a trial holds out, which none of them was fitted to.
type quarter struct {
	d       *datasets.Dataset // whose test samples are held out, and whose training samples the members are fitted to
	members *transforms.Classifier
	read    []transforms.Reading
	network map[int][]float64 // its probabilities, by sample
	unit    []int             // of each sample
}

// holdOut fits transforms and forest to three quarters of the training samples. It returns nil if these are too few, of one class
// or group, or all alike.
func (r *run) holdOut(ctx context.Context, data *datasets.Dataset, c transforms.Config) (*quarter, error) {
	of := *data // its scale and graph stay as they are, and its warnings were said
	of.Warnings = nil
	q := &quarter{d: &of, network: map[int][]float64{}}
	q.d.Split = data.Trial(q.d.Labels, q.d.Groups, trialShare, uint64(r.Seed))
	if len(q.d.Test) == 0 || len(q.d.Train) == 0 {
		return nil, nil
	}
	var err error
	if q.members, err = transforms.Fit(ctx, c, transformSamples(q.d)); err != nil {
		return nil, ctx.Err()
	}
	q.read = make([]transforms.Reading, len(q.d.Test))
	loop.Parallel(len(q.read), func(at int) {
		q.read[at] = q.members.Read(q.d.Input(q.d.Test[at], make([]float32, q.d.Nodes*q.d.Channels)))
	})
	q.unit = units(q.d, q.d.Test)
	return q, nil
}

// judge returns the losses of the units, if transforms have a weight beside the network, and the number of right predictions.
func (q *quarter) judge(weight float64) (losses []float64, right int) {
	losses, q.members.Weight = make([]float64, slices.Max(q.unit)+1), weight
	for at, i := range q.d.Test {
		p, label := q.members.Probabilities(q.read[at], q.network[i]), int(q.d.Labels[i])
		if losses[q.unit[at]] -= math.Log(max(p[label], 1e-9)); floats.MaxIdx(p) == label {
			right++
		}
	}
	return losses, right
}

// score returns the loss, in nats over all samples, and the accuracy.
func (q *quarter) score(weight float64) (loss, accuracy float64) {
	losses, right := q.judge(weight)
	return floats.Sum(losses), float64(right) / float64(len(q.d.Test))
}

// baseline returns the log-loss of the majority-class baseline, which predicts the frequencies of the held-out samples' classes. A
// member that is no better tells nothing.
func (q *quarter) baseline() float64 {
	shares := make([]float64, q.d.Classes())
	for _, i := range q.d.Test {
		shares[q.d.Labels[i]] += 1 / float64(len(q.d.Test))
	}
	return stat.Entropy(shares)
}

// tempered sets a temperature, one of the quarter's members, to that with the least loss, and returns it and the score.
func (q *quarter) tempered(of *float64, deviation, weight float64) (t, loss, accuracy float64) {
	*of = temperature(deviation, func(t float64) float64 {
		*of = t
		loss, _ := q.score(weight)
		return loss
	})
	loss, accuracy = q.score(weight)
	return *of, loss, accuracy
}

// weighForest sets the temperatures of the ridge classifier and the forest, and the weight of the forest beside it. It returns who
// has the score that is to follow.
func (q *quarter) weighForest(v *transforms.Classifier) string {
	m, n := q.members, float64(len(q.d.Test))
	forest, both := v.Grown(), v.Grown() && len(v.Predicting()) > 0
	var grown, loss, ridge float64
	if forest {
		m.ForestWeight = 1
		v.ForestTemperature, loss, grown = q.tempered(&m.ForestTemperature, forestDeviation, 1)
	}
	if both || !forest {
		m.ForestWeight = 0
		v.Temperature, _, ridge = q.tempered(&m.Temperature, ridgeDeviation, 1)
	}
	if !both {
		v.WeighForest(v.ForestWeight, loss/n, grown)
		return "the transforms have"
	}
	alone, _ := q.score(1)
	m.ForestWeight = 1 - weightOf(alone, 1, func(weight float64) ([]float64, bool) {
		m.ForestWeight = 1 - weight
		losses, right := q.judge(1)
		return losses, float64(right)/n >= ridge
	})
	v.WeighForest(m.ForestWeight, loss/n, grown)
	return fmt.Sprintf("the ridge classifier has %.1f%%, the forest %.1f%%, both", 100*ridge, 100*grown)
}

// units returns the unit of each of these samples, from 0. Samples of a group are one unit, since they err together.
func units(d *datasets.Dataset, samples []int) []int {
	of, numbers := make([]int, len(samples)), map[string]int{}
	for at, i := range samples {
		name := cmp.Or(d.Group(i), fmt.Sprintf("sample %d", i))
		if _, known := numbers[name]; !known {
			numbers[name] = len(numbers)
		}
		of[at] = numbers[name]
	}
	return of
}

// weightOf returns the weight that some members together have beside one more. loss is their log-loss without it. judge returns the
// losses of the units at a weight, and whether enough predictions are right.
//
// Only tenths below one are compared whose log-loss is less than a nat above loss; if there are none, the weight is one. Little
// is known of few samples, and then good members are best in equal parts. So the tenth nearest to equal parts is taken that is not
// told apart from the best: its log-loss is above the least by less than a nat, or by less than the standard error of the difference.
func weightOf(loss float64, members int, judge func(weight float64) (losses []float64, enough bool)) (weight float64) {
	weight = 1
	var of [10][]float64 // the losses of each tenth that may be taken
	bound := loss + chanceInNats
	least, best := bound, []float64(nil)
	for step := 9; step >= 0; step-- {
		losses, enough := judge(float64(step) / 10)
		sum := floats.Sum(losses)
		if !enough || sum >= bound {
			continue
		}
		if of[step] = losses; sum < least {
			least, best, weight = sum, losses, float64(step)/10
		}
	}
	steps, equal := []int{9, 8, 7, 6, 5, 4, 3, 2, 1}, 10*float64(members)/float64(members+1)
	slices.SortStableFunc(steps, func(a, b int) int { return cmp.Compare(math.Abs(float64(a)-equal), math.Abs(float64(b)-equal)) })
	for _, step := range steps {
		if of[step] == nil {
			continue
		}
		floats.Sub(of[step], best)
		n := float64(len(best))
		few := distuv.StudentsT{Sigma: 1, Nu: max(1, n-1)}.Quantile(oneError) // of few units the error is known less well
		above := floats.Sum(of[step])
		if above <= chanceInNats || !(above > few*stat.StdDev(of[step], nil)*math.Sqrt(n)) { // NaN of one unit
			return float64(step) / 10
		}
	}
	return weight
}
