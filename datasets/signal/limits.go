package signal

// This file finds the limits of the training samples, and leaves out what few of them do and is far from all others.

import (
	"math"
	"slices"
)

const (
	fewSamples = 0.05 // of the samples: what fewer do is left out of the limits
	mostFew    = 50   // of them are kept for each channel
	calmer     = 100  // how many times less than all others a channel varies that is left out
	farther    = 20   // how many ranges of all others a value lies beyond them that is left out
)

// Odd is a training sample that the limits of a channel leave out.
type Odd struct {
	Sample int // its number in the order of the training samples
	Column int // the channel, or the channel of a sensor
	What   What
	Value  float32 // how much it varies, how far it goes, or for which share it repeats one value
}

// What is odd about a channel of a sample.
type What int

// What may be odd.
const (
	Calm  What = iota // it varies much less than in the others, or not at all
	Far               // it goes far beyond all others
	Stuck             // it repeats one value for most of the time
)

// limits keeps the most extreme values of each channel, with the samples that have them.
type limits struct {
	most           int        // extremes that are kept
	least, lowered []extremes // the least values, and the greatest with the other sign
	spread         []extremes // the smallest spreads
	stuck          []extremes // the longest repeats, with the other sign
}

// extremes are the least values of a channel, ascending.
type extremes []extreme

// extreme is the value of a sample.
type extreme struct {
	value  float32
	sample int32
}

func newLimits(width, samples int) *limits {
	l := &limits{most: min(mostFew, int(math.Ceil(fewSamples*float64(samples)))-1)}
	l.most = max(0, l.most) + 1 // with the first that is no exception
	for _, list := range []*[]extremes{&l.least, &l.lowered, &l.spread, &l.stuck} {
		*list = make([]extremes, width)
	}
	return l
}

// add takes the range of a sample.
func (l *limits) add(sample int, one Range) {
	for at := range l.least {
		l.least[at] = l.least[at].with(one.Least[at], sample, l.most)
		l.lowered[at] = l.lowered[at].with(-one.Most[at], sample, l.most)
		l.spread[at] = l.spread[at].with(one.Spread[at], sample, l.most)
		l.stuck[at] = l.stuck[at].with(-one.Stuck[at], sample, l.most)
	}
}

// with adds a value if it is among the least so many.
func (e extremes) with(value float32, sample, most int) extremes {
	if len(e) == most && !(value < e[most-1].value) {
		return e
	}
	at, _ := slices.BinarySearchFunc(e, value, func(x extreme, v float32) int {
		if x.value <= v {
			return -1
		}
		return 1
	})
	if len(e) == most {
		e = e[:most-1]
	}
	return slices.Insert(e, at, extreme{value, int32(sample)})
}

// from returns the first place of a value that is no exception.
func (e extremes) from(usual func(value float32) bool) int {
	for at := range e {
		if usual(e[at].value) {
			return at
		}
	}
	return len(e) - 1
}

// settle returns the limits, and what they leave out.
func (l *limits) settle() (*Range, []Odd) {
	r := &Range{}
	var odd []Odd
	for at := range l.least {
		leave := func(e extremes, from int, what What, sign float32) float32 {
			for _, x := range e[:from] {
				odd = append(odd, Odd{int(x.sample), at, what, sign * x.value})
			}
			return sign * e[from].value
		}
		least, lowered, spread, repeats := l.least[at], l.lowered[at], l.spread[at], l.stuck[at]
		low, high := least[len(least)-1].value, -lowered[len(lowered)-1].value
		reach := float32(math.Inf(1))
		if high > low {
			reach = farther * (high - low)
		}
		r.Least = append(r.Least, leave(least, least.from(func(v float32) bool { return v >= low-reach }), Far, 1))
		r.Most = append(r.Most, leave(lowered, lowered.from(func(v float32) bool { return -v <= high+reach }), Far, -1))
		usual := spread[len(spread)-1].value
		r.Spread = append(r.Spread, leave(spread, spread.from(func(v float32) bool { return v*calmer >= usual }), Calm, 1))
		longest := -repeats[len(repeats)-1].value
		isUsual := func(v float32) bool { return -v <= stuck || longest > stuck }
		r.Stuck = append(r.Stuck, leave(repeats, repeats.from(isUsual), Stuck, -1))
	}
	return r, odd
}
