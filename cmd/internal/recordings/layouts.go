package recordings

// This file decides which layout a table has: what its lines and its columns are. The list tableLayouts says which
// layouts there are, and what each needs.

import (
	"fmt"
	"slices"
	"strings"
)

// The names of the layouts, as --layout and the settings of an import have them.
const (
	readingsLayout   = "readings"
	timepointsLayout = "timepoints"
	recordingLayout  = "recording"
	samplesLayout    = "samples"
)

// tableLayout is a way in which tables hold recordings.
type tableLayout struct {
	name  string
	words string // what a file or a line is
	// lacks returns what keeps a table from having this layout, each as "needs …" or "has no place for …" and, where there
	// is one, with a way out; nothing if the table fits. It is asked only if no layout before it in tableLayouts fits.
	lacks func(f *finder) []string
	// findColumns finds the columns that only this layout has; nil if it has those that all have.
	findColumns func(f *finder) error
}

// tableLayouts are all layouts, in the order in which they are tried: a table has the first that lacks nothing.
// Readings come first, as the columns of sensors and their values tell them apart from anything else. A table has time
// points or is a recording by whether a column names the samples, so that these two never contend. A line is a whole
// sample where nothing else fits, as any table of numbers may be read so.
var tableLayouts = []tableLayout{
	{readingsLayout, "one line a reading", (*finder).lacksForReadings, (*finder).findReadings},
	{timepointsLayout, "one line a time point", (*finder).lacksForTimepoints, nil},
	{recordingLayout, "one file a recording, one line a time point", (*finder).lacksForRecording, nil},
	{samplesLayout, "one line a sample", (*finder).lacksForSamples, nil},
}

// chooseLayout chooses the layout that a person asks for or else the first that fits, and finds its columns. If none
// fits, the error names those that lack one thing only, and what that is.
func (f *finder) chooseLayout() error {
	asked := f.hints.layoutAsked()
	if asked != "" {
		l, known := layoutNamed(asked)
		if !known {
			return fmt.Errorf("there is no layout %q; want readings, timepoints, recording or samples", asked)
		}
		return f.take(l)
	}
	var near []string
	for _, l := range tableLayouts {
		lacks := l.lacks(f)
		switch len(lacks) {
		case 0:
			return f.take(l)
		case 1:
			near = append(near, fmt.Sprintf("%s (%s) %s", l.name, l.words, lacks[0]))
		}
	}
	return fmt.Errorf("no layout fits the table: %s", strings.Join(near, "; "))
}

// layoutNamed returns the layout of that name, and whether there is one.
func layoutNamed(name string) (l tableLayout, known bool) {
	at := slices.IndexFunc(tableLayouts, func(l tableLayout) bool { return l.name == name })
	if at < 0 {
		return l, false
	}
	return tableLayouts[at], true
}

// take gives the table a layout, and finds its columns.
func (f *finder) take(l tableLayout) error {
	f.layout = l.name
	if l.findColumns == nil {
		return nil
	}
	return l.findColumns(f)
}

// readingsWay is what helps where a column of readings has another heading.
const readingsWay = "name those of sample, time, sensor and value with --columns a,b,c,d"

// lacksForReadings says what a table lacks of a line for each reading: columns of sensors and of values. --columns
// names them behind those of samples and times.
func (f *finder) lacksForReadings() (lacks []string) {
	named := f.hints.columnNames(f.headings)
	if len(named) > 2 {
		return nil
	}
	hasSensor := named == nil && f.hints.column(f.headings, "sensor") >= 0
	hasValue := named == nil && f.hints.column(f.headings, "value") >= 0
	if !hasSensor {
		lacks = append(lacks, "needs a column headed sensor: "+readingsWay)
	}
	// where the folder names the class, sensor may be the heading of a sensor's values; else the lack of values is an
	// error of findReadings, which says how to name their column
	if !hasValue && (f.hints.folder || !hasSensor) {
		lacks = append(lacks, "needs a column headed value: "+readingsWay)
	}
	return lacks
}

// lacksForTimepoints says what a table lacks of a line for each time point of a sample.
func (f *finder) lacksForTimepoints() (lacks []string) {
	if f.sample < 0 {
		lacks = append(lacks, "needs a column headed sample: name the column of the samples with --columns COLUMN")
	}
	if f.timeInHeadings() {
		lacks = append(lacks, "has no place for headings that number time points")
	}
	return lacks
}

// lacksForRecording says what keeps a file from being one recording, with a line for each time point: its class must
// come from outside, and its lines must not be samples.
func (f *finder) lacksForRecording() (lacks []string) {
	if f.sample >= 0 {
		lacks = append(lacks, fmt.Sprintf("has no place for column %s, which names samples", f.headings[f.sample]))
	}
	if f.hints.folder {
		return lacks
	}
	if f.label >= 0 && !f.hints.stretches {
		lacks = append(lacks, fmt.Sprintf("needs a folder named after the class for each file, in place of column %s, or "+
			"--window if the class changes within a file: windows are then cut of the stretches of one class",
			f.headings[f.label]))
	}
	if f.timeInHeadings() {
		lacks = append(lacks, "has no place for headings that number time points")
	}
	return lacks
}

// lacksForSamples says what keeps a table from having a line for each sample: times, which are of time points.
func (f *finder) lacksForSamples() []string {
	if f.time < 0 {
		return nil
	}
	times := f.headings[f.time]
	return []string{fmt.Sprintf("has no place for the times of column %s: leave it out with --leave %q", times, times)}
}

// timeInHeadings reports that columns are those of time points, so that a line is a whole sample: by marks such as
// hip.x@0, by numbers such as f0, f1 or an axis, or because a person says so. A table with times of its own is none of
// these, nor is one without samples' names whose classes are given by the names of the files.
func (f *finder) timeInHeadings() bool {
	fileIsSample := f.hints.classesGiven() && f.sample < 0
	if f.time >= 0 || fileIsSample {
		return false
	}
	var headings []string
	for _, column := range f.valueColumns(silent) {
		headings = append(headings, f.headings[column])
	}
	switch {
	case f.hints.Layout == samplesLayout || marksTimePoints(headings):
		return true
	case f.hints.Layout != "" || f.hints.nameSensors(headings):
		return false
	}
	if _, isAxis := axisOf(headings); isAxis && f.hints.Take == nil {
		return true
	}
	s, _ := seriesByNumber(headings) // a time point that is missing is an error of the layout samples
	return len(s.columns) > 0 && len(s.columns[0]) > 1
}

// findReadings finds the columns of a table with a line for each reading of a sensor.
func (f *finder) findReadings() error {
	named := f.hints.columnNames(f.headings)
	if named == nil {
		named = []string{"sample", "time", "sensor", "value"}
	}
	if len(named) < 4 {
		return fmt.Errorf("--columns names %d columns (%s); want those of the sample, the time, the sensor "+
			"and one or more values, in this order", len(named), strings.Join(named, ","))
	}
	if f.label >= 0 || f.hints.Columns != nil { // else the file may be the sample
		f.sample = f.demand(named[0], readingsWay)
	}
	if f.time < 0 {
		f.time = f.demand(named[1], readingsWay)
	}
	f.sensor = f.demand(named[2], readingsWay)
	f.values.names = named[3:]
	for _, name := range f.values.names {
		f.at = append(f.at, []int{f.demand(name, readingsWay)})
	}
	f.findUnit()
	return f.missing
}

// findUnit finds the column of the units of readings, and notes the columns that nothing is made of. Whoever classifies
// recordings need not know of these: the import of the training has told of them.
func (f *finder) findUnit() {
	used := append([]int{f.sample, f.time, f.sensor, f.label, f.group, f.date}, f.unnamed...)
	var unused []string
	for i, heading := range f.headings {
		switch {
		case slices.Contains(used, i) || slices.Contains(f.leave, heading) || column(f.values.names, heading) >= 0:
		case f.unit < 0 && unitHeading.MatchString(heading):
			f.unit = i
		default:
			unused = append(unused, heading)
		}
	}
	if unused != nil && !f.hints.known {
		f.note("column %s is no value of a table with a line for each reading; left out (--columns names those of sample, "+
			"time, sensor and values)", few(unused))
	}
}
