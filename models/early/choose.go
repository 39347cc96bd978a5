package early

import (
	"math"
	"slices"

	"github.com/clusterpool/ccp/internal/loop"
	"gonum.org/v1/gonum/floats"
)

// Sample is a training recording as classifiers see it that were not fitted to it.
type Sample struct {
	Class  int // the true one
	Length int // time points
	// Looks are the probabilities of the classes at each look, and End those of the whole recording. Looks after its end
	// do not matter.
	Looks [][]float64
	End   []float64
}

// What is tried. Thresholds begin with one that always decides, and end with one that never does.
var (
	thresholds = []float64{0, 0.3, 0.4, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.93, 0.95, 0.97, 0.98, 0.99,
		0.995, 2}
	agreements = []int{1, 2, 3}
)

const (
	// mostAgree is how many looks agree of a rule by the loss of accuracy. Of a few tens of samples each lower number
	// lost more on others than on those that chose.
	mostAgree = 3
	// leastOfClass is how many samples a class needs for a threshold of its own. Fewer would choose it by chance.
	leastOfClass = 50
	// mostSamples bounds those that choose.
	mostSamples = 2000
	// sweeps is how often each class's threshold is chosen beside those of the others.
	sweeps = 2
)

// Choose returns the rule at these looks that fares best on held-out samples, of which there is at least one. shares
// are of the classes among the training recordings. ByLoss takes the rule that sees the least among those that lose at
// most loss, a share. What is lost is the larger of two: of the accuracy, with a standard error of the difference, and
// of the mean probability of the class that is decided. Few samples tell too little by being right or wrong. ByMean
// takes the largest harmonic mean.
//
// First all classes have one threshold, the best. Then in turn each class of at least 50 samples takes the one that is
// best beside those of the others.
func Choose(looks []int, shares []float64, samples []Sample, by Aim, loss float64) *Rule {
	c := &choice{looks: looks, classes: len(shares), count: make([]int, len(shares))}
	for _, at := range loop.Spread(loop.Indices(len(samples)), mostSamples) {
		c.samples = append(c.samples, traceOf(looks, samples[at]))
		c.count[samples[at].Class]++
	}
	byMean := c.best(agreements, func(f Figures, _ float64) float64 { return f.Mean })
	r := byMean
	if by == ByLoss {
		r = c.best([]int{mostAgree}, func(f Figures, lost float64) float64 {
			if lost > loss+slack {
				return -1
			}
			return 1 - f.Seen
		})
	}
	r.By, r.Loss, r.Shares, r.Curve = by, loss, shares, c.curve()
	r.Chosen, _ = c.judge(r)
	r.Best, _ = c.judge(byMean)
	return r
}

// slack is more than what rounding adds to a mean, and less than what a sample does.
const slack = 1e-9

// trace is what a sample's looks say, the end as the last one.
type trace struct {
	truth       int
	class       []int
	probability []float64 // of the class
	seen        []float64 // the share of the recording
}

// traceOf returns the trace of a sample, whose looks end with its recording.
func traceOf(looks []int, s Sample) *trace {
	t := &trace{truth: s.Class}
	add := func(p []float64, seen float64) {
		class := floats.MaxIdx(p)
		t.class, t.probability, t.seen = append(t.class, class), append(t.probability, p[class]), append(t.seen, seen)
	}
	for at, timepoints := range looks {
		if timepoints <= s.Length {
			add(s.Looks[at], float64(timepoints)/float64(s.Length))
		}
	}
	add(s.End, 1)
	return t
}

// decided returns the place in the trace at which a rule decides.
func (t *trace) decided(r *Rule) int {
	d, end := r.Decide(), len(t.class)-1
	for at := range end {
		if d.add(t.class[at], t.probability[at]) {
			return at
		}
	}
	return end
}

// choice is what rules are compared by.
type choice struct {
	looks   []int
	classes int
	samples []*trace
	count   []int // samples of each class
}

// judge returns how a rule fares, and what it loses, see Choose.
func (c *choice) judge(r *Rule) (Figures, float64) {
	var tally Tally
	lost, changed, n := 0.0, 0.0, float64(len(c.samples))
	for _, t := range c.samples {
		at, end := t.decided(r), len(t.class)-1
		right, rightAtEnd := t.class[at] == t.truth, t.class[end] == t.truth
		tally.Add(right, rightAtEnd, t.seen[at])
		lost += (t.probability[end] - t.probability[at]) / n
		if right != rightAtEnd {
			changed++
		}
	}
	f := tally.Figures()
	return f, max(lost, f.AtEnd-f.Accuracy+math.Sqrt(changed)/n) // √changed / n is the error of paired samples
}

// best returns the rule of the greatest worth; of equal ones the first that was tried. Where nothing is worth 0, it
// decides nothing before the end.
func (c *choice) best(agreements []int, worth func(f Figures, lost float64) float64) *Rule {
	best, most := &Rule{}, math.Inf(-1)
	try := func(agree int, all []float64) {
		r := &Rule{Looks: c.looks, Agree: agree, Thresholds: all}
		if w := worth(c.judge(r)); w > most+slack {
			best, most = r, w
		}
	}
	for _, agree := range agreements {
		for _, threshold := range thresholds {
			try(agree, slices.Repeat([]float64{threshold}, c.classes))
		}
	}
	for range sweeps {
		for class, count := range c.count {
			if count < leastOfClass {
				continue
			}
			for _, threshold := range thresholds {
				all := slices.Clone(best.Thresholds)
				all[class] = threshold
				try(best.Agree, all)
			}
		}
	}
	return best
}

// curve returns Rule.Curve.
func (c *choice) curve() (points []Point) {
	for look := range len(c.looks) + 1 {
		var p Point
		for _, t := range c.samples {
			at := min(look, len(t.class)-1)
			if look == len(c.looks) {
				at = len(t.class) - 1
			}
			p.Seen += t.seen[at]
			if t.class[at] == t.truth {
				p.Accuracy++
			}
		}
		n := float64(len(c.samples))
		points = append(points, Point{Seen: p.Seen / n, Accuracy: p.Accuracy / n})
	}
	return points
}
