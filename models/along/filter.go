package along

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// leastProbability bounds a window's probability of a class from below: no single window rules a class out for good.
const leastProbability = 1e-6

// Filter computes the probability of each class by all windows so far, window by window. It also follows the best path
// to each state (Viterbi), which says when its class began.
type Filter struct {
	model  *Model
	states states
	power  float64
	begun  bool

	alpha   []float64 // of each state by all windows so far; they sum up to 1
	classes []float64 // the same of each class
	best    []float64 // logarithm of the best path that ends in each state, less the greatest
	since   []float64 // when that path came into the state's class
	room    [3][]float64
	said    []float64 // what the last window says of each class, see likelihoods
}

// Start returns a filter for windows whose begins are so far apart. Windows closer than those of the training overlap
// more, so that each tells less.
func (m *Model) Start(step float64) *Filter {
	f := &Filter{model: m, states: m.states(step), power: min(1, m.Power*step/m.Step)}
	classes, n := len(m.Prior), f.states.count()
	f.classes, f.said = make([]float64, classes), make([]float64, classes)
	f.alpha, f.best, f.since = make([]float64, n), make([]float64, n), make([]float64, n)
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
		f.states.forward(next, f.alpha)
		f.follow(begin)
	} else {
		f.states.spread(next, f.model.Prior)
		for i, p := range next {
			f.best[i], f.since[i] = math.Log(p), begin
		}
		f.begun = true
	}
	f.states.weigh(next, f.said)
	floats.Scale(1/floats.Sum(next), next)
	f.alpha, f.room[0] = next, f.alpha
	for k, said := range f.said {
		floats.AddConst(math.Log(said), f.states.valuesOf(f.best, k))
	}
	f.states.sums(f.classes, f.alpha)
	floats.AddConst(-floats.Max(f.best), f.best)
	return f.classes
}

// follow takes the best paths a step further.
func (f *Filter) follow(begin float64) {
	best, since := f.room[1], f.room[2]
	f.states.bestPaths(best, since, f.best, f.since, begin)
	f.best, f.room[1] = best, f.best
	f.since, f.room[2] = since, f.since
}

// Since returns when the best path into a class came into it.
func (f *Filter) Since(class int) float64 {
	return f.states.valuesOf(f.since, class)[floats.MaxIdx(f.states.valuesOf(f.best, class))]
}

// smoothed returns the probability of each class in a window by it, the windows before it, and those after it: alpha is
// that of each state in that window, and said are what the later windows say, in their order (Rabiner 1989, equations
// 25 to 27).
func (f *Filter) smoothed(alpha []float64, said [][]float64) []float64 {
	beta := slices.Repeat([]float64{1}, len(alpha))
	for _, later := range slices.Backward(said) {
		f.states.weigh(beta, later)
		beta = f.states.backward(beta)
		floats.Scale(1/floats.Max(beta), beta)
	}
	floats.Mul(beta, alpha)
	floats.Scale(1/floats.Sum(beta), beta)
	classes := make([]float64, len(f.said))
	f.states.sums(classes, beta)
	return classes
}
