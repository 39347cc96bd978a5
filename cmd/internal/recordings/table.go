package recordings

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/clusterpool/ccp/internal/text"
)

const headingHint = "the first line names the columns: hip.x,hip.y,head.x,head.y or sample,time,sensor,value,label"

// table is a table of any layout being read.
type table struct {
	*reading
	in       *input // nil before the first line
	from     sample
	headings []string
	layout   string
	sample, time, sensor,
	label, group int // columns; -1 for none
	unnamed    []int // columns without a heading
	values     []int // columns in the order of the set: of a time point or, in the layout samples, of all time points
	timepoints int   // of a line
	below      int   // the lines below the headings, with units
	lines      int   // without
	unit       string
	kind       int // of times
	byName     map[string]*sample
}

var (
	// likeTime matches the headings of times, and their unit. T may be a temperature as well: its unit must be one of time.
	likeTime = regexp.MustCompile(`^(?i:(?:(?:elapsed|local|utc)[ _]?)?(?:(?:date)?[/_ ]?time|timestamp|date|` +
		`(?:seconds|secs?|milliseconds|millis|ms)|(?:datum[/_ ]?)?uhrzeit|zeit|zeitstempel|datum|temps|horodatage|fecha|tiempo)` +
		`(?: ?[\[(](.*)[\])]|[_ ](s|sec|ms|us|ns|min|h|utc))?|` +
		`t(?: ?[\[(](s|secs?|seconds?|ms|us|µs|ns|min|h|hours?|utc)[\])]|[_ ](s|sec|ms|us|ns|min|h|utc))?)$`)
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
		return t.headless(err)
	}
	rest, headings := t.rest()
	for i, heading := range headings {
		if _, err := strconv.ParseFloat(heading, 64); err == nil && t.layout != samplesLayout {
			return fmt.Errorf("the heading of column %d is %q; %s", rest[i]+1, heading, headingHint)
		}
	}
	names, columnsOf, err := series(headings, t.layout == samplesLayout && !t.areSensors(headings))
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
		return t.headless(err)
	}
	t.timepoints = len(columnsOf[at[0]])
	for timepoint := range t.timepoints {
		for _, column := range at {
			t.values = append(t.values, rest[columnsOf[column][timepoint]])
		}
	}
	return nil
}

// isIndex reports that a column is where pandas and R write the numbers of the lines.
func (t *table) isIndex(column int) bool {
	return slices.Contains(t.unnamed, column) && (column == 0 || t.headings[column][0] == '_')
}

// column returns the number of the column of that name; -1 if there is none, or it is left out.
func (t *table) column(name string) int {
	at := column(t.headings, name)
	if at >= 0 && slices.Contains(t.Leave, t.headings[at]) {
		return -1
	}
	return at
}

// roles finds the layout, and the columns that are not values.
func (t *table) roles() (err error) {
	find := func(name, use string) int {
		at := t.column(name)
		if at < 0 && err == nil {
			err = fmt.Errorf("no column is headed %q; there are %s: %s", name, strings.Join(t.headings, ", "), use)
		}
		return at
	}
	names, forced := t.Columns, t.Layout
	if t.Unlabelled { // the settings of the training data only decide what headings leave open
		if forced = ""; names != nil && t.column(names[0]) < 0 {
			names = nil
		}
	}
	if t.from.part && (t.Label != "" || t.column("label") >= 0) {
		t.from.test, t.from.label = half(t.from.label, "test"), ""
		t.made.SplitBy = "the folders"
	}
	free := t.from.label == "" // no folder names the class
	if at := t.column("label"); t.Unlabelled {
		t.label = at
	} else if at >= 0 && t.Label == "" && (!free || t.given != nil) && !slices.Contains(t.Take, t.headings[at]) {
		t.note("column %s is left out: %s the class", t.headings[at], map[bool]string{true: "--labels names", false: "the folder is"}[free])
		t.Leave = append(slices.Clone(t.Leave), t.headings[at])
	} else if t.Label != "" || free && t.given == nil {
		t.label = find(cmp.Or(t.Label, "label"), "name the column of the classes with --label COLUMN, or give a second file "+
			"with --labels FILE, or put each recording into a folder of its class")
	}
	if t.Group != "" && !strings.Contains(t.Group, "(") {
		t.group = find(t.Group, "--group takes a column, or a regular expression with brackets")
	}
	named := append(slices.Clone(names), slices.Repeat([]string{""}, 4)...)
	if t.sample = t.column(cmp.Or(named[0], "sample")); names != nil {
		find(names[0], "name that of the samples with --columns COLUMN")
	}
	name := cmp.Or(t.Time, named[1])
	if t.findTime(name); name != "" && t.time < 0 && !t.Unlabelled {
		find(name, "name that of the times with --time COLUMN")
	}
	if forced == readingsLayout || forced == "" &&
		(len(names) > 2 || names == nil && t.column("sensor") >= 0 && (free || t.column("value") >= 0)) {
		if t.layout = readingsLayout; names == nil {
			names = []string{"sample", "time", "sensor", "value"}
		}
		if len(names) < 4 {
			return fmt.Errorf("--columns names %d columns (%s); want those of the sample, the time, the sensor "+
				"and one or more values, in this order", len(names), strings.Join(names, ","))
		}
		const use = "name those of sample, time, sensor and value with --columns a,b,c,d"
		if t.label >= 0 && !t.Unlabelled || t.Columns != nil { // else the file may be the sample
			t.sample = find(names[0], use)
		}
		if t.time < 0 {
			t.time = find(names[1], use)
		}
		t.sensor, t.axes = find(names[2], use), names[3:]
		for _, name := range t.axes {
			t.values = append(t.values, find(name, use))
		}
	}
	if err != nil || t.layout != "" {
		return err
	}
	_, headings := t.rest()
	_, columnsOf, _ := series(headings, !t.areSensors(headings))
	wide := t.time < 0 && (t.given == nil || t.sample >= 0) && (t.Layout == samplesLayout || marked(headings) ||
		t.Layout == "" && len(columnsOf) > 0 && len(columnsOf[0]) > 1)
	switch {
	case forced != "":
		t.layout = forced
	case t.sample < 0 && (!free || !wide && (t.label < 0 || t.Unlabelled)):
		t.layout = recordingLayout
	case t.sample >= 0 && !wide:
		t.layout = timepointsLayout
	case t.time >= 0:
		return fmt.Errorf("column %s holds times, but no column is headed sample, so that each line would be a sample; "+
			"name the column of the samples with --columns COLUMN, or leave the times out with --leave %q",
			t.headings[t.time], t.headings[t.time])
	default:
		t.layout = samplesLayout
	}
	return nil
}

// findTime finds the column of times: by its name or, for "", the first that looks like times, a mere T at last.
func (t *table) findTime(name string) {
	for i, heading := range t.headings {
		likely := name == "" && likeTime.MatchString(heading) && i != t.sample && !slices.Contains(t.Leave, heading) && !slices.Contains(t.Take, heading)
		if name != "" && strings.EqualFold(heading, name) || likely && (t.time < 0 || isT(t.headings[t.time]) && !isT(heading)) {
			t.time = i
		}
	}
	if t.time < 0 {
		return
	}
	heading := t.headings[t.time]
	if match := likeTime.FindStringSubmatch(heading); match != nil {
		t.unit = strings.Join(match[1:], "")
	}
	if name == "" && isT(heading) && !t.Unlabelled {
		t.mere = heading
	}
}

// isT reports a heading that may be a time or a temperature.
func isT(heading string) bool { return strings.EqualFold(heading, "t") }

// areSensors reports that headings are sensors, which have positions or are to be taken by these names, not time points.
func (t *table) areSensors(headings []string) bool {
	return slices.ContainsFunc(headings, func(h string) bool { return t.located(h) || slices.Contains(t.Take, h) })
}

func (t *table) located(column string) bool {
	return t.positions != nil && t.positions.of[column] != nil
}

// rest returns the columns that may hold values, and their headings.
func (t *table) rest() (rest []int, headings []string) {
	other := append([]int{t.sample, t.time, t.label, t.group}, t.unnamed...)
	var unknown []string
	known := t.layout == samplesLayout && t.Take == nil && slices.ContainsFunc(t.headings, t.located)
	for i, heading := range t.headings {
		switch {
		case slices.Contains(t.Leave, heading) || slices.Contains(other, i):
		case known && !t.located(heading):
			unknown = append(unknown, heading)
		case t.time >= 0 && t.Time == "" && likeTime.MatchString(heading) && !isT(heading) && !slices.Contains(t.Take, heading):
			t.note("column %s looks like times, too; left out (--time %s takes it for a sensor)", heading,
				t.headings[t.time])
		default:
			rest, headings = append(rest, i), append(headings, heading)
		}
	}
	if unknown != nil {
		t.note("%s names no position of column %s; left out", t.Positions, few(unknown))
	}
	return rest, headings
}

// marked reports that a heading names a time point, as in hip.x@0.
func marked(headings []string) bool {
	return slices.ContainsFunc(headings, func(h string) bool { return strings.Contains(h, "@") })
}

// series returns the series of a table. It returns the columns of each series, one column for each time point. The layout
// samples takes headings apart: hip.x@0, hip.x@1 or f0, f1 or 0, 1, in this order. Other headings are series of one
// time point.
func series(headings []string, apart bool) (names []string, columnsOf [][]int, err error) {
	first, wrong, marked := map[string]int{}, "", marked(headings)
	for i, heading := range headings {
		match := numbered.FindStringSubmatch(heading)
		if !apart || match == nil || marked && !strings.HasSuffix(match[1], "@") {
			wrong = heading
			break
		}
		name := cmp.Or(strings.TrimRight(match[1], "@_. "), "value")
		timepoint, _ := strconv.Atoi(match[2])
		at := slices.Index(names, name)
		if at < 0 {
			at, first[name] = len(names), timepoint
			names, columnsOf = append(names, name), append(columnsOf, nil)
		}
		if columnsOf[at] = append(columnsOf[at], i); timepoint != first[name]+len(columnsOf[at])-1 || first[name] > 1 {
			wrong = heading
		}
	}
	for _, place := range columnsOf {
		if len(place) != len(columnsOf[0]) && wrong == "" {
			wrong = headings[place[len(place)-1]]
		}
	}
	switch {
	case wrong == "":
		return names, columnsOf, nil
	case apart && marked:
		return nil, nil, fmt.Errorf("column %s: each sensor needs a column for each time point from 0, in this order: hip.x@0, "+
			"hip.x@1; correct the headings, or leave it out with --leave %q", wrong, wrong)
	}
	columnsOf = nil
	for i := range headings {
		columnsOf = append(columnsOf, []int{i})
	}
	return headings, columnsOf, nil
}

// headless adds to an error that the headings may be values. Wavelengths, as headings, look like values, too.
func (t *table) headless(err error) error {
	for _, heading := range t.headings {
		if _, wrong := strconv.ParseFloat(heading, 64); err != nil && wrong == nil && strings.Contains(heading, ".") {
			return fmt.Errorf("%w; if the line holds values, such as %s, write a line of headings above it", err, heading)
		}
	}
	return err
}

// String says what the table was taken for.
func (t *table) String() string {
	as := map[string]string{
		recordingLayout: "one file a recording, one line a time point", timepointsLayout: "one line a time point",
		readingsLayout: "one line a reading", samplesLayout: "one line a sample, " + text.Count(t.timepoints, "time point"),
	}[t.layout] + "; " + t.in.String()
	switch {
	case t.time < 0:
		return as
	case t.kind != numbers:
		t.unit = "seconds"
	}
	return strings.TrimSuffix(as+"; column "+t.headings[t.time]+" as time in "+t.unit, " in ")
}
