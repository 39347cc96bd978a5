// Package along tells a class along time. Its input is a classifier's probabilities of one window of a stream after
// another; its output is which class the stream has, and since when. Nothing looks ahead, and the state has a bounded
// size.
//
// A [Model] is a hidden Markov model in which each class has a row of states, so that it lasts about as long, and as
// regularly, as in the training. A [Filter] computes the probability of each class by all windows so far, the forward
// algorithm of Rabiner (1989), "A tutorial on hidden Markov models and selected applications in speech recognition",
// equations 19 and 20. Its most probable class still changes one and a half to two and a half times as often as the
// truth, even if the model is true. A [Rule] therefore decides on top of it, in a [Decider].
package along

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// Model says how classes follow each other, and how much a window tells of them.
type Model struct {
	// Step is the time from the begin of a window to that of the next, in the training. All times are in the unit of the
	// recordings' times or, if these have none, in time points.
	Step float64 `json:"step"`
	// Lasts is the mean time that each class lasts. Learned says that streams of the training tell it; else it is a guess,
	// the same for all classes.
	Lasts   []float64 `json:"lasts"`
	Learned bool      `json:"learned"`
	// Deviation is the standard deviation of the time that each class lasts; nil is that of geometric times, by which a
	// class ends at any step alike.
	Deviation []float64 `json:"deviation,omitempty"`
	// Follows has the probability of each class after each other one, by rows that sum up to 1. The diagonal is 0.
	Follows [][]float64 `json:"follows"`
	// Prior is the share of each class in the training windows. The classifier's probabilities are divided by it, as they
	// have it in them (Bourlard and Morgan 1994, "Connectionist speech recognition").
	Prior []float64 `json:"prior"`
	// Independent is a step as a share of a window, at most 1: as much of each window is new. Power is at most that, and
	// tempers the quotient: windows overlap, and those of one stretch are alike, so that each tells less than it would
	// alone.
	Independent float64 `json:"independent"`
	Power       float64 `json:"power"`
	// Threshold is that of the Rule.
	Threshold float64 `json:"threshold"`
	// HeldOut is how windows of held-out stretches were told, by which Power and Threshold were chosen; nil for none.
	HeldOut *HeldOut `json:"held_out,omitempty"`
}

// Stretch is a part of a recording in which the class stays the same, and how long it lasts.
type Stretch struct {
	Recording, Class int
	Lasts            float64
}

// guessedWindows is how many windows a class lasts where no stream tells it.
const guessedWindows = 10

// usualThreshold is between those that suit: see Choose.
const usualThreshold = 0.85

// Fit returns a model of stretches, recording by recording and in their order within each. windows counts the training
// windows of each class; window is their length, and step the time from the begin of one to that of the next. Each mean
// time has the mean of all stretches as one stretch more, and each class has followed each other one once more than it
// has, so that nothing is impossible. If no recording has two stretches, nothing is learned: each class is taken to
// last ten windows, and all follow each other alike.
func Fit(stretches []Stretch, windows []int, window, step float64) *Model {
	classes := len(windows)
	m := &Model{Step: step, Independent: min(1, step/window), Power: min(1, step/window), Threshold: usualThreshold,
		Lasts: make([]float64, classes),
		Prior: make([]float64, classes)}
	total := 0.0
	for k, n := range windows {
		m.Prior[k] = float64(n + 1)
		total += m.Prior[k]
	}
	floats.Scale(1/total, m.Prior)
	count, mean := make([]float64, classes), 0.0
	for k := range classes {
		m.Follows = append(m.Follows, slices.Repeat([]float64{1}, classes))
		m.Follows[k][k] = 0
	}
	for i, s := range stretches {
		mean += s.Lasts / float64(len(stretches))
		m.Lasts[s.Class] += s.Lasts
		count[s.Class]++
		if i > 0 && stretches[i-1].Recording == s.Recording {
			m.Learned = true
			m.Follows[stretches[i-1].Class][s.Class]++
		}
	}
	for k := range classes {
		m.Follows[k][k] = 0 // a class that follows itself, after a pause
		if sum := floats.Sum(m.Follows[k]); sum > 0 {
			floats.Scale(1/sum, m.Follows[k])
		}
		m.Lasts[k] = (m.Lasts[k] + mean) / (count[k] + 1)
		if !m.Learned {
			m.Lasts[k] = guessedWindows * window
		}
	}
	if m.Learned {
		m.Deviation = deviations(stretches, m.Lasts)
	}
	return m
}

// deviations returns the standard deviation of the time that each class lasts. It has one stretch more that is off by
// the mean, as are those of a class that ends at any time alike: few stretches that happen to be of one length do not
// say that all are.
func deviations(stretches []Stretch, means []float64) []float64 {
	sums, count := make([]float64, len(means)), make([]float64, len(means))
	for _, s := range stretches {
		off := s.Lasts - means[s.Class]
		sums[s.Class] += off * off
		count[s.Class]++
	}
	for k, mean := range means {
		sums[k] = math.Sqrt((sums[k] + mean*mean) / (count[k] + 1))
	}
	return sums
}

// Check returns an error if a model that was read is none of so many classes. No model is in order.
func (m *Model) Check(classes int) error {
	if m == nil {
		return nil
	}
	isPositive := func(v float64) bool { return v > 0 && !math.IsInf(v, 1) }
	fits := len(m.Lasts) == classes && len(m.Prior) == classes && len(m.Follows) == classes && isPositive(m.Step) &&
		isPositive(m.Independent) && isPositive(m.Power) && m.Threshold > 0 && m.Threshold < 1
	fits = fits && (m.Deviation == nil || len(m.Deviation) == classes)
	for k := 0; fits && k < classes; k++ {
		row := m.Follows[k]
		fits = isPositive(m.Lasts[k]) && (m.Deviation == nil || isPositive(m.Deviation[k])) && isPositive(m.Prior[k]) &&
			len(row) == classes &&
			!slices.ContainsFunc(row, func(v float64) bool { return !(v >= 0 && v <= 1) })
	}
	if !fits {
		return fmt.Errorf("its model of classes along time does not fit its %d classes; train again", classes)
	}
	return nil
}

// ErrWindow says that probabilities are not those of the model's classes.
var ErrWindow = errors.New("a window needs a probability of each class, each from 0 to 1")
