package training

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/internal/loop"
	"github.com/clusterpool/ccp/internal/text"
	"github.com/clusterpool/ccp/models/internal/transforms"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
)

// quarter is what members say of the samples that a trial holds out, which none of them was fitted to.
type quarter struct {
	d       *datasets.Dataset // whose test samples are held out, and whose training samples the members are fitted to
	members *transforms.Classifier
	read    []transforms.Reading
	network map[int][]float64           // its probabilities, by sample
	unit    []int                       // of each sample
	shares  []float64                   // of the classes among all training samples
	scores  map[string]transforms.Score // of members, by their names
	held    int                         // samples that were held out, of which the test samples are some if these and classes are very many
}

const (
	// mostRead is how many probabilities of held-out samples there are in memory at a time, if they are of more than fewRead samples.
	mostRead = 10_000_000
	fewRead  = 2_000
)

// holdOut fits transforms and forest to three quarters of the training samples, with a graph of theirs if it is made of
// samples. Of two groups it holds out one. It returns nil if nothing can be held out, or if what is left is too little
// for a fit.
func (r *run) holdOut(ctx context.Context, data *datasets.Dataset) (*quarter, error) {
	split := data.Trial(data.Labels, data.Groups, trialShare, uint64(r.Seed))
	if len(split.Test) == 0 || len(split.Train) == 0 {
		return nil, nil
	}
	q := &quarter{network: map[int][]float64{}, held: len(split.Test)}
	split.Test = loop.Spread(split.Test, max(fewRead, mostRead/data.Classes()))
	var err error
	q.d, err = data.Resplit(split)
	if err != nil {
		return nil, err
	}
	fitted, _ := ungrouped(q.d) // groups may tell less of three quarters than of all
	c, err := r.transformsOf(fitted)
	if err != nil {
		return nil, err
	}
	unseen := *q.d
	unseen.Train, unseen.Mirror = q.d.Test, nil
	q.shares = make([]float64, data.Classes())
	for _, i := range data.Train {
		q.shares[data.Labels[i]] += 1 / float64(len(data.Train))
	}
	c.Held = transforms.Held{Samples: transformSamples(&unseen), Shares: q.shares}
	switch q.members, err = transforms.Fit(ctx, c, transformSamples(fitted)); {
	case errors.Is(err, transforms.ErrTooFew):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("the trial on %d of the %d training samples: %w", len(q.d.Train), len(data.Train), err)
	}
	q.read = make([]transforms.Reading, len(q.d.Test))
	loop.Parallel(len(q.read), func(at int) {
		if ctx.Err() == nil {
			q.read[at] = q.members.Read(q.d.Input(q.d.Test[at], make([]float32, q.d.Nodes*q.d.Channels)))
		}
	})
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	q.unit, q.scores = units(q.d, q.d.Test), map[string]transforms.Score{}
	for _, p := range q.members.Parts() {
		q.scores[p.Name] = p.Score
	}
	return q, nil
}

// alone lists how many samples each of the ridge classifier's transforms has right. A transform that is of use to all
// samples may have been of none to three quarters.
func (q *quarter) alone(v *transforms.Classifier) (list []string) {
	for _, p := range v.Parts() {
		if s := q.scores[p.Name]; p.Name != transforms.All && s.Samples > 0 {
			list = append(list, share(p.Name, s.Accuracy))
		}
	}
	return list
}

// share says who has which share right.
func share(who string, accuracy float64) string { return fmt.Sprintf("%s %.1f%%", who, 100*accuracy) }

// judge returns the log-loss in nats, summed over the samples and over the units, of which each has the mean of its samples, and the
// accuracy as transforms.Accuracy takes it, if transforms have a weight beside the network. If ctx ends meanwhile, they are of no use.
func (q *quarter) judge(ctx context.Context, weight float64) (loss, ofUnits, accuracy float64) {
	sums, samples := make([]float64, q.units()), make([]float64, q.units())
	predicted, labels := make([]int, len(q.d.Test)), make([]int32, len(q.d.Test))
	q.members.Weight = weight
	losses := make([]float64, len(q.d.Test))
	loop.Parallel(len(q.d.Test), func(at int) {
		if ctx.Err() != nil {
			return
		}
		i := q.d.Test[at]
		p, label := q.members.Probabilities(q.read[at], q.network[i]), int(q.d.Labels[i])
		losses[at], predicted[at], labels[at] = math.Log(max(p[label], 1e-9)), floats.MaxIdx(p), int32(label)
	})
	for at, l := range losses {
		sums[q.unit[at]] -= l
		samples[q.unit[at]]++
	}
	loss = floats.Sum(sums)
	floats.Div(sums, samples)
	return loss, floats.Sum(sums), transforms.Accuracy(predicted, labels, q.shares)
}

const (
	mostJudged = 4_000_000 // probabilities by which temperatures and weights are chosen, at most, if they are of more than fewJudged samples
	fewJudged  = 1_000
)

// some returns a quarter of the same members with fewer held-out samples, evenly spaced, if these and the classes are very many: a
// search judges them hundreds of times.
func (q *quarter) some() *quarter {
	at := loop.Spread(loop.Indices(len(q.read)), max(fewJudged, mostJudged/q.d.Classes()))
	if len(at) == len(q.read) {
		return q
	}
	few, of := *q, *q.d
	few.d, of.Test, few.read = &of, nil, nil
	for _, i := range at {
		of.Test, few.read = append(of.Test, q.d.Test[i]), append(few.read, q.read[i])
	}
	few.unit = units(&of, of.Test)
	return &few
}

// units returns how many there are.
func (q *quarter) units() int { return slices.Max(q.unit) + 1 }

// score returns a log-loss summed over the samples, and an accuracy, as the score of the quarter.
func (q *quarter) score(loss, accuracy float64) transforms.Score {
	s := transforms.Score{Accuracy: accuracy, Loss: loss / float64(len(q.d.Test)), Samples: len(q.d.Test)}
	if q.d.Groups != nil {
		s.Groups = q.units()
	}
	return s
}

// name says what was held out.
func (q *quarter) name() string {
	s := q.score(0, 0)
	samples := text.Count(s.Samples, "sample")
	if s.Samples < q.held {
		samples = fmt.Sprintf("%s of %s", text.Thousands(s.Samples), text.Count(q.held, "sample"))
	}
	if s.Groups == 1 {
		return fmt.Sprintf("held-out group (%s)", samples)
	}
	return fmt.Sprintf("held-out quarter (%s%s)", samples, Score(s).ofGroups())
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
func (q *quarter) tempered(ctx context.Context, of *float64, deviation, weight float64) (t, loss, accuracy float64) {
	some := q.some()
	*of = temperature(deviation, func(t float64) float64 {
		*of = t
		loss, _, _ := some.judge(ctx, weight)
		return loss
	})
	loss, _, accuracy = q.judge(ctx, weight)
	return *of, loss, accuracy
}

// weighForest sets the temperatures of the ridge classifier and the forest, and the weight of the forest beside it. It
// returns how many samples each has right, if there are both, and what all transforms together are called.
func (q *quarter) weighForest(ctx context.Context, v *transforms.Classifier) (each []string, all string) {
	m := q.members
	forest, both := v.Grown(), v.Grown() && len(v.Predicting()) > 0
	var grown, loss, ridge float64
	if forest {
		m.ForestWeight = 1
		v.ForestTemperature, loss, grown = q.tempered(ctx, &m.ForestTemperature, forestDeviation, 1)
		q.scores[transforms.Forest] = q.score(loss, grown)
	}
	if both || !forest {
		m.ForestWeight = 0
		v.Temperature, _, ridge = q.tempered(ctx, &m.Temperature, ridgeDeviation, 1)
	}
	if !both {
		v.WeighForest(v.ForestWeight)
		return nil, "the transforms"
	}
	some := q.some()
	alone, _, _ := some.judge(ctx, 1)
	m.ForestWeight = 1 - weightOf(alone, 1, func(weight float64) (float64, float64, float64) {
		m.ForestWeight = 1 - weight
		return some.judge(ctx, 1)
	})
	v.WeighForest(m.ForestWeight)
	return []string{share("the ridge classifier", ridge), share("the forest", grown)}, "both"
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

// weightOf returns the weight that some members together have beside one more. loss is their log-loss without it. judge is quarter.judge.
//
// Only tenths are compared whose log-loss is less than a nat above loss; if there are none, the weight is one. Good members are best
// in equal parts, and little is known of few samples. So the weight has a Dirichlet prior around equal parts, which counts as much as
// equalUnits units. The result is the tenth with the least sum of two terms: the log-loss over the units, and equalUnits times the
// Kullback-Leibler divergence of equal parts from it.
func weightOf(loss float64, members int, judge func(weight float64) (loss, ofUnits, accuracy float64)) (weight float64) {
	equal, least := float64(members)/float64(members+1), math.Inf(1)
	weight = 1
	for step := 9; step >= 1; step-- {
		tenth := float64(step) / 10
		all, told, _ := judge(tenth)
		told += equalUnits * stat.KullbackLeibler([]float64{equal, 1 - equal}, []float64{tenth, 1 - tenth})
		if all < loss+chanceInNats && told < least {
			weight, least = tenth, told
		}
	}
	return weight
}
