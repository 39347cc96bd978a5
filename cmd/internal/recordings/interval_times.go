package recordings

// This file finds the intervals of a table in the times of a recording.

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/clusterpool/ccp/internal/loop"
)

// intervalsIn are intervals in the unit of a recording's times, by one way to read them.
type intervalsIn struct {
	all []interval
	way string // for people; "" where the table and the recording have one clock
}

// inTimesOf returns intervals in the unit of a recording's times, in order. Programs that show a recording count
// seconds from its begin, whatever times it has: of the ways to read intervals, the one counts by which they cover most
// of the recording. Where the recording's own times are digits such as 0930, intervals that may be such digits are.
func (m *making) inTimesOf(own []interval, x *sample) ([]interval, error) {
	times := x.Times
	best, most := m.mostCovering(own, times)
	digits, hasDigits := m.ofDigits(own, m.reading.Clock, times)
	if hasDigits {
		covers := covered(digits.all, times)
		if covers > most/2 { // 9.30 that is half past nine covers about as much as a plain number
			best, most = digits, covers
		}
	}
	isOff := math.IsInf(most, -1) && len(own) > 0
	if isOff && hasDigits {
		best = digits
	} else if isOff {
		best.all = slices.Clone(own)
	}
	err := inOrder(m.Labels, best.all)
	if isOff && (err == nil || m.alienClock(own)) {
		err = m.offRecording(best.all, x)
	}
	if err != nil {
		return nil, err
	}
	if best.way != "" {
		m.noteOf("times of intervals", fmt.Sprintf("the intervals of %s are taken for %s", m.Labels, best.way))
	}
	m.noteOutside(best.all, x)
	return best.all, nil
}

// mostCovering returns the way to read intervals by which they cover most of a recording: as numbers, dates or times of
// day, on the recording's clock or from its begin on, or as digits that are times of day or dates, as the recording's
// times are. most is -Inf if no way suits.
func (m *making) mostCovering(own []interval, times []float64) (best intervalsIn, most float64) {
	second, most := cmp.Or(m.chosen.second, 1), math.Inf(-1)
	better := func(in intervalsIn) {
		if covers := covered(in.all, times); covers > most {
			best, most = in, covers
		}
	}
	areSeconds := slices.ContainsFunc(own, func(v interval) bool { return v.seconds })
	for _, from := range []float64{0, times[0]} {
		way := ""
		if from != 0 {
			way = "times since the begin of the recording"
		}
		if !areSeconds {
			better(intervalsIn{inUnit(own, 1, from), way})
		}
		better(intervalsIn{m.passMidnight(inUnit(own, second, from), secondsOfDay, times), way})
	}
	for _, f := range digitForms {
		if second != 1 || f.name == sixtieths || f.isOfDay() != m.ofDay {
			continue
		}
		in, ok := m.ofDigits(own, f.name, times)
		if ok {
			better(in)
		}
	}
	return best, most
}

// inUnit returns intervals in a unit, of which they have factor, from some time on.
func inUnit(own []interval, factor, from float64) []interval {
	all := slices.Clone(own)
	for i, v := range own {
		all[i].start, all[i].end = from+factor*v.start, from+factor*v.end
	}
	return all
}

// covered returns how much more of a recording intervals cover than lies outside of it; -Inf if they are not of it: if
// nothing is covered, one ends before it begins, or so much lies outside that they are of another unit.
func covered(all []interval, times []float64) float64 {
	const mostOutside = 10 // times what lies inside
	first, last, within, outside := times[0], times[len(times)-1], 0.0, 0.0
	for _, v := range all {
		inside := min(last, v.end) - max(first, v.start)
		within += max(0, inside)
		outside += max(0, v.end-max(last, v.start)) + max(0, min(first, v.end)-v.start)
		if v.start == v.end && inside >= 0 { // an event of no length
			within += (last - first) / float64(len(all))
		}
	}
	if within <= 0 || outside >= mostOutside*within {
		return math.Inf(-1)
	}
	return within - outside
}

// ofDigits reads intervals whose times are all digits of a form, such as 0930. ok is false if they are not.
func (m *making) ofDigits(own []interval, form string, times []float64) (in intervalsIn, ok bool) {
	f := formNamed(form)
	if f == nil {
		return in, false
	}
	all := slices.Clone(own)
	for i, v := range own {
		begin, _, isTime := f.secondsOf(v.start, 0)
		end := begin + v.lasts
		if !v.hasLength && isTime {
			end, _, isTime = f.secondsOf(v.end, 0)
		}
		if !isTime || v.seconds {
			return in, false
		}
		all[i].start, all[i].end = begin, end
	}
	switch {
	case f.name == sixtieths:
		all = m.passMidnight(all, hoursOfDay, times)
	case f.isOfDay():
		all = m.passMidnight(all, secondsOfDay, times)
	}
	return intervalsIn{all, f.forPeople()}, true
}

// passMidnight lets times of day go on after midnight, as those of the recording do. If that is shorter than a day, it
// says of which day an interval is. Else the order of the table does, in which times that go back by half a day or more
// are of the next one.
func (m *making) passMidnight(own []interval, day float64, times []float64) []interval {
	if !m.ofDay && day == secondsOfDay {
		return own
	}
	first, last := times[0], times[len(times)-1]
	if last-first >= day {
		return inTableOrder(own, day)
	}
	all := slices.Clone(own)
	for i, v := range all {
		if v.start-v.end >= day/2 {
			v.end += day
		}
		inside := func(days float64) float64 { return min(last, v.end+days*day) - max(first, v.start+days*day) }
		if inside(1) > inside(0) {
			v.start, v.end = v.start+day, v.end+day
		}
		all[i] = v
	}
	return all
}

// inTableOrder adds their days to intervals in the order of their table, or none if that is not their order in time.
func inTableOrder(own []interval, day float64) []interval {
	lines := rows{}
	for _, v := range own {
		lines.times = append(lines.times, v.start, v.end)
	}
	days, _, ordered := lines.daysOf([][]int{loop.Indices(len(lines.times))}, day)
	if !ordered {
		return own
	}
	all := slices.Clone(own)
	for i := range all {
		all[i].start, all[i].end = all[i].start+days[2*i]*day, all[i].end+days[2*i+1]*day
	}
	return all
}
