package audit

import (
	"math"
	"math/bits"
)

// This file compares stretches of two sensors quickly: most are told apart by the outlines of their first time points,
// and the others by sums that are known before.

// overlapping is a sensor of a recording, and its third differences.
type overlapping struct{ values, details summed }

// outlined is the number of time points that an outline describes.
const outlined = 32

// outline describes the first time points of a stretch by what no factor and no offset changes: whether third
// differences are above 0, and whether each value is above the mean of those before it. Smooth curves are often alike
// in one of both.
type outline struct {
	bits, known uint64 // known has the bits that the stretch is long enough for
}

// outline describes a sensor from a time point on.
func (s *overlapping) outline(from int) (o outline) {
	details := s.details.of[min(from, len(s.details.of)):]
	zero := s.details.rounding() - s.details.mean
	for at, detail := range details[:min(len(details), outlined)] {
		o.known |= 1 << at
		if detail > zero {
			o.bits |= 1 << at
		}
	}
	values := s.values.of[from:]
	sum, least := 0.0, s.values.rounding()
	for at, value := range values[:min(len(values), outlined)] {
		bit := uint64(1) << (outlined + at)
		o.known |= bit
		if (value-least)*float64(at) > sum {
			o.bits |= bit
		}
		sum += value
	}
	return o
}

// differs reports whether a stretch that is not shorter begins with so different bits as rounding does not explain.
func (o outline) differs(longer uint64) bool {
	const rounded = 10 // one bit of so many
	return rounded*bits.OnesCount64((o.bits^longer)&o.known) > bits.OnesCount64(o.known)
}

// begin returns as many values from a time point on as an outline describes, or as there are, with a mean of 0 and a
// length of 1.
func (s *overlapping) begin(from int) []float32 {
	n := min(outlined, len(s.values.of)-from)
	begin := make([]float32, n)
	sum, variance := s.values.stretch(from, n)
	if variance == 0 {
		return begin
	}
	for at, value := range s.values.of[from : from+n] {
		begin[at] = float32((value - sum/float64(n)) / math.Sqrt(variance))
	}
	return begin
}

// near reports whether two begins correlate. Those of unlike lengths are not compared.
func near(a, b []float32) bool {
	const alikeBegins = 0.98 // of a begin that changes little rounding is a larger part
	if len(a) != len(b) {
		return true
	}
	products := float32(0)
	for at, value := range a {
		products += value * b[at]
	}
	return products >= alikeBegins
}

// summed are values less their mean, with the sums of the first 0, 1, 2, … of them and of their squares. With these
// the correlation of two stretches takes their products alone.
type summed struct {
	of, sums, squares []float64
	mean              float64
}

func newSummed(values []float64) summed {
	n := len(values)
	s := summed{of: make([]float64, n), sums: make([]float64, n+1), squares: make([]float64, n+1)}
	for _, value := range values {
		s.mean += value / float64(n)
	}
	for at, value := range values {
		value -= s.mean
		s.of[at], s.sums[at+1], s.squares[at+1] = value, s.sums[at]+value, s.squares[at]+value*value
	}
	return s
}

// rounding returns a difference of values that says nothing, such as those of a constant stretch in float32.
func (s summed) rounding() float64 {
	const share = 1e-5 // of the deviation
	n := len(s.of)
	return share * math.Sqrt(s.squares[n]/max(1, float64(n)))
}

// goesOnAs reports whether the values from a place on correlate with the first ones of another by least, and more than
// chance lets them. Of many it compares the first and the last.
func (s summed) goesOnAs(other summed, from int, least float64) bool {
	n := len(s.of) - from
	if n > 2*compared {
		end := n - compared
		return s.correlates(from, other, 0, compared, least) && s.correlates(from+end, other, end, compared, least)
	}
	return s.correlates(from, other, 0, n, least)
}

// correlates reports whether n values from a place on correlate by least with those of another from its own place on,
// and by more than chance lets them (Fisher's transformation).
func (s summed) correlates(from int, other summed, begin, n int, least float64) bool {
	const one = 1 - 1e-9 // whose transformation is finite
	sumA, varianceA := s.stretch(from, n)
	sumB, varianceB := other.stretch(begin, n)
	if varianceA == 0 || varianceB == 0 {
		return false
	}
	products := 0.0
	values := other.of[begin : begin+n]
	for at, value := range s.of[from : from+n] {
		products += value * values[at]
	}
	r := (products - sumA*sumB/float64(n)) / math.Sqrt(varianceA*varianceB)
	return r >= least && math.Atanh(min(r, one))*math.Sqrt(float64(n-3)) >= beyondChance
}

// stretch returns the sum of n values from a place on, and their sum of squares about their mean; 0 if that is no more
// than rounding.
func (s summed) stretch(from, n int) (sum, variance float64) {
	const rounding = 1e-11 // of the squares of all values
	sum = s.sums[from+n] - s.sums[from]
	variance = s.squares[from+n] - s.squares[from] - sum*sum/float64(n)
	if variance <= rounding*s.squares[len(s.of)] {
		return sum, 0
	}
	return sum, variance
}
