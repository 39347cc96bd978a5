package recordings

// This file times the stretches of a recording by one clock.

import (
	"cmp"
	"slices"

	"github.com/clusterpool/ccp/internal/exact"
)

// timeStretches times the stretches of each recording as if they were whole: the times of day of one that begins after
// midnight go on from those of the one before, and times that float64 does not hold are counted from the first one of
// the recording, not from that of each stretch.
func (r *reading) timeStretches() {
	of := map[int][]*sample{}
	for _, x := range r.samples {
		if x.rows.times != nil {
			of[x.of] = append(of[x.of], x)
		}
	}
	for _, x := range r.samples {
		parts := of[x.of]
		if len(parts) > 1 && x == parts[0] {
			r.timeParts(parts)
		}
	}
}

// timeParts times the stretches of one recording.
func (r *reading) timeParts(parts []*sample) {
	slices.SortStableFunc(parts, func(a, b *sample) int { return cmp.Compare(a.from, b.from) })
	whole := rows{kind: parts[0].rows.kind}
	for _, x := range parts {
		for i, at := range x.rows.times {
			whole.addTime(at, x.rows.rest(i))
		}
	}
	r.goOnAfterMidnight(&whole, parts[0].path)
	r.countFromFirst(&whole, parts[0].path)
	at := 0
	for _, x := range parts {
		n := len(x.rows.times)
		x.rows.times, x.rows.rests = slices.Clone(whole.times[at:at+n]), nil
		if whole.rests != nil {
			x.rows.rests = slices.Clone(whole.rests[at : at+n])
		}
		at += n
	}
}

// goOnAfterMidnight lets times of day go on after midnight, and notes it.
func (r *reading) goOnAfterMidnight(lines *rows, where string) {
	if (lines.kind == clocks || lines.ofNoDay()) && lines.pastMidnight(secondsOfDay) {
		r.noteOf("midnight", "times of day go on after midnight, such as in "+where)
	}
}

// countFromFirst counts times that float64 does not hold from the first of them, and notes and reports it.
func (r *reading) countFromFirst(lines *rows, where string) bool {
	times, first := exact.FromFirst(lines.times, lines.rests)
	if first == "" {
		return false
	}
	lines.times, lines.rests = times, nil
	r.noteOf("exact", exact.Note(first)+", such as in "+where)
	return true
}
