package transforms

import (
	"math"

	"github.com/clusterpool/ccp/internal/loop"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// task is what the ridge classifier learns: for each sample 1 for its class and -1 for others, less the mean. Groups
// are samples that are held out together.
//
// The targets of all samples are `[samples, classes]`, which for thousands of classes is more than all else that a fit
// holds. So nothing keeps them: they are made for a block of samples, or their sums by class take their place.
type task struct {
	labels      []int32
	groups      [][]int
	meanTarget  []float64 // of each class
	lone        bool      // see Config
	judged      []int     // the samples that are held out and predicted
	negLogPrior []float64 // minus the logarithm of each class's frequency, one sample added to each
	times       times     // nil: matrices are small
}

// taskOf returns the task of samples.
func (c Config) taskOf(samples []Sample) task {
	n := len(samples)
	t := task{labels: make([]int32, n), groups: groupsOf(samples), meanTarget: make([]float64, c.Classes), lone: c.Lone,
		negLogPrior: make([]float64, c.Classes), judged: judgedOf(n, c.Classes)}
	share := 1 / float64(n)
	for i, s := range samples {
		t.labels[i] = s.Label
		t.negLogPrior[s.Label]++
		own := t.meanTarget[s.Label] + share
		floats.AddConst(-share, t.meanTarget)
		t.meanTarget[s.Label] = own
	}
	for k, count := range t.negLogPrior {
		t.negLogPrior[k] = -math.Log((count + 1) / float64(n+c.Classes))
	}
	return t
}

func (t task) classes() int { return len(t.meanTarget) }

// targets returns the targets of the samples with these labels, `[samples, classes]`.
func (t task) targets(labels []int32) *mat.Dense {
	y := mat.NewDense(len(labels), t.classes(), nil)
	for i, label := range labels {
		row := y.RawRowView(i)
		for k, mean := range t.meanTarget {
			row[k] = -1 - mean
		}
		row[label] = 1 - t.meanTarget[label]
	}
	return y
}

// fewClasses is the number of classes up to which matrices are multiplied by the targets as such. Of more classes the
// sums of each class's columns are added up, which takes time for the samples or for the classes, but not for each of
// both. The two ways differ in the last bits.
const fewClasses = 100

// timesTargets returns a·y, `[rows of a, classes]`, where y are the targets of the samples from, from+1, … of a's
// columns.
func (t task) timesTargets(a mat.Matrix, from int) *mat.Dense {
	rows, n := a.Dims()
	labels := t.labels[from : from+n]
	if t.classes() <= fewClasses {
		product := new(mat.Dense)
		product.Mul(a, t.targets(labels))
		return product
	}
	product := mat.NewDense(rows, t.classes(), nil)
	loop.Parallel(rows, func(j int) {
		row, sum := product.RawRowView(j), 0.0
		for i, label := range labels {
			x := a.At(j, i)
			sum += x
			row[label] += 2 * x
		}
		floats.AddConst(-sum, row) // 2·one - 1 is the target, before its mean is taken off
		floats.AddScaled(row, -sum, t.meanTarget)
	})
	return product
}

// product returns a·b, of which one has a column for each class: on the backend, if classes are many.
func (t task) product(a, b mat.Matrix) (*mat.Dense, error) {
	if t.times != nil && t.classes() > fewClasses {
		return t.times(a, b)
	}
	product := new(mat.Dense)
	product.Mul(a, b)
	return product, nil
}

const (
	// mostJudged is how many decisions penalty and temperature are chosen by, at most, if they are of more than fewJudged
	// samples.
	mostJudged = 10_000_000
	fewJudged  = 2_000
)

// judgedOf returns the samples that are held out and predicted: all, or some, evenly spaced, if samples and classes
// are very many.
func judgedOf(samples, classes int) []int {
	return loop.Spread(loop.Indices(samples), max(fewJudged, mostJudged/classes))
}
