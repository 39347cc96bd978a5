package recordings

// This file finds the sample that a line of a table belongs to.

import (
	"cmp"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
)

// findSample returns the sample of a line, a new one if the line is the first of it.
func (t *table) findSample(line int, cells []string) (*sample, error) {
	name := t.nameOf(cells)
	x := t.byName[name]
	switch {
	case x == nil:
		return t.newSample(name, line, cells), nil
	case t.layout == samplesLayout:
		return nil, fmt.Errorf("sample %q is in line %d already; if each line is a time point of a sample, not a whole one, "+
			"say --layout timepoints", name, x.line)
	}
	if t.startsStretch(x, cells) {
		next := t.newSample(name, line, cells)
		next.beginsInLine(line)
		next.of, next.from = x.of, x.from+len(x.rows.values)/max(1, len(t.valueColumns))
		return next, nil
	}
	for _, of := range [...]struct {
		column int
		first  string // what the first line of the sample has
	}{{t.uses.label, x.label}, {t.uses.group, x.group}} {
		if of.column >= 0 && cells[of.column] != of.first {
			return nil, fmt.Errorf("column %s is %q, but sample %q has %q in line %d; all lines of a sample must agree; if "+
				"the class changes within a recording, --window cuts windows of the stretches of one class",
				t.headings[of.column], cells[of.column], name, of.first, x.line)
		}
	}
	return x, nil
}

// startsStretch reports that a line is of another class than the lines of its recording before, of which windows are
// cut: it begins a stretch, which is a recording of its own.
func (t *table) startsStretch(x *sample, cells []string) bool {
	return t.cutsStretches() && cells[t.uses.label] != x.label
}

// cutsStretches reports that windows are cut of the stretches of one class. Lines without a class are a stretch, too.
func (t *table) cutsStretches() bool {
	return t.stretches && t.layout != samplesLayout && t.uses.label >= 0
}

// nameOf returns the name of a line's sample: that in its column. Without such a column a line that is a whole sample
// has its number, and the lines of a recording have the name of the file.
func (t *table) nameOf(cells []string) string {
	switch {
	case t.sample >= 0:
		return cells[t.sample]
	case t.layout == samplesLayout:
		return strconv.Itoa(t.lines - 1)
	}
	return filepath.Base(t.from.path)
}

// newSample adds a sample that begins with a line. It clones the texts, as the cells are only valid until the next
// line.
func (t *table) newSample(name string, line int, cells []string) *sample {
	cell := func(column int) string { // "" without the column
		if column < 0 {
			return ""
		}
		return strings.Clone(cells[column])
	}
	x := &sample{source: t.from, where: t.from.path, line: line, group: cell(t.uses.group), of: t.recordings}
	t.recordings++
	x.label = cmp.Or(cell(t.uses.label), t.from.label)
	switch {
	case t.layout == samplesLayout:
		x.where += fmt.Sprintf(", line %d", line)
	case t.sample >= 0:
		x.where += fmt.Sprintf(", sample %q", name)
	}
	x.Name, x.Sensors, x.Notes = strings.Clone(name), t.taken.sensors, t.taken.notes
	t.byName[x.Name] = x
	t.noteTwoFiles(x)
	t.begin(x)
	return x
}

// noteTwoFiles notes a sample of whose name and class another file has one, too. They count as two, but may be parts of
// one, as programs for large tables cut them anywhere.
func (t *table) noteTwoFiles(x *sample) {
	if t.sample < 0 {
		return
	}
	key := [2]string{x.Name, x.label}
	before, twice := t.fileOf[key]
	if twice && before != t.from.path { // in one file it is another stretch of that class
		t.job.noteOf("parts",
			fmt.Sprintf("sample %q is in %s and in %s, and counts as two; if these are parts of one recording, write it "+
				"as one file", x.Name, before, t.from.path))
		return
	}
	t.fileOf[key] = t.from.path
}
