package recordings

// This file measures how well a form of dates or times of day suits times that are numbers, by the steps between them.

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/clusterpool/ccp/internal/loop"
	"github.com/gomlx/gomlx/support/xslices"
)

// fit says how well a form suits the times of all samples, by the steps between successive times.
type fit struct {
	steps           int
	unevenNumbers   int     // steps that differ from the usual one, as plain numbers
	uneven          int     // and as times of the form
	gained, lost    int     // uneven steps of numbers that are even as times, and the reverse
	offNumbers, off float64 // how much the steps differ, in mean steps
	least, most     float64 // the ratio of steps as times and as numbers
	values          int
	ends            [100]bool // the last two digits of all numbers
	grain           int64     // the greatest common divisor of 100 and the last two digits of all numbers
	largest         float64   // of all numbers
}

// fitOf measures how well a form suits the times. It is nil if some number is no time of the form, or if no number has
// as many decimals as the form.
func (r *reading) fitOf(f *digitForm, all []*sample) *fit {
	t := &fit{least: math.Inf(1), most: math.Inf(-1), grain: 100}
	for i, x := range all { // first a cheap check: most forms fail at the first values
		checked := i > 0 && x.rows.sameTimes(&all[i-1].rows)
		if !checked && !x.rows.allOf(f) {
			return nil
		}
	}
	if f.point > 0 && !slices.ContainsFunc(all, func(x *sample) bool { return x.rows.haveDecimalsOf(f) }) {
		return nil
	}
	var before *sample
	for _, x := range all {
		severalSensors := len(x.rows.columns) > 0 // whose steps differ, though all rows together have the same times
		if before != nil && x.rows.sameTimes(&before.rows) && !severalSensors {
			continue // the same times again prove nothing more
		}
		before = x
		decoded, _ := x.rows.decoded(f)
		if decoded.kind == clocks {
			decoded.pastMidnight(secondsOfDay)
		}
		for _, at := range x.rows.times {
			t.largest = max(t.largest, at)
			if f.name == sixtieths {
				at *= 100
			}
			at *= math.Pow10(f.point)
			last := int64(math.Mod(math.Round(at), 100))
			t.grain, t.ends[last] = gcd(t.grain, last), true
		}
		for _, part := range x.rows.bySensor(loop.Indices(len(x.rows.times))) {
			t.add(part, &x.rows, &decoded)
		}
	}
	return t
}

// add compares the steps between successive rows as numbers and as times of a form. Rows that are in no order count in
// that of the times.
func (t *fit) add(part []int, number, time *rows) {
	if !rise(xslices.Map(part, func(i int) float64 { return time.times[i] })) {
		part = slices.Clone(part)
		slices.SortStableFunc(part, func(a, b int) int { return cmp.Compare(time.times[a], time.times[b]) })
	}
	var numbers, times []float64
	for k := 1; k < len(part); k++ {
		n, s := number.step(part[k-1], part[k]), time.step(part[k-1], part[k])
		if s == 0 { // a line that came twice
			continue
		}
		numbers, times = append(numbers, n), append(times, s)
		t.least, t.most = min(t.least, n/s), max(t.most, n/s)
	}
	if len(times) == 0 {
		return
	}
	t.values += len(times) + 1
	t.steps += len(times)
	unevenNumbers, offNumbers := unevenness(numbers)
	uneven, off := unevenness(times)
	t.offNumbers, t.off = t.offNumbers+offNumbers, t.off+off
	for i := range times {
		switch {
		case unevenNumbers[i] && uneven[i]: // something is missing there
			t.unevenNumbers, t.uneven = t.unevenNumbers+1, t.uneven+1
		case unevenNumbers[i]:
			t.unevenNumbers, t.gained = t.unevenNumbers+1, t.gained+1
		case uneven[i]:
			t.uneven, t.lost = t.uneven+1, t.lost+1
		}
	}
}

// sameTimes reports whether the rows have the times of others, one by one.
func (r *rows) sameTimes(others *rows) bool {
	return slices.Equal(r.times, others.times) && slices.Equal(r.rests, others.rests)
}

// step returns the time from one row to another.
func (r *rows) step(from, to int) float64 {
	return r.times[to] - r.times[from] + (r.rest(to) - r.rest(from))
}

// unevenness says which steps differ from the usual one, and by how many mean steps all differ together.
func unevenness(steps []float64) (uneven []bool, off float64) {
	const (
		near = 0.1 // of a step, as between months
		most = 3   // mean steps, that a pause counts
	)
	usual, mean := slices.Sorted(slices.Values(steps))[len(steps)/2], 0.0
	for _, step := range steps {
		mean += math.Abs(step) / float64(len(steps))
	}
	for _, step := range steps {
		by := math.Abs(step - usual)
		uneven = append(uneven, !(by <= near*math.Abs(usual)))
		off += min(by/mean, most)
	}
	return uneven, off
}

// differs reports that some steps are others than those of plain numbers.
func (t *fit) differs() bool { return t.steps > 0 && t.most-t.least > 1e-6*math.Abs(t.most) }

const (
	fewSteps   = 4    // which prove nothing
	unlikely   = 1e-6 // a chance that counts as none
	noticed    = 2e-3 // a chance that makes a person ask
	lessUneven = 0.9  // of the unevenness of plain numbers, which chance may well undercut by less
	vanishing  = 4    // of so many steps one may contradict the others
)

// proves reports that numbers are times of the form: uneven steps of numbers are even as times, hardly any the other
// way, and most of all are even as times. Or the numbers are uneven in both ways, less so as times, and so many that
// they would not all be valid times by chance.
func (t *fit) proves(f *digitForm) bool {
	if !t.differs() || t.steps < fewSteps || t.gained == 0 {
		return false
	}
	mostlyEven := vanishing*t.lost <= t.gained && vanishing*t.uneven <= t.steps
	return mostlyEven || t.byChance(f) < unlikely && t.suggests(f)
}

// suggests reports that the numbers may well be times of the form, and may as well be plain numbers.
func (t *fit) suggests(f *digitForm) bool {
	return t.differs() && vanishing*t.unevenNumbers >= t.steps && t.off < lessUneven*t.offNumbers &&
		t.byChance(f) < noticed
}

// byChance returns the probability that as many plain numbers look like times. Multiples of 50 look like minutes more
// often than others.
func (t *fit) byChance(f *digitForm) float64 {
	chance, n := f.chance, t.values
	endsWithSixtieths := f.fields == "" || strings.HasSuffix(f.fields, "m") || strings.HasSuffix(f.fields, "s")
	if endsWithSixtieths {
		const all = 0.6 // of the numbers below 100 that are minutes
		valid, numbers := (59/t.grain)+1, 100/t.grain
		chance, n = chance/all*float64(valid)/float64(numbers), 0
		for _, there := range t.ends { // the same minutes again say nothing new
			if there {
				n++
			}
		}
		if f.fields == "hms" && t.largest < 1e4 { // their minutes are no field of two digits that follows another one
			chance /= all
		}
	}
	return math.Pow(min(1, chance), float64(n))
}

// isMoreEven reports that the steps are more even than those of another fit, of the same times: fewer are uneven or, of
// as many, they differ less.
func (t *fit) isMoreEven(other *fit) bool {
	if t.uneven != other.uneven {
		return t.uneven < other.uneven
	}
	return t.off < other.off-1e-6*float64(t.steps)
}
