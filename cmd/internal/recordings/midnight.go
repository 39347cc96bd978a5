package recordings

// This file lets times of day go on after midnight.

import (
	"slices"
	"time"

	"github.com/clusterpool/ccp/internal/loop"
)

// pastMidnight reports whether times of day go on after midnight, and then adds the days, which have this length in
// their unit. Either each time that goes back does so by half a day or more, or times that are not in order have more
// than half a day without any: those before this gap are of the next day. Where the lines of one sensor come after
// those of another, each sensor has days of its own.
func (r *rows) pastMidnight(day float64) bool {
	if slices.IsSorted(r.times) {
		return false
	}
	days, most, ordered := r.daysOf([][]int{loop.Indices(len(r.times))}, day)
	ofSensors, mostOfSensors, orderedSensors := r.daysOf(r.bySensor(loop.Indices(len(r.times))), day)
	if orderedSensors && (!ordered || mostOfSensors < most) {
		days, most, ordered = ofSensors, mostOfSensors, true
	}
	if !ordered {
		return r.pastGap(day)
	}
	if most == 0 {
		return false
	}
	times := slices.Clone(r.times) // other samples may share the old ones
	for i := range times {
		times[i] += days[i] * day
	}
	r.times = times
	return true
}

// daysOf counts the days of rows, each part from its first. It is not ordered if a time goes back by less than half a
// day. A part that then lies before all times of that with the most days, and among them a day later, began after
// midnight.
func (r *rows) daysOf(parts [][]int, day float64) (days []float64, most float64, ordered bool) {
	days = make([]float64, len(r.times))
	longest := parts[0]
	for _, part := range parts {
		for k, i := range part[1:] {
			days[i] = days[part[k]]
			if back := r.times[part[k]] - r.times[i]; back > 0 {
				if back < day/2 {
					return nil, 0, false
				}
				days[i]++
			}
		}
		if last := days[part[len(part)-1]]; last > most {
			most, longest = last, part
		}
	}
	at := func(i int) float64 { return r.times[i] + days[i]*day }
	first, last := at(longest[0]), at(longest[len(longest)-1])
	for _, part := range parts {
		if at(part[len(part)-1]) < first && at(part[0])+day <= last {
			for _, i := range part {
				days[i]++
			}
		}
	}
	return days, most, true
}

// pastGap takes times of day in no order for those of an evening and the night after it, if they leave a gap of more
// than half a day: it adds a day to all times before the first such gap. It reports whether there is one.
func (r *rows) pastGap(day float64) bool {
	sorted := slices.Sorted(slices.Values(r.times))
	for i, next := range sorted[1:] {
		if next-sorted[i] > day/2 {
			times := slices.Clone(r.times) // other samples may share the old ones
			for at, time := range times {
				if time < next {
					times[at] += day
				}
			}
			r.times = times
			return true
		}
	}
	return false
}

// noDays are the days of times of day in a workbook: there such a time is a date, too. Which of them depends on whether
// its days count from 1904, and on whether its format has a day.
var noDays = []time.Time{
	time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC),
	time.Date(1899, 12, 31, 0, 0, 0, 0, time.UTC),
	time.Date(1904, 1, 1, 0, 0, 0, 0, time.UTC),
}

// ofNoDay reports whether all times are of a day that stands for none in a workbook.
func (r *rows) ofNoDay() bool {
	return slices.ContainsFunc(noDays, func(first time.Time) bool {
		return !slices.ContainsFunc(r.times,
			func(at float64) bool { return at < float64(first.Unix()) || at >= float64(first.Unix()+24*60*60) })
	})
}
