package along

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// mostStates bounds how many states a class has.
const mostStates = 12

// states are those of the hidden Markov model for windows a step apart. Each class has a row of states and passes them
// in order. Each is left with the same probability at each step, so the class lasts a sum of geometric times, which has
// a negative binomial distribution. A single state would be left as probably at its begin as later, and real classes
// last more alike than that. Rows of states are those of Cox (1955), "A use of complex probabilities in the theory of
// stochastic processes"; Rabiner (1989, section IV.D) has other ways to model durations.
type states struct {
	first   []int       // state of each class; the last is how many states there are
	leaves  []float64   // the probability of leaving a state of each class, at a step
	follows [][]float64 // Model.Follows

	// Logarithms of the probabilities of staying in and of leaving a state of each class, and of follows.
	logStays, logLeaves []float64
	logFollows          [][]float64
}

// states returns those for windows whose begins are so far apart. With k states that are left with the probability k/m,
// a class lasts m steps in the mean, with the variance m²/k - m: k is the whole number that comes nearest to the
// class's deviation. A class lasts at least two steps for each state, so that any length is possible.
func (m *Model) states(step float64) (s states) {
	s.first, s.follows = []int{0}, m.Follows
	for class, row := range m.Follows {
		mean, count := max(2, m.Lasts[class]/step), 1.0
		if m.Deviation != nil {
			deviation := m.Deviation[class] / step
			count = math.Round(mean * mean / (deviation*deviation + mean))
			count = max(1, min(count, math.Floor(mean/2), mostStates))
		}
		leaves := count / mean
		if len(m.Follows) == 1 {
			leaves = 0
		}
		s.first = append(s.first, s.first[class]+int(count))
		s.leaves = append(s.leaves, leaves)
		s.logLeaves, s.logStays = append(s.logLeaves, math.Log(leaves)), append(s.logStays, math.Log1p(-leaves))
		logs := slices.Clone(row)
		for other, p := range logs {
			logs[other] = math.Log(p)
		}
		s.logFollows = append(s.logFollows, logs)
	}
	return s
}

// count returns how many states there are.
func (s *states) count() int { return s.first[len(s.first)-1] }

// valuesOf returns the part of values that is of a class's states.
func (s *states) valuesOf(values []float64, class int) []float64 {
	return values[s.first[class]:s.first[class+1]]
}

// spread divides the probability of each class among its states alike: nothing tells how long it has lasted already.
func (s *states) spread(values, classes []float64) {
	for class, p := range classes {
		of := s.valuesOf(values, class)
		for i := range of {
			of[i] = p / float64(len(of))
		}
	}
}

// sums sets classes to the sum of the values of each class's states.
func (s *states) sums(classes, values []float64) {
	for class := range classes {
		classes[class] = floats.Sum(s.valuesOf(values, class))
	}
}

// weigh multiplies the values of each class's states by what a window says of the class.
func (s *states) weigh(values, said []float64) {
	for class, v := range said {
		floats.Scale(v, s.valuesOf(values, class))
	}
}

// forward sets next to the probabilities of the states a step after those of now.
func (s *states) forward(next, now []float64) {
	clear(next)
	for class, leaves := range s.leaves {
		from, to := s.valuesOf(now, class), s.valuesOf(next, class)
		last := len(from) - 1
		floats.AddScaled(to, 1-leaves, from)
		floats.AddScaled(to[1:], leaves, from[:last])
		for other, p := range s.follows[class] {
			next[s.first[other]] += leaves * p * from[last]
		}
	}
}

// backward returns of each state the mean of later over the states a step after it.
func (s *states) backward(later []float64) []float64 {
	mean := make([]float64, len(later))
	for class, leaves := range s.leaves {
		to, from := s.valuesOf(mean, class), s.valuesOf(later, class)
		last := len(to) - 1
		floats.AddScaled(to, 1-leaves, from)
		floats.AddScaled(to[:last], leaves, from[1:])
		for other, p := range s.follows[class] {
			to[last] += leaves * p * later[s.first[other]]
		}
	}
	return mean
}

// bestPaths takes the best path to each state a step further, Viterbi's algorithm. best has the logarithms of their
// probabilities and since when they came into the state's class; a class that begins now does so at begin. next and
// nextSince are set to those after the step.
func (s *states) bestPaths(next, nextSince, best, since []float64, begin float64) {
	for class := range s.leaves {
		first := s.first[class]
		next[first], nextSince[first] = s.bestInto(best, class), begin
		for at := first; at < s.first[class+1]; at++ {
			if at > first {
				next[at], nextSince[at] = best[at-1]+s.logLeaves[class], since[at-1]
			}
			if stays := best[at] + s.logStays[class]; stays >= next[at] {
				next[at], nextSince[at] = stays, since[at]
			}
		}
	}
}

// bestInto returns the logarithm of the best path that comes into a class from another one.
func (s *states) bestInto(best []float64, class int) float64 {
	most := math.Inf(-1)
	for other := range s.leaves {
		most = max(most, best[s.first[other+1]-1]+s.logLeaves[other]+s.logFollows[other][class])
	}
	return most
}
