// Package early decides when enough of a recording has been seen to tell its class, and says how right that is.
package early

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// Rule says after how many time points a recording is looked at, and when its class is decided. A look gives the
// probabilities of the classes by a classifier that was fitted to training recordings cut there, so that nothing after
// it matters. The class is decided once several looks in a row agree on it, each with at least the threshold of the
// class. What no look has decided is decided at the end, by the classifier of whole recordings.
//
// Classifiers of cut recordings, a rule that accepts what they say, and looks that must agree are those of TEASER
// (Schäfer and Leser 2020, "TEASER: early and accurate time series classification"). TEASER accepts by a one-class
// support vector machine; here a threshold of the probability does, which held-out samples choose, see Choose.
type Rule struct {
	// Looks are numbers of time points, ascending. There is none if cut recordings tell nothing of their class.
	Looks []int `json:"looks"`
	// Shares are of the classes among the training recordings. That is what is known before the first look.
	Shares []float64 `json:"shares"`
	// Agree is how many looks in a row must agree.
	Agree int `json:"agree"`
	// Thresholds are the probability of each class from which a look counts; above 1 none does.
	Thresholds []float64 `json:"thresholds"`
	// By is what the thresholds were chosen by, and Loss the share of accuracy that may be lost.
	By   Aim     `json:"by"`
	Loss float64 `json:"loss"`
	// Chosen is how the rule fares on the held-out samples that chose it, and Best how the one of the largest harmonic
	// mean does.
	Chosen Figures `json:"chosen"`
	Best   Figures `json:"best"`
	// Curve is how right held-out samples are if all are decided at one look, for each look and then the end.
	Curve []Point `json:"curve"`
	// Varies has for each channel of each sensor the number of time points after which it has varied in all training
	// recordings but few; 0 if it never does. It is nil if that is not known.
	Varies []int `json:"varies,omitempty"`
}

// Aim is what a rule is chosen by.
type Aim string

const (
	// ByLoss takes the earliest decisions that lose at most a share of the accuracy.
	ByLoss Aim = "loss"
	// ByMean takes the largest harmonic mean of the accuracy and the share of the recording that is not seen.
	ByMean Aim = "mean"
)

// Figures are how right and how early recordings are decided.
type Figures struct {
	Samples  int     `json:"samples"`
	Accuracy float64 `json:"accuracy"`
	// AtEnd is the accuracy if all are decided at the end.
	AtEnd float64 `json:"at_end"`
	// Seen is the mean share of a recording that was seen when it was decided, which others call earliness.
	Seen float64 `json:"seen"`
	// Mean is the harmonic mean of Accuracy and 1 - Seen, TEASER's measure; 0 if both are 0.
	Mean float64 `json:"harmonic_mean"`
}

// Point is how right recordings are of which a share is seen.
type Point struct {
	Seen     float64 `json:"seen"`
	Accuracy float64 `json:"accuracy"`
}

// mostLooks is the number of looks with the end, as TEASER has by default.
const mostLooks = 20

// LooksAt returns the numbers of time points at which recordings of at most `longest` are looked at: each twentieth of
// that but the last, from `least` on.
func LooksAt(longest, least int) (looks []int) {
	for i := 1; i < mostLooks; i++ {
		at := (longest*i + mostLooks - 1) / mostLooks
		if at >= least && at < longest && (len(looks) == 0 || at > looks[len(looks)-1]) {
			looks = append(looks, at)
		}
	}
	return looks
}

// Check returns an error if a rule is not that of a classifier of so many classes, as only damage makes it. r may be
// nil: then nothing is decided early.
func (r *Rule) Check(classes int) error {
	if r == nil {
		return nil
	}
	wrong := len(r.Thresholds) != classes || len(r.Shares) != classes || len(r.Looks) >= mostLooks ||
		len(r.Looks) > 0 && r.Looks[0] < 1 || !slices.IsSorted(r.Looks) || r.Agree < 1
	isNone := func(number float64) bool { return !(number >= 0) } // NaN is none
	if wrong || slices.ContainsFunc(r.Thresholds, isNone) || slices.ContainsFunc(r.Shares, isNone) {
		return fmt.Errorf("the rule of early decisions is damaged: it has %d looks, %d that agree, %d shares and %d "+
			"thresholds for %d classes; train again", len(r.Looks), r.Agree, len(r.Shares), len(r.Thresholds), classes)
	}
	return nil
}

// Decision is how much of a recording was seen when its class was predicted.
type Decision struct {
	// Timepoints are those that were seen, and Seen is the share of the recording that they are.
	Timepoints int     `json:"timepoints"`
	Seen       float64 `json:"seen"`
	// Decided reports that looks decided the class, the last of them when the recording ended or before.
	Decided bool `json:"decided"`
}

// ErrUntrained says that a classifier was not trained to decide before a recording has ended.
var ErrUntrained = errors.New("the classifier was not trained to decide early; train with ccp train --early")

// Decider decides the class of one recording, look by look.
type Decider struct {
	rule          *Rule
	class, agreed int
}

// Decide returns a decider of a recording that was not looked at yet.
func (r *Rule) Decide() *Decider { return &Decider{rule: r} }

// Add takes the probabilities of the classes at the next look, and reports whether their most probable class is
// decided.
func (d *Decider) Add(probabilities []float64) (decided bool) {
	class := floats.MaxIdx(probabilities)
	return d.add(class, probabilities[class])
}

// add is Add for the most probable class.
func (d *Decider) add(class int, probability float64) bool {
	if class != d.class {
		d.class, d.agreed = class, 0
	}
	d.agreed++
	if probability < d.rule.Thresholds[class] {
		d.agreed = 0
	}
	return d.agreed >= d.rule.Agree
}

// Tally counts decisions for Figures.
type Tally struct {
	samples, right, rightAtEnd int
	seen                       float64
}

// Add counts a recording: whether it was decided rightly, whether it would be at the end, and the share that was seen.
func (t *Tally) Add(right, rightAtEnd bool, seen float64) {
	t.samples++
	t.seen += seen
	if right {
		t.right++
	}
	if rightAtEnd {
		t.rightAtEnd++
	}
}

// Figures returns the figures of all that was added.
func (t *Tally) Figures() Figures {
	n := math.Max(1, float64(t.samples))
	f := Figures{Samples: t.samples, Accuracy: float64(t.right) / n, AtEnd: float64(t.rightAtEnd) / n, Seen: t.seen / n}
	if unseen := 1 - f.Seen; f.Accuracy+unseen > 0 {
		f.Mean = 2 * f.Accuracy * unseen / (f.Accuracy + unseen)
	}
	return f
}
