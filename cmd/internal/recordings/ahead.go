package recordings

// This file makes windows of early warning: their class is the event that begins soon after them.

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/clusterpool/ccp/datasets/recording"
	"github.com/clusterpool/ccp/internal/suggest"
	"github.com/clusterpool/ccp/internal/text"
)

// noEvent is the class of windows that no event follows soon, unless --rest names it.
const noEvent = "no event"

// joinStretches makes whole recordings again of their stretches: those that have a class are events.
func (m *making) joinStretches() {
	slices.SortStableFunc(m.samples, func(a, b *sample) int {
		return cmp.Or(cmp.Compare(a.of, b.of), cmp.Compare(a.from, b.from))
	})
	var whole []*sample
	for _, part := range m.samples {
		last, from := len(whole)-1, 0
		if part.from == 0 || last < 0 || whole[last].of != part.of {
			first := *part
			first.Values, first.Times = slices.Clone(part.Values), slices.Clone(part.Times)
			first.label = m.quiet()
			whole, last = append(whole, &first), last+1
		} else {
			from = whole[last].Timepoints() // part.from counts lines that came twice, too
			whole[last].Values = append(whole[last].Values, part.Values...)
			whole[last].Times = append(whole[last].Times, part.Times...)
		}
		if part.label != "" {
			whole[last].events = append(whole[last].events, marked{from, from + part.Timepoints(), part.label})
		}
	}
	m.samples = whole
}

// warned is a window of early warning: its class, and how many events of its recording have begun before it.
type warned struct {
	recording.Window
	label string
	after int
}

// outlook says what was recorded before and after the windows of a recording: in the unit of its times, or in time
// points.
type outlook struct {
	ahead, after float64
	each         float64 // what one time point stands for
	timeOf       func(at int) float64
	span         func(w recording.Window) (start, end float64)
	parts        [][2]int // the time points from the one to before the other, between which nothing was recorded
}

// outlookOf returns the outlook of a recording.
func (m *making) outlookOf(x *sample) (o outlook, err error) {
	second := 1.0
	o = outlook{each: 1, parts: m.recordedParts(x)}
	o.timeOf = func(at int) float64 { return float64(at) }
	o.span = func(w recording.Window) (start, end float64) { return w.Start, w.End }
	switch {
	case m.Ahead.Timepoints:
		o.span = func(w recording.Window) (start, end float64) { return float64(w.From), float64(w.To) }
	case x.Times != nil:
		o.each, second = 1/cmp.Or(x.Rate(), 1), cmp.Or(m.form.Second, 1)
		o.timeOf = func(at int) float64 { // also of the end
			if at == len(x.Times) {
				return x.Times[at-1] + o.each
			}
			return x.Times[at]
		}
	case m.form.Rate > 0:
		o.each = 1 / m.form.Rate
		o.timeOf = func(at int) float64 { return float64(at) / m.form.Rate }
	default:
		return o, errors.New("it has no times: give --ahead, --after and --window as numbers of time points")
	}
	o.ahead, o.after = second*m.Ahead.Length, second*m.after().Length
	return o, nil
}

// recordedParts parts a recording at its pauses, in which no time point comes for longer than a window.
func (m *making) recordedParts(x *sample) (parts [][2]int) {
	pause := m.Cut.Window.Length * cmp.Or(m.form.Second, 1)
	if m.Cut.Window.Timepoints {
		pause = m.Cut.Window.Length / cmp.Or(x.Rate(), 1)
	}
	from := 0
	for i := 1; i < len(x.Times); i++ {
		if x.Times[i]-x.Times[i-1] > pause {
			parts, from = append(parts, [2]int{from, i}), i
		}
	}
	return append(parts, [2]int{from, x.Timepoints()})
}

// recorded reports whether --ahead after a window, and --after before it, were recorded wholly. Of both half a time
// point may be missing, by which uneven times differ.
func (o *outlook) recorded(w recording.Window) bool {
	start, end := o.span(w)
	known := func(p [2]int) bool {
		first, last := o.timeOf(p[0]), o.timeOf(p[1]-1)+o.each
		return p[0] <= w.From && w.To <= p[1] && first <= start-o.after+o.each/2 && end+o.ahead-o.each/2 <= last
	}
	return slices.ContainsFunc(o.parts, known)
}

// warnings gives windows of a recording the class of the event that begins within --ahead of their end, or that of
// none. It leaves out, and counts, windows that lie in an event or begin within --after of its end, and those that no
// event is known to follow, but might, or might have come before, as not all of that time was recorded.
func (m *making) warnings(x *sample, windows []recording.Window) (all []warned, left leftOut, err error) {
	o, err := m.outlookOf(x)
	if err != nil {
		return nil, left, err
	}
	for _, w := range windows {
		label, begun, isNear := x.label, 0, false
		soonest := math.Inf(1)
		start, end := o.span(w)
		for _, e := range x.events {
			const rounding = 1e-6
			from, to := o.timeOf(e.from), o.timeOf(e.to)
			if e.from < w.To {
				begun++
			}
			isNear = isNear || e.from < w.To && start < to+o.after-rounding
			if wait := from - end; e.from >= w.To && wait <= o.ahead+rounding && wait < soonest {
				label, soonest = e.label, wait
			}
		}
		switch {
		case isNear:
			left.near++
		case math.IsInf(soonest, 1) && !o.recorded(w):
			left.unknown++
		default:
			all = append(all, warned{w, label, begun})
		}
	}
	return all, left, nil
}

// leftOut counts windows that early warning leaves out: those in events or after them, and those of which it is unknown
// whether an event is near.
type leftOut struct{ near, unknown int }

// quiet returns the class of windows that no event follows soon.
func (m *making) quiet() string { return suggest.Truth(suggest.Tidy(cmp.Or(m.Rest, noEvent))) }

// after returns how long after an event windows are left out.
func (m *making) after() recording.Span {
	return recording.Span{Length: cmp.Or(m.After.Length, m.Ahead.Length), Timepoints: m.Ahead.Timepoints}
}

// eventCount counts the events of a class, and those that a window has ahead.
type eventCount struct{ all, warned int }

// countEvents counts the events of a recording, of which these windows are taken.
func (c *cutter) countEvents(x *sample, windows []warned) {
	hasWindow := map[int]bool{}
	for _, w := range windows {
		if w.label != x.label {
			hasWindow[w.after] = true // events are in order: it is the next
		}
	}
	for i, e := range x.events {
		of := c.events[e.label]
		of.all++
		if hasWindow[i] {
			of.warned++
		}
		c.events[e.label] = of
	}
}

// noteEvents tells of events without a window.
func (c *cutter) noteEvents() {
	all, without := 0, 0
	for _, of := range c.events {
		all, without = all+of.all, without+of.all-of.warned
	}
	if without > 0 {
		c.making.note("%d of %s have no window that ends within %s (--ahead) before them: take a shorter --step, a longer "+
			"--ahead or a shorter --after", without, text.Count(all, "event"), c.Ahead)
	}
}

// noteLeft tells of windows that are left out for events, or as none is known.
func (c *cutter) noteLeft() {
	if c.left.near > 0 {
		c.making.note("%s, are left out (--after)", c.nearEvents())
	}
	if c.left.unknown > 0 {
		c.making.note("%s, are left out", c.unknownEvents())
	}
}

// nearEvents says which windows are left out for an event.
func (c *cutter) nearEvents() string {
	return fmt.Sprintf("%s in an event, or less than %s after one", text.Count(c.left.near, "window"), c.after())
}

// unknownEvents says which windows are left out for what was not recorded.
func (c *cutter) unknownEvents() string {
	return fmt.Sprintf("%s whose next %s (--ahead) or last %s (--after) were not wholly recorded, so that an event may "+
		"be there", text.Count(c.left.unknown, "window"), c.Ahead, c.after())
}

// allLeft says which windows are left out, in an error.
func (c *cutter) allLeft() string {
	var all []string
	if c.left.near > 0 {
		all = append(all, c.nearEvents()+" (--after, which is as long as --ahead unless it is given)")
	}
	if c.left.unknown > 0 {
		all = append(all, c.unknownEvents())
	}
	return strings.Join(all, "; and ")
}

// checkAhead returns an error if windows of early warning lack a class: that of no event, or one of events.
func (c *cutter) checkAhead() error {
	left := map[string]bool{}
	for _, x := range c.samples {
		left[x.label] = true
	}
	quiet := c.quiet()
	isEvent := func(class string) bool { return class != quiet }
	switch classes := slices.Sorted(maps.Keys(left)); {
	case c.events[quiet].all > 0:
		return fmt.Errorf("events and windows without one ahead would both be of class %q; name that of the latter "+
			"otherwise, "+
			"with --rest", quiet)
	case !slices.ContainsFunc(classes, isEvent):
		return fmt.Errorf("no window of %s ends within %s of the begin of an event and has none just before it; the classes "+
			"of the table, or of the intervals, are the events: give a shorter window, a shorter --step, a longer --ahead or a "+
			"shorter --after", c.Cut.Window, c.Ahead)
	case !left[quiet]:
		return fmt.Errorf("class %q would be lost: an event begins within %s of the end (--ahead) of each window that "+
			"is left, "+
			"and left out are %s; give a shorter --ahead or --after", quiet, c.Ahead, c.allLeft())
	}
	for _, class := range slices.Sorted(maps.Keys(c.events)) {
		if !left[class] {
			return fmt.Errorf("class %q would be lost: no window ends within %s (--ahead) of the begin of any of its %s and "+
				"has no event just before it; give a shorter --step, a longer --ahead or a shorter --after, or remove the class "+
				"from the table", class, c.Ahead, text.Count(c.events[class].all, "event"))
		}
	}
	return nil
}
