package recordings

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

const headingHint = "the first line names the columns: hip.x,hip.y,head.x,head.y"

// table is a table of any layout being read.
type table struct {
	*reader
	in   *input
	from source

	headings []string // nil before the first line
	layout   string
	sample, time, sensor,
	label, group int // columns; -1 for none
	unnamed []int  // columns without a heading
	values  []int  // columns of values in the order of the set: of a moment or, in the layout samples, of all moments
	moments int    // of a line
	below   int    // lines below the headings
	lines   int    // of these, all without the line of units
	unit    string // of the times
	dates   bool   // times are dates
	line    int    // of the headings
	unlike  unlikeError
	byName  map[string]*rows
}

// rows is a sample and its lines, in the order of the file.
type rows struct {
	sample
	path  string
	line  int // where it begins
	timed bool
	rows  []row     // nil if the values are those of the sample
	read  []float64 // the values of the rows
}

// row is a line of a sample.
type row struct {
	time     float64
	at       int // the first of its columns
	from, to int // its values among those read
	line     int
}

func newTable(r *reader, in *input, from source) *table {
	return &table{reader: r, in: in, from: from, sample: -1, time: -1, sensor: -1, label: -1, group: -1, moments: 1,
		byName: map[string]*rows{}}
}

// likeTime matches the headings of times, and their unit.
var likeTime = regexp.MustCompile(`^(?i:time|timestamp|datetime|date|t)(?: ?[\[(](.*)[\])]|_(s|sec|ms|us|ns|min|h))?$`)

var unnamed = regexp.MustCompile(`^(Unnamed: [0-9.]+)?$`)

// head finds out what the columns are.
func (t *table) head(cells []string) error {
	for len(cells) > 1 && cells[len(cells)-1] == "" {
		cells = cells[:len(cells)-1]
	}
	t.headings = slices.Clone(cells)
	for i, heading := range t.headings {
		if unnamed.MatchString(heading) {
			t.headings[i] = cmp.Or(heading, fmt.Sprintf("column %d", i+1))
			if !slices.Contains(t.Leave, t.headings[i]) {
				t.unnamed = append(t.unnamed, i)
			}
		}
		if at := slices.Index(t.headings[:i], heading); at >= 0 && !slices.Contains(t.Leave, heading) {
			return fmt.Errorf("columns %d and %d are both headed %q; name them apart", at+1, i+1, heading)
		}
	}
	if err := t.roles(); err != nil {
		return err
	}
	if t.layout == readingsLayout {
		return nil
	}
	rest := t.rest()
	var headings []string
	for _, i := range rest {
		if _, err := strconv.ParseFloat(t.headings[i], 64); err == nil && t.layout != samplesLayout {
			return fmt.Errorf("the heading of column %d is %q; %s", i+1, t.headings[i], headingHint)
		}
		headings = append(headings, t.headings[i])
	}
	names, places, err := headings, [][]int(nil), error(nil)
	if t.layout == samplesLayout {
		if names, places, err = series(headings); err != nil {
			return err
		}
		t.moments = len(places[0])
	}
	c := dotted(names)
	at, err := t.order(t.in.path, c)
	if errors.As(err, &t.unlike) { // what is wrong within the file comes first
		if _, _, err = c.sensors(); err == nil {
			for i := range names {
				at = append(at, i)
			}
		}
	}
	if err != nil {
		return err
	}
	for moment := range t.moments {
		for _, column := range at {
			switch {
			case column < 0:
				t.values = append(t.values, -1)
			case places == nil:
				t.values = append(t.values, rest[column])
			default:
				t.values = append(t.values, rest[places[column][moment]])
			}
		}
	}
	return nil
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
	if forced == readingsLayout || forced == "" && t.from.class == "" &&
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
		if t.reader.values == nil {
			t.reader.values = names[3:]
		}
	} else if names != nil || t.from.class == "" && column(t.headings, "sample") >= 0 {
		t.sample = find(append(slices.Clone(names), "sample")[0], "name that of the samples with --columns COLUMN")
	}
	if t.Unlabelled {
		t.label = column(t.headings, "label")
	} else if t.Label != "" || t.from.class == "" && t.given == nil {
		t.label = find(cmp.Or(t.Label, "label"),
			"name the column of the classes with --label COLUMN, or give a second file with --labels FILE, or put each "+
				"recording into a folder of its class")
	}
	if t.from.class != "" || strings.Contains(t.Group, "(") {
		t.group = column(t.headings, t.Group)
	} else if t.Group != "" {
		t.group = find(t.Group, "--group takes a column, or a regular expression with brackets")
	}
	if err != nil || t.layout == readingsLayout {
		return err
	}
	if t.time, err = t.findTime(names); err != nil {
		return err
	}
	var values []string
	for _, i := range t.rest() {
		values = append(values, t.headings[i])
	}
	_, places, _ := series(values)
	wide := t.time < 0 && (t.given == nil || t.sample >= 0) && (t.Layout == samplesLayout || marked(values) ||
		t.Layout == "" && len(places) > 0 && len(places[0]) > 1)
	switch {
	case forced != "":
		t.layout = forced
	case t.from.class != "":
		t.layout = recordingLayout
	case wide:
		t.layout = samplesLayout
	case t.sample >= 0:
		t.layout = momentsLayout
	case t.label < 0 || t.Unlabelled:
		t.layout = recordingLayout
	case t.time >= 0:
		return fmt.Errorf("column %s holds times, but no column is headed sample, so that each line would be a sample; "+
			"name the column of the samples with --columns COLUMN, or leave the times out with --leave %s",
			t.headings[t.time], t.headings[t.time])
	default:
		t.layout = samplesLayout
	}
	return nil
}

// findTime returns the column of times; -1 if there is none.
func (t *table) findTime(names []string) (int, error) {
	if name := append(slices.Clone(names), "", "")[1]; t.Time != "" || name != "" {
		name = cmp.Or(t.Time, name)
		at := column(t.headings, name)
		if at < 0 && !t.Unlabelled {
			return at, fmt.Errorf("no column is headed %q; there are %s", name, strings.Join(t.headings, ", "))
		}
		return at, nil
	}
	found := -1
	for i, heading := range t.headings {
		match := likeTime.FindStringSubmatch(heading)
		switch {
		case match == nil || slices.Contains(t.Leave, heading):
		case found >= 0:
			return 0, fmt.Errorf("columns %s and %s both look like times; name the one to use: --time %s",
				t.headings[found], heading, t.headings[found])
		default:
			found, t.unit = i, match[1]+match[2]
		}
	}
	return found, nil
}

// rest returns the columns that may be values: all without another role.
func (t *table) rest() (rest []int) {
	for i, heading := range t.headings {
		other := slices.Contains([]int{t.sample, t.time, t.label, t.group}, i) || slices.Contains(t.unnamed, i)
		if !other && (t.time < 0 || !likeTime.MatchString(heading)) && !slices.Contains(t.Leave, heading) {
			rest = append(rest, i)
		} else if !other {
			t.used[heading] = true
		}
	}
	return rest
}

// marked reports that a heading names a moment, as in hip.x@0.
func marked(headings []string) bool {
	return slices.ContainsFunc(headings, func(h string) bool { return strings.Contains(h, "@") })
}

var numbered = regexp.MustCompile(`^(.*?)([0-9]+)$`)

// series takes the headings of the layout samples apart: the series, and for each its headings in the order of the
// moments. Headings are hip.x@0, f0 or 0. Other headings are series of one moment.
func series(headings []string) (names []string, places [][]int, err error) {
	marked := marked(headings)
	at := map[string]map[int]int{} // the heading of a series and moment
	longest := 0
	for i, heading := range headings {
		match := numbered.FindStringSubmatch(heading)
		if match == nil || marked && !strings.HasSuffix(match[1], "@") || len(match[2]) > 8 {
			if marked {
				return nil, nil, fmt.Errorf("column %s has no moment, as others have: hip.x@0; name it so, or leave it out with "+
					"--leave %s", heading, heading)
			}
			longest = 0
			break
		}
		name := cmp.Or(strings.TrimRight(match[1], "@_. "), "value")
		if at[name] == nil {
			at[name], names = map[int]int{}, append(names, name)
		}
		moment, _ := strconv.Atoi(match[2])
		at[name][moment] = i
		longest = max(longest, len(at[name]))
	}
	for _, name := range names {
		var place []int
		_, zero := at[name][0]
		for k := range longest {
			if !zero {
				k++
			}
			i, ok := at[name][k]
			if !ok && marked {
				return nil, nil, fmt.Errorf("there is no column %s@%d; all sensors need the same moments", name, k)
			}
			if !ok {
				longest = 0
				break
			}
			place = append(place, i)
		}
		places = append(places, place)
	}
	if longest == 0 {
		names, places = headings, nil
		for i := range headings {
			places = append(places, []int{i})
		}
	}
	return names, places, nil
}

// add takes a line. The first line holds the headings.
func (t *table) add(line int, cells []string) error {
	if t.headings == nil {
		t.line = line
		return t.head(cells)
	}
	cells, err := t.complete(cells)
	if err != nil {
		return err
	}
	if t.below++; t.below == 1 && t.areUnits(line, cells) {
		return t.takeUnits(line, cells)
	}
	t.lines++
	for _, column := range []int{t.sample, t.sensor, t.label, t.group} {
		if column >= 0 && cells[column] == "" && (column != t.label || !t.Unlabelled) {
			return fmt.Errorf("column %s is empty; each reading needs one", t.headings[column])
		}
	}
	for _, column := range t.unnamed {
		_, err := strconv.Atoi(cells[column])
		switch {
		case cells[column] == "":
		case err != nil || column > 0:
			return fmt.Errorf("column %d has no heading, and here %.30q; name it, or leave it out with --leave %q", column+1,
				cells[column], t.headings[column])
		case t.lines == 1:
			t.once("the first column only numbers the lines; left out")
		}
	}
	x, err := t.find(line, cells)
	if err != nil {
		return err
	}
	one := row{time: float64(len(x.rows)), from: len(x.read), line: line}
	if t.time >= 0 {
		var date bool
		if one.time, date, err = parseTime(cells[t.time]); err == nil && t.lines > 1 && date != t.dates {
			err = fmt.Errorf("%q: lines before have times of another form; write all alike", cells[t.time])
		}
		if err != nil && t.layout != readingsLayout {
			err = fmt.Errorf("%w; or leave the times out with --leave %s", err, t.headings[t.time])
		}
		if err != nil {
			return fmt.Errorf("column %s: %w", t.headings[t.time], err)
		}
		t.dates = date
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
		value := math.NaN()
		if column >= 0 {
			if value, err = t.in.number(line, cells[column]); err != nil {
				return t.advise(fmt.Errorf("column %s: %w", t.headings[column], err), column)
			}
		}
		x.read = append(x.read, value)
	}
	if one.to = len(x.read); t.layout == samplesLayout {
		x.sample.values = x.read
	} else {
		x.rows = append(x.rows, one)
	}
	return nil
}

// advise adds a way out to an error in the first line of values.
func (t *table) advise(err error, column int) error {
	if t.below > 1 {
		return err
	}
	return fmt.Errorf("%w. If this is a line of units, begin it with #; if the column holds no values, leave it out "+
		"with --leave %q", err, t.headings[column])
}

// complete checks that a line has a cell for each heading. More cells may be empty.
func (t *table) complete(cells []string) ([]string, error) {
	n := len(t.headings)
	for len(cells) > n && cells[len(cells)-1] == "" {
		cells = cells[:len(cells)-1]
	}
	hint := fmt.Sprintf("leave a missing value empty between its %s", separators[t.in.separator])
	switch {
	case len(cells) == n:
		return cells, nil
	case n == 1:
		hint = "if the lines before the headings describe the data, begin each of these with #"
	case t.in.separator == ' ':
		hint = "write ? for a missing value, and quotation marks around words with blanks"
	}
	return nil, fmt.Errorf("%d cells, the first line names %d columns; %s", len(cells), n, hint)
}

// areUnits reports that the line below the headings has words in place of values: units.
func (t *table) areUnits(line int, cells []string) bool {
	words := false
	for _, column := range append(slices.Clone(t.values), t.time) {
		if column < 0 || slices.Contains(missing[:3], cells[column]) {
			continue
		}
		_, err := t.in.number(line, cells[column])
		if column == t.time {
			_, _, err = parseTime(cells[column])
		}
		if err == nil {
			return false
		}
		words = words || column != t.time
	}
	return words
}

// takeUnits keeps a line of units, and compares them with those of other files.
func (t *table) takeUnits(line int, cells []string) error {
	if t.once("line %d holds units: %s", line, few(cells)); t.time >= 0 {
		t.unit = strings.Trim(cells[t.time], "()[]")
	}
	for _, column := range t.values {
		if column < 0 || cells[column] == "" {
			continue
		}
		name, unit := t.headings[column], strings.Clone(cells[column])
		if was := cmp.Or(t.units[name], t.Units[name]); was != "" && was != unit {
			return fmt.Errorf("column %s is in %s here and in %s in other recordings; convert the values, or correct the unit",
				name, unit, was)
		}
		t.units[name] = unit
	}
	return nil
}

// find returns the sample of a line.
func (t *table) find(line int, cells []string) (*rows, error) {
	cell := func(column int) string {
		if column < 0 {
			return ""
		}
		return cells[column]
	}
	name := cell(t.sample)
	switch {
	case t.sample >= 0:
	case t.layout != samplesLayout:
		name = t.from.name()
	case len(t.unnamed) > 0 && t.unnamed[0] == 0:
		name = cells[0]
	default:
		name = strconv.Itoa(t.lines - 1)
	}
	x := t.byName[name]
	if x == nil || t.sample < 0 && t.layout == samplesLayout {
		where := t.in.path
		switch {
		case t.layout == samplesLayout:
			where = fmt.Sprintf("%s, line %d", where, line)
		case t.sample >= 0:
			where = fmt.Sprintf("%s, sample %q", where, name)
		}
		x = &rows{path: t.in.path, line: line, timed: t.time >= 0, sample: sample{where: where, name: strings.Clone(name),
			label: strings.Clone(cmp.Or(cell(t.label), t.from.class)), group: strings.Clone(cell(t.group)), test: t.from.test}}
		t.byName[x.name], t.rows = x, append(t.rows, x)
		return x, nil
	}
	if t.layout == samplesLayout {
		return nil, fmt.Errorf("sample %q is in line %d already; if each line is a moment of a sample, not a whole one, "+
			"say --layout moments", name, x.line)
	}
	for i, column := range [2]int{t.label, t.group} {
		if was := [2]string{x.label, x.group}[i]; column >= 0 && cells[column] != was && (i > 0 || !t.Unlabelled) {
			return nil, fmt.Errorf("column %s is %q, but sample %q has %q in line %d; all lines of a sample must agree",
				t.headings[column], cells[column], name, was, x.line)
		}
	}
	return x, nil
}

// lay makes a table of a sample's lines: a row for each time at which any sensor was read.
func (r *reader) lay(from *rows, width int) (sample, error) {
	s, order := from.sample, from.rows
	ascend := func(a, b row) int { return cmp.Or(cmp.Compare(a.time, b.time), cmp.Compare(a.at, b.at)) }
	if r.set.table.Layout != readingsLayout && !slices.IsSortedFunc(order, ascend) {
		r.once("lines are not in the order of their times, such as in %s; put in order", s.where)
	}
	slices.SortStableFunc(order, ascend)
	for i, one := range order {
		if i > 0 && ascend(one, order[i-1]) == 0 {
			if r.set.table.Layout == readingsLayout {
				return s, fmt.Errorf("line %d: sensor %q was read at this time of sample %q in line %d already; keep one of them",
					one.line, r.sensors[one.at*len(r.sensors)/width], from.name, order[i-1].line)
			}
			return s, fmt.Errorf("line %d: line %d has this time already; keep one of them, or leave the times out "+
				"with --leave", one.line, order[i-1].line)
		}
		if i == 0 || one.time != order[i-1].time {
			if from.timed {
				s.times = append(s.times, one.time)
			}
			s.values = append(s.values, slices.Repeat([]float64{math.NaN()}, width)...)
		}
		copy(s.values[len(s.values)-width+one.at:], from.read[one.from:one.to])
	}
	return s, nil
}

// String says what the table was taken for.
func (t *table) String() string {
	text := map[string]string{recordingLayout: "one file a recording, one line a moment", momentsLayout: "one line a moment",
		readingsLayout: "one line a reading", samplesLayout: fmt.Sprintf("one line a sample, %d moments", t.moments),
	}[t.layout] + "; " + t.in.String()
	if t.time < 0 {
		return text
	}
	text += "; column " + t.headings[t.time] + " as time"
	if t.dates {
		text += " in seconds"
	} else if t.unit != "" {
		text += " in " + t.unit
	}
	return text
}
