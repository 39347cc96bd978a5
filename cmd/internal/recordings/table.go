package recordings

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/clusterpool/ccp/internal/suggest"
)

// table is a table being read. Its values are columns in the order of the set: of a time point or, in the layout
// samples, of all time points.
type table struct {
	*reading
	roles
	from         source
	in           *input // nil before the first line
	values       []int
	first        []string // the line of headings
	below, lines int      // the lines below the headings, with units and without
	last         int      // the number of the last of them
	unit         string
	kind         int      // of times
	has          []string // sensors
	about        []string // notes of each sample
	byName       map[string]*sample
	namedBy      []int // the columns that may name a line
	sums         summaries
	wholes       []*figures // of each column, while the dialect is doubtful
}

// add takes a line. The first line holds the headings.
func (t *table) add(in *input, line int, cells []string) (err error) {
	if t.in == nil {
		t.in = in
		headings := ucrHeadings(in.path, cells)
		if headings == nil {
			return t.head(cells)
		}
		if err := t.head(headings); err != nil {
			return err
		}
	}
	cells, err = t.fitted(in, cells)
	if err == nil {
		err = t.unresolved(cells)
	}
	if err != nil {
		return err
	}
	if slices.Equal(cells, t.first[:min(len(t.headings), len(t.first))]) {
		if t.sample >= 0 || t.layout == samplesLayout {
			t.job.noteOf("headings", fmt.Sprintf("line %d of %s repeats the headings; left out", line, t.from.path))
			return nil
		}
		return errors.New("the headings come again, as where two files were joined: cut the file there into two " +
			"recordings, or remove the line")
	}
	t.below++
	if t.below == 1 {
		if units, err := t.takeUnits(line, cells); units || err != nil {
			return err
		}
	}
	t.lines++
	if len(t.headings) == 1 && t.lines > 1 && line > t.last+1 {
		t.job.noteOf("empty lines",
			fmt.Sprintf("lines without a value, such as line %d of %s, are left out; write ? where a value is missing",
				t.last+1, t.from.path))
	}
	t.last = line
	if t.lines == 1 {
		t.namedBy = t.naming()
		t.untaken(cells)
	}
	t.sums.add(line, cells, t.namedBy)
	if err := t.described(cells); err != nil {
		return err
	}
	x, err := t.sampleOf(line, cells)
	if err != nil {
		return err
	}
	return t.readLine(in, line, x, cells)
}

// untaken tells of a column of dates that is neither taken nor left out, if the table has no times.
func (t *table) untaken(cells []string) {
	if t.known || t.time >= 0 || t.Take == nil || t.layout == samplesLayout {
		return
	}
	for column, cell := range cells {
		if !slices.Contains(t.namedBy, column) || slices.Contains(t.Leave, t.headings[column]) ||
			slices.Contains(t.Take, t.headings[column]) || column == t.sample {
			continue
		}
		written := newDays("")
		_, kind, err := written.parse(cell, 1)
		if err == nil && kind != numbers {
			t.job.noteOf("untaken times", fmt.Sprintf("column %s holds times, such as %s, and is not taken, so that the "+
				"recordings have none; --time %[1]q takes it for the times", t.headings[column], cell))
			return
		}
	}
}

// fitted returns as many cells as there are headings, without empty ones behind them.
func (t *table) fitted(in *input, cells []string) ([]string, error) {
	n := len(t.headings)
	for len(cells) > n && cells[len(cells)-1] == "" {
		cells = cells[:len(cells)-1]
	}
	switch {
	case in.separator != 0 && strings.Contains(cells[0], "\x00"):
		return nil, errors.New("the line holds zero bytes, as a logger leaves them that lost its power; remove it")
	case len(cells) < n:
		return nil, fmt.Errorf("%d cells, the first line names %d columns; write ? for a missing value", len(cells), n)
	case len(cells) > n:
		return nil, fmt.Errorf("%d cells, the first line names %d columns; begin lines before the headings with #; if "+
			"there are decimal commas, separate cells by semicolons", len(cells), n)
	}
	return cells, nil
}

// readLine adds the time and the values of a line to its sample.
func (t *table) readLine(in *input, line int, x *sample, cells []string) (err error) {
	var at, rest float64
	if t.time >= 0 {
		at, rest, err = t.timeOf(in, line, x, cells)
		if err != nil {
			return err
		}
	}
	timeOpen := in.open
	for _, column := range t.values {
		value, err := t.valueOf(in, column, line, cells[column])
		if err != nil {
			return t.unvalued(column, line, cells[column], err)
		}
		x.rows.open.add(len(x.rows.values), in.open)
		x.rows.values = append(x.rows.values, value)
	}
	if t.time < 0 {
		return nil
	}
	if t.sensor >= 0 {
		sensor, ok := t.number[cells[t.sensor]]
		if !ok {
			sensor = len(t.sensors)
			t.sensors = append(t.sensors, strings.Clone(cells[t.sensor]))
			t.number[t.sensors[sensor]] = sensor
		}
		if err := t.sameUnit(cells); err != nil {
			return err
		}
		x.rows.columns = append(x.rows.columns, int32(sensor*len(t.values)))
	}
	if n := len(x.rows.times); x.rows.line(n) != line {
		x.rows.runs = append(x.rows.runs, run{n, line})
	}
	x.rows.openTimes.add(len(x.rows.times), timeOpen)
	x.rows.kind = t.kind
	x.rows.addTime(at, rest)
	return nil
}

// timeOf reads the time of a line, and what float64 leaves out of it. A time of day goes with the date in a column of
// its own.
func (t *table) timeOf(in *input, line int, x *sample, cells []string) (at, rest float64, err error) {
	cell := cells[t.time]
	if t.date >= 0 {
		switch colon := strings.IndexByte(cell, ':'); {
		case colon == 1, colon == 2:
			cell = cells[t.date] + " " + cell
		case colon < 0:
			t.addDay(&x.rows, line, cells[t.date])
		}
	}
	at, rest, err = t.when(in, line, cell)
	switch {
	case errors.As(err, new(unreadable)):
		err = t.unread(t.time, err)
	case err != nil:
		err = fmt.Errorf("column %s: %w; or leave the column out with --leave %q", t.headings[t.time], err,
			t.headings[t.time])
	}
	return at, rest, err
}

// valueOf reads a value of a column.
func (t *table) valueOf(in *input, column, line int, cell string) (value float64, err error) {
	d := t.dialect
	in.dialect = d
	isExact := in.allExact || column < len(in.exact) && in.exact[column] // a program wrote it as a number, not as text
	if isExact {
		return in.exactly(cell)
	}
	value, err = in.number(line, cell)
	if in.reliant && d.reliant == nil {
		_, wrong := in.checked(cell, 0, strconv.ErrSyntax)
		d.reliant = fmt.Errorf("%s, line %d: %w", in.path, line, t.unvalued(column, line, cell, wrong))
	}
	if err == nil && d.doubtful() {
		if t.wholes == nil {
			t.wholes = make([]*figures, len(t.headings))
		}
		if t.wholes[column] == nil {
			t.wholes[column] = d.column(t.headings[column])
		}
		t.wholes[column].see(value, numeral{in.path, cell, line}, in.mark)
	}
	return value, err
}

// sameUnit checks that a reading has the unit of its sensor's other readings. Those of sensors that are left out do not
// matter.
func (t *table) sameUnit(cells []string) error {
	if t.uses.unit < 0 || isMissing(cells[t.uses.unit]) || slices.Contains(t.Leave, cells[t.sensor]) {
		return nil
	}
	sensor, unit := cells[t.sensor], cells[t.uses.unit]
	key := "sensor " + sensor // columns have units, too
	was := cmp.Or(t.chosen.units[key], t.Units[key])
	if was == "" {
		was = strings.Clone(unit)
	}
	if was != unit {
		heading := t.headings[t.uses.unit]
		return fmt.Errorf("column %s: sensor %q is in %s here and in %s in other readings; convert the values, correct "+
			"the unit, or leave the column out with --leave %q", heading, sensor, unit, was, heading)
	}
	t.chosen.units[key] = was
	return nil
}

// unread returns the error of a column whose cells the format's reader cannot give.
func (t *table) unread(column int, err error) error {
	leave := t.headings[column]
	if dot := strings.LastIndexByte(leave, '.'); dot > 0 && slices.Contains(t.values, column) {
		leave = leave[:dot]
	}
	return fmt.Errorf("column %s: %w; or leave it out with --leave %q", t.headings[column], err, leave)
}

// described checks what a line says of its sample: its names must be there, and columns without a heading only number
// the lines.
func (t *table) described(cells []string) error {
	for _, column := range [...]int{t.sample, t.sensor, t.uses.label, t.uses.group} {
		if column < 0 {
			continue
		}
		cell, err := name(cells[column])
		if err != nil {
			return t.unread(column, err)
		}
		cells[column] = cell
		if cell == "" {
			return fmt.Errorf("column %s is empty; each reading needs one", t.headings[column])
		}
	}
	if t.in.class != "" && t.uses.label >= 0 && cells[t.uses.label] == "?" {
		return fmt.Errorf("column %s, the class, is ?; each sample needs one: remove the line", t.headings[t.uses.label])
	}
	for _, column := range t.unnamed {
		_, err := strconv.Atoi(cells[column])
		names := t.in.hasRowNames && column == 0
		if names && err != nil {
			t.job.noteOf("names of lines",
				fmt.Sprintf("the first column, without a heading, names the lines, such as %q; left out", cells[column]))
		}
		if cells[column] != "" && (err != nil && !names || !t.isIndex(column)) {
			return fmt.Errorf("column %d has no heading, and here %.30q; name it, or leave it out with --leave %q",
				column+1, cells[column], t.headings[column])
		}
	}
	return nil
}

// unvalued is the error of a cell that holds no value, with a way out.
func (t *table) unvalued(column, line int, cell string, err error) error {
	if errors.As(err, new(unreadable)) {
		return t.unread(column, err)
	}
	heading, hint := t.headings[column], ""
	if errors.As(err, new(contrary)) {
		return fmt.Errorf("column %s: %w", heading, err)
	}
	if _, kind, _ := t.days.parse(cell, line); kind != numbers {
		return fmt.Errorf("column %s: %q is a date; --time %q takes it for the times, --leave %q leaves it out", heading,
			cell, heading, heading)
	}
	if t.sample < 0 && t.from.label == "" {
		hint = fmt.Sprintf(", or names the samples with --columns %q", heading)
	}
	return fmt.Errorf("column %s: %w; a line of units begins with #, a column of words is left out with --leave %q%s",
		heading, err, heading, hint)
}

// ucrHeadings returns the headings that a .tsv file of the UCR archive has not: its first line is a sample, a class and
// then values.
func ucrHeadings(path string, cells []string) []string {
	headings := []string{"label"}
	for i, cell := range cells {
		if _, err := strconv.ParseFloat(cell, 64); err != nil {
			return nil
		}
		headings = append(headings, "value@"+strconv.Itoa(i))
	}
	if _, err := strconv.Atoi(cells[0]); err != nil || len(cells) < 3 || extension(path) != ".tsv" {
		return nil
	}
	return headings[:len(cells)]
}

// isTSLearn reports that the first line of a table is a sample as tslearn writes it, with bars between its dimensions
// and blanks between the values of each. So it is if each cell has two numbers or more.
func isTSLearn(cells []string, separator rune) bool {
	return separator == '|' && !slices.ContainsFunc(cells, func(cell string) bool {
		values := strings.Fields(cell)
		return len(values) < 2 || slices.ContainsFunc(values, func(value string) bool {
			_, err := strconv.ParseFloat(value, 64)
			return err != nil
		})
	})
}

// head takes the headings.
func (t *table) head(cells []string) (err error) {
	t.first = slices.Clone(cells)
	if isTSLearn(cells, t.in.separator) {
		return errors.New("the file looks like series as tslearn's save_time_series_txt writes them, a line each, without " +
			"classes and without " +
			"headings; save an .npz file with arrays series and labels instead")
	}
	if n := t.in.usual; n > 2 && strings.Join(cells[1:], "") == "" {
		return fmt.Errorf("%.40q is one cell, and most lines of the file have %d: %s; begin lines before it with #, or "+
			"remove them", cells[0], n,
			headingHint)
	}
	for i, cell := range cells {
		cells[i] = suggest.Tidy(cell)
	}
	// the folder is a half of the data, and no class
	if t.from.part && (t.question.label != "" || t.column(cells, "label") >= 0) {
		if half(t.from.label, "test") {
			t.from.test = "the folders"
		}
		t.from.label = ""
	}
	t.folder = t.from.label != ""
	t.classed()
	cells, err = t.arranged(cells)
	if err != nil {
		return err
	}
	t.roles, err = rolesOf(cells, t.question, t.job.note)
	if err != nil {
		return err
	}
	for _, heading := range t.headings {
		t.chosen.seen[heading] = true
	}
	t.Leave = t.leave
	if t.time >= 0 {
		t.headTime(t.headings[t.time])
	}
	if t.layout == readingsLayout {
		t.axes = t.roles.values.names
		for _, at := range t.at {
			t.values = append(t.values, at[0])
		}
		t.noteDurations()
		return nil
	}
	at, has, told, err := t.order(t.from.path, t.roles.values, t.time >= 0)
	if err != nil {
		return t.headless(err)
	}
	t.has, t.about = has, told
	for timepoint := range t.at[at[0]] {
		for _, series := range at {
			t.values = append(t.values, t.at[series][timepoint])
		}
	}
	t.noteDurations()
	return nil
}

// headTime takes the unit of the times from their heading, or from the format of the file. A mere T may be a
// temperature.
func (t *table) headTime(heading string) {
	match := likeTime.FindStringSubmatch(heading)
	if match != nil {
		t.unit = strings.Join(match[1:], "")
	}
	if t.in.seconds[t.time] {
		t.unit = "seconds"
	}
	if isT(heading) && t.Time == "" && len(t.Columns) < 2 && !t.known {
		t.ambiguousT = heading
	}
}

// classed takes the column of classes that a file declares by itself, and their order, unless a person has named one.
// Where the folder or a table of classes names the class, the column is left out.
func (t *table) classed() {
	switch {
	case t.in.class == "" || t.question.label != "" || t.known:
	case t.folder || t.given != nil:
		t.job.noteOf("class "+t.in.class, fmt.Sprintf("column %s is left out: the folder or --labels names the class",
			t.in.class))
		t.Leave = append(slices.Clone(t.Leave), t.in.class)
	default:
		t.question.label = t.in.class
		if t.classes == nil {
			t.classes = t.in.classes
		}
	}
}

// noteDurations tells of the columns of values that hold durations, whose numbers are those of seconds.
func (t *table) noteDurations() {
	for _, column := range t.values {
		if t.in.seconds[column] {
			t.job.noteOf("durations", fmt.Sprintf("column %s holds durations; its values are seconds", t.headings[column]))
		}
	}
}

// sampleOf returns the sample of a line.
func (t *table) sampleOf(line int, cells []string) (*sample, error) {
	cell := func(column int) string {
		if column < 0 {
			return ""
		}
		return cells[column]
	}
	name, whole := cell(t.sample), t.layout == samplesLayout
	if t.sample < 0 && whole {
		name = strconv.Itoa(t.lines - 1)
	} else if t.sample < 0 {
		name = filepath.Base(t.from.path)
	}
	x := t.byName[name]
	if x == nil {
		x = &sample{source: t.from, where: t.from.path, line: line, group: strings.Clone(cell(t.uses.group))}
		x.label = strings.Clone(cmp.Or(cell(t.uses.label), t.from.label))
		if whole {
			x.where += fmt.Sprintf(", line %d", line)
		} else if t.sample >= 0 {
			x.where += fmt.Sprintf(", sample %q", name)
		}
		x.Name, x.Sensors, x.Notes = strings.Clone(name), t.has, t.about
		t.byName[x.Name] = x
		t.noteParts(x)
		t.begin(x)
	} else if whole {
		return nil, fmt.Errorf("sample %q is in line %d already; if each line is a time point of a sample, not a whole one, "+
			"say --layout timepoints", name, x.line)
	}
	for i, column := range [...]int{t.uses.label, t.uses.group} {
		if was := [...]string{x.label, x.group}[i]; column >= 0 && cells[column] != was {
			return nil, fmt.Errorf("column %s is %q, but sample %q has %q in line %d; all lines of a sample must agree",
				t.headings[column], cells[column], name, was, x.line)
		}
	}
	return x, nil
}

// noteParts tells of a sample of whose name and class another file has one, too. They count as two, but may be parts of
// one, as programs for large tables cut them anywhere.
func (t *table) noteParts(x *sample) {
	if t.sample < 0 {
		return
	}
	key := [2]string{x.Name, x.label}
	if before, twice := t.fileOf[key]; twice {
		t.job.noteOf("parts",
			fmt.Sprintf("sample %q is in %s and in %s, and counts as two; if these are parts of one recording, write it "+
				"as one file", x.Name, before, t.from.path))
		return
	}
	t.fileOf[key] = t.from.path
}
