package recordings

import (
	"fmt"
	"slices"

	"github.com/clusterpool/ccp/internal/loop"
	"github.com/clusterpool/ccp/internal/text"
)

// dayOf reads the day of a row whose time of day may be a number in a column of its own. What is no date is none.
func (t *table) dayOf(line int, cell string) (seconds float64, ok bool) {
	number, _, isNumber := decimal(cell)
	if isNumber {
		for _, f := range digitForms {
			if f.point > 0 || !slices.Contains([]string{"YMD", "yMD", "YJ"}, f.fields) {
				continue
			}
			seconds, _, ok := f.secondsOf(number, 0)
			if ok {
				return seconds, true
			}
		}
		return 0, false
	}
	seconds, kind, err := t.days.parse(cell, line)
	t.timeNumbers.slashed = t.timeNumbers.slashed || kind == slashed
	return seconds, err == nil && (kind == dates || kind == slashed)
}

// addDay keeps the day of a row, before its time is added. Once a row has none, no later one gets any: fewer days than
// times tell readOnDays that the column does not hold a date in each line.
func (t *table) addDay(r *rows, line int, cell string) {
	if len(r.days) != len(r.times) {
		return
	}
	day, ok := t.dayOf(line, cell)
	if ok {
		r.days = append(r.days, day)
	}
}

// plainSeconds stands for numbers that are seconds since midnight.
var plainSeconds = digitForm{name: "seconds of the day"}

// readOnDays reads the times of samples whose days change in a column of their own, and reports whether there are such.
// It is an error if the numbers are no times of day, and do not go on by themselves.
func (r *reading) readOnDays(all []*sample) (found bool, err error) {
	var changing *sample
	for _, x := range all {
		d := x.rows.days
		if len(d) != len(x.rows.times) {
			w := r.timeNumbers
			if w.date != "" && !r.known {
				r.note("column %s beside the times of column %s does not hold a date in each line; left out (--take with the "+
					"names of all sensors takes it for one)", w.date, w.heading)
			}
			return false, nil
		}
		if changing == nil && slices.ContainsFunc(d, func(day float64) bool { return day != d[0] }) {
			changing = x
		}
	}
	if changing == nil {
		return false, nil
	}
	var best *digitForm
	least, any := 0, false
	for _, f := range formsOnDays(r.Clock) {
		uneven, ok := unevenOnDays(f, all)
		if ok && (!any || uneven < least) {
			best, least, any = f, uneven, true
		}
	}
	w := r.timeNumbers
	switch {
	case !any:
		return true, fmt.Errorf("%s: column %s changes within a recording, and column %s holds numbers that are no times "+
			"of day, such as %s: write these as 23:59:59, or leave the dates out with --leave %q",
			changing.path, w.date, w.heading,
			text.Time(changing.rows.times[len(changing.rows.times)-1]), w.date)
	case best == nil:
		return true, nil
	}
	for _, x := range all {
		x.rows, _ = onDays(best, &x.rows)
		if r.timeNumbers.slashed {
			x.rows.kind = slashed
		}
	}
	r.keepForm(best, fmt.Sprintf("times of day, %s, on the days of column %s", best.name, r.timeNumbers.date))
	return true, nil
}

// formsOnDays returns the forms that numbers beside a column of days may have: the one that the import has found, if it
// has, else all of times of day. nil stands for numbers that go on by themselves, whatever the days are.
func formsOnDays(clock string) (forms []*digitForm) {
	if clock == plainSeconds.name {
		return []*digitForm{&plainSeconds}
	}
	named := formNamed(clock)
	if named != nil {
		return []*digitForm{named}
	}
	if clock == "" {
		forms = append(forms, nil)
	}
	for i, f := range digitForms {
		if f.isOfDay() && f.name != "MMSS" {
			forms = append(forms, &digitForms[i])
		}
	}
	if clock == "" {
		forms = append(forms, &plainSeconds)
	}
	return forms
}

// onDays returns rows whose numbers are times of a form on their days.
func onDays(f *digitForm, r *rows) (d rows, ok bool) {
	if f == nil {
		return *r, true
	}
	if *f == plainSeconds {
		d = *r
		d.times, d.rests = slices.Clone(r.times), nil
		if slices.ContainsFunc(d.times, func(at float64) bool { return at < 0 || at >= secondsOfDay }) {
			return d, false
		}
	} else if d, ok = r.decoded(f); !ok {
		return d, false
	}
	d.kind = dates
	each := 1.0
	if f.name == sixtieths {
		each = secondsOfDay / hoursOfDay
		if slices.ContainsFunc(r.times, func(at float64) bool { return at >= hoursOfDay }) {
			return d, false
		}
		for i, at := range r.times { // without the days that decoded adds
			d.times[i], _, _ = f.secondsOf(at, 0)
		}
	}
	for i, day := range r.days {
		d.times[i] = day + each*d.times[i]
	}
	return d, true
}

// unevenOnDays counts the uneven steps of times of a form on their days.
func unevenOnDays(f *digitForm, all []*sample) (count int, ok bool) {
	for _, x := range all {
		d, ok := onDays(f, &x.rows)
		if !ok {
			return 0, false
		}
		for _, part := range d.bySensor(loop.Indices(len(d.times))) {
			var steps []float64
			for k := 1; k < len(part); k++ {
				step := d.step(part[k-1], part[k])
				if f == nil && step < 0 { // numbers that begin again with a day
					return 0, false
				}
				steps = append(steps, step)
			}
			if len(steps) > 0 {
				uneven, _ := unevenness(steps)
				for _, isUneven := range uneven {
					if isUneven {
						count++
					}
				}
			}
		}
	}
	return count, true
}
