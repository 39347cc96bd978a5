package audit

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
)

// Overlap says that one recording is in part another: from time point Shift on, Earlier is what Later begins with, up
// to a factor and an offset for each sensor.
type Overlap struct{ Earlier, Later, Shift int }

const (
	overlapWork    = 1 << 29 // comparisons: of more samples than that allows some are looked at
	leastOverlap   = 16      // time points
	leastShare     = 0.2     // of a recording, that both have
	leastDistinct  = 8       // values: a few spikes among zeros are alike by chance
	alike          = 0.999   // values are the same but for rounding: machines that switch on alike reach 0.996
	alikeDetails   = 0.98    // third differences, of which rounding is a larger part
	beyondChance   = 8       // deviations of a correlation by Fisher's transformation
	overlapSensors = 2
	headDetails    = 32 // third differences, the signs of which are compared first
	otherSigns     = 4  // of them, by rounding
	compared       = 256
)

// Overlaps lists recordings that overlap, in any order. The values of the whole overlap and their third differences
// must correlate: smooth outlines agree in their values alone. longest is the number of time points of the longest.
func (s *Samples) Overlaps(longest int) (found []Overlap) {
	if longest < leastOverlap {
		return nil
	}
	chosen := Chosen(s.Len(), int(math.Sqrt(overlapWork/float64(longest))))
	heads := make([][][]float64, len(chosen)) // third differences of [sample][sensor]
	series := make([][][]float64, len(chosen))
	for at, i := range chosen {
		series[at] = s.firstSensors(i)
		for _, sensor := range series[at] {
			heads[at] = append(heads[at], thirdDifferences(sensor))
		}
	}
	begins, flat := make([]uint32, len(chosen)), make([]bool, len(chosen))
	for b := range chosen {
		begins[b] = signs(heads[b][0], 0)
		flat[b] = !varied(series[b][0][:min(len(series[b][0]), headDetails)])
	}
	for a := range chosen {
		length := len(series[a][0])
		least := max(leastOverlap, int(leastShare*float64(length)))
		told := make([]bool, len(chosen)) // once for each pair: periodic recordings overlap at many places
		for shift := 1; shift+least <= length; shift++ {
			here := signs(heads[a][0], shift)
			head := ^uint32(0) >> (headDetails - min(headDetails, length-3-shift))
			for b, begin := range begins {
				mismatch := bits.OnesCount32((here^begin)&head) > otherSigns
				if mismatch || a == b || told[b] || flat[b] || len(series[b][0]) < length-shift {
					continue
				}
				if s.sameFrom(series, heads, a, b, shift) {
					told[b] = true
					found = append(found, Overlap{chosen[a], chosen[b], shift})
				}
			}
		}
	}
	slices.SortFunc(found, func(a, b Overlap) int {
		return cmp.Or(cmp.Compare(a.Earlier, b.Earlier), cmp.Compare(a.Later, b.Later), cmp.Compare(a.Shift, b.Shift))
	})
	return found
}

// sameFrom reports whether sample a from time point shift on is the begin of sample b.
func (s *Samples) sameFrom(series, details [][][]float64, a, b, shift int) bool {
	for sensor := range series[a] {
		one, other := details[a][sensor][shift:], details[b][sensor]
		whole := series[a][sensor][shift:]
		agree := same(one, other[:len(one)], alikeDetails) && same(whole, series[b][sensor][:len(whole)], alike)
		if !agree || !varied(whole[:min(len(whole), compared)]) {
			return false
		}
	}
	return true
}

// signs has a bit for each of some values from a place on: whether it is above 0.
func signs(values []float64, from int) (all uint32) {
	for at, value := range values[from:min(len(values), from+headDetails)] {
		if value > 0 {
			all |= 1 << at
		}
	}
	return all
}

// same reports whether values correlate by least, and more than chance lets them. Of many it compares the first and the
// last.
func same(a, b []float64, least float64) bool {
	if len(a) > 2*compared {
		end := len(a) - compared
		return same(a[:compared], b[:compared], least) && same(a[end:], b[end:], least)
	}
	const one = 1 - 1e-9 // whose transformation is finite
	r := correlation(a, b)
	return r >= least && math.Atanh(min(r, one))*math.Sqrt(float64(len(a)-3)) >= beyondChance
}

// varied reports whether values are not all alike but for a few.
func varied(values []float64) bool {
	sorted := slices.Sorted(slices.Values(values))
	return len(slices.Compact(sorted)) >= leastDistinct
}

// firstSensors returns the values of some sensors of sample i, `[sensor][time point]`.
func (s *Samples) firstSensors(i int) (sensors [][]float64) {
	values := s.Values(i)
	for _, at := range spread(s.Width, overlapSensors) {
		sensor := make([]float64, 0, len(values)/s.Width)
		for ; at < len(values); at += s.Width {
			sensor = append(sensor, float64(values[at]))
		}
		sensors = append(sensors, sensor)
	}
	return sensors
}

// thirdDifferences returns the differences of the differences of the differences of values.
func thirdDifferences(values []float64) []float64 {
	var differences []float64
	for at := 3; at < len(values); at++ {
		differences = append(differences, values[at]-3*values[at-1]+3*values[at-2]-values[at-3])
	}
	return differences
}

// correlation returns Pearson's correlation; 0 if one of them is constant.
func correlation(a, b []float64) float64 {
	n := float64(len(a))
	var sumA, sumB, squaresA, squaresB, products float64
	for at, x := range a {
		y := b[at]
		sumA, sumB = sumA+x, sumB+y
		squaresA, squaresB, products = squaresA+x*x, squaresB+y*y, products+x*y
	}
	varianceA, varianceB := squaresA-sumA*sumA/n, squaresB-sumB*sumB/n
	const rounding = 1e-12
	if !(varianceA > rounding*squaresA && varianceB > rounding*squaresB) {
		return 0
	}
	return (products - sumA*sumB/n) / math.Sqrt(varianceA*varianceB)
}
