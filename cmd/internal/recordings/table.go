package recordings

// This file takes the lines of a table, one after the other.

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
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
