package recordings

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
)

// numbering ends the names of columns that number something.
const numbering = `(?:[ _.-]?(?:id|no|nr|num|number|code|index|idx))`

// What a column of bookkeeping tells of a recording.
const (
	ofWhom  = "says who was recorded"
	ofWhich = "says which recording it is"
	ofSplit = "says of which split it is"
	ofClass = "says of which class it is"
	ofDate  = "is a part of the date"
	ofClock = "is a part of the time of day"
)

// clockAdvice is what helps where dates and times of day are in a column for each part.
const clockAdvice = "one column in their place, such as 2024-05-31 12:00, gives the times, "

// description is what columns of some names say of a recording, if they hold whole numbers within some bounds.
type description struct {
	names       *regexp.Regexp
	says        string
	least, most float64
}

// bookkeeping are the names of columns that describe recordings where they hold whole numbers within some bounds. As
// sensors they would tell a training whose recording it is, or when it was made.
var bookkeeping = []description{
	{regexp.MustCompile(`^(?i:(?:subj|subject|participant|person|patient|user|volunteer|proband)s?` + numbering + `?)$`), ofWhom,
		-math.MaxFloat64, math.MaxFloat64},
	{regexp.MustCompile(`^(?i:(?:session|trial|visit|case)s?` + numbering + `?|(?:run|recording|record|segment|sample|file|row|line|obs|` +
		`observation|instance|window)` + numbering + `|id|uid|idx|index)$`), ofWhich, -math.MaxFloat64, math.MaxFloat64},
	{regexp.MustCompile(`^(?i:(?:cv[ _.-]?)?folds?` + numbering + `?|split|partition|is[ _.-]?(?:train|test|val|valid)(?:ing)?)$`), ofSplit,
		-math.MaxFloat64, math.MaxFloat64},
	{regexp.MustCompile(`^(?i:(?:class|target|label)` + numbering + `?|y[ _.-]?true)$`), ofClass, -math.MaxFloat64, math.MaxFloat64},
	{yearNames, ofDate, 1000, 3000},
	{regexp.MustCompile(`^(?i:month|monat|mois|mes)$`), ofDate, 1, 12},
	{regexp.MustCompile(`^(?i:day|tag|jour|día|day[ _.]?of[ _.]?month)$`), ofDate, 1, 31},
	{regexp.MustCompile(`^(?i:doy|jday|julian[ _.]?day|day[ _.]?of[ _.]?year)$`), ofDate, 1, 366},
}

var yearNames = regexp.MustCompile(`^(?i:year|yr|yyyy|yy|jahr|année|año)$`)

// shortDateParts and shortClockParts are the names of columns that hold parts of a time where a year stands beside
// them, as buoys and weather stations write YY MM DD hh mm. Alone they may be anything: mm are millimetres, too.
var shortDateParts = []description{
	{regexp.MustCompile(`^(?i:yy|yr|year)$`), ofDate, 0, 99},
	{regexp.MustCompile(`^(?i:month|mon|mo|mm|monat|mois|mes)$`), ofDate, 1, 12},
	{regexp.MustCompile(`^(?i:day|dd|dy|tag|jour|día|doy|jday)$`), ofDate, 1, 366},
}

var shortClockParts = []description{
	{regexp.MustCompile(`^(?i:hours?|hh|hr|stunde|heure|hora)$`), ofClock, 0, 24},
	{regexp.MustCompile(`^(?i:minutes?|min|mm|mn|mi)$`), ofClock, 0, 59},
	{regexp.MustCompile(`^(?i:seconds?|sec|ss)$`), ofClock, 0, 60},
}

// refuseDescriptions returns an error if columns would be taken for sensors that by their names and values describe
// recordings, such as a number of the person. It judges only columns that no option chose. Where each line is a sample,
// the date may well have to do with the class: parts of dates are sensors then, and a note tells of them.
func (r *reading) refuseDescriptions() error {
	layout := r.chosen.layout
	if layout == "" || layout == readingsLayout {
		return nil
	}
	known := bookkeeping
	if layout != samplesLayout && r.hasYears() {
		known = slices.Concat(bookkeeping, shortDateParts, shortClockParts)
	}
	var found, leave, advice []string
	for column, name := range r.chosen.names {
		says, where := r.describes(column, known)
		if says == "" || says == ofDate && layout == samplesLayout {
			continue
		}
		found, leave = append(found, fmt.Sprintf("%s %s (%s)", name, says, where)), append(leave, name)
		advice = r.addAdvice(advice, name, says)
	}
	if found == nil {
		r.noteDatesOfSamples()
		return nil
	}
	return fmt.Errorf("a column that only describes recordings is no sensor, and by its name and its whole numbers "+
		"column %s: %s--leave %q leaves out what is no sensor; if all are sensors, name these and the others with --take",
		strings.Join(found, ", "), strings.Join(advice, ""), strings.Join(leave, ","))
}

// addAdvice adds what a person could do with a column that describes recordings other than leave it out. Of persons and
// numbers of recordings only the first column has advice, and the one for parts of times comes once.
func (r *reading) addAdvice(advice []string, name, says string) []string {
	isFirst := len(advice) == 0
	switch {
	case says == ofClock && !slices.Contains(advice, clockAdvice):
		return append(advice, clockAdvice)
	case says == ofWhom && isFirst && r.groupBy == "":
		return append(advice, fmt.Sprintf("--group %q keeps a person's recordings together, ", name))
	case says == ofWhich && isFirst && r.Columns == nil && r.chosen.layout == samplesLayout:
		return append(advice, fmt.Sprintf("--columns %q makes a recording of all lines with one number, ", name))
	}
	return advice
}

// noteDatesOfSamples notes parts of dates that are taken for sensors.
func (r *reading) noteDatesOfSamples() {
	var parts []string
	for column, name := range r.chosen.names {
		if says, _ := r.describes(column, bookkeeping); says == ofDate {
			parts = append(parts, name)
		}
	}
	if parts != nil {
		r.note("column %s, by its name a part of the date, is taken for a sensor; --leave %q leaves it out", few(parts),
			strings.Join(parts, ","))
	}
}

// hasYears reports that a column holds the year of recordings: one of four digits, or one of two digits in a table that
// has columns for a month and a day, too.
func (r *reading) hasYears() bool {
	for column, name := range r.chosen.names {
		if !yearNames.MatchString(name) {
			continue
		}
		says, _ := r.describes(column, bookkeeping)
		if says == ofDate {
			return true
		}
	}
	parts := 0 // of a date: the year, the month and the day
	for column := range r.chosen.names {
		says, _ := r.describes(column, shortDateParts)
		if says != "" {
			parts++
		}
	}
	return parts >= 3
}

// describes returns what a column says of each recording, as the first of the known descriptions that fits its name and
// its values, and an example of these. Both are "" for a sensor. A column describes recordings if it holds a whole
// number that hardly changes within one; parts of dates and times may change.
func (r *reading) describes(column int, known []description) (says, where string) {
	for _, book := range known {
		if book.names.MatchString(r.chosen.names[column]) {
			says, where = r.holds(column, book)
			if says != "" {
				return says, where
			}
		}
	}
	return "", ""
}

// holds returns what a description says, and an example, if a column holds what it says.
func (r *reading) holds(column int, book description) (says, where string) {
	width := len(r.chosen.names)
	steps, changes, there := 0, 0, false
	for _, x := range r.samples {
		before := math.NaN()
		for i := column; i < len(x.Values); i += width {
			v := x.Values[i]
			if v != v {
				continue
			}
			if v != math.Trunc(v) || v < book.least || v > book.most {
				return "", ""
			}
			if !there {
				there, where = true, fmt.Sprintf("%g in %s", v, x.where)
			}
			if before == before {
				steps++
				if v != before {
					changes++
				}
			}
			before = v
		}
	}
	if !there || book.says != ofDate && book.says != ofClock && changes*minSteps > steps {
		return "", ""
	}
	return book.says, where
}
