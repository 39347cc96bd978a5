package audit

import (
	"cmp"
	"math"
	"slices"
)

// Overlap says that one recording is in part another: from time point Shift on, Earlier is what Later begins with, up
// to a factor and an offset for each sensor.
type Overlap struct{ Earlier, Later, Shift int }

// Some says how many samples were compared with all of these, and how many with those beside them in the file. Both are
// 0 if all samples were compared with all.
type Some struct{ WithAll, Beside int }

const (
	overlapWork    = 1 << 28 // comparisons: of more samples than that allows some are compared with all
	leastOverlap   = 16      // time points
	leastShare     = 0.2     // of a recording, that both have
	leastDistinct  = 8       // values: a few spikes among zeros are alike by chance
	alike          = 0.999   // values are the same but for rounding: machines that switch on alike reach 0.996
	alikeDetails   = 0.98    // third differences, of which rounding is a larger part
	beyondChance   = 8       // deviations of a correlation by Fisher's transformation
	overlapSensors = 2
	compared       = 256
)

// Overlaps lists recordings that overlap, in any order. The values of the whole overlap and their third differences
// must correlate: smooth outlines agree in their values alone. longest is the number of time points of the longest. Of
// very many samples it compares some with all of these, and more with those that stand beside them.
func (s *Samples) Overlaps(longest int) (found []Overlap, some Some) {
	if longest < leastOverlap {
		return nil, some
	}
	chosen := Chosen(s.Len(), int(math.Sqrt(overlapWork/float64(longest))))
	found = s.overlapsOf(chosen, len(chosen)).find()
	if len(chosen) < s.Len() {
		more := Chosen(s.Len(), max(len(chosen), overlapPlaces/longest))
		some = Some{len(chosen), len(more)}
		found = append(found, s.overlapsOf(more, overlapReach).find()...)
	}
	slices.SortFunc(found, func(a, b Overlap) int {
		return cmp.Or(cmp.Compare(a.Earlier, b.Earlier), cmp.Compare(a.Later, b.Later), cmp.Compare(a.Shift, b.Shift))
	})
	return slices.Compact(found), some
}

// find lists the overlaps of samples that stand within reach of one another.
func (o *overlaps) find() (found []Overlap) {
	for a := range o.chosen {
		for ; o.ready < min(len(o.chosen), a+o.reach+1); o.ready++ {
			o.prepare(o.ready)
		}
		least := max(leastOverlap, int(leastShare*float64(o.length[a])))
		told := map[int]bool{} // periodic recordings overlap at many places
		for shift := 1; shift+least <= o.length[a]; shift++ {
			for _, b := range o.likeFrom(a, shift) {
				if !told[b] && o.sameFrom(a, b, shift) {
					told[b] = true
					found = append(found, Overlap{o.chosen[a], o.chosen[b], shift})
				}
			}
		}
		if old := a - o.reach; old >= 0 {
			o.kept[old] = nil
		}
	}
	return found
}

// likeFrom lists the samples within reach that begin about as sample a goes on from time point shift.
func (o *overlaps) likeFrom(a, shift int) (like []int) {
	first, left := o.kept[a][0], o.length[a]-shift
	here := first.outline(shift)
	from, to := max(0, a-o.reach), min(len(o.chosen), a+o.reach+1)
	var begin []float32 // is made where it is needed
	for at, there := range o.bits[from:to] {
		if here.differs(there) {
			continue
		}
		b := from + at
		if a == b || o.flat[b] || o.length[b] < left {
			continue
		}
		if begin == nil {
			begin = first.begin(shift)
		}
		if near(begin, o.begins[b]) {
			like = append(like, b)
		}
	}
	return like
}

// overlaps is what a look for overlaps knows of some samples.
type overlaps struct {
	*Samples
	chosen []int
	reach  int             // samples before and after each that it is compared with
	ready  int             // the first ones of chosen, of which the following is known
	kept   [][]overlapping // [sample][sensor], of those that are still needed
	bits   []uint64        // those of outlines
	begins [][]float32
	flat   []bool
	length []int
}

const (
	overlapPlaces = 1 << 20 // time points of all samples that are compared with those beside them
	overlapReach  = 8
)

// overlapsOf prepares a look at samples.
func (s *Samples) overlapsOf(chosen []int, reach int) *overlaps {
	n := len(chosen)
	return &overlaps{Samples: s, chosen: chosen, reach: reach, kept: make([][]overlapping, n), bits: make([]uint64, n),
		begins: make([][]float32, n), flat: make([]bool, n), length: make([]int, n)}
}

// prepare reads a sample.
func (o *overlaps) prepare(at int) {
	for _, sensor := range o.firstSensors(o.chosen[at]) {
		o.kept[at] = append(o.kept[at], overlapping{newSummed(sensor), newSummed(thirdDifferences(sensor))})
	}
	first := o.kept[at][0]
	values := first.values.of
	o.length[at], o.bits[at], o.begins[at] = len(values), first.outline(0).bits, first.begin(0)
	o.flat[at] = !varied(values[:min(len(values), outlined)])
}

// sameFrom reports whether sample a from time point shift on is the begin of sample b.
func (o *overlaps) sameFrom(a, b, shift int) bool {
	other := o.kept[b]
	for at, sensor := range o.kept[a] {
		rest := sensor.values.of[shift:]
		if !sensor.values.goesOnAs(other[at].values, shift, alike) ||
			!sensor.details.goesOnAs(other[at].details, shift, alikeDetails) || !varied(rest[:min(len(rest), compared)]) {
			return false
		}
	}
	return true
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
	differences := make([]float64, 0, len(values))
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
