package recordings

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/clusterpool/ccp/datasets/recording"
	"github.com/clusterpool/ccp/internal/exact"
	"github.com/clusterpool/ccp/internal/loop"
	"github.com/gomlx/gomlx/support/xslices"
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
		return fmt.Errorf("%s: column %s has dates such as %s, a day and a month in an order that no date tells; say "+
			"--dates day if the day comes first, or --dates month",
			all[0].path, w.heading, recording.TimeText(all[0].rows.times[0]))
	case f != nil:
		return r.readAsForm(f, all)
	case maybe != nil && !r.known: // else the training's were plain numbers
		x := all[0]
		return fmt.Errorf("%s: column %s may hold dates or times of day, %s, or plain numbers, such as %s, and its steps "+
			"are uneven in both ways: head it %q if they are the former, and with their unit, such as %q, if not",
			x.path, w.heading, maybe.name,
			recording.TimeText(x.rows.times[0]), fmt.Sprintf("time (%s)", maybe.name), "time (s)")
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
				"days, and with their unit, such as %q, if not", w.heading, recording.TimeText(all[0].rows.times[0]), name,
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

// isMoreEven reports that the steps are more even than those of another fit, of the same times: fewer are uneven or, of
// as many, they differ less.
func (t *fit) isMoreEven(other *fit) bool {
	if t.uneven != other.uneven {
		return t.uneven < other.uneven
	}
	return t.off < other.off-1e-6*float64(t.steps)
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

// readAsForm reads the times of all samples as those of a form, and tells of it.
func (r *reading) readAsForm(f *digitForm, all []*sample) error {
	w := r.timeNumbers
	var before, after *rows
	for _, x := range all {
		was := x.rows
		if before != nil && len(was.times) == len(before.times) && &was.times[0] == &before.times[0] {
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
	kind := "dates"
	switch {
	case f.name == sixtieths:
		kind = "hours and minutes, or minutes and seconds"
	case f.isOfDay():
		kind = "times of day"
	}
	r.keepForm(f, kind+", "+f.name)
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
