package recordings

import (
	"math"
	"slices"
	"strings"
	"time"
)

// digitForm is a way to write dates and times of day as numbers, such as 2359 for a minute before midnight.
type digitForm struct {
	name   string
	fields string  // from the first digit to the last, each by its letter, see widths
	chance float64 // of a number of this size to look like such a time
	point  int     // the digits after a decimal point
}

// widths are the digits of each field: year, year of a century, month, day, day of the year, week, quarter, hour,
// minute, second, millisecond.
var widths = [128]int64{
	'Y': 1e4, 'y': 100, 'M': 100, 'D': 100, 'J': 1e3, 'W': 100, 'Q': 10, 'h': 100, 'm': 100, 's': 100, 'f': 1e3,
}

// fieldValues are the values of fields, by their letters.
type fieldValues [128]int16

// sixtieths are hours and minutes, or minutes and seconds, with a point between them.
const sixtieths = "H.MM"

// digitForms are all forms. Of two that suit equally well, the first is taken.
var digitForms = []digitForm{
	{"HHMM", "hm", 0.6, 0}, {"HHMMSS", "hms", 0.36, 0}, {"HHMMSSmmm", "hmsf", 0.6, 0}, {sixtieths, "", 0.6, 0},
	{"MMSS", "ms", 0.6, 0}, {"YYYYMMDD", "YMD", 0.04, 0}, {"YYYYMMDDHH", "YMDh", 0.01, 0},
	{"YYYYMMDDHHMM", "YMDhm", 0.005, 0}, {"YYYYMMDDHHMMSS", "YMDhms", 0.003, 0},
	{"YYYYMMDDHHMMSSmmm", "YMDhmsf", 0.003, 0}, {"YYYYDDD", "YJ", 0.37, 0}, {"YYYYDDDHHMM", "YJhm", 0.05, 0},
	{"YYYYMM", "YM", 0.12, 0}, {"YYYYWW", "YW", 0.53, 0}, {"YYYYQ", "YQ", 0.4, 0}, {"DDHHMM", "Dhm", 0.05, 0},
	{"DDHHMMSS", "Dhms", 0.03, 0}, {"MMDD", "MD", 0.04, 0}, {"MMDDHH", "MDh", 0.01, 0},
	{"MMDDHHMM", "MDhm", 0.005, 0}, {"MMDDHHMMSS", "MDhms", 0.003, 0}, {"YYMMDD", "yMD", 0.04, 0},
	{"YYMMDDHH", "yMDh", 0.01, 0}, {"YYMMDDHHMM", "yMDhm", 0.005, 0}, {"YYMMDDHHMMSS", "yMDhms", 0.003, 0},
	{"DDMMYYYY", "DMY", 0.04, 0}, {"MMDDYYYY", "MDY", 0.04, 0}, {"YYYYMMDD.HHMM", "YMDhm", 0.005, 4},
	{"YYYYMMDD.HHMMSS", "YMDhms", 0.003, 6}, {"HH.MMSS", "hms", 0.36, 4}, {"YYYY.MM", "YM", 0.12, 2},
	{"YYYY.DDD", "YJ", 0.37, 3},
}

// month is the mean length of a month, in seconds: months and quarters are taken as even steps.
const month = 365.2425 / 12 * 24 * 60 * 60

// isOfDay reports that the form is of a time of day, or of another clock without a date.
func (f digitForm) isOfDay() bool { return !strings.ContainsAny(f.fields, "YyMDJWQ") }

// forPeople says what the numbers are, and the name of the form.
func (f digitForm) forPeople() string {
	switch {
	case f.name == sixtieths:
		return "hours and minutes, or minutes and seconds, " + f.name
	case f.isOfDay():
		return "times of day, " + f.name
	}
	return "dates, " + f.name
}

// secondsOf returns the seconds that a number at + rest stands for, and what float64 leaves out of them; the hours, or
// minutes, for sixtieths. ok is false if the number is no time of the form.
func (f digitForm) secondsOf(at, rest float64) (seconds, left float64, ok bool) {
	if at < 0 || at > 1<<62 {
		return 0, 0, false
	}
	if f.name == sixtieths {
		hours, ok := hoursAndMinutes(at)
		return hours, 0, ok
	}
	if f.point > 0 {
		const off = 0.01 // of the last digit, by the rounding of float64
		scaled := at * math.Pow10(f.point)
		at, rest = math.Round(scaled), 0
		if math.Abs(at-scaled) > off {
			return 0, 0, false
		}
	}
	whole, part := int64(math.Floor(at))+int64(math.Floor(rest)), at-math.Floor(at)+(rest-math.Floor(rest))
	if part >= 1 {
		whole, part = whole+1, part-1
	}
	hasFraction := f.point == 0 && strings.HasSuffix(f.fields, "s") // of its seconds
	if part != 0 && !hasFraction {
		return 0, 0, false
	}
	fields, fits := f.split(whole)
	if !fits {
		return 0, 0, false
	}
	begin, ok := f.dayOf(&fields)
	hour, minute, second := fields['h'], fields['m'], fields['s']
	if !ok || hour > 23 || minute > 59 || second > 59 {
		return 0, 0, false
	}
	clock := float64(second) + float64(fields['f'])/1000 + part
	wholeMinutes := begin + 60*(60*float64(hour)+float64(minute))
	return wholeMinutes + clock, wholeMinutes - (wholeMinutes + clock) + clock, true
}

// hoursAndMinutes returns the hours of a number with minutes behind its point, such as 9.30; or the minutes of one with
// seconds there.
func hoursAndMinutes(at float64) (hours float64, ok bool) {
	const most = 1e6 // hours; float64 holds their hundredths
	hundredths := math.Round(at * 100)
	whole := math.Floor(hundredths / 100)
	minutes := hundredths - 100*whole
	return whole + minutes/60, at < most && math.Abs(at*100-hundredths) < 1e-6 && minutes < 60
}

// split parts the digits of a number into the fields of the form, from the last to the first. It does not fit if the
// number has more digits.
func (f digitForm) split(number int64) (fields fieldValues, fits bool) {
	for i := len(f.fields) - 1; i >= 0; i-- {
		field := f.fields[i]
		size := widths[field]
		if i == 0 && number >= size {
			return fields, false
		}
		fields[field] = int16(number % size)
		number /= size
	}
	return fields, true
}

// dayOf returns the begin of the day of some fields, in seconds since 1970; 0 for a time of day.
func (f digitForm) dayOf(fields *fieldValues) (seconds float64, ok bool) {
	if f.isOfDay() {
		return 0, true
	}
	const noYear = 2023 // has no day between February and March, which nobody can tell
	year := int(fields['Y'])
	if !strings.ContainsAny(f.fields, "Yy") {
		year = noYear
	}
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
	case !has('M'):
		return float64(fields['D']) * secondsOfDay, fields['D'] >= 1 && fields['D'] <= 31
	case !has('D'):
		return float64(12*(year-1970)+int(fields['M'])-1) * month, fields['M'] >= 1 && fields['M'] <= 12
	}
	day := date(fields['M'], fields['D'])
	return float64(day.Unix()), fields['M'] >= 1 && fields['D'] >= 1 && day.Day() == int(fields['D']) &&
		day.Month() == time.Month(fields['M'])
}

// formNamed returns the form of a name, which a heading may have; nil if there is none.
func formNamed(name string) *digitForm {
	name = strings.ToUpper(strings.NewReplacer(":", "", "-", "", "_", "", " ", "").Replace(name))
	switch name {
	case "HH.MM", "M.SS", "MM.SS":
		name = sixtieths
	case "HRMN":
		name = "HHMM"
	}
	for i, f := range digitForms {
		if strings.ToUpper(f.name) == name {
			return &digitForms[i]
		}
	}
	return nil
}

// allOf reports that all numbers are times of a form.
func (r *rows) allOf(f *digitForm) bool { return r.firstOther(f) < 0 }

// firstOther returns the first row whose number is no time of a form; -1 if all are.
func (r *rows) firstOther(f *digitForm) int {
	for i, at := range r.times {
		_, _, isTime := f.secondsOf(at, r.rest(i))
		if !isTime {
			return i
		}
	}
	return -1
}

// rest returns what float64 leaves out of the time of a row.
func (r *rows) rest(row int) float64 {
	if r.rests == nil {
		return 0
	}
	return r.rests[row]
}

// haveDecimalsOf reports that some numbers have digits as far behind the point as the form has, not zeros only.
func (r *rows) haveDecimalsOf(f *digitForm) bool {
	const off = 1e-3
	fewer := math.Pow10(max(0, f.point-2))
	return slices.ContainsFunc(r.times, func(at float64) bool { return math.Abs(at*fewer-math.Round(at*fewer)) > off })
}

// decoded returns rows whose numbers are read as times of a form; false if some number is no such time. Sixtieths that
// are all below 24 count as hours of a day, and go on past midnight.
func (r *rows) decoded(f *digitForm) (d rows, ok bool) {
	d = *r
	d.times, d.rests = make([]float64, 0, len(r.times)), nil
	switch {
	case f.name == sixtieths:
		d.kind = numbers
	case f.isOfDay():
		d.kind = clocks
	default:
		d.kind = dates
	}
	for i, at := range r.times {
		seconds, left, ok := f.secondsOf(at, r.rest(i))
		if !ok {
			return d, false
		}
		d.addTime(seconds, left)
	}
	if f.name == sixtieths && slices.Max(d.times) < hoursOfDay {
		d.pastMidnight(hoursOfDay)
	}
	return d, true
}

const (
	hoursOfDay   = 24
	secondsOfDay = hoursOfDay * 60 * 60
)

// gcd returns the greatest common divisor.
func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
