package recordings

// This file decides whether times that are numbers are dates or times of day, and reads them so.

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/clusterpool/ccp/internal/exact"
	"github.com/clusterpool/ccp/internal/text"
)

// timeNumbers are times of all files that are written as numbers, and how.
type timeNumbers struct {
	heading, unit string
	date          string // the heading of their days; "" without
	slashed       bool   // these have the day and the month in an order that may be either
	padded        int    // the digits of numbers that begin with 0, as 0930 does; 0 for none
}

// plainUnit matches the units of times that count from some begin, and are no times of day.
var plainUnit = regexp.MustCompile(`^(?i:s|secs?|seconds?|ms|millis|milliseconds|micros(?:econds)?|nanos(?:econds)?|us|µs|ns)` +
	`(?:[ _.](?i:elapsed))?$`)

// numbersAsTimes finds out whether the times that are written as numbers are dates or times of day, such as 2359, and
// reads them so. It is an error if that cannot be told.
func (r *reading) numbersAsTimes() error {
	w := r.timeNumbers
	all := slices.DeleteFunc(slices.Clone(r.samples),
		func(x *sample) bool { return x.rows.kind != numbers || len(x.rows.times) == 0 })
	if len(all) == 0 {
		return nil
	}
	found, err := r.readOnDays(all)
	if found {
		return err
	}
	f := formNamed(cmp.Or(r.Clock, w.unit))
	if f == nil {
		f = formNamed(w.heading)
	}
	if f != nil {
		return r.readAsForm(f, all)
	}
	if mayBeTemperature(w.heading) || plainUnit.MatchString(w.unit) || plainUnit.MatchString(w.heading) {
		return nil
	}
	f, maybe := r.formOf(all)
	switch {
	case f != nil && r.eitherOrder(f, all):
		return fmt.Errorf("%s: column %s has dates such as %s, a day and a month in an order that no date tells; %s",
			all[0].path, w.heading, text.Time(all[0].rows.times[0]), r.sayOrder())
	case f != nil:
		return r.readAsForm(f, all)
	case maybe != nil && !r.known: // else the training's were plain numbers
		x := all[0]
		return fmt.Errorf("%s: column %s may hold dates or times of day, %s, or plain numbers, such as %s, and its steps "+
			"are uneven in both ways: head it %q if they are the former, and with their unit, such as %q, if not",
			x.path, w.heading, maybe.name,
			text.Time(x.rows.times[0]), fmt.Sprintf("time (%s)", maybe.name), "time (s)")
	}
	r.noteMaybeDays(all)
	return nil
}

// noteMaybeDays notes numbers that are read as they are and may be days all the same, as days of one month or of one
// year are, which go on alike in both ways. They are of the same order then, and only their unit is unknown.
func (r *reading) noteMaybeDays(all []*sample) {
	w := r.timeNumbers
	if r.known || w.date != "" || perSecond[strings.ToLower(w.unit)] > 0 {
		return
	}
	for _, name := range []string{"YYYYMMDD", "YYYYDDD"} {
		f := formNamed(name)
		t := r.fitOf(f, all)
		if t != nil && t.steps >= fewSteps && t.byChance(f) < noticed {
			r.note("column %s holds numbers such as %s, which may be days, %s: read as plain numbers; head it %q if they are "+
				"days, and with their unit, such as %q, if not", w.heading, text.Time(all[0].rows.times[0]), name,
				fmt.Sprintf("time (%s)", name), "time (s)")
			return
		}
	}
}

// formOf returns the form that the times of all samples prove, or one that they may have.
func (r *reading) formOf(all []*sample) (proven, maybe *digitForm) {
	w := r.timeNumbers
	var best *fit // of the proven one
	for i := range digitForms {
		f := &digitForms[i]
		if r.rulesOut(f) {
			continue
		}
		t := r.fitOf(f, all)
		switch {
		case t == nil:
		case f.evident(w.heading), t.proves(f):
			if best == nil || t.isMoreEven(best) {
				proven, best = f, t
			}
		case maybe == nil && t.suggests(f):
			maybe = f
		}
	}
	return proven, maybe
}

// rulesOut reports that the times cannot have a form, whatever their values are: by zeros before the numbers, by their
// heading or their unit, or by the order of days and months.
func (r *reading) rulesOut(f *digitForm) bool {
	w := r.timeNumbers
	if f.isOfDay() && dateHeading.MatchString(w.heading) {
		return true
	}
	if f.fields == "DMY" && r.days.first() == "month" || f.fields == "MDY" && r.days.first() == "day" {
		return true
	}
	if f.name == sixtieths {
		return false
	}
	hasUnit := perSecond[strings.ToLower(w.unit)] > 0
	size := 0
	for _, field := range f.fields {
		size += int(math.Round(math.Log10(float64(widths[field]))))
	}
	isPadded := size == w.padded || f.isOfDay() && size-1 == w.padded // an hour of one digit: 059, 100, …, 959, 1000
	return hasUnit || w.padded > 0 && !isPadded
}

// eitherOrder reports that dates may as well have the day and the month in the other order.
func (r *reading) eitherOrder(f *digitForm, all []*sample) bool {
	other := ""
	switch f.fields {
	case "DMY":
		other = "MMDDYYYY"
	case "MDY":
		other = "DDMMYYYY"
	}
	if other == "" || r.days.first() != "" {
		return false
	}
	turned := r.fitOf(formNamed(other), all)
	return turned != nil && turned.uneven <= r.fitOf(f, all).uneven
}

// datesOnly matches the headings of dates.
var datesOnly = regexp.MustCompile(`(?i:date|datum|fecha|day|yyyy)`)

// evident reports that valid times are of the form without any other proof: by their size, or as dates under the
// heading of dates.
func (f *digitForm) evident(heading string) bool {
	dated := datesOnly.MatchString(heading) && strings.ContainsAny(f.fields, "Yy") && f.fields != "YQ"
	return f.point == 0 && (strings.HasPrefix(f.fields, "YMDh") || dated)
}

// readAsForm replaces the times of all samples, which were read as plain numbers, by what the numbers mean in a form:
// 930 in the form HHMM is half past nine. It keeps the form for recordings to classify, and notes it. It is an error if
// a number has no meaning in the form.
func (r *reading) readAsForm(f *digitForm, all []*sample) error {
	w := r.timeNumbers
	var before, after *rows // of the last sample that had times of its own: as they were, and as they are now
	for _, x := range all {
		was := x.rows
		if before != nil && was.sharesTimes(before) { // most samples of a table have the same times: decode them once
			x.rows.times, x.rows.rests, x.rows.kind = after.times, after.rests, after.kind
			continue
		}
		i := was.firstOther(f)
		if i >= 0 {
			return fmt.Errorf("%s, line %d: column %s: %s is no time %s, as those of the heading or of the training are; "+
				"write all alike, or leave the column out with --leave %q", x.path, was.line(i), w.heading,
				exact.Text(was.times[i], was.rest(i)), f.name, w.heading)
		}
		decoded, _ := was.decoded(f)
		x.rows, before, after = decoded, &was, &decoded
	}
	r.keepForm(f, f.forPeople())
	return nil
}

// keepForm keeps that numbers are read as times of a form, which kind names for people, and notes it unless the heading
// says so already.
func (r *reading) keepForm(f *digitForm, kind string) {
	heading := r.timeNumbers.heading
	r.Clock = f.name
	if r.samples[0].rows.kind != numbers { // dates and times of day are in seconds now; sixtieths stay numbers
		r.chosen.second = 1
	}
	asTime := "; column " + heading + " as time"
	for _, as := range slices.Collect(maps.Keys(r.as)) {
		before, _, found := strings.Cut(as.after, asTime)
		if found {
			delete(r.as, as)
			as.after = before + asTime + " " + f.name
			r.as[as] = true
		}
	}
	if !r.known && !f.evident(heading) {
		r.note("column %s is read as %s", heading, kind)
	}
}
