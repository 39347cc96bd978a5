package recording

// This file reads recordings whose class is told before their end, as far as they can be read.

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"sort"
)

// Unread says why the series of a recording is not that of a whole one.
type Unread struct {
	// Timepoints are all that the recording has so far, also those behind the series.
	Timepoints int
	Why        string
}

// SoFar returns the values of a recording whose class is told before its end, as Series does, and why they are not
// those of a whole one; nil if they are. If more lies in holes than Judge lets pass, the recording is read up to where
// that begins: what came before does not rest on it. Holes are measured by the longest recording of the training until
// this one is as long, since it may go on. Where a sensor has no value so far, there are no values. The error is about
// what no later time point mends.
func (f *Form) SoFar(r Recording) (values []float32, unread *Unread, notes []string, err error) {
	switch {
	case f == nil:
		return nil, nil, nil, ErrNoForm
	case r.Series != nil || r.Unread != nil:
		return r.Series, r.Unread, r.Notes, nil
	case len(r.Values) == 0 && len(r.Times) == 0:
		return nil, &Unread{Why: whyUnread(errors.New("it has no values"))}, r.Notes, nil
	}
	name := r.Name
	r.Name, r.isWindow = "", true // so that no reason says to cut it
	values, notes, wrong := f.Series(r)
	if wrong == nil {
		return values, nil, notes, nil
	}
	r.Values = slices.Clone(r.Values) // the caller's stay as they are
	var c Changes
	err = f.order(&r, &c)
	if err == nil && r.Timepoints() >= leastRows { // which show what is usual
		err = f.unit(&r, &Changes{})
	}
	if err != nil && name != "" {
		err = fmt.Errorf("%s: %w", name, err)
	}
	if err != nil {
		return nil, nil, notes, err
	}
	values, unread, more := f.readable(&r, wrong)
	return values, unread, slices.Concat(r.Notes, c.Notes, more), nil
}

// whyUnread says why nothing can be read of a recording.
func whyUnread(why error) string {
	says := why.Error()
	if none, ok := errors.AsType[noValueError](why); ok {
		says = none.says // there may be values later
	}
	return "nothing can be read of it so far: " + says
}

// readable returns the values of an ordered recording as far as it can be read, and what it is not read for. As a whole
// it is refused.
func (f *Form) readable(r *Recording, refused error) (values []float32, unread *Unread, notes []string) {
	f.cutEnd(r)
	count := r.Timepoints()
	most := count // that a look may see
	if f.Longest > 0 {
		most = min(count, 1+sort.Search(count, func(last int) bool { return f.between(r, 0, last+1) >= f.Longest }))
	}
	part := sort.Search(most, func(last int) bool { return f.refuses(r, last+1) != nil })
	unread = &Unread{Timepoints: max(1, f.between(r, 0, count)), Why: whyUnread(refused)}
	if part == 0 {
		return nil, unread, nil
	}
	var more error // why the next time point is not read
	if part < most {
		more = f.refuses(r, part+1)
	}
	begin := r.begin(part)
	f.cutEnd(&begin)
	part = begin.Timepoints()
	changes, err := f.Prepare(&begin)
	if err != nil {
		unread.Why = whyUnread(err)
		return nil, unread, nil
	}
	note, _ := f.judgeSoFar(changes.Holes, f.between(&begin, 0, begin.Timepoints())) // it is not refused
	values, notes = f.evenly(begin, changes.Notes, note)
	timepoints := len(values) / f.Width()
	unread.Timepoints = timepoints + f.between(r, part, count)
	switch {
	case more != nil && r.Times != nil:
		unread.Why = fmt.Sprintf("it is read up to time %s: %v", r.Written.Text(r.Times[part-1]), more)
	case more != nil:
		unread.Why = fmt.Sprintf("its first %d time points are read: %v", part, more)
	case timepoints < f.Shortest: // which goes on for certain
		unread = nil
	default:
		unread.Why = "it is taken for one that goes on: " + refused.Error()
	}
	return values, unread, notes
}

// refuses says why an ordered recording cannot be read up to so many of its time points; nil if not for its holes.
func (f *Form) refuses(r *Recording, timepoints int) error {
	begin := r.begin(timepoints)
	err := begin.pause()
	if err == nil {
		changes, _ := f.Prepare(&begin) // of what is wrong otherwise the caller will hear
		_, err = f.judgeSoFar(changes.Holes, f.between(&begin, 0, begin.Timepoints()))
	}
	return err
}

// begin returns the first time points of an ordered recording, as a recording of its own.
func (r *Recording) begin(timepoints int) Recording {
	begin := r.Part(Window{From: 0, To: timepoints})
	begin.Values = slices.Clone(begin.Values)
	return begin
}

// between returns how many time points of the training's rate pass from one number of time points of an ordered
// recording to another one.
func (f *Form) between(r *Recording, from, to int) int {
	if r.Times == nil || f.Rate == 0 || from == to {
		return to - from
	}
	if from == 0 {
		return 1 + f.between(r, 1, to)
	}
	return int(min(math.MaxInt32, math.Round((r.Times[to-1]-r.Times[from-1])*f.Rate)))
}
