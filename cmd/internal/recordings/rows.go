package recordings

import (
	"cmp"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

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
	var at float64
	if t.time >= 0 {
		if at, err = t.when(line, cells[t.time]); err != nil {
			return fmt.Errorf("column %s: %w", t.headings[t.time], err)
		}
		x.kind = t.kind
	}
	first := 0 // of the columns
	if t.sensor >= 0 {
		sensor, ok := t.bySensor[cells[t.sensor]]
		if !ok {
			sensor = len(t.sensors)
			t.sensors = append(t.sensors, strings.Clone(cells[t.sensor]))
			t.bySensor[t.sensors[sensor]] = sensor
		}
		first = sensor * len(t.values)
	}
	for _, column := range t.values {
		value, err := t.in.number(line, cells[column])
		if err != nil {
			heading, hint := t.headings[column], ""
			if _, kind, _ := t.days.parse(cells[column], line); kind != numbers {
				return fmt.Errorf("column %s: %q is a date; --time %q takes it for the times, --leave %q leaves it out", heading,
					cells[column], heading, heading)
			}
			if t.sample < 0 && t.from.label == "" {
				hint = fmt.Sprintf(", or names the samples with --columns %q", heading)
			}
			return fmt.Errorf("column %s: %w; a line of units begins with #, a column of words is left out with --leave %q%s",
				heading, err, heading, hint)
		}
		x.read = append(x.read, value)
	}
	if t.time >= 0 {
		x.rows.add(at, first, line)
	}
	return nil
}

// when reads a time: a number of any unit, or a date.
func (t *table) when(line int, cell string) (at float64, err error) {
	kind := numbers
	stamp, whole := compact(t.headings[t.time], cell)
	switch {
	case whole:
		at, kind = float64(stamp.Unix()), dates
	case t.kind != numbers: // like the line before, which is quick
		at, kind, err = t.days.parse(cell, line)
	}
	if kind == numbers {
		if at, err = t.in.number(line, cell); err != nil || at != at {
			at, kind, err = t.days.parse(cell, line)
		}
	}
	if err == nil && t.lines > 1 && kind != t.kind {
		err = fmt.Errorf("%q: lines before have times of another form; write all alike", cell)
	}
	t.kind = kind
	return at, err
}

// compact reads a date and a time of day in digits alone, such as 20240531120059, or a date where the heading says that.
func compact(heading, cell string) (stamp time.Time, ok bool) {
	const layout = "20060102150405"
	n := len(cell) // most times are numbers, which this sorts out quickly
	if n != 14 && n != 12 && n != 8 || cell[0] != '1' && cell[0] != '2' || strings.ContainsAny(cell, ".:-/ ") ||
		n == 8 && !datesOnly.MatchString(heading) {
		return stamp, false
	}
	stamp, err := time.Parse(layout[:n], cell)
	return stamp, err == nil && stamp.Year() >= 1900 && stamp.Year() <= 2100
}

var datesOnly = regexp.MustCompile(`(?i:date|datum|fecha|day)`)

// isUnits keeps the line below the headings if it has words, not values: units. It compares them with the units in
// other recordings.
func (t *table) isUnits(line int, cells []string) (found bool, err error) {
	var units []string
	for _, column := range append(slices.Clone(t.values), t.time) {
		if column < 0 || isMissing(cells[column]) {
			continue
		}
		_, err := t.in.number(line, cells[column])
		if column == t.time {
			_, err = t.when(line, cells[column])
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
		t.byName[x.Name] = x
		t.begin(x)
	} else if t.layout == samplesLayout {
		return nil, fmt.Errorf("sample %q is in line %d already; if each line is a time point of a sample, not a whole one, "+
			"say --layout timepoints", name, x.line)
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
