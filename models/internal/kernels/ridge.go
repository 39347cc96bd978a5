package kernels

import (
	"iter"
	"math"
	"slices"

	"github.com/gomlx/compute"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// MostDual is the largest number of samples for which each of them is held out once. With more, every fifth judges.
const MostDual = 1500

// ridgeClassifier has decisions that are features · weights + bias.
type ridgeClassifier struct {
	weights            []float64 // `[features, classes]`
	bias               []float64
	inverseTemperature float64 // the factor of decisions with which the held-out samples are most likely
	accuracy           float64 // on held-out training samples
}

// ridge finds the ridge classifier whose penalty has the least squared error on held-out samples. features is
// `[samples][features]`; the last `values` features are the signal's values. Targets are 1 for a sample's class and -1
// for others. Features are standardised. How much the signal's values count is chosen like the penalty.
func ridge(backend compute.Backend, features [][]float32, values int, labels []int32, classes int) (r ridgeClassifier,
	err error) {
	y, meanTarget := Targets(labels, classes)
	mean, scale := Moments(features)
	t := task{backend, features, mean, scale, y, labels, meanTarget, values}
	var m method
	if len(features) > MostDual {
		m, err = newPrimal(t)
	} else {
		m, err = newDual(t)
	}
	if err != nil {
		return r, err
	}
	signal, penalty, s := choose(m, values)
	r = ridgeClassifier{weights: m.solve(signal, penalty).RawMatrix().Data, bias: meanTarget}
	r.setScore(s)
	r.unscale(mean, scale)
	return r, nil
}

// task is what a method solves: features, of which the last are so many values of the signal, and centred targets.
type task struct {
	backend     compute.Backend
	features    [][]float32
	mean, scale []float64 // see Moments
	y           *mat.Dense
	labels      []int32
	meanTarget  []float64
	values      int
}

// together is how many samples, or features, are standardised at a time. All at once take gigabytes.
const together = 1024

// z returns the standardised features from..to of some samples, `[samples, features]`.
func (t task) z(samples []int, from, to int) *mat.Dense {
	z := mat.NewDense(len(samples), to-from, nil)
	for at, i := range samples {
		row := z.RawRowView(at)
		for j, x := range t.features[i][from:to] {
			row[j] = (float64(x) - t.mean[from+j]) * t.scale[from+j]
		}
	}
	return z
}

// all lists all samples.
func (t task) all() (samples []int) {
	for i := range t.features {
		samples = append(samples, i)
	}
	return samples
}

// Squares adds up a·aᵀ of the parts, or aᵀ·a; it is `[n, n]`. The backend is many times faster at it than gonum. Errors
// come from the backend.
func Squares(backend compute.Backend, n int, columns bool, parts iter.Seq[*mat.Dense]) (*mat.SymDense, error) {
	axis := 1
	if columns {
		axis = 0
	}
	exec, err := NewExec(backend, func(sum, a *Node) *Node {
		return Add(sum, DotGeneral(a, []int{axis}, nil, a, []int{axis}, nil))
	})
	if err != nil {
		return nil, err
	}
	defer exec.Finalize()
	sum := tensors.FromFlatDataAndDimensions(make([]float64, n*n), n, n)
	for part := range parts {
		raw := part.RawMatrix()
		a := tensors.FromFlatDataAndDimensions(raw.Data, raw.Rows, raw.Cols)
		next, err := exec.Call(sum, a)
		a.MustFinalizeAll()
		sum.MustFinalizeAll()
		if err != nil {
			return nil, err
		}
		sum = next[0]
	}
	defer sum.MustFinalizeAll()
	flat, err := tensors.CopyFlatData[float64](sum)
	return mat.NewSymDense(n, flat), err
}

// method solves a task. signal is the part of the signal's values in the scalar product of two samples; of the rest
// are shares.
type method interface {
	judge(signal, penalty float64) (s score, ok bool) // on held-out samples; not ok if rounding made it singular
	solve(signal, penalty float64) *mat.Dense         // for all samples, `[features, classes]`
}

// penalties are those to choose from, as in MiniRocket's published program.
var penalties = func() (all []float64) {
	for step := range 10 {
		all = append(all, math.Pow(10, -3+float64(step)*6/9))
	}
	return all
}()

// choose returns the signal's part and the penalty with the least squared error, and its errors. It walks from penalty to
// penalty for as long as the error falls, with another part only if that is better at the same penalty.
func choose(m method, values int) (signal, penalty float64, best score) {
	parts := []float64{0, 0.1, 0.5, 0.9}
	if values == 0 {
		parts = parts[:1]
	}
	best.squared = math.Inf(1)
	start := 7
	for _, part := range parts {
		judged := map[int]score{}
		at := func(i int) score {
			s, known := judged[i]
			if known {
				return s
			}
			s.squared = math.Inf(1)
			if i >= 0 && i < len(penalties) {
				if found, ok := m.judge(part, penalties[i]); ok {
					s = found
				}
			}
			judged[i] = s
			return s
		}
		i, step := start, -1
		if at(i).squared >= best.squared {
			continue
		}
		if at(i-1).squared >= at(i).squared {
			step = 1
		}
		for at(i+step).squared < at(i).squared {
			i += step
		}
		if at(i).squared < best.squared {
			signal, penalty, best, start = part, penalties[i], at(i), i
		}
	}
	return signal, penalty, best
}

// scales returns by what a task's standardised features are multiplied for the signal to have this part.
func (t task) scales(signal float64) []float64 {
	width := len(t.mean)
	all, shares := make([]float64, width), width-t.values
	for j := range all {
		if all[j] = math.Sqrt(1 - signal); j >= shares {
			all[j] = math.Sqrt(signal * float64(shares) / float64(t.values))
		}
	}
	return all
}

// unscale makes weights of standardised features weights of the features.
func (r *ridgeClassifier) unscale(mean, scale []float64) {
	classes := len(r.bias)
	for j := range mean {
		for k := range classes {
			r.weights[j*classes+k] *= scale[j]
			r.bias[k] -= r.weights[j*classes+k] * mean[j]
		}
	}
}

// Targets returns 1 for a sample's class and -1 for others, `[samples, classes]`, less the mean over the samples, and
// that mean.
func Targets(labels []int32, classes int) (y *mat.Dense, meanTarget []float64) {
	n := len(labels)
	y, meanTarget = mat.NewDense(n, classes, nil), make([]float64, classes)
	for i, label := range labels {
		for k := range meanTarget {
			target := -1.0
			if int(label) == k {
				target = 1
			}
			y.Set(i, k, target)
			meanTarget[k] += target / float64(n)
		}
	}
	for i := range n {
		floats.Sub(y.RawRowView(i), meanTarget)
	}
	return y, meanTarget
}

// Moments returns the features' means, and their scales: one over the standard deviation, or zero for a constant one.
func Moments(features [][]float32) (mean, scale []float64) {
	n, width := float64(len(features)), len(features[0])
	mean, scale = make([]float64, width), make([]float64, width)
	for _, x := range features {
		for j, v := range x {
			mean[j] += float64(v) / n
		}
	}
	for _, x := range features {
		for j, v := range x {
			d := float64(v) - mean[j]
			scale[j] += d * d / n
		}
	}
	for j, s := range scale {
		if scale[j] = 0; s > 1e-12 {
			scale[j] = 1 / math.Sqrt(s)
		}
	}
	return mean, scale
}

// score sums the squared errors of decisions on held-out samples, and keeps the decisions and the classes.
type score struct {
	squared   float64
	decisions [][]float64
	labels    []int32
}

// add takes the decisions and the targets of a sample, both less the mean target.
func (s *score) add(decisions, targets, meanTarget []float64, label int32) {
	whole := make([]float64, len(decisions))
	for k, d := range decisions {
		s.squared += (targets[k] - d) * (targets[k] - d)
		whole[k] = d + meanTarget[k]
	}
	s.decisions, s.labels = append(s.decisions, whole), append(s.labels, label)
}

// setScore sets the accuracy and the temperature. Decisions are of any scale, as logits are not.
func (r *ridgeClassifier) setScore(s score) {
	right := 0
	for i, d := range s.decisions {
		if int32(floats.MaxIdx(d)) == s.labels[i] {
			right++
		}
	}
	r.accuracy = float64(right) / float64(len(s.labels))
	most := math.Inf(-1)
	for inverseTemperature := 1.0; inverseTemperature <= 32; inverseTemperature *= math.Sqrt2 {
		likelihood := 0.0
		for i, d := range s.decisions {
			logits := slices.Clone(d)
			floats.Scale(inverseTemperature, logits)
			likelihood += logits[s.labels[i]] - floats.LogSumExp(logits)
		}
		if likelihood > most {
			most, r.inverseTemperature = likelihood, inverseTemperature
		}
	}
}
