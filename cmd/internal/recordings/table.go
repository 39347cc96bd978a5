package recordings

// This file takes the lines of a table, one after the other.

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// table is a table being read.
type table struct {
	*reading
	roles
	from         source
	in           *input   // nil before the first line
	first        []string // the line of headings
	belowFirst   int      // how many lines there were below the headings, a line of units among them
	lines        int      // the same without a line of units
	last         int      // the number of the last of them in the file
	unit         string   // of the times
	kind         int      // of the times
	valueColumns []int    // in the order of the recordings: of a time point or, in the layout samples, of all
	taken        taken    // the series that are taken; nothing in the layout readings, whose sensors come with the lines
	byName       map[string]*sample
	namedBy      []int   // the columns that may name a line
	current      *sample // of the last line
	sums         summaries
	wholes       []*figures // of each column, while the dialect is doubtful
}

// add takes a line. The first line holds the headings, and the second may hold units.
func (t *table) add(in *input, line int, cells []string) error {
	if t.in == nil {
		t.in = in
		headings := ucrHeadings(in.path, cells)
		if headings == nil {
			return t.takeHeadings(cells)
		}
		err := t.takeHeadings(headings)
		if err != nil {
			return err
		}
	}
	cells, err := t.fitToHeadings(in, cells)
	if err == nil {
		err = t.checkFormulas(cells)
	}
	if err != nil {
		return err
	}
	if t.repeatsHeadings(cells) {
		return t.skipHeadings(line)
	}
	t.belowFirst++
	if t.belowFirst == 1 {
		isUnits, err := t.takeUnits(line, cells)
		if isUnits || err != nil {
			return err
		}
	}
	return t.addValues(in, line, cells)
}

// addValues takes a line of values.
func (t *table) addValues(in *input, line int, cells []string) error {
	t.lines++
	isFirst := t.lines == 1
	if len(t.headings) == 1 && !isFirst && line > t.last+1 {
		t.job.noteOf("empty lines",
			fmt.Sprintf("lines without a value, such as line %d of %s, are left out; write ? where a value is missing",
				t.last+1, t.from.path))
	}
	t.last = line
	if isFirst {
		t.namedBy = t.naming()
		t.noteTimesNotTaken(cells)
	}
	t.sums.add(line, cells, t.namedBy)
	err := t.checkNames(cells)
	if err != nil {
		return err
	}
	x, err := t.findSample(line, cells)
	if err != nil {
		return err
	}
	t.current = x
	return t.readLine(in, line, x, cells)
}

// repeatsHeadings reports that a line is the first again.
func (t *table) repeatsHeadings(cells []string) bool {
	first := t.first[:min(len(t.headings), len(t.first))] // which may have had empty cells at its end
	return slices.Equal(cells, first)
}

// skipHeadings leaves out a line that repeats the headings. It is an error if the table is one recording: then two were
// joined.
func (t *table) skipHeadings(line int) error {
	if t.sample < 0 && t.layout != samplesLayout {
		return errors.New("the headings come again, as where two files were joined: cut the file there into two " +
			"recordings, or remove the line")
	}
	t.job.noteOf("headings", fmt.Sprintf("line %d of %s repeats the headings; left out", line, t.from.path))
	return nil
}

// fitToHeadings returns as many cells of a line as there are headings. It leaves out empty cells at the end, and
// returns an error if there are other cells beyond the headings, or too few.
func (t *table) fitToHeadings(in *input, cells []string) ([]string, error) {
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

// noteTimesNotTaken notes a column of dates that is neither taken nor left out, if the table has no times.
func (t *table) noteTimesNotTaken(cells []string) {
	if t.known || t.time >= 0 || t.Take == nil || t.layout == samplesLayout {
		return
	}
	for column, cell := range cells {
		if !slices.Contains(t.namedBy, column) || slices.Contains(t.Leave, t.headings[column]) ||
			slices.Contains(t.Take, t.headings[column]) || column == t.sample {
			continue
		}
		written := byFlag("")
		_, kind, err := written.parse(cell, 1)
		if err == nil && kind != numbers {
			t.job.noteOf("untaken times", fmt.Sprintf("column %s holds times, such as %s, and is not taken, so that the "+
				"recordings have none; --time %[1]q takes it for the times", t.headings[column], cell))
			return
		}
	}
}

// checkNames checks what a line says of its sample: its names must be there, and columns without a heading must only
// number the lines.
func (t *table) checkNames(cells []string) error {
	for _, column := range [...]int{t.sample, t.sensor, t.uses.label, t.uses.group} {
		if column < 0 {
			continue
		}
		cell, err := name(cells[column])
		if err != nil {
			return t.unreadableError(column, err)
		}
		if column == t.uses.label && t.cutsStretches() && isUnlabelled(cell) {
			cells[column] = ""
			continue
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
		err := t.checkUnnamed(column, cells[column])
		if err != nil {
			return err
		}
	}
	return nil
}

// checkUnnamed checks that a cell of a column without a heading is empty, or numbers or names the line.
func (t *table) checkUnnamed(column int, cell string) error {
	_, err := strconv.Atoi(cell)
	isNumber, namesLines := err == nil, t.in.hasRowNames && column == 0
	if namesLines && !isNumber {
		t.job.noteOf("names of lines",
			fmt.Sprintf("the first column, without a heading, names the lines, such as %q; left out", cell))
	}
	saysOfLine := t.isIndex(column) && (isNumber || namesLines)
	if cell != "" && !saysOfLine {
		return fmt.Errorf("column %d has no heading, and here %.30q; name it, or leave it out with --leave %q",
			column+1, cell, t.headings[column])
	}
	return nil
}
