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

// ofClockWay is what helps where dates and times of day are in a column for each part.
const ofClockWay = "one column in their place, such as 2024-05-31 12:00, gives the times, "

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

// besideYears are the names of columns that are parts of times where years are in another column, whether they go on
// within a recording or not, as buoys and weather stations write YY MM DD hh mm. Alone they may be anything: mm are
// millimetres, too.
var besideYears = []description{
	{regexp.MustCompile(`^(?i:yy|yr|year)$`), ofDate, 0, 99},
	{regexp.MustCompile(`^(?i:month|mon|mo|mm|monat|mois|mes)$`), ofDate, 1, 12},
	{regexp.MustCompile(`^(?i:day|dd|dy|tag|jour|día|doy|jday)$`), ofDate, 1, 366},
	{regexp.MustCompile(`^(?i:hours?|hh|hr|stunde|heure|hora)$`), ofClock, 0, 24},
	{regexp.MustCompile(`^(?i:minutes?|min|mm|mn|mi)$`), ofClock, 0, 59},
	{regexp.MustCompile(`^(?i:seconds?|sec|ss)$`), ofClock, 0, 60},
}

// refuseDescriptions returns an error if columns that nobody named are no sensors but describe recordings, by their
// names and their values. A column of such a name whose values go on within a recording is a sensor. Where each line is
// a sample, the date may well have to do with the class, so that a note tells of its parts.
func (r *reading) refuseDescriptions() error {
	layout := r.chosen.layout
	if layout == "" || layout == readingsLayout {
		return nil
	}
	var found, leave []string
	way, known := "", bookkeeping
	if layout != samplesLayout && r.hasYears() {
		known = slices.Concat(bookkeeping, besideYears)
	}
	for column, name := range r.chosen.names {
		says, where := r.describes(column, known)
		switch {
		case says == "" || says == ofDate && layout == samplesLayout:
			continue
		case says == ofClock && !strings.HasSuffix(way, ofClockWay):
			way += ofClockWay
		case way != "":
		case says == ofWhom && r.groupBy == "":
			way = fmt.Sprintf("--group %q keeps a person's recordings together, ", name)
		case says == ofWhich && r.Columns == nil && layout == samplesLayout:
			way = fmt.Sprintf("--columns %q makes a recording of all lines with one number, ", name)
		}
		found, leave = append(found, fmt.Sprintf("%s %s (%s)", name, says, where)), append(leave, name)
	}
	if found == nil {
		r.noteDatesOfSamples()
		return nil
	}
	return fmt.Errorf("a column that only describes recordings is no sensor, and by its name and its whole numbers "+
		"column %s: %s--leave %q leaves out what is no sensor; if all are sensors, name these and the others with --take",
		strings.Join(found, ", "), way,
		strings.Join(leave, ","))
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

// hasYears reports that a column says the year of recordings: by four digits, or by two beside a month and a day.
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
	parts := 0
	for column := range r.chosen.names {
		says, _ := r.describes(column, besideYears[:3])
		if says != "" {
			parts++
		}
	}
	return parts >= 3
}

// describes says what a column of all recordings tells of each, and an example; "" for a sensor. What describes a
// recording is a whole number that hardly changes in it, but for parts of its dates and times.
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
