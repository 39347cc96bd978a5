package recordings

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Layouts of a table.
const (
	recordingLayout  = "recording"  // a line for each time point; the file is the recording
	timepointsLayout = "timepoints" // a line for each time point; a column names the sample
	readingsLayout   = "readings"   // a line for each reading of a sensor
	samplesLayout    = "samples"    // a line for each sample, with a column for each sensor and time point
)

// Table says how to read tables. The zero value lets the reader recognise everything. After an import it says how to
// read new recordings alike.
type Table struct {
	Layout  string            `json:"layout,omitempty"`  // recording, timepoints, readings or samples
	Columns []string          `json:"columns,omitempty"` // of samples; times; sensors; and one or more values
	Time    string            `json:"time,omitempty"`    // the column of times
	Take    []string          `json:"take,omitempty"`    // the sensors or columns to take, in this order; nil for all
	Leave   []string          `json:"leave,omitempty"`   // the sensors or columns to leave out
	Units   map[string]string `json:"units,omitempty"`   // of columns, from a line below the headings
	Sheet   string            `json:"sheet,omitempty"`   // of a workbook; "" for the first
	Lists   string            `json:"lists,omitempty"`   // what lists in each other go along: time-first, time-last or sensors
	Dates   string            `json:"dates,omitempty"`   // day or month: what comes first in dates such as 01/02/2024
	Clock   string            `json:"clock,omitempty"`   // how numbers are dates or times of day, such as HHMM; "" for plain numbers
	// Decimal is the mark before decimals: point or comma. In the settings of an import it is none where no number has a
	// mark. Without it, as 0.1.0 has it, each file is one for itself.
	Decimal string `json:"decimal,omitempty"`
}

// column returns the number of the column of that name; -1 if there is none, or it is left out.
func (o *Table) column(headings []string, name string) int {
	at := column(headings, name)
	if at >= 0 && slices.Contains(o.Leave, headings[at]) {
		return -1
	}
	return at
}

// question is what the roles of columns depend on, beside their headings.
type question struct {
	Table
	label, group string
	given        map[string]string // the classes of samples by a table of their own; nil without
	places       *positionsOf      // of sensors; nil if unknown
	folder       bool              // the folder names the class
	// of recordings to classify, no class is asked for, and the settings of the training data only decide what headings
	// leave open
	known  bool
	byHand bool // the training's file was made without an import, of sensors of one value each
}

// roles says what the columns of a table are.
type roles struct {
	uses
	headings []string
	layout   string
	unnamed  []int    // columns without a heading
	values   columns  // the series or, in the layout readings, the axes
	at       [][]int  // the columns of each series, one for each time point
	leave    []string // what the options and the class leave out
	note     func(format string, values ...any)
}

// uses are columns that hold no values; -1 for none. The date is of a time of day, the unit of readings.
type uses struct{ sample, time, sensor, label, group, date, unit int }

var (
	// likeTime matches the headings of times, and their unit. T may be a temperature as well: its unit must be one of
	// time. R makes dots of blanks and brackets, so that Time (s) becomes Time..s.; what is as likely a sensor and its
	// axis or a statistic, such as T.s or time.min, is none.
	likeTime = regexp.MustCompile(`^(?i:(?:(?:elapsed|local|utc)[ _.]?)?(?:(?:date)?[/_ .]?time|time[ _.]?stamps?|date|` +
		`(?:seconds|secs?|milliseconds|millis|ms|micros(?:econds)?|nanos(?:econds)?)(?:[ _.]elapsed)?|` +
		`(?:datum[/_ .]?)?uhrzeit|zeit|zeitstempel|datum|temps|horodatage|fecha|tiempo|` +
		`hhmm(?:ss)?|hrmn|yyyymmdd(?:_?hh(?:mm(?:ss)?)?)?)` +
		`(?: ?[\[(](.*)[\])]|[_ ](s|sec|ms|us|ns|min|h|utc)|\.{1,3}(.*)\.|` +
		`\.{1,3}(s|secs?|seconds?|ms|millis|milliseconds|us|µs|ns|minutes?|h|hours?|utc)|\.)?|` +
		`t(?: ?[\[(](s|secs?|seconds?|ms|us|µs|ns|min|h|hours?|utc)[\])]|[_ ](s|sec|ms|us|ns|min|h|utc)|` +
		`\.{1,3}(s|secs?|seconds?|ms|us|µs|ns|min|h|hours?|utc)\.|\.{1,3}(secs?|seconds?|ms|us|µs|ns))?)$`)
	unnamed  = regexp.MustCompile(`^(Unnamed: [0-9.]+|__index_level_[0-9]+__)?$`)
	numbered = regexp.MustCompile(`^(.*?)([0-9]{1,8})$`)
)

const headingHint = "the first line names the columns: hip.x,hip.y,head.x,head.y or sample,time,sensor,value,label"

// isDate matches the headings of dates, whose times of day may have a column of their own.
var isDate = regexp.MustCompile(`^(?i:date|datum|fecha|day|yyyymmdd)$`)

// likeUnit matches the headings of the units of readings.
var likeUnit = regexp.MustCompile(`^(?i:(?:(?:value|sensor|measurement)[ _.]?)?(?:units?|uom)|(?:mess)?einheit(?:en)?)$`)

// maybeT matches the headings that may be a time or a temperature, such as the least one, that of a surface or that of
// a high.
var maybeT = regexp.MustCompile(`^(?i:t(?:[_ ](?:s|h|min)|\.(?:s|h|min)\.)?)$`)

// isT reports a heading that may be a time or a temperature. Only values that rise make it a time.
func isT(heading string) bool { return maybeT.MatchString(heading) }

// temperature matches the headings of the kinds of one quantity, such as T_max, T_air, T1 or T_2.
var temperature = regexp.MustCompile(`^([Tt])(?:[_ .]\p{L}[\p{L}\d_]*|[_ .]?\d+)$`)

// isTemperature reports that a heading such as T_min is one of several kinds of a quantity of that letter, as T_min and
// T_max are.
func (r *roles) isTemperature(heading string) bool {
	if !isT(heading) || len(heading) == 1 {
		return false
	}
	return slices.ContainsFunc(r.headings, func(other string) bool {
		match := temperature.FindStringSubmatch(other)
		return match != nil && match[1] == heading[:1] && !likeTime.MatchString(other)
	})
}

// rolesOf finds out what the columns of a table with these headings are. It asks nothing but its arguments, and tells
// note what a person should know.
func rolesOf(cells []string, q question, note func(format string, values ...any)) (r roles, err error) {
	for len(cells) > 1 && cells[len(cells)-1] == "" {
		cells = cells[:len(cells)-1]
	}
	r = roles{headings: slices.Clone(cells), uses: uses{-1, -1, -1, -1, -1, -1, -1}, leave: q.Leave, note: note}
	err = r.nameColumns(cells, q)
	if err != nil {
		return r, err
	}
	err = r.find(q)
	if err != nil || r.layout == readingsLayout {
		return r, r.headless(err)
	}
	rest, headings := r.rest(q)
	for i, heading := range headings {
		if _, err := strconv.ParseFloat(heading, 64); err == nil && r.layout != samplesLayout {
			return r, fmt.Errorf("the heading of column %d is %q; %s", rest[i]+1, heading, headingHint)
		}
	}
	names, places, err := series(headings, r.layout == samplesLayout && !q.areSensors(headings))
	for _, place := range places {
		for i, at := range place {
			place[i] = rest[at]
		}
	}
	r.at, r.values.names = places, names
	if err == nil {
		err = r.timesApart(q)
	}
	for _, name := range names { // sensor.axis
		if dot := strings.LastIndexByte(name, '.'); dot > 0 {
			name = name[:dot]
		}
		r.values.of = append(r.values.of, name)
	}
	return r, err
}

// nameColumns gives columns without a heading a name, and refuses two of one heading.
func (r *roles) nameColumns(cells []string, q question) error {
	first := map[string]int{}
	for i, heading := range cells {
		if unnamed.MatchString(heading) {
			r.headings[i] = cmp.Or(heading, fmt.Sprintf("column %d", i+1))
			if !slices.Contains(q.Leave, r.headings[i]) {
				r.unnamed = append(r.unnamed, i)
			}
			if r.isIndex(i) {
				r.note("%s only numbers the lines; left out", r.headings[i])
			}
		}
		at, twice := first[heading]
		if twice && heading != "" && !slices.Contains(q.Leave, heading) {
			return fmt.Errorf("columns %d and %d are both headed %q; name them apart", at+1, i+1, heading)
		}
		first[heading] = i
	}
	return nil
}

// timesApart returns an error if one of several series in the layout samples holds the times of the others, which would
// be taken for a sensor. What a person takes or leaves out by its name is meant so, and so is what the training has.
func (r *roles) timesApart(q question) error {
	if r.layout != samplesLayout || len(r.at) < 2 || len(r.at[0]) < 2 || q.known || q.Take != nil {
		return nil
	}
	for i, name := range r.values.names {
		if likeTime.MatchString(name) && !isT(name) && !slices.Contains(q.Leave, name) {
			place := r.at[i]
			return fmt.Errorf("columns %s to %s hold times, which a table with a line for each sample has no place for: "+
				"write a line for each time point, with columns sample and time, or leave them out with --leave %q; if they are "+
				"a sensor, name all sensors with --take", r.headings[place[0]], r.headings[place[len(place)-1]], name)
		}
	}
	return nil
}

// isIndex reports that a column is where pandas and R write the numbers of the lines.
func (r *roles) isIndex(column int) bool {
	return slices.Contains(r.unnamed, column) && (column == 0 || r.headings[column][0] == '_')
}

// find finds the layout, and the columns that are not values.
func (r *roles) find(q question) error {
	f := &finder{roles: r, question: q}
	f.findLabel()
	if q.group != "" && !strings.Contains(q.group, "(") {
		r.group = f.find(q.group, "--group takes a column, or a regular expression with brackets")
	}
	named := f.named()
	f.findSampleAndTime(named)
	if f.isReadings(named) {
		r.layout = readingsLayout
		err := f.findReadings(named)
		if err != nil {
			return err
		}
	}
	if f.err != nil || r.layout != "" {
		return f.err
	}
	return f.chooseLayout()
}

// finder finds the roles of columns by what is asked of them. It changes its own copy of the question.
type finder struct {
	*roles
	question
	err error // the first column that is asked for by its name and not there
}

// find returns the column of a name. use says what to do if there is none.
func (f *finder) find(name, use string) int {
	at := f.column(f.headings, name)
	if at < 0 && f.err == nil {
		f.err = fmt.Errorf("no column is headed %q; there are %s: %s", name, strings.Join(f.headings, ", "), use)
	}
	return at
}

// findLabel finds the column of the classes. Where classes are known otherwise, or nobody asks for them, a column
// headed label is no sensor either.
func (f *finder) findLabel() {
	elsewhere := f.folder || f.given != nil
	at := f.column(f.headings, "label")
	switch {
	case at >= 0 && f.question.label == "" && (f.known || elsewhere) && !slices.Contains(f.Take, f.headings[at]):
		if !f.known {
			who := "--labels names"
			if f.folder {
				who = "the folder is"
			}
			f.note("column %s is left out: %s the class", f.headings[at], who)
		}
		f.Leave = append(slices.Clone(f.Leave), f.headings[at])
		f.leave = f.Leave
	case !f.known && (f.question.label != "" || !elsewhere):
		f.roles.label = f.find(cmp.Or(f.question.label, "label"),
			"name the column of the classes with --label COLUMN, or give a second "+
				"file with --labels FILE, or put each recording into a folder of its class")
	}
}

// named returns the columns that --columns names, or nil. Those of the import mean nothing where a file to classify
// lacks the first.
func (f *finder) named() []string {
	if f.known && f.Columns != nil && f.column(f.headings, f.Columns[0]) < 0 {
		return nil
	}
	return f.Columns
}

// forced returns the layout that is asked for. The layout of the import does not bind files to classify.
func (f *finder) forced() string {
	if f.known {
		return ""
	}
	return f.Layout
}

// findSampleAndTime finds the columns that name the sample and hold the times.
func (f *finder) findSampleAndTime(named []string) {
	sample, time := "sample", f.Time
	if len(named) > 0 {
		sample = named[0]
		f.sample = f.find(sample, "name that of the samples with --columns COLUMN")
	} else {
		f.sample = f.column(f.headings, sample)
	}
	if time == "" && len(named) > 1 {
		time = named[1]
	}
	f.findTime(time, f.question)
	if time != "" && f.time < 0 && !f.known {
		f.find(time, "name that of the times with --time COLUMN")
	}
}

// isReadings reports whether each line is a reading of a sensor: as the layout that is asked for says; else if more
// than two columns are named by --columns; else if the headings are those of readings: one of sensors and, where the
// folder names the class, one of values.
func (f *finder) isReadings(named []string) bool {
	forced := f.forced()
	switch {
	case forced != "":
		return forced == readingsLayout
	case named != nil:
		return len(named) > 2
	}
	hasSensor, hasValue := f.column(f.headings, "sensor") >= 0, f.column(f.headings, "value") >= 0
	return hasSensor && (hasValue || !f.folder)
}

// findReadings finds the columns of a table with a line for each reading of a sensor.
func (f *finder) findReadings(named []string) error {
	if named == nil {
		named = []string{"sample", "time", "sensor", "value"}
	}
	if len(named) < 4 {
		return fmt.Errorf("--columns names %d columns (%s); want those of the sample, the time, the sensor "+
			"and one or more values, in this order", len(named), strings.Join(named, ","))
	}
	const use = "name those of sample, time, sensor and value with --columns a,b,c,d"
	if f.roles.label >= 0 || f.Columns != nil { // else the file may be the sample
		f.sample = f.find(named[0], use)
	}
	if f.time < 0 {
		f.time = f.find(named[1], use)
	}
	f.sensor = f.find(named[2], use)
	f.values.names = named[3:]
	for _, name := range f.values.names {
		f.at = append(f.at, []int{f.find(name, use)})
	}
	f.findUnit(f.question)
	return nil
}

// chooseLayout chooses the layout of a table of sensors: a line for each time point or for each sample.
func (f *finder) chooseLayout() error {
	_, headings := f.rest(f.question)
	_, places, _ := series(headings, !f.areSensors(headings))
	several := f.Layout == "" && len(places) > 0 && len(places[0]) > 1 // columns of a sensor, one for each time point
	wide := f.time < 0 && (f.given == nil || f.sample >= 0) && (f.Layout == samplesLayout || marked(headings) || several)
	switch {
	case f.forced() != "":
		f.layout = f.forced()
	case f.sample < 0 && (f.folder || !wide && f.roles.label < 0):
		f.layout = recordingLayout
	case f.sample >= 0 && !wide:
		f.layout = timepointsLayout
	case f.time >= 0:
		return fmt.Errorf("column %s holds times, but no column is headed sample, so that each line would be a sample; "+
			"name the column of the samples with --columns COLUMN, or leave the times out with --leave %q",
			f.headings[f.time], f.headings[f.time])
	default:
		f.layout = samplesLayout
	}
	return nil
}

// findTime finds the column of times: by its name or, for "", by its heading, see guessTime.
func (r *roles) findTime(name string, q question) {
	if name == "" {
		r.guessTime(q)
		return
	}
	r.time = column(r.headings, name)
}

// guessTime takes the first column whose heading looks like times; a bare T, which may be a temperature, only if there
// is no other. A column of dates beside one of times of day becomes r.date, and the times r.time.
func (r *roles) guessTime(q question) {
	for i, heading := range r.headings {
		likely := likeTime.MatchString(heading) && !r.isTemperature(heading) && i != r.sample &&
			!slices.Contains(q.Leave, heading) && !slices.Contains(q.Take, heading)
		switch {
		case !likely:
		case r.time < 0 || isT(r.headings[r.time]) && !isT(heading):
			r.time = i
		case r.date < 0 && !isT(heading) && isDate.MatchString(heading) && !isDate.MatchString(r.headings[r.time]):
			r.date = i
		case r.date < 0 && !isT(heading) && !isDate.MatchString(heading) && isDate.MatchString(r.headings[r.time]):
			r.date, r.time = r.time, i
		}
	}
}

// findUnit finds the column of the units of readings, and notes the columns that nothing is made of. Whoever classifies
// has been told by the import.
func (r *roles) findUnit(q question) {
	used := append([]int{r.sample, r.time, r.sensor, r.label, r.group, r.date}, r.unnamed...)
	var unused []string
	for i, heading := range r.headings {
		switch {
		case slices.Contains(used, i) || slices.Contains(r.leave, heading) || column(r.values.names, heading) >= 0:
		case r.unit < 0 && likeUnit.MatchString(heading):
			r.unit = i
		default:
			unused = append(unused, heading)
		}
	}
	if unused != nil && !q.known {
		r.note("column %s is no value of a table with a line for each reading; left out (--columns names those of sample, "+
			"time, sensor and values)", few(unused))
	}
}

// areSensors reports that headings are sensors, which have positions or are to be taken by these names, or of which a
// person says that their lists are of sensors, not time points.
func (q *question) areSensors(headings []string) bool {
	return q.Lists == noTime ||
		slices.ContainsFunc(headings, func(h string) bool { return q.places.has(h) || slices.Contains(q.Take, h) })
}

// rest returns the columns that may hold values, and their headings.
func (r *roles) rest(q question) (rest []int, headings []string) {
	other := append([]int{r.sample, r.time, r.label, r.group, r.date}, r.unnamed...)
	var unknown []string
	known := r.layout == samplesLayout && q.Take == nil && slices.ContainsFunc(r.headings, q.places.has)
	for i, heading := range r.headings {
		switch {
		case slices.Contains(r.leave, heading) || slices.Contains(other, i):
		case known && !q.places.has(heading):
			unknown = append(unknown, heading)
		case r.time >= 0 && q.Time == "" && likeTime.MatchString(heading) && !isT(heading) &&
			!slices.Contains(q.Take, heading):
			r.note("column %s looks like times, too; left out (--time %s takes it for a sensor)", heading, r.headings[r.time])
		default:
			rest, headings = append(rest, i), append(headings, heading)
		}
	}
	if unknown != nil {
		r.note("%s names no position of column %s; left out", q.places.path, few(unknown))
	}
	return rest, headings
}

// marked reports that a heading names a time point, as in hip.x@0.
func marked(headings []string) bool {
	return slices.ContainsFunc(headings, func(h string) bool { return strings.Contains(h, "@") })
}

// series returns the names of the series of a table, and the columns of each, one column for each time point. In the
// layout samples, apart is true, and headings are taken apart into a name and a number: hip.x@0, hip.x@1 or f0, f1 or
// 0, 1, in any order. If some heading does not fit that, each column is a series of one time point; where @ marks time
// points, it is an error.
func series(headings []string, apart bool) (names []string, columnsOf [][]int, err error) {
	marked := marked(headings)
	names, columnsOf, numbers, wrong := byNumber(headings, apart, marked) // wrong is a heading that does not fit
	for k := 0; k < len(columnsOf) && wrong == ""; k++ {
		columns := columnsOf[k]
		wrong, err = checkNumbering(headings, names[k], columns, numbers)
		if wrong == "" && len(columns) != len(columnsOf[0]) { // the series differ in length
			wrong = headings[columns[len(columns)-1]]
		}
	}
	switch {
	case wrong == "" || err != nil:
		return names, columnsOf, err
	case apart && marked:
		return nil, nil, fmt.Errorf("column %s: each sensor needs a column for each time point from 0: hip.x@0, "+
			"hip.x@1; correct the headings, or leave it out with --leave %q", wrong, wrong)
	}
	columnsOf = nil
	for i := range headings {
		columnsOf = append(columnsOf, []int{i})
	}
	return headings, columnsOf, nil
}

// byNumber groups columns by their headings without the numbers at the end, and puts each group in the order of the
// numbers. wrong is the first heading that has no number.
func byNumber(headings []string, apart, marked bool) (names []string, columnsOf [][]int, numbers []int, wrong string) {
	numbers = make([]int, len(headings))
	for i, heading := range headings {
		match := numbered.FindStringSubmatch(heading)
		if !apart || match == nil || marked && !strings.HasSuffix(match[1], "@") {
			wrong = heading
			break
		}
		name := cmp.Or(strings.TrimRight(match[1], "@_. "), "value")
		numbers[i], _ = strconv.Atoi(match[2])
		at := slices.Index(names, name)
		if at < 0 {
			at, names, columnsOf = len(names), append(names, name), append(columnsOf, nil)
		}
		columnsOf[at] = append(columnsOf[at], i)
	}
	if wrong == "" {
		for _, place := range columnsOf {
			slices.SortStableFunc(place, func(i, j int) int { return numbers[i] - numbers[j] })
		}
	}
	return names, columnsOf, numbers, wrong
}

// checkNumbering returns a heading of a series whose number does not follow the one before, or one of a series that
// does not count from 0 or 1; "" if all fit. columns are those of the series, in the order of their numbers. It is an
// error if only a few numbers are missing: then the columns are time points all the same.
func checkNumbering(headings []string, name string, columns, numbers []int) (wrong string, err error) {
	n := len(columns)
	first, last := numbers[columns[0]], numbers[columns[n-1]]
	for at, i := range columns {
		expected := first + at
		if numbers[i] == expected {
			continue
		}
		fewMissing := last-first < n+n/minSteps
		if n >= minSteps && fewMissing && first <= 1 {
			err = fmt.Errorf("columns %s to %s look like the time points of %s, but there is none of number %d: add "+
				"that column, with empty cells, or name all sensors with --take", headings[columns[0]],
				headings[columns[n-1]], name, expected)
		}
		return headings[i], err
	}
	if first > 1 {
		return headings[columns[n-1]], nil
	}
	return "", nil
}

// headless adds to an error that the headings may be values. Wavelengths, as headings, look like values, too.
func (r *roles) headless(err error) error {
	for _, heading := range r.headings {
		if _, wrong := strconv.ParseFloat(heading, 64); err != nil && wrong == nil && strings.Contains(heading, ".") {
			return fmt.Errorf("%w; if the line holds values, such as %s, write a line of headings above it", err, heading)
		}
	}
	return err
}
