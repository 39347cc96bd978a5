package recordings

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// Kinds of times.
const (
	numbers = iota // in any unit
	dates          // in seconds, with or without a time of day
	slashed        // dates with numbers for day and month, whose order no single date tells
	clocks         // times of day, in seconds
)

// layouts are the forms of a date, of a time of day, and of both. Go reads a fraction after any second.
var layouts = func() (all []string) {
	for _, date := range []string{
		"2006-1-2", "2.1.2006", "2/1/2006", "2-1-2006", "2006/1/2", "2006.1.2", "2.1.06", "2/1/06",
		"2 Jan 2006", "2-Jan-2006", "Jan 2, 2006", "",
	} {
		for _, clock := range []string{"15:04:05", "15:04", "3:04:05 PM", "3:04 PM"} {
			for _, zone := range []string{"", "Z07:00", " Z07:00", "-0700", " -0700", " MST"} {
				all = append(all, strings.TrimSpace(date+" "+clock+zone))
			}
		}
		all = append(all, date)
	}
	return all[:len(all)-1]
}()

// monthFirst turns the layouts of slashed dates.
var monthFirst = strings.NewReplacer("2/1/", "1/2/", "2-1-", "1-2-")

// days tells how the dates of all files are written.
type days struct {
	last int               // the layout of the last date
	zone int               // the offset of the last date's zone, in seconds
	by   map[string]string // what can only be read with the day first, by "day", or with the month first, by "month"
}

// newDays takes the order that --dates says, which first returns: day, month or "".
func newDays(first string) days {
	d := days{by: map[string]string{}}
	if first != "" {
		d.by[first] = "--dates " + first
	}
	return d
}

func (d *days) first() string {
	for first := range d.by { // there is one at most
		return first
	}
	return ""
}

// parse reads a date or a time of day, in seconds. It reads a date that goes both ways with the day first.
func (d *days) parse(text string, line int) (seconds float64, kind int, err error) {
	if at := strings.IndexByte(text, ':'); at > 2 { // a T or a comma may part day and time
		at = strings.LastIndexAny(text[:at], "T, ")
		text = strings.TrimRight(text[:max(0, at)], ", ") + " " + text[at+1:]
	}
	says := func(first string) { d.by[first] = fmt.Sprintf("%s in line %d", text, line) }
	for i := range layouts {
		layout := layouts[(d.last+i)%len(layouts)]
		when, wrong := time.Parse(layout, text)
		kind = dates
		if turned := monthFirst.Replace(layout); turned != layout {
			other, otherwise := time.Parse(turned, text)
			switch kind = slashed; {
			case wrong != nil:
				if when, wrong = other, otherwise; wrong == nil {
					says("month")
				}
			case otherwise != nil:
				says("day")
			}
		}
		if wrong == nil {
			if d.last = (d.last + i) % len(layouts); len(d.by) > 1 {
				return 0, kind, fmt.Errorf("%s begins with the day, and %s with the month; write all alike", d.by["day"], d.by["month"])
			}
			if when.Year() == 0 {
				return when.Sub(time.Date(0, 1, 1, 0, 0, 0, 0, when.Location())).Seconds(), clocks, nil
			}
			_, d.zone = when.Zone()
			return float64(when.Unix()) + float64(when.Nanosecond())/1e9, kind, nil
		}
	}
	return 0, 0, fmt.Errorf("%.30q is not a time; want a number, or a date such as 2024-05-31 12:00:00.5 or "+
		"31.05.2024 12:00", text)
}

// turn returns the seconds to add to a date that goes both ways to read it with the month first. It is of the day that was
// written, in the zone of the last date.
func (d *days) turn(seconds float64) float64 {
	seconds += float64(d.zone)
	t := time.Unix(int64(math.Floor(seconds)), 0).UTC()
	year, month, day := t.Date()
	if day > 12 {
		return 0
	}
	of := func(month, day int) time.Time { return time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC) }
	return of(day, int(month)).Sub(of(int(month), day)).Seconds()
}

// turn reads slashed dates with the month first if some date or --dates says so. If nothing does, it asks, unless all
// dates of each sample are one.
func (r *reading) turn() error {
	for _, x := range r.samples {
		if x.kind != slashed {
			continue
		}
		x.rows.times = slices.Clone(x.rows.times) // other samples may share them
		for i, seconds := range x.rows.times {
			switch more := r.days.turn(seconds); {
			case r.days.first() == "month":
				x.rows.times[i] += more
			case r.days.first() == "" && more != r.days.turn(x.rows.times[0]):
				return fmt.Errorf("%s, line %d: %s is a day and a month in an order that no date tells; say --dates day if the "+
					"day comes first, or --dates month", x.path, x.rows.line(i), time.Unix(int64(seconds)+int64(r.days.zone), 0).UTC().Format("02/01/2006"))
			}
		}
	}
	return nil
}

// minRisingSteps is the number of steps in which a sensor hardly rises by chance.
const minRisingSteps = 10

// all lists the columns for --take.
func (c columns) all() string {
	if len(c.names) > 20 {
		return few(c.names)
	}
	return strings.Join(c.names, ",")
}

// counting returns an error if a column that nobody named numbers the samples of a table.
func (r *reading) counting() error {
	if r.Unlabelled || r.Take != nil || r.problem != nil || r.table.Layout != samplesLayout || len(r.samples) <= minRisingSteps {
		return nil
	}
	for column, name := range r.columns.names {
		at := func(i int) float64 { return r.samples[i].Values[column] }
		counts := len(r.samples[0].Values) == len(r.columns.names)
		for i := 1; i < len(r.samples) && counts; i++ {
			counts = at(i) == at(i-1)+1
		}
		if counts {
			return fmt.Errorf("column %s numbers the samples, from %g to %g: leave it out, --leave %q; if it is a sensor, name all "+
				"sensors: --take %s", name, at(0), at(len(r.samples)-1), name, r.columns.all())
		}
	}
	return nil
}

// rising returns an error if columns that nobody named rise in all recordings: each may be the time under another name.
func (r *reading) rising() error {
	var names []string
	width, layout := len(r.columns.names), r.table.Layout
	if r.Unlabelled || r.Take != nil || r.problem != nil || layout == readingsLayout || layout == samplesLayout {
		return nil
	}
	for column, name := range r.columns.names {
		steps, rises := 0, name == r.columns.of[column]
		for _, x := range r.samples {
			for at := column + width; at < len(x.Values) && rises; at += width {
				rises = x.Values[at] > x.Values[at-width]
				steps++
			}
		}
		if rises && steps >= minRisingSteps {
			names = append(names, name)
		}
	}
	if names == nil {
		return nil
	}
	x, at := r.samples[0], slices.Index(r.columns.names, names[0])
	time := fmt.Sprintf("if it is the time, say --time %q; ", names[0])
	if layout == "" { // an array, in which times are not told from values
		time = ""
	}
	return fmt.Errorf("column %s rises in every recording, as from %g to %g in %s: %sif it only counts, --leave %q; if it is "+
		"a sensor, name all sensors: --take %s", few(names), x.Values[at], x.Values[len(x.Values)-width+at], x.where, time,
		strings.Join(names, ","), r.columns.all())
}
