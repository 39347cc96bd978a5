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
	"github.com/gomlx/gomlx/core/tensors"
	"gonum.org/v1/gonum/floats"
)

// Evaluation is how a classifier did on a split.
type Evaluation struct {
	Samples   int          `json:"samples"`
	Accuracy  float64      `json:"accuracy"`
	Loss      float64      `json:"loss"` // mean cross entropy, in nats, without temperature as in the training
	PerClass  []ClassScore `json:"per_class"`
	Confusion [][]int      `json:"confusion"` // [true class][predicted class]
	Ranking
	// Reliability is of the probabilities that Classify gives.
	Reliability Reliability `json:"reliability"`
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

// Evaluate classifies every sample of a split, a list of sample indices of d, in batches of `batch`. Classes are known by
// their names: the data may have some of the classifier's, in any order. It is an error if the data have another class or
// shape, or if the network gives no number for a sample, which the error names.
func Evaluate(c *models.Classifier, d *datasets.Dataset, split []int, batch int) (Evaluation, error) {
	return EvaluateEach(c, d, split, batch, nil)
}

// EvaluateEach does what Evaluate does. It also calls visit, unless it is nil, with each sample's index and the
// probabilities of the classifier's classes, in order. Samples are normalised by the classifier's mean and deviation, not
// by the data's: these may be of other training samples.
func EvaluateEach(c *models.Classifier, d *datasets.Dataset, split []int, batch int, visit func(sample int,
	probabilities []float64)) (Evaluation, error) {
	return evaluate(c, d, split, batch, false, visit)
}

// EvaluateMirrored does what EvaluateEach does. But each sample is judged by the mean of the probabilities for itself and
// for its mirror image, so that it takes twice as long. It is an error if the data have no mirror images.
func EvaluateMirrored(c *models.Classifier, d *datasets.Dataset, split []int, batch int, visit func(sample int,
	probabilities []float64)) (Evaluation, error) {
	if d.Mirror == nil {
		return Evaluation{}, fmt.Errorf("%s: its samples have no mirror images; evaluate without them", d.Name)
	}
	return evaluate(c, d, split, batch, true, visit)
}

func evaluate(c *models.Classifier, d *datasets.Dataset, split []int, batch int, mirrored bool, visit func(sample int,
	probabilities []float64)) (Evaluation, error) {
	d, err := ofModel(d, c.Metadata, d.Name)
	if err != nil {
		return Evaluation{}, err
	}
	classes := d.Classes()
	e := Evaluation{Samples: len(split), Confusion: make([][]int, classes)}
	for k := range e.Confusion {
		e.Confusion[k] = make([]int, classes)
	}
	if len(split) == 0 {
		return e, nil
	}
	var all judged
	judge := func(sample int, probabilities []float64) error {
		label := d.Labels[sample]
		if math.IsNaN(probabilities[label]) {
			return fmt.Errorf("sample %d: %w; look for extreme values in the data", sample, errNotANumber)
		}
		e.Loss -= math.Log(max(probabilities[label], math.SmallestNonzeroFloat64))
		e.Confusion[label][floats.MaxIdx(probabilities)]++
		if c.Calibration != nil {
			probabilities = prob.Temper(probabilities, c.Calibration.Temperature)
		}
		e.Reliability.add(probabilities, label)
		all.add(probabilities, label)
		if visit != nil {
			visit(sample, probabilities)
		}
		return nil
	}
	finish := func() Evaluation {
		e.Loss /= float64(e.Samples)
		e.Reliability.finish(e.Samples)
		e.score(d.ClassNames)
		e.Ranking = all.ranking(e.PerClass)
		return e
	}
	if mirrored || d.Series != nil || c.PredictedBy() != models.ByNetwork { // whole samples, which the transforms use
		err := eachWhole(c, d, split, mirrored, judge)
		return finish(), err
	}
	batches, step := d.Batches(split, datasets.BatchOptions{Size: batch}), 0
	for b, err := range batches.Iter() {
		if err != nil {
			return e, err
		}
		out, err := c.Run(b.Inputs[0])
		if err != nil {
			return e, err
		}
		logits, err := tensors.CopyFlatData[float32](out)
		out.MustFinalizeAll() // its memory is the device's
		if err != nil {
			return e, err
		}
		for i := range batches.Valid(step) {
			if err := judge(split[step*batch+i], prob.Softmax(logits[i*classes:(i+1)*classes])); err != nil {
				return e, err
			}
		}
		step++
		if err := b.Finalize(); err != nil {
			return e, err
		}
	}
	return finish(), nil
}

// eachWhole calls judge with the probabilities for each sample, as the data have it, or if mirrored with their mean over the
// sample and its mirror image. It returns the first error.
func eachWhole(c *models.Classifier, d *datasets.Dataset, split []int, mirrored bool, judge func(sample int,
	probabilities []float64) error) error {
	images, most := 1, len(split)
	if mirrored {
		images, most = 2, min(most, 1024) // the copies are in memory
	}
	for part := range slices.Chunk(split, most) {
		var original []float64
		var failed error
		err := c.Probabilities(context.Background(), images*len(part), func(i int) []float32 {
			raw := d.Input(part[i/images], make([]float32, d.Nodes*d.Channels))
			if i%images == 1 {
				raw = slices.Clone(raw)
				d.Mirror(raw)
			}
			return raw
		}, func(i int, probabilities []float64) {
			if mirrored && i%2 == 0 {
				original = slices.Clone(probabilities)
				return
			} else if mirrored {
				floats.Add(probabilities, original)
				floats.Scale(0.5, probabilities)
			}
			failed = cmp.Or(failed, judge(part[i/images], probabilities))
		})
		err = cmp.Or(err, failed)
		if err != nil {
			return err
		}
	}
	return nil
}

// score fills in accuracy and the classes' scores from the confusion matrix.
func (e *Evaluation) score(names []string) {
	ratio := func(a, b int) float64 {
		if b == 0 {
			return 0
		}
		return float64(a) / float64(b)
	}
	hits := 0
	for k, row := range e.Confusion {
		actual, predicted := 0, 0
		for j := range row {
			actual += row[j]
			predicted += e.Confusion[j][k]
		}
		hits += row[k]
		s := ClassScore{Name: names[k], Samples: actual, Precision: ratio(row[k], predicted), Recall: ratio(row[k],
			actual)}
		s.F1 = ratio(2*row[k], actual+predicted)
		e.PerClass = append(e.PerClass, s)
	}
	e.Accuracy = ratio(hits, e.Samples)
}
