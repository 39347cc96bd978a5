package along

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// leastProbability bounds a window's probability of a class from below: no single window rules a class out for good.
const leastProbability = 1e-6

// Filter computes the probability of each class by all windows so far, window by window. It also follows the best path
// to each class (Viterbi), which says when the class began.
type Filter struct {
	model *Model
	a     [][]float64 // Model.Transitions
	power float64
	begun bool

	alpha []float64 // of each class by all windows so far; they sum up to 1
	best  []float64 // logarithm of the best path that ends in each class, less the greatest
	since []float64 // when that path came into the class
	room  [3][]float64
	said  []float64 // what the last window says of each class, see likelihoods
}

// Start returns a filter for windows whose begins are so far apart. Windows closer than those of the training overlap
// more, so that each tells less.
func (m *Model) Start(step float64) *Filter {
	f := &Filter{model: m, a: m.Transitions(step), power: min(1, m.Power*step/m.Step)}
	n := len(m.Prior)
	f.alpha, f.best, f.since, f.said = make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range f.room {
		f.room[i] = make([]float64, n)
	}
	return f
}

// Reset forgets all windows.
func (f *Filter) Reset() { f.begun = false }

// likelihoods sets what a window says of each class: (probability / prior) to the power of the model, of which the
// greatest is 1.
func (f *Filter) likelihoods(probabilities []float64) {
	for k, p := range probabilities {
		f.said[k] = math.Pow(max(p, leastProbability)/f.model.Prior[k], f.power)
	}
	floats.Scale(1/floats.Max(f.said), f.said)
}

// Step takes the probabilities of the next window, one of each class, and when a class that begins with it begins. It
// returns the probability of each class by all windows so far, which sum up to 1; they are valid until the next step.
func (f *Filter) Step(probabilities []float64, begin float64) []float64 {
	f.likelihoods(probabilities)
	next := f.room[0]
	if f.begun {
		clear(next)
		for i, row := range f.a {
			floats.AddScaled(next, f.alpha[i], row)
		}
		f.follow(begin)
	} else {
		copy(next, f.model.Prior)
		for k, p := range f.model.Prior {
			f.best[k], f.since[k] = math.Log(p), begin
		}
		f.begun = true
	}
	floats.Mul(next, f.said)
	floats.Scale(1/floats.Sum(next), next)
	f.alpha, f.room[0] = next, f.alpha
	for k, said := range f.said {
		f.best[k] += math.Log(said)
	}
	floats.AddConst(-floats.Max(f.best), f.best)
	return f.alpha
}

// follow takes the best path to each class a step further: it stays, or comes from another class.
func (f *Filter) follow(begin float64) {
	best, since := f.room[1], f.room[2]
	for k := range best {
		best[k] = math.Inf(-1)
		for i := range f.best {
			score := f.best[i] + math.Log(f.a[i][k])
			if score <= best[k] {
				continue
			}
			best[k], since[k] = score, begin
			if i == k {
				since[k] = f.since[k]
			}
		}
	}
	f.best, f.room[1] = best, f.best
	f.since, f.room[2] = since, f.since
}

// Since returns when the best path into a class came into it.
func (f *Filter) Since(class int) float64 { return f.since[class] }

// smoothed returns the probability of each class in a window by it, the windows before it, and those after it:
// alpha is of that window, and said are what the later windows say, in their order (Rabiner 1989, equations 25 to 27).
func (f *Filter) smoothed(alpha []float64, said [][]float64) []float64 {
	n := len(alpha)
	beta := slices.Repeat([]float64{1}, n)
	for _, later := range slices.Backward(said) {
		floats.Mul(beta, later)
		before := make([]float64, n)
		for i, row := range f.a {
			before[i] = floats.Dot(row, beta)
		}
		floats.Scale(1/floats.Max(before), before)
		beta = before
	}
	floats.Mul(beta, alpha)
	floats.Scale(1/floats.Sum(beta), beta)
	return beta
}
