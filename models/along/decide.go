package along

import (
	"slices"

	"gonum.org/v1/gonum/floats"
)

// Rule decides when the class changes. With a Lag of 0 it changes once the filter's probability of another class is at
// least Threshold. Otherwise it is the most probable class of a window by all windows up to Lag later ones: that is
// surer of each window, and Lag steps late.
type Rule struct {
	Threshold float64
	Lag       int
}

// Told is what is said of a window.
type Told struct {
	Start, End float64 // of the window
	// Probabilities of each class by all windows that may count.
	Probabilities []float64
	// Class is the stream's class, or Unknown before the first decision. Probability is that of this class.
	Class       int
	Probability float64
	// Since is when the class began, as far as is known now.
	Since float64
	// Changed says that the class is another one than that of the window before; Gap that windows are missing before this
	// one, so that all before it was forgotten.
	Changed, Gap bool
	// Raw is the classifier's most probable class of the window alone.
	Raw int
}

// Unknown is the class before the first decision, and after a gap until the next.
const Unknown = -1

// Decider tells the class of a stream window by window.
type Decider struct {
	rule   Rule
	filter *Filter
	step   float64

	waiting []waiting // windows that are not told yet, the earliest first
	any     bool
	start   float64 // of the last window
	class   int
	since   float64
	gap     bool
}

// waiting is a window that later ones help to tell.
type waiting struct {
	told  Told
	begin float64   // of a class that begins with it
	alpha []float64 // of each state, by it and the windows before it
	said  []float64 // what it says of each class
}

// Decide returns what tells the class of a stream of windows whose begins are so far apart. A threshold of 0 is the
// model's.
func (m *Model) Decide(step float64, rule Rule) *Decider {
	if rule.Threshold == 0 {
		rule.Threshold = m.Threshold
	}
	return &Decider{rule: rule, filter: m.Start(step), step: step, class: Unknown}
}

// gapSteps is the distance of two windows' begins, in steps, from which windows are missing between them.
const gapSteps = 1.5

// Add takes the next window and the classifier's probabilities of it. It returns what can be told now: of this window
// or, with a lag, of an earlier one; before a gap, of all that wait. The error is ErrWindow.
func (d *Decider) Add(start, end float64, probabilities []float64) (told []Told, err error) {
	if len(probabilities) != len(d.filter.model.Prior) ||
		slices.ContainsFunc(probabilities, func(p float64) bool { return !(p >= 0 && p <= 1) }) {
		return nil, ErrWindow
	}
	if d.any && (start-d.start > gapSteps*d.step || start <= d.start) {
		told = d.Finish()
	}
	begin := (start + end - d.step) / 2 // the class of most of the window, and not of the one before
	if !d.any {
		begin = start
	}
	d.any, d.start = true, start
	alpha := slices.Clone(d.filter.Step(probabilities, begin))
	one := Told{Start: start, End: end, Gap: d.gap, Raw: floats.MaxIdx(probabilities)}
	d.gap = false
	if d.rule.Lag == 0 {
		return append(told, d.byThreshold(one, alpha)), nil
	}
	d.waiting = append(d.waiting, waiting{one, begin, slices.Clone(d.filter.alpha), slices.Clone(d.filter.said)})
	if len(d.waiting) > d.rule.Lag {
		told = append(told, d.next())
	}
	return told, nil
}

// byThreshold tells a window by the filter's probabilities.
func (d *Decider) byThreshold(one Told, alpha []float64) Told {
	best := floats.MaxIdx(alpha)
	if best != d.class && alpha[best] >= d.rule.Threshold {
		since := d.filter.Since(best)
		if d.class != Unknown {
			since = max(since, d.since)
		}
		one.Changed, d.class, d.since = true, best, since
	}
	return d.fill(one, alpha)
}

// next tells the earliest window that waits, by those after it.
func (d *Decider) next() Told {
	first := d.waiting[0]
	d.waiting = d.waiting[1:]
	said := make([][]float64, len(d.waiting))
	for i, w := range d.waiting {
		said[i] = w.said
	}
	smoothed := d.filter.smoothed(first.alpha, said)
	one, best := first.told, floats.MaxIdx(smoothed)
	if best != d.class {
		one.Changed, d.class, d.since = true, best, first.begin
	}
	return d.fill(one, smoothed)
}

// fill completes what is said of a window.
func (d *Decider) fill(one Told, probabilities []float64) Told {
	one.Probabilities, one.Class, one.Since = probabilities, d.class, d.since
	if d.class != Unknown {
		one.Probability = probabilities[d.class]
	}
	return one
}

// Finish tells the windows that wait, at the end of a stream or before a gap, and forgets all windows.
func (d *Decider) Finish() (told []Told) {
	for len(d.waiting) > 0 {
		told = append(told, d.next())
	}
	d.filter.Reset()
	d.class, d.gap = Unknown, d.any
	d.any = false
	return told
}
