package datasets

// This file finds samples of which one tells what another is: copies, and recordings that overlap.

import (
	"encoding/binary"
	"hash/maphash"
	"math"
	"slices"

	"github.com/clusterpool/ccp/datasets/internal/audit"
	"github.com/clusterpool/ccp/internal/loop"
)

// lookForFamilies finds the families of samples that have no groups.
func (r *Raw) lookForFamilies() {
	if r.Groups != nil || r.families != nil {
		return
	}
	if r.Series != nil {
		width := len(r.Recorded.Sensors) * r.Recorded.Channels
		series := func(i int) []float32 { return r.Series[i] }
		timePoints := func(i int) int { return len(r.Series[i]) / width }
		r.families = findFamilies(sampleValues{r.Labels, width, timePoints, series, series})
		return
	}
	values := make([]float32, r.Nodes*r.Channels)
	r.families = findFamilies(sampleValues{labels: r.Labels, width: len(values), stored: func(i int) []float32 {
		r.Signals.Read(i, values)
		return values
	}})
}

// sampleValues are the values of samples, in which NaN is missing. What its functions return is valid until the next
// call.
type sampleValues struct {
	labels []int32
	width  int
	// timePoints returns those of a sample; nil: one each.
	timePoints func(i int) int
	// series returns a sample as `[time points, width]`, stored in any order that is the same for all.
	series, stored func(i int) []float32
}

// findFamilies finds the families of samples.
func findFamilies(v sampleValues) *families {
	f, n := &families{}, len(v.labels)
	joined := newUnion(n)
	f.findCopies(v, joined)
	var overlaps []audit.Overlap
	if v.timePoints != nil {
		longest := 0
		for i := range n {
			longest = max(longest, v.timePoints(i))
		}
		samples := &audit.Samples{Labels: v.labels, Width: v.width, Values: func(i int) []float32 {
			return withoutGaps(v.series(i), v.width)
		}}
		overlaps, f.some = samples.Overlaps(longest)
	}
	for _, o := range overlaps {
		joined.join(o.Earlier, o.Later)
	}
	f.overlaps = overlaps
	if f.copied == 0 && len(overlaps) == 0 {
		return f
	}
	f.of, f.size = joined.all(), make([]int, n)
	alone := 0 // units
	for i, first := range f.of {
		f.size[first]++
		if i == first {
			alone++
		}
	}
	if alone < fewestUnits {
		return &families{byChance: f.byChance} // they are made up, or all alike: nothing could be drawn
	}
	return f
}

// fewestUnits is the number of units of which a draw can be made.
const fewestUnits = 10

// chanceCopies is the share of equal samples of different classes above which few values make samples equal, and not
// copying.
const chanceCopies = 0.1

// fewClashes bounds the equal samples of different classes that may be mistakes: one in so many of all samples.
const fewClashes = 20

// leastByChance is the least number of equal pairs by chance that explains some.
const leastByChance = 0.1

// findCopies joins samples of one class that have the same values.
func (f *families) findCopies(v sampleValues, joined *union) {
	clashes := 0
	var pairs [][2]int
	different := map[uint64][]int{} // samples that differ, by the hash of some of their values
	var own []float32
	for i := range v.labels {
		key := keyOf(v.stored(i))
		if different[key] != nil {
			own = append(own[:0], v.stored(i)...)
		}
		before := slices.IndexFunc(different[key], func(j int) bool { return sameValues(own, v.stored(j)) })
		if before < 0 {
			different[key] = append(different[key], i)
			continue
		}
		if earlier := different[key][before]; v.labels[earlier] == v.labels[i] {
			pairs = append(pairs, [2]int{i, earlier})
		} else {
			clashes++
		}
	}
	several := float64(clashes) > chanceCopies*float64(len(pairs))
	f.byChance = several && (clashes*fewClashes > len(v.labels) || v.areEqualByChance(clashes+len(pairs)))
	if len(pairs) == 0 || several {
		return
	}
	f.copied, f.copy = len(pairs), pairs[0]
	for _, pair := range pairs {
		joined.join(pair[0], pair[1])
	}
}

// areEqualByChance reports whether so many equal pairs are not more than samples have whose values are drawn from few,
// each by itself.
func (v sampleValues) areEqualByChance(seen int) bool {
	const some, times, more = 32, 3, 2
	var rows [][]float32
	for _, i := range loop.Spread(loop.Indices(len(v.labels)), some) {
		rows = append(rows, slices.Clone(v.stored(i)))
		if len(rows[0]) != len(rows[len(rows)-1]) {
			return false
		}
	}
	pairs, n := float64(len(rows)*(len(rows)-1))/2, float64(len(v.labels))
	expected := n * (n - 1) / 2
	for at := range rows[0] {
		equal := 0.0
		for a, row := range rows {
			for _, other := range rows[:a] {
				if sameValues(row[at:at+1], other[at:at+1]) {
					equal++
				}
			}
		}
		expected *= equal / pairs
		if expected < leastByChance {
			return false
		}
	}
	return float64(seen) <= times*expected+more
}

// hashSeed makes hashes of this process alone: they are never stored.
var hashSeed = maphash.MakeSeed()

// keyOf returns a hash of the number of the values and of some of them, evenly spread.
func keyOf(values []float32) uint64 {
	const some = 64
	bytes := binary.LittleEndian.AppendUint64(nil, uint64(len(values)))
	for _, value := range loop.Spread(values, some) {
		bytes = binary.LittleEndian.AppendUint32(bytes, math.Float32bits(value))
	}
	return maphash.Bytes(hashSeed, bytes)
}

// sameValues reports whether all values are equal, and missing in the same places.
func sameValues(a, b []float32) bool {
	return slices.EqualFunc(a, b, func(x, y float32) bool { return x == y || x != x && y != y })
}

// withoutGaps returns values in which each missing one is that of the sensor's time point before; 0 at the begin.
// Values after the end are left out.
func withoutGaps(values []float32, width int) []float32 {
	missing := func(value float32) bool { return value != value }
	end := len(values)
	for end > width && !slices.ContainsFunc(values[end-width:end], func(v float32) bool { return !missing(v) }) {
		end -= width
	}
	whole := slices.Clone(values[:end])
	for at, value := range whole {
		switch {
		case !missing(value):
		case at < width:
			whole[at] = 0
		default:
			whole[at] = whole[at-width]
		}
	}
	return whole
}
