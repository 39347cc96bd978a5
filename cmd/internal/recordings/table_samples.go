package recordings

// This file finds the sample that a line of a table belongs to.

import (
	"cmp"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
)

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
