package recordings

// This file makes windows of early warning: their class is the event that begins soon after them.

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

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

// warnings gives windows of a recording the class of the event that begins within --ahead of their end, or that of
// none. It leaves out windows that lie in an event, or begin within --after of its end, and counts them.
func (m *making) warnings(x *sample, windows []recording.Window) (all []warned, left int, err error) {
	timeOf := func(at int) float64 { return float64(at) }
	second := 1.0
	switch {
	case m.Ahead.Timepoints:
	case x.Times != nil:
		each := 1 / cmp.Or(x.Rate(), 1)
		second = cmp.Or(m.form.Second, 1)
		timeOf = func(at int) float64 { // also of the end
			if at == len(x.Times) {
				return x.Times[at-1] + each
			}
			return x.Times[at]
		}
	case m.form.Rate > 0:
		timeOf = func(at int) float64 { return float64(at) / m.form.Rate }
	default:
		return nil, 0, errors.New("it has no times: give --ahead, --after and --window as numbers of time points")
	}
	ahead, after := second*m.Ahead.Length, second*m.after().Length
	for _, w := range windows {
		label, begun, isNear := x.label, 0, false
		start, soonest := timeOf(w.From), math.Inf(1)
		end := timeOf(w.To)
		for _, e := range x.events {
			const rounding = 1e-6
			from, to := timeOf(e.from), timeOf(e.to)
			if e.from < w.To {
				begun++
			}
			isNear = isNear || e.from < w.To && start < to+after-rounding
			if wait := from - end; e.from >= w.To && wait <= ahead+rounding && wait < soonest {
				label, soonest = e.label, wait
			}
		}
		if isNear {
			left++
			continue
		}
		all = append(all, warned{w, label, begun})
	}
	return all, left, nil
}

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

// nearEvents says which windows are left out for an event.
func (c *cutter) nearEvents() string {
	return fmt.Sprintf("%s in an event, or less than %s after one (--after, which is as long as --ahead unless it "+
		"is given)",
		text.Count(c.near, "window"), c.after())
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
			"and left out are %s; give a shorter --ahead or --after", quiet, c.Ahead, c.nearEvents())
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
