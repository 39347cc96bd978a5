// Package extremes finds the lowest and the highest values of a column, and values so far outside all others that they
// stand for missing ones.
package extremes

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// Column are the values of a column at both ends, and some of all.
type Column struct {
	ends [2][4]tally // the lowest values, and the highest times -1; each from the outermost inwards
	// some holds every every-th value that was seen, from the first on. every is a power of two, which doubles when some
	// is full.
	some        []float64
	every, seen int
}

// tally is a value, and how often it came.
type tally struct {
	value float64
	times int
}

const (
	someValues = 512 // that tell the usual range
	// usualRange is the 1st to the 99th percentile of a normal variable, in quartile ranges.
	usualRange = 3.45
)

// usualGaps are the sizes of values that often stand for missing ones, and need not lie as far outside.
var usualGaps = []float64{99, 999, 9999, 99999, 32767, 32768, 65535}

// Reset forgets all values, and keeps their memory.
func (e *Column) Reset() { *e = Column{some: e.some[:0]} }

// Add takes a value that is a number.
func (e *Column) Add(v float64) {
	e.addToSome(v)
	addToEnd(&e.ends[0], v)
	addToEnd(&e.ends[1], -v)
}

// addToSome keeps every k-th value seen, at most someValues of them. k doubles whenever there is no room for more.
func (e *Column) addToSome(v float64) {
	e.every = max(1, e.every)
	isTurn := e.seen&(e.every-1) == 0 // every divides the number of values before
	e.seen++
	if !isTurn {
		return
	}
	if len(e.some) == someValues { // no room: keep every second one, and from now on half as many
		for i := range someValues / 2 {
			e.some[i] = e.some[2*i]
		}
		e.some, e.every = e.some[:someValues/2], 2*e.every
	}
	e.some = append(e.some, v)
}

// addToEnd counts a value among the lowest ones, or puts it there in its place and drops the highest of them.
func addToEnd(end *[4]tally, v float64) {
	at := len(end)
	if end[at-1].times > 0 && v > end[at-1].value { // nearly always
		return
	}
	for at > 0 && (end[at-1].times == 0 || v <= end[at-1].value) {
		at--
	}
	switch {
	case at < len(end) && end[at].times > 0 && end[at].value == v:
		end[at].times++
	case at < len(end):
		copy(end[at+1:], end[at:])
		end[at] = tally{v, 1}
	}
}

// AddEvery takes every stride-th value that is a number, the first among them.
func (e *Column) AddEvery(values []float32, stride int) {
	low, high := e.between()
	for at := 0; at < len(values); at += stride {
		v := float64(values[at])
		if v > low && v < high && e.seen&(e.every-1) != 0 { // nearly always
			e.seen++
			continue
		}
		if v == v {
			e.Add(v)
			low, high = e.between()
		}
	}
}

// between returns the bounds between which a value changes no end.
func (e *Column) between() (low, high float64) {
	lowest, highest := e.ends[0][len(e.ends[0])-1], e.ends[1][len(e.ends[1])-1]
	if lowest.times == 0 || highest.times == 0 {
		return math.Inf(1), math.Inf(-1)
	}
	return lowest.value, -highest.value
}

// Gap is a value far outside all others.
type Gap struct {
	Value     float64
	times, of int
}

// String says how often a gap comes.
func (g Gap) String() string {
	return fmt.Sprintf("is %g in %d of %d values, far from all others", g.Value, g.times, g.of)
}

// Gaps lists values far outside all others. Instruments write such values, as -9999, where they measured nothing. A
// value that comes less than three times must lie further outside. What is far is told by the quartiles, which other
// values outside do not change. If the quartiles are equal, the range of the other values tells it.
func (e *Column) Gaps() (gaps []Gap) {
	sorted := slices.Sorted(slices.Values(e.some))
	for i, end := range e.ends {
		sign := 1 - 2*float64(i)
		most := -e.ends[1-i][0].value                      // the value at the other end
		for inside := len(end) - 1; inside > 0; inside-- { // from the innermost: all that lie further outside are gaps, too
			if end[inside].times == 0 || !isFarOutside(end[inside-1], end[inside].value, most, sign, sorted) {
				continue
			}
			for _, gap := range end[:inside] {
				gaps = append(gaps, Gap{sign * gap.value, gap.times, e.seen})
			}
			break
		}
	}
	return gaps
}

// isFarOutside reports that a value at an end is far from the next one, as measured by how far the values inside lie
// apart. All are times sign, so that the end is the low one: most is the highest. sorted are some of all values, not
// times sign.
func isFarOutside(out tally, next, most, sign float64, sorted []float64) bool {
	centre, usual := 0.0, 0.0
	inner := slices.DeleteFunc(slices.Clone(sorted), func(v float64) bool { return sign*v <= out.value })
	if len(inner) > 0 {
		quartile := func(p float64) float64 { return stat.Quantile(p, stat.Empirical, inner, nil) }
		centre, usual = sign*quartile(0.5), usualRange*(quartile(0.75)-quartile(0.25))
	}
	if usual == 0 {
		usual = most - next
	}
	far, least := next-out.value, 10*usual
	if slices.Contains(usualGaps, math.Abs(out.value)) {
		least = 2 * usual
	}
	isApart := far > least && centre-out.value > 3*(centre-next)
	comesOftenEnough := out.times > 2 || far > 1000*usual
	return usual > 0 && isApart && comesOftenEnough
}
