package training

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/models"
	"github.com/clusterpool/ccp/models/internal/prob"
	"gonum.org/v1/gonum/floats"
)

// Evaluation is how a classifier did on a split.
type Evaluation struct {
	Samples   int          `json:"samples"`
	Accuracy  float64      `json:"accuracy"`
	Loss      float64      `json:"loss"` // mean cross entropy, in nats, without temperature as in the training
	PerClass  []ClassScore `json:"per_class"`
	Confusion [][]int      `json:"confusion"` // [true class][predicted class]; nil of more than mostInMatrix classes
	// Confused are the samples of a class that were taken for another, by both classes in order. It is nil if there
	// is a Confusion.
	Confused []Confused `json:"confused,omitempty"`
	Ranking
	// Reliability is of the probabilities that Classify gives.
	Reliability Reliability `json:"reliability"`
}

// mostInMatrix is the number of classes up to which an Evaluation has a matrix of all pairs of classes. Of more
// classes the pairs that were confused are fewer than the zeros of a matrix.
const mostInMatrix = 1_000

// Confused is how many samples of a class were taken for another. The classes have their numbers and, in JSON, their
// names, too.
type Confused struct {
	Class         int    `json:"class_number"`
	Predicted     int    `json:"predicted_number"`
	Name          string `json:"class"`
	PredictedName string `json:"predicted"`
	Samples       int    `json:"samples"`
}

// ClassScore is how a classifier did on one class. A ratio without samples to take it over is 0.
type ClassScore struct {
	Name      string  `json:"class"`
	Samples   int     `json:"samples"`
	Precision float64 `json:"precision"`
	Recall    float64 `json:"recall"`
	F1        float64 `json:"f1"`
}

var errNotANumber = errors.New("the network's output is not a number")

// Evaluate classifies every sample of a split, a list of sample indices of d, in batches of `batch`. Classes are
// known by their names: the data may have some of the classifier's, in any order. It is an error if the data have
// another class or shape, or if the network gives no number for a sample, which the error names.
func Evaluate(c *models.Classifier, d *datasets.Dataset, split []int, batch int) (Evaluation, error) {
	return EvaluateEach(c, d, split, batch, nil)
}

// EvaluateEach does what Evaluate does. It also calls visit, unless it is nil, with each sample's index and the
// probabilities of the classifier's classes, in order. Samples are normalised by the classifier's mean and deviation,
// not by the data's: these may be of other training samples.
func EvaluateEach(c *models.Classifier, d *datasets.Dataset, split []int, batch int, visit func(sample int,
	probabilities []float64)) (Evaluation, error) {
	return evaluate(context.Background(), c, d, split, evaluating{batch: batch, visit: visit})
}

// EvaluateMirrored does what EvaluateEach does. But each sample is judged by the mean of the probabilities for itself
// and for its mirror image, so that it takes twice as long. It is an error if the data have no mirror images.
func EvaluateMirrored(c *models.Classifier, d *datasets.Dataset, split []int, batch int, visit func(sample int,
	probabilities []float64)) (Evaluation, error) {
	if d.Mirror == nil {
		return Evaluation{}, fmt.Errorf("%s: its samples have no mirror images; evaluate without them", d.Name)
	}
	return evaluate(context.Background(), c, d, split, evaluating{batch: batch, mirrored: true, visit: visit})
}

// evaluating is how a split is evaluated.
type evaluating struct {
	batch    int
	mirrored bool // see EvaluateMirrored
	brief    bool // without the areas of Ranking, which take the probabilities of all samples together
	visit    func(sample int, probabilities []float64)
}

// evaluate does what Evaluate does, until ctx ends.
func evaluate(ctx context.Context, c *models.Classifier, d *datasets.Dataset, split []int,
	how evaluating) (Evaluation, error) {
	d, err := ofModel(d, c.Metadata, d.Name)
	if err != nil {
		return Evaluation{}, err
	}
	e, counts := Evaluation{Samples: len(split)}, confusions{}
	if len(split) == 0 {
		e.count(counts, d.ClassNames)
		return e, nil
	}
	if err := checkSplit(d, split, how.batch); err != nil {
		return e, err
	}
	labels := make([]int32, len(split))
	for at, i := range split {
		labels[at] = d.Labels[i]
	}
	all := judgedFor(labels, d.Classes(), how.brief)
	if how.mirrored {
		how.batch = 0 // a sample and its image are two signals, of which as many as suit are computed at once
	}
	err = eachSample(ctx, c, d, split, how, func(sample int, probabilities []float64) error {
		label := d.Labels[sample]
		if math.IsNaN(probabilities[label]) {
			return fmt.Errorf("sample %d: %w; look for extreme values in the data", sample, errNotANumber)
		}
		e.Loss -= math.Log(max(probabilities[label], math.SmallestNonzeroFloat64))
		counts[[2]int{int(label), floats.MaxIdx(probabilities)}]++
		if c.Calibration != nil {
			probabilities = prob.Temper(probabilities, c.Calibration.Temperature)
		}
		e.Reliability.add(probabilities, label)
		all.add(probabilities)
		if how.visit != nil {
			how.visit(sample, probabilities)
		}
		return nil
	})
	if err != nil {
		return Evaluation{}, err
	}
	e.Loss /= float64(e.Samples)
	e.Reliability.finish(e.Samples)
	e.count(counts, d.ClassNames)
	e.Ranking = all.ranking(e.PerClass)
	return e, nil
}

// checkSplit returns an error if samples of a split are not there, or cannot be cut into batches of this size.
func checkSplit(d *datasets.Dataset, split []int, batch int) error {
	if batch < 1 {
		return fmt.Errorf("batches of %d samples; there must be at least 1 in each", batch)
	}
	for at, i := range split {
		if i < 0 || i >= len(d.Labels) {
			return fmt.Errorf("data set %s: entry %d of the split is sample %d of %d", d.Name, at, i, len(d.Labels))
		}
	}
	return nil
}

// eachSample calls judge, in order, with the probabilities for each sample of a split, as the data have it, or if
// mirrored with their mean over the sample and its mirror image. It returns the first error.
func eachSample(ctx context.Context, c *models.Classifier, d *datasets.Dataset, split []int, how evaluating,
	judge func(sample int, probabilities []float64) error) error {
	read := func(i int) []float32 { return d.Input(i, make([]float32, d.Nodes*d.Channels)) }
	if !how.mirrored {
		return c.Probabilities(ctx, len(split), how.batch,
			func(at int) []float32 { return read(split[at]) },
			func(at int, probabilities []float64) error { return judge(split[at], probabilities) })
	}
	// An even number is a sample, and the odd number after it the sample's mirror image.
	image := func(at int) []float32 {
		values := read(split[at/2])
		if at%2 == 1 {
			values = slices.Clone(values)
			d.Mirror(values)
		}
		return values
	}
	var original []float64
	return c.Probabilities(ctx, 2*len(split), how.batch, image,
		func(at int, probabilities []float64) error {
			if at%2 == 0 {
				original = probabilities
				return nil
			}
			floats.Add(probabilities, original)
			floats.Scale(0.5, probabilities)
			return judge(split[at/2], probabilities)
		})
}

// confusions counts samples by true and predicted class.
type confusions map[[2]int]int

// count fills in accuracy, the classes' scores, and what was taken for what.
func (e *Evaluation) count(counts confusions, names []string) {
	ratio := func(a, b int) float64 {
		if b == 0 {
			return 0
		}
		return float64(a) / float64(b)
	}
	hits := 0
	actual, predicted := make([]int, len(names)), make([]int, len(names))
	if len(names) <= mostInMatrix {
		e.Confusion = make([][]int, len(names))
		for k := range names {
			e.Confusion[k] = make([]int, len(names))
		}
	}
	for pair, samples := range counts {
		truth, other := pair[0], pair[1]
		actual[truth] += samples
		predicted[other] += samples
		if truth == other {
			hits += samples
		}
		switch {
		case e.Confusion != nil:
			e.Confusion[truth][other] = samples
		case truth != other:
			e.Confused = append(e.Confused, Confused{truth, other, names[truth], names[other], samples})
		}
	}
	slices.SortFunc(e.Confused, func(a, b Confused) int {
		return cmp.Or(cmp.Compare(a.Class, b.Class), cmp.Compare(a.Predicted, b.Predicted))
	})
	if e.Samples == 0 {
		return
	}
	e.PerClass = make([]ClassScore, len(names))
	for k, name := range names {
		right := counts[[2]int{k, k}]
		e.PerClass[k] = ClassScore{Name: name, Samples: actual[k], Precision: ratio(right, predicted[k]),
			Recall: ratio(right, actual[k]), F1: ratio(2*right, actual[k]+predicted[k])}
	}
	e.Accuracy = ratio(hits, e.Samples)
}
