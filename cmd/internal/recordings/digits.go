package recordings

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/clusterpool/ccp/datasets/recording"
	"github.com/clusterpool/ccp/internal/loop"
	"github.com/gomlx/gomlx/support/xslices"
)

// digitForm is a way to write dates and times of day as numbers, such as 2359 for a minute before midnight.
type digitForm struct {
	name   string
	fields string  // from the first digit to the last, each by its letter, see widths
	chance float64 // of a number of this size to look like such a time
}

// widths are the digits of each field: year, year of a century, month, day, day of the year, week, quarter, hour, minute, second,
// millisecond.
var widths = [128]int64{'Y': 1e4, 'y': 100, 'M': 100, 'D': 100, 'J': 1e3, 'W': 100, 'Q': 10, 'h': 100, 'm': 100, 's': 100, 'f': 1e3}

// fieldValues are the values of fields, by their letters.
type fieldValues [128]int16

// sixtieths are hours and minutes, or minutes and seconds, with a point between them.
const sixtieths = "H.MM"

// digitForms are all forms. Of two that suit equally well, the first is taken.
var digitForms = []digitForm{
	{"HHMM", "hm", 0.6}, {"HHMMSS", "hms", 0.36}, {"HHMMSSmmm", "hmsf", 0.6}, {sixtieths, "", 0.6}, {"MMSS", "ms", 0.6},
	{"YYYYMMDD", "YMD", 0.04}, {"YYYYMMDDHH", "YMDh", 0.01}, {"YYYYMMDDHHMM", "YMDhm", 0.005}, {"YYYYMMDDHHMMSS", "YMDhms", 0.003},
	{"YYYYMMDDHHMMSSmmm", "YMDhmsf", 0.003}, {"YYYYDDD", "YJ", 0.37}, {"YYYYDDDHHMM", "YJhm", 0.05}, {"YYYYMM", "YM", 0.12},
	{"YYYYWW", "YW", 0.53}, {"YYYYQ", "YQ", 0.4}, {"YYMMDD", "yMD", 0.04}, {"YYMMDDHH", "yMDh", 0.01}, {"YYMMDDHHMM", "yMDhm", 0.005},
	{"YYMMDDHHMMSS", "yMDhms", 0.003}, {"DDMMYYYY", "DMY", 0.04}, {"MMDDYYYY", "MDY", 0.04},
}

// month is the mean length of a month, in seconds: months and quarters are taken as even steps.
const month = 365.2425 / 12 * 24 * 60 * 60

// isOfDay reports that the form is of a time of day, or of another clock without a date.
func (f digitForm) isOfDay() bool { return !strings.ContainsAny(f.fields, "YyMDJWQ") }

// read returns the seconds that a number at + rest stands for, and what float64 leaves out of them; the hours, or minutes, for sixtieths.
func (f digitForm) read(at, rest float64) (seconds, left float64, ok bool) {
	if at < 0 || at > 1<<62 {
		return 0, 0, false
	}
	if f.name == sixtieths {
		hundredths := math.Round(at * 100)
		minutes := hundredths - 100*math.Floor(hundredths/100)
		const most = 1e6 // hours; float64 holds their hundredths
		return math.Floor(hundredths/100) + minutes/60, 0, at < most && math.Abs(at*100-hundredths) < 1e-6 && minutes < 60
	}
	n, part := int64(math.Floor(at))+int64(math.Floor(rest)), at-math.Floor(at)+(rest-math.Floor(rest))
	if part >= 1 {
		n, part = n+1, part-1
	}
	if part != 0 && !strings.HasSuffix(f.fields, "s") {
		return 0, 0, false
	}
	var fields fieldValues
	for i := len(f.fields) - 1; i >= 0; i-- {
		field := f.fields[i]
		size := widths[field]
		if i == 0 && n >= size {
			return 0, 0, false
		}
		fields[field], n = int16(n%size), n/size
	}
	begin, ok := f.dayOf(&fields)
	minutes, clock := fields['m'], float64(fields['s'])+float64(fields['f'])/1000+part
	if !ok || fields['h'] > 23 || minutes > 59 || fields['s'] > 59 {
		return 0, 0, false
	}
	whole := begin + 60*(60*float64(fields['h'])+float64(minutes))
	return whole + clock, whole - (whole + clock) + clock, true
}

// dayOf returns the begin of the day of some fields, in seconds since 1970; 0 for a time of day.
func (f digitForm) dayOf(fields *fieldValues) (seconds float64, ok bool) {
	if f.isOfDay() {
		return 0, true
	}
	year := int(fields['Y'])
	if strings.ContainsRune(f.fields, 'y') {
		year = 1900 + int(fields['y'])
		if fields['y'] < 70 {
			year += 100
		}
	}
	if year < 1900 || year > 2100 {
		return 0, false
	}
	date := func(month, day int16) time.Time {
		return time.Date(year, time.Month(month), int(day), 0, 0, 0, 0, time.UTC)
	}
	has := func(field rune) bool { return strings.ContainsRune(f.fields, field) }
	switch {
	case has('Q'):
		return float64(12*(year-1970)+3*(int(fields['Q'])-1)) * month, fields['Q'] >= 1 && fields['Q'] <= 4
	case has('J'):
		day := date(1, fields['J'])
		return float64(day.Unix()), fields['J'] >= 1 && day.Year() == year
	case has('W'): // week 1 has January 4th, and begins on Monday
		first := date(1, 4)
		monday := first.AddDate(0, 0, -(int(first.Weekday())+6)%7+7*(int(fields['W'])-1))
		_, week := monday.ISOWeek()
		return float64(monday.Unix()), fields['W'] >= 1 && week == int(fields['W'])
	case !has('D'):
		return float64(12*(year-1970)+int(fields['M'])-1) * month, fields['M'] >= 1 && fields['M'] <= 12
	}
	day := date(fields['M'], fields['D'])
	return float64(day.Unix()), fields['M'] >= 1 && fields['D'] >= 1 && day.Day() == int(fields['D']) && day.Month() == time.Month(fields['M'])
}

// formNamed returns the form of a name, which a heading may have; nil if there is none.
func formNamed(name string) *digitForm {
	name = strings.ToUpper(strings.NewReplacer(":", "", "-", "", "_", "", " ", "").Replace(name))
	name = cmp.Or(map[string]string{"HH.MM": sixtieths, "M.SS": sixtieths, "MM.SS": sixtieths, "HRMN": "HHMM"}[name], name)
	for i, f := range digitForms {
		if strings.ToUpper(f.name) == name {
			return &digitForms[i]
		}
	}
	return nil
}

// timeNumbers are times of all files that are written as numbers, and how.
type timeNumbers struct {
	heading, unit string
	date          string // the heading of their days; "" without
	slashed       bool   // these have the day and the month in an order that may be either
	padded        int    // the digits of numbers that begin with 0, as 0930 does; 0 for none
}

// plainUnit matches the units of times that count from some begin, and are no times of day.
var plainUnit = regexp.MustCompile(`^(?i:s|secs?|seconds?|ms|millis|milliseconds|us|µs|ns)$`)

// fit says how well a form suits the times of all samples.
type fit struct {
	steps           int
	unevenNumbers   int     // steps that differ from the usual one, as plain numbers
	uneven          int     // and as times of the form
	offNumbers, off float64 // how much the steps differ, in mean steps
	least, most     float64 // the ratio of steps as times and as numbers
	values          int
	ends            [100]bool // the last two digits of all numbers
	grain           int64     // the greatest common divisor of 100 and all numbers, of hundredths for sixtieths
	largest         float64
}

// fitOf tries a form. It is nil if some number is no such time.
func (r *reading) fitOf(f *digitForm, all []*sample) *fit {
	t := &fit{least: math.Inf(1), most: math.Inf(-1), grain: 100}
	var before *sample
	for i, x := range all { // as most are not, which the first values say
		if (i == 0 || !slices.Equal(x.rows.times, all[i-1].rows.times)) && !x.rows.are(f) {
			return nil
		}
	}
	for _, x := range all {
		if before != nil && slices.Equal(x.rows.times, before.rows.times) && len(x.rows.columns) == 0 {
			continue // which proves nothing more
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
			last := int64(math.Mod(math.Round(at), 100))
			t.grain, t.ends[last] = gcd(t.grain, last), true
		}
		for _, part := range x.rows.bySensor(loop.Indices(len(x.rows.times))) {
			t.add(part, &x.rows, &decoded)
		}
	}
	return t
}

// are reports that all numbers are times of a form.
func (r *rows) are(f *digitForm) bool {
	for i, at := range r.times {
		rest := 0.0
		if r.rests != nil {
			rest = r.rests[i]
		}
		if _, _, ok := f.read(at, rest); !ok {
			return false
		}
	}
	return true
}

// decoded returns rows whose numbers are read as times of a form, and the line of the first that is none.
func (r *rows) decoded(f *digitForm) (d rows, wrong int) {
	d = *r
	d.times, d.rests, d.kind = make([]float64, 0, len(r.times)), nil, dates
	if f.isOfDay() {
		d.kind = clocks
	}
	if f.name == sixtieths {
		d.kind = numbers
	}
	for i, at := range r.times {
		rest := 0.0
		if r.rests != nil {
			rest = r.rests[i]
		}
		seconds, left, ok := f.read(at, rest)
		if !ok {
			return d, r.line(i)
		}
		d.addTime(seconds, left)
	}
	if f.name == sixtieths && slices.Max(d.times) < hoursOfDay {
		d.pastMidnight(hoursOfDay)
	}
	return d, 0
}

const (
	hoursOfDay   = 24
	secondsOfDay = hoursOfDay * 60 * 60
)

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// add compares the steps between successive rows as numbers and as times of a form. Rows that are in no order count in that of the times.
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
	uneven, off := unevenness(numbers)
	t.unevenNumbers, t.offNumbers = t.unevenNumbers+uneven, t.offNumbers+off
	uneven, off = unevenness(times)
	t.uneven, t.off = t.uneven+uneven, t.off+off
}

// step returns the time from one row to another.
func (r *rows) step(from, to int) float64 {
	step := r.times[to] - r.times[from]
	if r.rests != nil {
		step += r.rests[to] - r.rests[from]
	}
	return step
}

// unevenness counts the steps that differ from the usual one, and returns by how many mean steps all differ together.
func unevenness(steps []float64) (count int, off float64) {
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
		if !(by <= near*math.Abs(usual)) {
			count++
		}
		off += min(by/mean, most)
	}
	return count, off
}

// differs reports that some steps are others than those of plain numbers.
func (t *fit) differs() bool { return t.steps > 0 && t.most-t.least > 1e-6*math.Abs(t.most) }

const (
	fewSteps   = 4    // which prove nothing
	unlikely   = 1e-6 // a chance that counts as none
	noticed    = 2e-3 // a chance that makes a person ask
	lessUneven = 0.9  // of the unevenness of plain numbers, which chance may well undercut by less
	vanishing  = 4    // of so many uneven steps of numbers one may be uneven as a time: something is missing there
)

// proves reports that numbers are times of the form: these are even, and the numbers are not. Or they are uneven in both ways, less so as
// times, and so many that they would not all be valid times by chance.
func (t *fit) proves(f *digitForm) bool {
	if !t.differs() || t.steps < fewSteps || t.unevenNumbers == 0 {
		return false
	}
	return vanishing*t.uneven <= t.unevenNumbers || t.byChance(f) < unlikely && t.suggests(f)
}

// suggests reports that the numbers may well be times of the form, and may as well be plain numbers.
func (t *fit) suggests(f *digitForm) bool {
	return t.differs() && vanishing*t.unevenNumbers >= t.steps && t.off < lessUneven*t.offNumbers && t.byChance(f) < noticed
}

// byChance returns the probability that as many plain numbers look like times. Multiples of 50 look like minutes more often than others.
func (t *fit) byChance(f *digitForm) float64 {
	chance, n := f.chance, t.values
	if last := f.fields[max(0, len(f.fields)-1):]; last == "" || last == "m" || last == "s" {
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

// numbersAsTimes finds out whether the times that are written as numbers are dates or times of day, such as 2359, and reads them so. It is
// an error if that cannot be told.
func (r *reading) numbersAsTimes() error {
	w := r.timeNumbers
	all := slices.DeleteFunc(slices.Clone(r.samples), func(x *sample) bool { return x.rows.kind != numbers || len(x.rows.times) == 0 })
	if len(all) == 0 {
		return nil
	}
	if found, err := r.dated(all); found {
		return err
	}
	f := formNamed(cmp.Or(r.Clock, w.unit))
	if f == nil {
		f = formNamed(w.heading)
	}
	if f != nil {
		return r.readAsForm(f, all)
	}
	if isT(w.heading) || plainUnit.MatchString(w.unit) || plainUnit.MatchString(w.heading) {
		return nil
	}
	f, maybe := r.formOf(all)
	switch {
	case f != nil && r.eitherOrder(f, all):
		return fmt.Errorf("%s: column %s has dates such as %s, a day and a month in an order that no date tells; say --dates day if the day "+
			"comes first, or --dates month", all[0].path, w.heading, recording.TimeText(all[0].rows.times[0]))
	case f != nil:
		return r.readAsForm(f, all)
	case maybe != nil && !r.known: // else the training's were plain numbers
		x := all[0]
		return fmt.Errorf("%s: column %s may hold dates or times of day, %s, or plain numbers, such as %s, and its steps are uneven in both "+
			"ways: head it %q if they are the former, and with their unit, such as %q, if not", x.path, w.heading, maybe.name,
			recording.TimeText(x.rows.times[0]), fmt.Sprintf("time (%s)", maybe.name), "time (s)")
	}
	return nil
}

// formOf returns the form that the times of all samples prove, or one that they may have.
func (r *reading) formOf(all []*sample) (proven, maybe *digitForm) {
	w, best := r.timeNumbers, (*fit)(nil)
	for i := range digitForms {
		f := &digitForms[i]
		size := 0
		for _, field := range f.fields {
			size += int(math.Round(math.Log10(float64(widths[field]))))
		}
		if w.padded > 0 && size != w.padded && f.name != sixtieths || f.isOfDay() && isDate.MatchString(w.heading) ||
			f.fields == "DMY" && r.days.first() == "month" || f.fields == "MDY" && r.days.first() == "day" ||
			perSecond[strings.ToLower(w.unit)] > 0 && f.name != sixtieths {
			continue
		}
		t := r.fitOf(f, all)
		switch {
		case t == nil:
		case f.evident(w.heading), t.proves(f):
			if best == nil || t.uneven < best.uneven || t.uneven == best.uneven && t.off < best.off*(1-1e-6) {
				proven, best = f, t
			}
		case maybe == nil && t.suggests(f):
			maybe = f
		}
	}
	return proven, maybe
}

// eitherOrder reports that dates may as well have the day and the month in the other order.
func (r *reading) eitherOrder(f *digitForm, all []*sample) bool {
	other := map[string]string{"DMY": "MMDDYYYY", "MDY": "DDMMYYYY"}[f.fields]
	if other == "" || r.days.first() != "" {
		return false
	}
	turned := r.fitOf(formNamed(other), all)
	return turned != nil && turned.uneven <= r.fitOf(f, all).uneven
}

// datesOnly matches the headings of dates.
var datesOnly = regexp.MustCompile(`(?i:date|datum|fecha|day|yyyy)`)

// evident reports that valid times are of the form without any other proof: by their size, or as dates under the heading of dates.
func (f *digitForm) evident(heading string) bool {
	return strings.HasPrefix(f.fields, "YMDh") || datesOnly.MatchString(heading) && !f.isOfDay() && f.fields != "YQ"
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
		decoded, line := was.decoded(f)
		if line > 0 {
			i := slices.IndexFunc(was.times, func(at float64) bool { _, _, ok := f.read(at, 0); return !ok })
			return fmt.Errorf("%s, line %d: column %s: %s is no time %s, as those of the heading or of the training are; write all alike, or "+
				"leave the column out with --leave %q", x.path, line, w.heading, recording.TimeText(was.times[max(0, i)]), f.name, w.heading)
		}
		x.rows, before, after = decoded, &was, &decoded
	}
	kind := "dates"
	switch {
	case f.name == sixtieths:
		kind = "hours and minutes, or minutes and seconds"
	case f.isOfDay():
		kind = "times of day"
	}
	r.readSo(f, kind+", "+f.name)
	return nil
}

// readSo keeps that numbers are read as times of a form, and tells of it.
func (r *reading) readSo(f *digitForm, kind string) {
	heading := r.timeNumbers.heading
	r.Clock = f.name
	if r.samples[0].rows.kind != numbers {
		r.chosen.second = 1
	}
	for as := range r.as {
		if before, _, found := strings.Cut(as.after, "; column "+heading+" as time"); found {
			delete(r.as, as)
			as.after = before + "; column " + heading + " as time " + f.name
			r.as[as] = true
		}
	}
	if !r.known && !f.evident(heading) {
		r.note("column %s is read as %s", heading, kind)
	}
}
