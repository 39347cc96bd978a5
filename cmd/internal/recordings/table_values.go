package recordings

// This file reads the cells of a table's line: its time, its values and their unit.

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// readLine adds the time and the values of a line to its sample. In the layout of readings it also adds the first of
// the sample's columns in which the values belong.
func (t *table) readLine(in *input, line int, x *sample, cells []string) error {
	if t.time >= 0 {
		err := t.addTime(in, line, x, cells)
		if err != nil {
			return err
		}
	}
	for _, column := range t.valueColumns {
		value, err := t.valueOf(in, column, line, cells[column])
		if err != nil {
			return t.noValueError(column, line, cells[column], err)
		}
		x.rows.open.add(len(x.rows.values), in.open)
		x.rows.values = append(x.rows.values, value)
	}
	if t.sensor < 0 {
		return nil
	}
	x.rows.columns = append(x.rows.columns, int32(t.sensorNumber(cells[t.sensor])*len(t.valueColumns)))
	return t.checkUnit(cells)
}

// addTime adds the time of a line to the rows of its sample, with what is needed later: the number of the line, for
// messages, and whether the mark in the time is still open, that is before decimals or between thousands. Once all
// files are read, settle decides that.
func (t *table) addTime(in *input, line int, x *sample, cells []string) error {
	at, rest, err := t.timeOf(in, line, x, cells)
	if err != nil {
		return err
	}
	row := len(x.rows.times)
	isNextLine := x.rows.line(row) == line
	if !isNextLine { // lines between the sample's last one and this one are of other samples, or empty
		x.rows.runs = append(x.rows.runs, run{row, line})
	}
	x.rows.openTimes.add(row, in.open)
	x.rows.kind = t.kind
	x.rows.addTime(at, rest)
	return nil
}

// sensorNumber returns the number of the sensor of a reading, a new one for a name that did not come before.
func (t *table) sensorNumber(name string) int {
	sensor, known := t.number[name]
	if !known {
		sensor = len(t.sensors)
		name = strings.Clone(name) // the cell is only valid until the next line
		t.sensors = append(t.sensors, name)
		t.number[name] = sensor
	}
	return sensor
}

// timeOf reads the time of a line, and what float64 leaves out of it. A time of day goes with the date in a column of
// its own.
func (t *table) timeOf(in *input, line int, x *sample, cells []string) (at, rest float64, err error) {
	cell := cells[t.time]
	if t.date >= 0 {
		colon := strings.IndexByte(cell, ':')
		switch {
		case colon == 1 || colon == 2: // 9:30 or 09:30
			cell = cells[t.date] + " " + cell
		case colon < 0: // a number, which may be a time of day such as 0930
			t.addDay(&x.rows, line, cells[t.date])
		}
	}
	at, rest, err = t.when(in, line, cell)
	switch {
	case errors.As(err, new(unreadable)):
		err = t.unreadableError(t.time, err)
	case err != nil && t.known:
		err = fmt.Errorf("column %s: %w", t.headings[t.time], err)
	case err != nil:
		err = fmt.Errorf("column %s: %w; or leave the column out with --leave %q", t.headings[t.time], err,
			t.headings[t.time])
	}
	return at, rest, err
}

// valueOf reads a value of a column. While it is doubtful which mark comes before decimals, it keeps what speaks for
// one.
func (t *table) valueOf(in *input, column, line int, cell string) (value float64, err error) {
	d := t.dialect
	in.dialect = d
	isExact := in.allExact || column < len(in.exact) && in.exact[column] // a program wrote it as a number, not as text
	if isExact {
		return in.exactly(cell)
	}
	value, err = in.number(line, cell)
	if in.reliant && d.reliant == nil {
		_, noNumber := in.checked(cell, 0, strconv.ErrSyntax)
		d.reliant = fmt.Errorf("%s, line %d: %w", in.path, line, t.noValueError(column, line, cell, noNumber))
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

// checkUnit checks that a reading has the unit of its sensor's other readings. Those of sensors that are left out do
// not matter.
func (t *table) checkUnit(cells []string) error {
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

// noValueError is the error of a cell that holds no value, with a way out.
func (t *table) noValueError(column, line int, cell string, err error) error {
	if errors.As(err, new(unreadable)) {
		return t.unreadableError(column, err)
	}
	heading, hint := t.headings[column], ""
	if errors.As(err, new(contrary)) {
		return fmt.Errorf("column %s: %w", heading, err)
	}
	_, kind, _ := t.days.parse(cell, line)
	if kind != numbers {
		return fmt.Errorf("column %s: %q is a date; --time %q takes it for the times, --leave %q leaves it out", heading,
			cell, heading, heading)
	}
	if t.intervals != nil {
		return fmt.Errorf("column %s: %w; if these are classes, beside the intervals of --labels: leave the column out with "+
			"--leave %q, or take the classes from it with --label %q in place of --labels", heading, err, heading, heading)
	}
	if t.sample < 0 && t.from.label == "" {
		hint = fmt.Sprintf(", or names the samples with --columns %q", heading)
	}
	return fmt.Errorf("column %s: %w; a line of units begins with #, a column of words is left out with --leave %q%s",
		heading, err, heading, hint)
}

// unreadableError returns the error of a column whose cells the format's reader cannot give, with the option that
// leaves it out. A column such as acc.x is an axis of a sensor, and only the whole sensor, acc, can be left out.
func (t *table) unreadableError(column int, err error) error {
	leave := t.headings[column]
	dot := strings.LastIndexByte(leave, '.')
	if dot > 0 && slices.Contains(t.valueColumns, column) {
		leave = leave[:dot]
	}
	return fmt.Errorf("column %s: %w; or leave it out with --leave %q", t.headings[column], err, leave)
}
