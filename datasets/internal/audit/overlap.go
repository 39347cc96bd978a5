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
	overlapWork    = 1 << 29 // comparisons: of more samples than that allows some are compared with all
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
// must correlate: smooth outlines agree in their values alone. longest is the number of time points of the longest. Of
// very many samples it compares some with all of these, and the others with those that stand beside them. It returns
// how many were compared with all.
func (s *Samples) Overlaps(longest int) (found []Overlap, looked int) {
	if longest < leastOverlap {
		return nil, s.Len()
	}
	chosen := Chosen(s.Len(), int(math.Sqrt(overlapWork/float64(longest))))
	found = s.overlapsOf(chosen, len(chosen)).find()
	if len(chosen) < s.Len() {
		more := Chosen(s.Len(), max(len(chosen), overlapPlaces/longest))
		found = append(found, s.overlapsOf(more, overlapReach).find()...)
	}
	slices.SortFunc(found, func(a, b Overlap) int {
		return cmp.Or(cmp.Compare(a.Earlier, b.Earlier), cmp.Compare(a.Later, b.Later), cmp.Compare(a.Shift, b.Shift))
	})
	return slices.Compact(found), len(chosen)
}

// find lists the overlaps of samples that stand within reach of one another.
func (o *overlaps) find() (found []Overlap) {
	told := make([]int, len(o.chosen)) // the last one with which each was told: periodic recordings overlap at many places
	for a := range o.chosen {
		length := o.length[a]
		least := max(leastOverlap, int(leastShare*float64(length)))
		_, details := o.sample(a)
		for shift := 1; shift+least <= length; shift++ {
			here := signs(details[0], shift)
			head := ^uint32(0) >> (headDetails - min(headDetails, length-3-shift))
			for b := max(0, a-o.reach); b < min(len(o.chosen), a+o.reach+1); b++ {
				mismatch := bits.OnesCount32((here^o.begins[b])&head) > otherSigns
				if mismatch || a == b || told[b] == a+1 || o.flat[b] || o.length[b] < length-shift {
					continue
				}
				if o.sameFrom(a, b, shift) {
					told[b] = a + 1
					found = append(found, Overlap{o.chosen[a], o.chosen[b], shift})
				}
			}
		}
		if old := a - o.reach; old >= 0 {
			o.kept[old] = [2][][]float64{}
		}
	}
	return found
}

// overlaps is what a look for overlaps knows of some samples.
type overlaps struct {
	*Samples
	chosen []int
	reach  int      // samples before and after each that it is compared with
	begins []uint32 // the signs of their first third differences
	flat   []bool
	length []int
	kept   [][2][][]float64 // the values and third differences of [sample][sensor], of those that are needed
}

const (
	overlapPlaces = 1 << 21 // time points of all samples that are compared with those beside them
	overlapReach  = 8
)

// overlapsOf prepares a look at samples. If all are compared with all, their values are kept.
func (s *Samples) overlapsOf(chosen []int, reach int) *overlaps {
	n := len(chosen)
	o := &overlaps{Samples: s, chosen: chosen, reach: reach, begins: make([]uint32, n), flat: make([]bool, n),
		length: make([]int, n), kept: make([][2][][]float64, n)}
	for b := range chosen {
		series, details := o.sample(b)
		o.length[b], o.begins[b] = len(series[0]), signs(details[0], 0)
		o.flat[b] = !varied(series[0][:min(len(series[0]), headDetails)])
		if reach < n {
			o.kept[b] = [2][][]float64{}
		}
	}
	return o
}

// sample returns the values and third differences of some sensors of a sample.
func (o *overlaps) sample(at int) (series, details [][]float64) {
	if o.kept[at][0] == nil {
		series = o.firstSensors(o.chosen[at])
		for _, sensor := range series {
			details = append(details, thirdDifferences(sensor))
		}
		o.kept[at] = [2][][]float64{series, details}
	}
	return o.kept[at][0], o.kept[at][1]
}

// sameFrom reports whether sample a from time point shift on is the begin of sample b.
func (o *overlaps) sameFrom(a, b, shift int) bool {
	seriesA, detailsA := o.sample(a)
	seriesB, detailsB := o.sample(b)
	for sensor := range seriesA {
		one, other := detailsA[sensor][shift:], detailsB[sensor]
		whole := seriesA[sensor][shift:]
		agree := same(one, other[:len(one)], alikeDetails) && same(whole, seriesB[sensor][:len(whole)], alike)
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
