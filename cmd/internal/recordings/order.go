package recordings

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/clusterpool/ccp/datasets/recording"
)

// resent counts lines that repeat another one, as a logger sends them again that got no answer.
type resent struct {
	lines int
	first string // where the first is
}

// dropResent takes the rows from sorted ones that have the time, the column and the values of another one, but for the
// first of them in the file. It keeps them all if these are more than half of them: then a clock stood still.
func (r *reading) dropResent(s *sample, lines *rows, sorted []int) []int {
	values := len(lines.values) / len(lines.times)
	row := func(i int) []float64 { return lines.values[i*values:][:values] }
	again := map[int]bool{}
	first := len(sorted)
	for k, begin := 1, 0; k < len(sorted); k++ {
		i := sorted[k]
		if lines.compare(sorted[begin], i) != 0 {
			begin = k
			continue
		}
		if slices.EqualFunc(row(sorted[begin]), row(i), func(a, b float64) bool { return a == b || a != a && b != b }) {
			again[i], first = true, min(first, i)
		}
	}
	if len(again) == 0 || 2*len(again) > len(sorted) {
		return sorted
	}
	if r.resent.lines == 0 {
		r.resent.first = fmt.Sprintf("line %d of %s", lines.line(first), s.path)
	}
	r.resent.lines += len(again)
	return slices.DeleteFunc(sorted, func(i int) bool { return again[i] })
}

// compare orders rows by their times, and then by their columns.
func (r *rows) compare(a, b int) int {
	return cmp.Or(cmp.Compare(r.times[a], r.times[b]), cmp.Compare(r.columns[a], r.columns[b]))
}

// bySensor parts rows by the columns that they are of; without columns they are one part.
func (r *rows) bySensor(all []int) (parts [][]int) {
	if len(r.columns) == 0 {
		return [][]int{all}
	}
	place := map[int32]int{}
	for _, i := range all {
		at, known := place[r.columns[i]]
		if !known {
			at, parts = len(parts), append(parts, nil)
			place[r.columns[i]] = at
		}
		parts[at] = append(parts[at], i)
	}
	return parts
}

// wentBack returns an error if a clock was set back among rows in the order of the file. Rows in any order are no such
// case. Times are written as their file has them.
func (r *rows) wentBack(all []int, written recording.TimeForm) error {
	times := make([]float64, len(all))
	for k, i := range all {
		times[k] = r.times[i]
	}
	at := farBack(times)
	if at == 0 {
		at = setBack(times)
	}
	if at == 0 {
		return nil
	}
	return fmt.Errorf("line %d: the time goes back, from %s to %s, while most lines are in order: a clock was set "+
		"back, or a counter began again; cut the recording there into two, correct the times, or leave their column out "+
		"with --leave",
		r.line(all[at]), written.Text(times[at-1]), written.Text(times[at]))
}

// farBack returns the last place where times, in the order of the file and nearly always ascending, go back by more
// than minSteps lines, or from a time that is ahead of those minSteps lines later; 0 if they do nowhere. A jump at the
// last line counts only if it goes back before the first time: one late line says nothing of a clock.
func farBack(times []float64) int {
	steps, jump := 0, 0
	for i, time := range times {
		before := times[max(0, i-1)]
		if time >= before {
			continue
		}
		steps++
		if ahead := i - 1 + minSteps; time < times[max(0, i-minSteps)] || ahead < len(times) && before > times[ahead] {
			jump = i
		}
	}
	if len(times) >= minSteps*(steps+1) && (jump < len(times)-1 || times[jump] < times[0]) {
		return jump
	}
	return 0
}

// setBack returns where times with an even step go back by a step or more and run again through a stretch that earlier
// lines have; 0 if they do nowhere. A stretch that is run through twice has more lines than its length divided by the
// step. Lines that only came late do not add up to more: they fill a gap.
func setBack(times []float64) int {
	const (
		much = 1.25 // times as many lines
		same = 1e-6 // of a step
	)
	usual, sorted := usualStep(times), slices.Sorted(slices.Values(times))
	sortedStep := usualStep(sorted)
	// If the sorted times lie closer than the usual step, lines such as every seventh came first, and others fill the gaps
	// between them: no clock went back.
	interleaved := sortedStep > 0 && sortedStep < usual*(1-same)
	if usual == 0 || interleaved {
		return 0
	}
	for i := 1; i < len(times); i++ {
		from, to := times[i], times[i-1]
		if to-from < usual*(1-same) {
			continue
		}
		begin, _ := slices.BinarySearch(sorted, from-same*usual)
		end, _ := slices.BinarySearch(sorted, to+same*usual)
		if float64(end-begin) > much*((to-from)/usual+1) {
			return i
		}
	}
	return 0
}

// usualStep returns the median of the steps by which successive times go forward. It returns 0 if too few tell: fewer
// than three, or than half of the times, go forward, or fewer than three quarters of those are near the median.
func usualStep(times []float64) float64 {
	const near = 0.25 // of the step
	var steps []float64
	for i, time := range times[1:] {
		if time > times[i] {
			steps = append(steps, time-times[i])
		}
	}
	if len(steps) < 3 || 2*len(steps) < len(times) {
		return 0
	}
	slices.Sort(steps)
	usual, alike := steps[len(steps)/2], 0
	for _, step := range steps {
		if math.Abs(step-usual) <= near*usual {
			alike++
		}
	}
	if 4*alike < 3*len(steps) {
		return 0
	}
	return usual
}

// outOfOrder returns the least number of rows to move so that the times of all rise.
func (r *rows) outOfOrder(all []int) int {
	var ends []float64 // the least time at which a rising sequence of each length ends
	for _, i := range all {
		at, _ := slices.BinarySearchFunc(ends, r.times[i], func(end, time float64) int {
			if end <= time {
				return -1
			}
			return 1
		})
		if at == len(ends) {
			ends = append(ends, 0)
		}
		ends[at] = r.times[i]
	}
	return len(all) - len(ends)
}
