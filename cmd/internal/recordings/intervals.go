package recordings

// This file reads a table of intervals of time and their classes, as people mark them while they look at a recording.

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// interval is a stretch of a recording with a class, in the unit of its table.
type interval struct {
	start, end    float64
	lasts         float64 // what the table has in place of an end, if hasLength
	hasLength     bool
	label, sample string // the recording; "" where the table does not name it
	seconds       bool   // the times are seconds surely, by how they are written
	line          int
	slashed       [2]bool   // start and end are dates whose order of day and month may be either
	written       [2]string // start, and end or duration
}

// endWritten returns the end of an interval as its table writes it: of a duration, how it is reckoned.
func (v interval) endWritten() string {
	if v.hasLength {
		return v.written[0] + " + " + v.written[1]
	}
	return v.written[1]
}

// isOfDay reports that an interval begins at a time of day, by how it is written. It may count from a begin, too.
func (v interval) isOfDay() bool { return timeOfDay.MatchString(v.written[0]) }

// timeOfDay finds a time such as 09:30:00 or 9:30 PM, with no date before it.
var timeOfDay = regexp.MustCompile(`^\s*\d{1,2}:\d\d`)

// The headings of a table of intervals, as ELAN, MNE, Praat's tables and people have them.
var (
	startHeading = regexp.MustCompile(`^(?i:(start|begin|onset|from|tmin)([ _-]?times?)?)\b`)
	endHeading   = regexp.MustCompile(`^(?i:(end|stop|offset|to|tmax)([ _-]?times?)?)\b`)
	longHeading  = regexp.MustCompile(`^(?i:duration)\b`)
	classHeading = regexp.MustCompile(`^(?i:labels?|class|annotations?|description|text|events?|activity|value)$`)
)

// intervalColumns are the columns of a table of intervals; -1 for none.
type intervalColumns struct{ start, end, duration, label, sample int }

// columnsByHeading returns the columns that headings name, and whether they are those of intervals. The column of
// classes may have the name of ELAN's tier, which can be any: it is the last one then.
func columnsByHeading(headings []string) (c intervalColumns, ok bool) {
	at := func(names *regexp.Regexp) int { return slices.IndexFunc(headings, names.MatchString) }
	c = intervalColumns{at(startHeading), at(endHeading), at(longHeading), at(classHeading), column(headings, "sample")}
	if c.label < 0 {
		c.label = len(headings) - 1
	}
	return c, c.start >= 0 && max(c.end, c.duration) >= 0 && c.label != c.start && c.label != max(c.end, c.duration)
}

// columnsByCells returns the columns of a line of a table without headings: Audacity's label track, which begins with
// two times, and ELAN's tab-separated export, in which the tier and the person come first. Where times are written as
// 00:01:02.5, those beside them in other units are passed over. The class is the last cell.
func columnsByCells(in *input, cells []string) (c intervalColumns, ok bool) {
	var clocked, plain []int
	for i, cell := range cells[:len(cells)-1] {
		_, isNumber := plainTime(in, cell)
		_, isClock := elapsed(cell)
		switch {
		case isNumber:
			plain = append(plain, i)
		case isClock:
			clocked = append(clocked, i)
		}
	}
	times := plain
	if len(clocked) > 1 {
		times = clocked
	}
	if len(times) < 2 {
		return c, false
	}
	return intervalColumns{times[0], times[1], -1, len(cells) - 1, -1}, true
}

// intervalTable is a table of intervals being read.
type intervalTable struct {
	columns  intervalColumns
	headless bool
	days     days
	all      []interval
}

// add reads a line.
func (t *intervalTable) add(in *input, line int, cells []string) error {
	c := t.columns
	cells = slices.Concat(cells, slices.Repeat([]string{""}, max(0, 1+max(c.start, c.end, c.duration, c.label, c.sample)-
		len(cells))))
	if strings.HasPrefix(cells[0], `\`) { // Audacity's frequencies of the label before
		return nil
	}
	one := interval{label: strings.Clone(cells[c.label]), line: line}
	if c.sample >= 0 {
		one.sample = strings.Clone(cells[c.sample])
	}
	ends := cells[max(0, c.duration)]
	if c.end >= 0 {
		ends = cells[c.end]
	}
	one.written = [2]string{strings.Clone(cells[c.start]), strings.Clone(ends)}
	start, first, err := t.timeOf(in, line, cells[c.start])
	if err != nil {
		return err
	}
	end, last, err := t.timeOf(in, line, ends)
	one.start, one.end = start, end
	if c.end < 0 {
		one.lasts, one.hasLength = end, true
		one.end, last = start+end, first
	}
	one.seconds = first != numbers || t.headless
	one.slashed = [2]bool{first == slashed, last == slashed}
	if err == nil && one.label == "" {
		err = errors.New("the interval has no class; write one, or remove the line")
	}
	t.all = append(t.all, one)
	return err
}

// finish puts dates into the order of day and month that all of them have, which the last one may tell.
// Where nothing tells it, it is an error with the way out.
func (t *intervalTable) finish(path, way string) error {
	for i := range t.all {
		one := &t.all[i]
		for end, at := range []*float64{&one.start, &one.end} {
			if !one.slashed[end] {
				continue
			}
			ordered, err := t.days.ordered(*at)
			if err != nil {
				return fmt.Errorf("%s, line %d: %w; %s", path, one.line, err, way)
			}
			*at = ordered
		}
	}
	return nil
}

// timeOf reads a time: a number, a time since the begin such as 00:01:02.5, or a date.
func (t *intervalTable) timeOf(in *input, line int, cell string) (at float64, kind int, err error) {
	at, isNumber := plainTime(in, cell)
	if isNumber {
		return at, numbers, nil
	}
	return t.days.parse(cell, line)
}

// plainTime reads a time that is a number, and reports whether it is one. It may have a decimal comma where commas do
// not separate the cells, as the tables of recordings have.
func plainTime(in *input, cell string) (at float64, isNumber bool) {
	if in.separator != ',' && strings.Count(cell, ",") == 1 && !strings.Contains(cell, ".") {
		cell = strings.Replace(cell, ",", ".", 1)
	}
	at, err := strconv.ParseFloat(cell, 64)
	return at, err == nil && at-at == 0 // finite
}

// inOrder sorts intervals of a recording by their begin. It is an error if one ends before it begins, or if two of
// different classes share time.
func inOrder(path string, all []interval) error {
	slices.SortStableFunc(all, func(a, b interval) int { return cmp.Compare(a.start, b.start) })
	for i, v := range all {
		const rounding = 1e-6
		if !(v.start <= v.end) {
			return fmt.Errorf("%s, line %d: the interval of %q ends at %s, before it begins at %s; correct the line", path,
				v.line, v.label, v.written[1], v.written[0])
		}
		if i == 0 {
			continue
		}
		before := all[i-1]
		if before.label != v.label && v.start < before.end-rounding {
			return fmt.Errorf("%s, line %d: %q begins at %s, before %q of line %d has ended at %s; of what is marked twice "+
				"keep one class, such as one tier of ELAN's", path, v.line, v.label, v.written[0], before.label, before.line,
				before.endWritten())
		}
	}
	return nil
}
