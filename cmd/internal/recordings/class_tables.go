package recordings

// This file reads the classes of samples from a table of their own, which --labels names.

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/clusterpool/ccp/internal/text"
)

// readLabels reads a table of classes. It has the columns sample and label, or it is of intervals: with the columns
// start, end and label, or without headings, as Audacity and ELAN write them. Then given is nil. dates is the order of
// dates such as 01/02/2024, see Table.
func (j *job) readLabels(path, dates string) (given map[string]string, intervals []interval, err error) {
	first := map[string]int{}
	name, label := -1, -1 // columns
	t := intervalTable{days: byFlag(dates)}
	areIntervals := false
	given = map[string]string{}
	begun := false
	err = readText(j, path, func(in *input, line int, cells []string) error {
		if begun && areIntervals {
			return t.add(in, line, cells)
		}
		if begun {
			return addLabel(given, first, line, cells, name, label)
		}
		begun = true
		name, label = column(cells, "sample"), column(cells, "label")
		t.columns, areIntervals = columnsByHeading(cells)
		if areIntervals {
			return nil
		}
		t.columns, areIntervals = columnsByCells(in, cells)
		t.headless = areIntervals
		switch {
		case areIntervals:
			return t.add(in, line, cells)
		case name < 0 || label < 0:
			return fmt.Errorf("the columns are %s; want sample and label, for recordings of one class, or start, end "+
				"and label, for intervals of time", strings.Join(cells, ", "))
		}
		return nil
	})
	switch {
	case err != nil:
		return nil, nil, err
	case areIntervals:
		err = t.finish(path, j.sayOrder())
		return nil, t.all, err
	case len(given) == 0:
		return nil, nil, fmt.Errorf("%s holds no label; want a column headed sample and one headed label", path)
	}
	return given, nil, nil
}

// addLabel adds the class of a sample, in a line of a table with the columns name and label. first has the line of each
// sample.
func addLabel(given map[string]string, first map[string]int, line int, cells []string, name, label int) error {
	if len(cells) <= max(name, label) || cells[label] == "" {
		return fmt.Errorf("no label of sample %q; each needs one", cells[min(name, len(cells)-1)])
	}
	sample := strings.Clone(cells[name])
	if was, ok := given[sample]; ok && was != cells[label] {
		return fmt.Errorf("sample %q is %q here and %q in line %d; keep one of them", sample, cells[label], was,
			first[sample])
	}
	given[sample], first[sample] = strings.Clone(cells[label]), line
	return nil
}

// noLabel returns the error that a sample has no class in the table. A name that differs by leading zeros alone is
// named: spreadsheet programs take 001 for a number.
func (m *making) noLabel(x *sample) error {
	plain := withoutZeros(x.Name)
	for _, name := range slices.Sorted(maps.Keys(m.given)) {
		if withoutZeros(name) == plain {
			return fmt.Errorf("%s has no label of sample %q (%s), but one of %q: were leading zeros lost, as a spreadsheet "+
				"program drops them? Write the names alike", m.Labels, x.Name, x.path, name)
		}
	}
	return fmt.Errorf("%s has no label of sample %q, which begins in line %d of %s; add a line %s,CLASS",
		m.Labels, x.Name, x.line, x.path, x.Name)
}

// withoutZeros returns the name of a sample without zeros before the first number in it, and without the ending of its
// file.
func withoutZeros(name string) string {
	name = strings.TrimSuffix(name, filepath.Ext(name))
	digit := strings.IndexAny(name, "0123456789")
	if digit < 0 {
		return name
	}
	number := strings.TrimLeft(name[digit:], "0")
	if number == "" || number[0] < '0' || number[0] > '9' { // the number is 0
		number = "0" + number
	}
	return name[:digit] + number
}

// noteUnusedLabels tells of classes in the table of samples that are not there.
func (m *making) noteUnusedLabels() {
	used := map[string]bool{}
	for _, x := range m.samples {
		used[x.Name], used[strings.TrimSuffix(x.Name, filepath.Ext(x.Name))] = true, true
	}
	unused := slices.DeleteFunc(slices.Sorted(maps.Keys(m.given)), func(name string) bool { return used[name] })
	if len(unused) > 0 {
		m.note("%s of %s have no recording, such as %s: are files missing, or in another folder?",
			text.Count(len(unused), "label"), m.Labels, unused[0])
	}
}
