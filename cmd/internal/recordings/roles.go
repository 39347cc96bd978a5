package recordings

// This file finds what the columns of a table are by their headings: its sample, time, class and group, and the series
// of its values.

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// roles says what the columns of a table are.
type roles struct {
	uses
	headings []string
	layout   string
	unnamed  []int        // columns without a heading
	values   columns      // the series or, in the layout readings, the axes
	at       [][]int      // the columns of each series, one for each time point
	axis     *headingAxis // that headings are; nil for none
	leave    []string     // what the options and the class leave out
}

// uses are columns that hold no values; -1 for none. The date is of a time of day, the unit of readings.
type uses struct{ sample, time, sensor, label, group, date, unit int }

// noteFunc keeps what a person should know.
type noteFunc func(format string, values ...any)

// silent is a noteFunc for those who only try something.
func silent(string, ...any) {}

// rolesOf finds out what the columns of a table with these headings are. It asks nothing but its arguments, and tells
// note what a person should know.
func rolesOf(cells []string, h hints, note noteFunc) (roles, error) {
	for len(cells) > 1 && cells[len(cells)-1] == "" {
		cells = cells[:len(cells)-1]
	}
	f := &finder{hints: h, note: note}
	f.roles = roles{headings: slices.Clone(cells), uses: uses{-1, -1, -1, -1, -1, -1, -1}, leave: h.Leave}
	err := f.nameColumns(cells)
	if err != nil {
		return f.roles, err
	}
	err = f.find()
	if err != nil {
		return f.roles, orHeadless(err, f.headings)
	}
	if f.layout != readingsLayout {
		err = f.findSeries()
	}
	return f.roles, err
}

// finder finds the roles of a table's columns.
type finder struct {
	roles
	hints   hints // a copy, whose Leave has the column of classes, too, if that is left out
	note    noteFunc
	missing error // the first column that a person asks for by its name and that is not there
}

// nameColumns gives columns without a heading a name, and refuses two of one heading.
func (f *finder) nameColumns(cells []string) error {
	first := map[string]int{}
	for i, heading := range cells {
		if noHeading.MatchString(heading) {
			f.headings[i] = cmp.Or(heading, fmt.Sprintf("column %d", i+1))
			if !slices.Contains(f.leave, f.headings[i]) {
				f.unnamed = append(f.unnamed, i)
			}
			if f.isIndex(i) {
				f.note("%s only numbers the lines; left out", f.headings[i])
			}
		}
		at, twice := first[heading]
		if twice && heading != "" && !slices.Contains(f.leave, heading) {
			return fmt.Errorf("columns %d and %d are both headed %q; name them apart", at+1, i+1, heading)
		}
		first[heading] = i
	}
	return nil
}

// isIndex reports that a column is where pandas and R write the numbers of the lines.
func (r *roles) isIndex(column int) bool {
	return slices.Contains(r.unnamed, column) && (column == 0 || r.headings[column][0] == '_')
}

// find finds the columns that are not values, and the layout.
func (f *finder) find() error {
	f.findLabel()
	f.findGroup()
	f.findSample()
	f.findTime()
	if f.missing != nil {
		return f.missing
	}
	return f.chooseLayout()
}

// demand returns the column of a name. If there is none, that is an error with this way out.
func (f *finder) demand(name, way string) int {
	at := f.hints.column(f.headings, name)
	if at < 0 && f.missing == nil {
		f.missing = fmt.Errorf("no column is headed %q; there are %s: %s", name, strings.Join(f.headings, ", "), way)
	}
	return at
}

// findLabel finds the column of the classes. Where classes are known otherwise, or nobody asks for them, a column
// headed label is no sensor either, and is left out.
func (f *finder) findLabel() {
	knownOtherwise := f.hints.folder || f.hints.classesGiven()
	if f.hints.labelName == "" && (f.hints.known || knownOtherwise) {
		f.leaveOutLabel()
		return
	}
	if f.hints.known {
		return
	}
	f.label = f.demand(cmp.Or(f.hints.labelName, "label"),
		"name the column of the classes with --label COLUMN, or give a second "+
			"file with --labels FILE, or put each recording into a folder of its class")
}

// leaveOutLabel leaves out a column headed label, unless it is to be taken.
func (f *finder) leaveOutLabel() {
	at := f.hints.column(f.headings, "label")
	if at < 0 || slices.Contains(f.hints.Take, f.headings[at]) {
		return
	}
	if !f.hints.known {
		who := "--labels names"
		if f.hints.folder {
			who = "the folder is"
		}
		f.note("column %s is left out: %s the class", f.headings[at], who)
	}
	f.leave = append(slices.Clone(f.leave), f.headings[at])
	f.hints.Leave = f.leave
}

// findGroup finds the column of the groups, unless an expression finds them in the names of samples.
func (f *finder) findGroup() {
	if f.hints.groupBy != "" && !strings.Contains(f.hints.groupBy, "(") {
		f.group = f.demand(f.hints.groupBy, "--group takes a column, or a regular expression with brackets")
	}
}

// findSample finds the column that names the samples: the first of --columns, or that headed sample, if there is one.
func (f *finder) findSample() {
	named := f.hints.columnNames(f.headings)
	if len(named) > 0 {
		f.sample = f.demand(named[0], "name that of the samples with --columns COLUMN")
		return
	}
	f.sample = f.hints.column(f.headings, "sample")
}

// findTime finds the column of times: by the name that --time or --columns has, or by its heading.
func (f *finder) findTime() {
	name := f.hints.Time
	named := f.hints.columnNames(f.headings)
	if name == "" && len(named) > 1 {
		name = named[1]
	}
	if name == "" {
		f.guessTime()
		return
	}
	f.time = column(f.headings, name)
	if f.time < 0 && !f.hints.known {
		f.demand(name, "name that of the times with --time COLUMN")
	}
}

// guessTime takes the first column whose heading looks like times; a bare T, which may be a temperature, only if there
// is no other. If one column has dates and another one times of day, the first is that of the date.
func (f *finder) guessTime() {
	for i, heading := range f.headings {
		likely := timeHeading.MatchString(heading) && !isTemperature(heading, f.headings) && i != f.sample &&
			!slices.Contains(f.hints.Leave, heading) && !slices.Contains(f.hints.Take, heading)
		if !likely {
			continue
		}
		if f.time < 0 || mayBeTemperature(f.headings[f.time]) && !mayBeTemperature(heading) {
			f.time = i
			continue
		}
		isDate, timeIsDate := dateHeading.MatchString(heading), dateHeading.MatchString(f.headings[f.time])
		switch {
		case f.date >= 0 || mayBeTemperature(heading) || isDate == timeIsDate:
		case isDate:
			f.date = i
		default:
			f.date, f.time = f.time, i
		}
	}
}

// findSeries finds the series among the columns of values. A line that is a whole sample has several time points of
// each, by the headings; else each column is a series.
func (f *finder) findSeries() error {
	candidates := f.valueColumns(f.note)
	var headings []string
	for _, column := range candidates {
		heading := f.headings[column]
		if isNumber(heading) && f.layout != samplesLayout {
			return fmt.Errorf("the heading of column %d is %q; %s", column+1, heading, headingHint)
		}
		headings = append(headings, heading)
	}
	s := columnEach(headings)
	if beside := besideAxis(headings); beside != nil && f.hints.Take == nil && !f.hints.known {
		f.note("the other headings are even steps of an axis, but not %s: if a line is a spectrum or the like, leave these "+
			"out with --leave %q, so that it is one series", few(beside), strings.Join(beside, ","))
	}
	if f.layout == samplesLayout && !f.hints.nameSensors(headings) {
		var err error
		axis, isAxis := axisOf(headings)
		if isAxis {
			s, f.axis = axis.series(len(headings)), &axis
			f.note("%s", axis)
		} else if err = refuseFactors(headings); err == nil {
			s, err = seriesByNumber(headings)
		}
		if err != nil {
			return err
		}
	}
	f.values.names = s.names
	for _, places := range s.columns {
		for i, place := range places {
			places[i] = candidates[place]
		}
	}
	f.at = s.columns
	for _, name := range s.names { // sensor.axis
		if dot := strings.LastIndexByte(name, '.'); dot > 0 {
			name = name[:dot]
		}
		f.values.of = append(f.values.of, name)
	}
	return f.checkTimesApart()
}

// checkTimesApart returns an error if one of several series in the layout samples holds the times of the others, which
// would be taken for a sensor. What a person takes or leaves out by its name is meant so, and so is what the training
// has.
func (f *finder) checkTimesApart() error {
	if f.layout != samplesLayout || len(f.at) < 2 || len(f.at[0]) < 2 || f.hints.known || f.hints.Take != nil {
		return nil
	}
	for i, name := range f.values.names {
		if isTime(name) && !slices.Contains(f.hints.Leave, name) {
			columns := f.at[i]
			return fmt.Errorf("columns %s to %s hold times, which a table with a line for each sample has no place for: "+
				"write a line for each time point, with columns sample and time, or leave them out with --leave %q; if they are "+
				"a sensor, name all sensors with --take", f.headings[columns[0]], f.headings[columns[len(columns)-1]], name)
		}
	}
	return nil
}

// valueColumns returns the columns that may hold values. note is told of those that are left out for another reason
// than a role, an option or the lack of a heading.
func (f *finder) valueColumns(note noteFunc) (all []int) {
	notValues := append([]int{f.sample, f.time, f.label, f.group, f.date}, f.unnamed...)
	// with positions of sensors, what has none is something else, such as a gauge of the logger
	placedOnly := f.layout == samplesLayout && f.hints.Take == nil &&
		slices.ContainsFunc(f.headings, f.hints.places.has)
	var unplaced []string
	for column, heading := range f.headings {
		switch {
		case slices.Contains(f.leave, heading) || slices.Contains(notValues, column):
		case placedOnly && !f.hints.places.has(heading):
			unplaced = append(unplaced, heading)
		case f.isSecondTime(heading):
			note("column %s looks like times, too; left out (--time %s takes it for a sensor)", heading, f.headings[f.time])
		default:
			all = append(all, column)
		}
	}
	if unplaced != nil {
		note("%s names no position of column %s; left out", f.hints.places.path, few(unplaced))
	}
	return all
}

// isSecondTime reports a heading of times in a table whose times are another column, which nobody has named.
func (f *finder) isSecondTime(heading string) bool {
	return f.time >= 0 && f.hints.Time == "" && isTime(heading) && !slices.Contains(f.hints.Take, heading)
}
