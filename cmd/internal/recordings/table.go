package recordings

import (
	"cmp"
	"fmt"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/clusterpool/ccp/cmd/internal/text"
)

const headingHint = "the first line names the columns: hip.x,hip.y,head.x,head.y or sample,time,sensor,value,label"

// table is a table of any layout being read.
type table struct {
	*reader
	in       *input // nil before the first line
	from     sample
	headings []string
	layout   string
	sample, time, sensor,
	label, group int // columns; -1 for none
	unnamed []int // columns without a heading
	values  []int // columns in the order of the set: of a moment or, in the layout samples, of all moments
	moments int   // of a line
	below   int   // the lines below the headings, with units
	lines   int   // without
	unit    string
	dates   bool // times are dates
	byName  map[string]*sample
}

// row is a line of a sample.
type row struct {
	time     float64
	at, from int // the first of its columns; the first of its values among those read
	line     int
}

var (
	// likeTime matches the headings of times, and their unit.
	likeTime = regexp.MustCompile(`^(?i:time|timestamp|datetime|date|t)(?: ?[\[(](.*)[\])]|_(s|sec|ms|us|ns|min|h))?$`)
	unnamed  = regexp.MustCompile(`^(Unnamed: [0-9.]+|__index_level_[0-9]+__)?$`)
	numbered = regexp.MustCompile(`^(.*?)([0-9]{1,8})$`)
)

// head finds out what the columns are.
func (t *table) head(cells []string) error {
	for len(cells) > 1 && cells[len(cells)-1] == "" {
		cells = cells[:len(cells)-1]
	}
	t.headings = slices.Clone(cells)
	column := map[string]int{} // of each heading, from 1
	for i, heading := range t.headings {
		if unnamed.MatchString(heading) {
			t.headings[i] = cmp.Or(heading, fmt.Sprintf("column %d", i+1))
			if !slices.Contains(t.Leave, t.headings[i]) {
				t.unnamed = append(t.unnamed, i)
			}
			if t.isIndex(i) {
				t.note("%s only numbers the lines; left out", t.headings[i])
			}
		}
		t.seen[t.headings[i]] = true
		if at := column[heading]; at > 0 && heading != "" && !slices.Contains(t.Leave, heading) {
			return fmt.Errorf("columns %d and %d are both headed %q; name them apart", at, i+1, heading)
		}
		column[heading] = i + 1
	}
	if err := t.roles(); err != nil || t.layout == readingsLayout {
		return err
	}
	rest, headings := t.rest()
	for i, heading := range headings {
		if _, err := strconv.ParseFloat(heading, 64); err == nil && t.layout != samplesLayout {
			return fmt.Errorf("the heading of column %d is %q; %s", rest[i]+1, heading, headingHint)
		}
	}
	names, places, err := series(headings, t.layout == samplesLayout)
	if err != nil {
		return err
	}
	c := columns{names: names} // sensor.axis
	for _, name := range names {
		if dot := strings.LastIndexByte(name, '.'); dot > 0 {
			name = name[:dot]
		}
		c.of = append(c.of, name)
	}
	at, err := t.order(t.in.path, c)
	if err != nil {
		return err
	}
	t.moments = len(places[at[0]])
	for moment := range t.moments {
		for _, column := range at {
			t.values = append(t.values, rest[places[column][moment]])
		}
	}
	return nil
}

// isIndex reports that a column is where pandas and R write the numbers of the lines.
func (t *table) isIndex(column int) bool {
	return slices.Contains(t.unnamed, column) && (column == 0 || t.headings[column][0] == '_')
}

// roles finds the layout, and the columns that are not values.
func (t *table) roles() (err error) {
	find := func(name, use string) int {
		at := column(t.headings, name)
		if at < 0 && err == nil {
			err = fmt.Errorf("no column is headed %q; there are %s: %s", name, strings.Join(t.headings, ", "), use)
		}
		return at
	}
	names, forced := t.Columns, t.Layout
	if t.Unlabelled { // the settings of the training data only decide what headings leave open
		if forced = ""; names != nil && column(t.headings, names[0]) < 0 {
			names = nil
		}
	}
	free := t.from.label == "" // a recording in the folder of its class needs no columns
	if forced == readingsLayout || forced == "" && free &&
		(len(names) > 2 || names == nil && column(t.headings, "sensor") >= 0) {
		t.layout = readingsLayout
		if names == nil {
			names = []string{"sample", "time", "sensor", "value"}
		}
		if len(names) < 4 {
			return fmt.Errorf("--columns names %d columns (%s); want those of the sample, the time, the sensor "+
				"and one or more values, in this order", len(names), strings.Join(names, ","))
		}
		for _, name := range names {
			t.values = append(t.values, find(name, "name those of sample, time, sensor and value with --columns a,b,c,d"))
		}
		t.sample, t.time, t.sensor, t.values = t.values[0], t.values[1], t.values[2], t.values[3:]
		t.channels = names[3:]
	} else if names != nil || free && column(t.headings, "sample") >= 0 {
		t.sample = find(append(slices.Clone(names), "sample")[0], "name that of the samples with --columns COLUMN")
	}
	if t.Unlabelled {
		t.label = column(t.headings, "label")
	} else if t.Label != "" || free && t.given == nil {
		t.label = find(cmp.Or(t.Label, "label"), "name the column of the classes with --label COLUMN, or give a second file "+
			"with --labels FILE, or put each recording into a folder of its class")
	}
	if t.group = column(t.headings, t.Group); t.Group != "" && free && !strings.Contains(t.Group, "(") {
		t.group = find(t.Group, "--group takes a column, or a regular expression with brackets")
	}
	if err == nil && t.layout == "" {
		name := cmp.Or(t.Time, append(slices.Clone(names), "", "")[1])
		if t.findTime(name); name != "" && t.time < 0 && !t.Unlabelled {
			find(name, "name that of the times with --time COLUMN")
		}
	}
	if err != nil || t.layout != "" {
		return err
	}
	_, headings := t.rest()
	_, places, _ := series(headings, true)
	wide := t.time < 0 && (t.given == nil || t.sample >= 0) && (t.Layout == samplesLayout || marked(headings) ||
		t.Layout == "" && len(places) > 0 && len(places[0]) > 1)
	switch {
	case forced != "":
		t.layout = forced
	case !free || t.sample < 0 && !wide && (t.label < 0 || t.Unlabelled):
		t.layout = recordingLayout
	case t.sample >= 0 && !wide:
		t.layout = momentsLayout
	case t.time >= 0:
		return fmt.Errorf("column %s holds times, but no column is headed sample, so that each line would be a sample; "+
			"name the column of the samples with --columns COLUMN, or leave the times out with --leave %q",
			t.headings[t.time], t.headings[t.time])
	default:
		t.layout = samplesLayout
	}
	return nil
}

// findTime finds the column of times: by its name or, for "", the first that looks like times.
func (t *table) findTime(name string) {
	for i, heading := range t.headings {
		match := likeTime.FindStringSubmatch(heading)
		likely := name == "" && match != nil && t.time < 0 && !slices.Contains(t.Leave, heading)
		if likely || name != "" && strings.EqualFold(heading, name) {
			if t.time = i; match != nil {
				t.unit = match[1] + match[2]
			}
		}
	}
}

// rest returns the columns that may hold values, and their headings.
func (t *table) rest() (rest []int, headings []string) {
	other := append([]int{t.sample, t.time, t.label, t.group}, t.unnamed...)
	for i, heading := range t.headings {
		switch {
		case slices.Contains(t.Leave, heading) || slices.Contains(other, i):
		case t.time >= 0 && t.Time == "" && likeTime.MatchString(heading):
			t.note("column %s looks like times, too; left out (--time %s takes it for a sensor)", heading,
				t.headings[t.time])
		default:
			rest, headings = append(rest, i), append(headings, heading)
		}
	}
	return rest, headings
}

// marked reports that a heading names a moment, as in hip.x@0.
func marked(headings []string) bool {
	return slices.ContainsFunc(headings, func(h string) bool { return strings.Contains(h, "@") })
}

// series returns the series of a table. It returns the columns of each series, one column for each moment. The layout
// samples takes headings apart: hip.x@0, hip.x@1 or f0, f1 or 0, 1, in this order. Other headings are series of one
// moment.
func series(headings []string, apart bool) (names []string, places [][]int, err error) {
	first, wrong, marked := map[string]int{}, "", marked(headings)
	for i, heading := range headings {
		match := numbered.FindStringSubmatch(heading)
		if !apart || match == nil || marked && !strings.HasSuffix(match[1], "@") {
			wrong = heading
			break
		}
		name := cmp.Or(strings.TrimRight(match[1], "@_. "), "value")
		moment, _ := strconv.Atoi(match[2])
		at := slices.Index(names, name)
		if at < 0 {
			at, first[name] = len(names), moment
			names, places = append(names, name), append(places, nil)
		}
		if places[at] = append(places[at], i); moment != first[name]+len(places[at])-1 || first[name] > 1 {
			wrong = heading
		}
	}
	for _, place := range places {
		if len(place) != len(places[0]) && wrong == "" {
			wrong = headings[place[len(place)-1]]
		}
	}
	switch {
	case wrong == "":
		return names, places, nil
	case apart && marked:
		return nil, nil, fmt.Errorf("column %s: each sensor needs a column for each moment from 0, in this order: hip.x@0, "+
			"hip.x@1; correct the headings, or leave it out with --leave %q", wrong, wrong)
	}
	places = nil
	for i := range headings {
		places = append(places, []int{i})
	}
	return headings, places, nil
}

// add takes a line. The first line holds the headings.
func (t *table) add(in *input, line int, cells []string) error {
	if t.in == nil {
		t.in = in
		return t.head(cells)
	}
	n := len(t.headings)
	for len(cells) > n && cells[len(cells)-1] == "" {
		cells = cells[:len(cells)-1]
	}
	switch {
	case len(cells) < n:
		return fmt.Errorf("%d cells, the first line names %d columns; write ? for a missing value", len(cells), n)
	case len(cells) > n:
		return fmt.Errorf("%d cells, the first line names %d columns; begin lines before the headings with #; if there are "+
			"decimal commas, separate cells by semicolons", len(cells), n)
	}
	if t.below++; t.below == 1 {
		if units, err := t.isUnits(line, cells); units || err != nil {
			return err
		}
	}
	t.lines++
	for _, column := range []int{t.sample, t.sensor, t.label, t.group} {
		if column >= 0 && cells[column] == "" && (column != t.label || !t.Unlabelled) {
			return fmt.Errorf("column %s is empty; each reading needs one", t.headings[column])
		}
	}
	for _, column := range t.unnamed {
		if _, err := strconv.Atoi(cells[column]); cells[column] != "" && (err != nil || !t.isIndex(column)) {
			return fmt.Errorf("column %d has no heading, and here %.30q; name it, or leave it out with --leave %q", column+1,
				cells[column], t.headings[column])
		}
	}
	x, err := t.find(line, cells)
	if err != nil {
		return err
	}
	one := row{from: len(x.read), line: line}
	if t.time >= 0 {
		var date bool
		if one.time, date, err = parseTime(cells[t.time]); err == nil && t.lines > 1 && date != t.dates {
			err = fmt.Errorf("%q: lines before have times of another form; write all alike", cells[t.time])
		}
		if t.dates = date; err != nil {
			return fmt.Errorf("column %s: %w", t.headings[t.time], err)
		}
	}
	if t.sensor >= 0 {
		sensor, ok := t.bySensor[cells[t.sensor]]
		if !ok {
			sensor = len(t.sensors)
			t.sensors = append(t.sensors, strings.Clone(cells[t.sensor]))
			t.bySensor[t.sensors[sensor]] = sensor
		}
		one.at = sensor * len(t.values)
	}
	for _, column := range t.values {
		value, err := t.in.number(line, cells[column])
		if err != nil {
			heading, names := t.headings[column], ""
			if t.sample < 0 && t.from.label == "" {
				names = fmt.Sprintf(", or names the samples with --columns %q", heading)
			}
			return fmt.Errorf("column %s: %w; a line of units begins with #, a column of words is left out with --leave %q%s",
				heading, err, heading, names)
		}
		x.read = append(x.read, value)
	}
	if t.time < 0 {
		x.Values = x.read
	} else {
		x.rows = append(x.rows, one)
	}
	return nil
}

// isUnits keeps the line below the headings if it has words, not values: units. It compares them with the units in
// other recordings.
func (t *table) isUnits(line int, cells []string) (found bool, err error) {
	var units []string
	for _, column := range append(slices.Clone(t.values), t.time) {
		if column < 0 || slices.Contains(missing[:3], cells[column]) {
			continue
		}
		_, err := t.in.number(line, cells[column])
		if column == t.time {
			_, _, err = parseTime(cells[column])
		} else {
			units = append(units, t.headings[column]+" "+cells[column])
		}
		if err == nil {
			return false, nil
		}
	}
	if units == nil {
		return false, nil
	}
	if t.note("line %d holds units: %s", line, few(units)); t.time >= 0 {
		t.unit = strings.Trim(cells[t.time], "()[]")
	}
	for _, column := range t.values {
		name, unit := t.headings[column], strings.Clone(cells[column])
		if was := cmp.Or(t.units[name], t.Units[name], unit); was != unit && unit != "" {
			return true, fmt.Errorf("column %s is in %s here and in %s in other recordings; convert the values, or correct the "+
				"unit", name, unit, was)
		}
		t.units[name] = unit
	}
	return true, nil
}

// find returns the sample of a line.
func (t *table) find(line int, cells []string) (*sample, error) {
	cell := func(column int) string {
		if column < 0 {
			return ""
		}
		return cells[column]
	}
	name := cell(t.sample)
	if t.sample < 0 && t.layout == samplesLayout {
		name = strconv.Itoa(t.lines - 1)
	} else if t.sample < 0 {
		name = filepath.Base(t.from.path)
	}
	x := t.byName[name]
	if x == nil {
		x = &sample{where: t.in.path, path: t.in.path, line: line, test: t.from.test, group: strings.Clone(cell(t.group)),
			label: strings.Clone(cmp.Or(cell(t.label), t.from.label))}
		if t.layout == samplesLayout {
			x.where += fmt.Sprintf(", line %d", line)
		} else if t.sample >= 0 {
			x.where += fmt.Sprintf(", sample %q", name)
		}
		x.Name = strings.Clone(name)
		t.byName[x.Name], t.rows = x, append(t.rows, x)
	} else if t.layout == samplesLayout {
		return nil, fmt.Errorf("sample %q is in line %d already; if each line is a moment of a sample, not a whole one, "+
			"say --layout moments", name, x.line)
	}
	for i, column := range [2]int{t.label, t.group} {
		was := [2]string{x.label, x.group}[i]
		if column >= 0 && cells[column] != was && (column != t.label || !t.Unlabelled) {
			return nil, fmt.Errorf("column %s is %q, but sample %q has %q in line %d; all lines of a sample must agree",
				t.headings[column], cells[column], name, was, x.line)
		}
	}
	return x, nil
}

// lay makes a table of a sample's lines: a row for each time at which any sensor was read.
func (r *reader) lay(s *sample, width int) error {
	order, layout := s.rows, r.set.table.Layout
	ascend := func(a, b row) int { return cmp.Or(cmp.Compare(a.time, b.time), cmp.Compare(a.at, b.at)) }
	if layout != readingsLayout && !slices.IsSortedFunc(order, ascend) {
		r.note("lines are not in the order of their times, such as in %s; put in order", s.where)
	}
	slices.SortStableFunc(order, ascend)
	for i, one := range order {
		switch {
		case i > 0 && ascend(one, order[i-1]) == 0 && layout == readingsLayout:
			return fmt.Errorf("line %d: sensor %q was read at this time of sample %q in line %d already; keep one of them",
				one.line, r.sensors[one.at/len(r.channels)], s.Name, order[i-1].line)
		case i > 0 && ascend(one, order[i-1]) == 0:
			return fmt.Errorf("line %d: line %d has this time already; keep one of them, or leave the column of "+
				"times out with --leave", one.line, order[i-1].line)
		case i == 0 || one.time != order[i-1].time:
			s.Times = append(s.Times, one.time)
			s.Values = append(s.Values, slices.Repeat([]float64{math.NaN()}, width)...)
		}
		copy(s.Values[len(s.Values)-width+one.at:], s.read[one.from:][:len(s.read)/len(order)])
	}
	return nil
}

// String says what the table was taken for.
func (t *table) String() string {
	as := map[string]string{
		recordingLayout: "one file a recording, one line a moment", momentsLayout: "one line a moment",
		readingsLayout: "one line a reading", samplesLayout: "one line a sample, " + text.Count(t.moments, "moment"),
	}[t.layout] + "; " + t.in.String()
	switch {
	case t.time < 0:
		return as
	case t.dates:
		t.unit = "seconds"
	}
	return strings.TrimSuffix(as+"; column "+t.headings[t.time]+" as time in "+t.unit, " in ")
}
