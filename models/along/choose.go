package along

import (
	"math"

	"gonum.org/v1/gonum/floats"
)

// Seen is a window of a held-out stretch: the classifier's probabilities of it, and its true class.
type Seen struct {
	Probabilities []float64
	Class         int
}

// HeldOut is how well the windows of held-out stretches are told, one stretch after the other.
type HeldOut struct {
	Windows int `json:"windows"`
	// Changes counts the true changes of class. Told counts those that the rule makes, and Raw those of the most probable
	// class of each window alone.
	Changes int `json:"changes"`
	Told    int `json:"told"`
	Raw     int `json:"raw"`
	// Accuracy is the share of windows whose class is told right; RawAccuracy that of each window alone.
	Accuracy    float64 `json:"accuracy"`
	RawAccuracy float64 `json:"raw_accuracy"`
	// Delay is the mean time from the end of the first whole window of a new class to the decision for that class, over
	// the changes that have one. Missed counts those without one.
	Delay  float64 `json:"delay"`
	Missed int     `json:"missed"`
}

// The shares of Independent and the thresholds that are tried.
var (
	powers     = []float64{1, 0.7, 0.5, 0.35, 0.25, 0.15, 0.1}
	thresholds = []float64{0.7, 0.72, 0.74, 0.76, 0.78, 0.8, 0.82, 0.84, 0.86, 0.88, 0.9}
)

// Choose sets Power, Threshold and HeldOut by the windows of held-out stretches, in the order of the streams. The power
// is the share of Independent that has the least log-loss of the filter: held-out windows have one class each, so that
// no more than that is believed of them, however right they are. The threshold is the most accurate one of those by
// which the class changes as often as in truth, to 12%, or else that by which it does so most nearly. Without windows
// the model stays as it is.
func (m *Model) Choose(windows []Seen) {
	if len(windows) == 0 {
		return
	}
	least, best := math.Inf(1), m.Power
	for _, share := range powers {
		m.Power = share * m.Independent
		filter, loss := m.Start(m.Step), 0.0
		for i, w := range windows {
			loss -= math.Log(max(1e-9, filter.Step(w.Probabilities, float64(i))[w.Class]))
		}
		if loss < least {
			least, best = loss, m.Power
		}
	}
	m.Power, least = best, math.Inf(1)
	most := -1.0
	for _, threshold := range thresholds {
		h := m.Judge(windows, Rule{Threshold: threshold})
		off := math.Abs(math.Log(float64(h.Told+1) / float64(h.Changes+1)))
		if off < nearlyAsOften { // all that are near are alike
			off = 0
		}
		if off < least || off == least && h.Accuracy > most {
			least, most, m.Threshold, m.HeldOut = off, h.Accuracy, threshold, &h
		}
	}
}

// nearlyAsOften is the logarithm of a ratio of changes to true ones that is as good as 1: 12%.
const nearlyAsOften = 0.113

// Judge tells windows in their order by a rule, each a step after the other, and says how right that is.
func (m *Model) Judge(windows []Seen, rule Rule) (h HeldOut) {
	d := m.Decide(m.Step, rule)
	var told []Told
	for i, w := range windows {
		start := float64(i) * m.Step
		some, err := d.Add(start, start+m.Step, w.Probabilities)
		if err != nil {
			return HeldOut{}
		}
		told = append(told, some...)
	}
	told = append(told, d.Finish()...)
	h.Windows = len(windows)
	pending, waited := -1, 0 // the change that is not told yet
	for i, w := range windows {
		raw := floats.MaxIdx(w.Probabilities)
		if raw == w.Class {
			h.RawAccuracy += 1 / float64(len(windows))
		}
		if told[i].Class == w.Class {
			h.Accuracy += 1 / float64(len(windows))
		}
		if i == 0 {
			continue
		}
		if raw != told[i-1].Raw {
			h.Raw++
		}
		if told[i].Changed && told[i-1].Class != Unknown {
			h.Told++
		}
		if w.Class != windows[i-1].Class {
			h.Changes++
			if pending >= 0 {
				h.Missed++
			}
			pending = i
		}
		if pending >= 0 && told[i].Class == w.Class {
			h.Delay += float64(i-pending) * m.Step
			waited, pending = waited+1, -1
		}
	}
	if pending >= 0 {
		h.Missed++
	}
	h.Delay /= float64(max(1, waited))
	return h
}
