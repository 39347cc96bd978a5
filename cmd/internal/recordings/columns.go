package recordings

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/clusterpool/ccp/datasets/recording"
	"github.com/clusterpool/ccp/internal/suggest"
)

// columns holds the columns of values, and the sensor of each column.
type columns struct{ names, of []string }

// chosen are the columns of all files, sensor by sensor. The first file makes them, unless the training has.
type chosen struct {
	columns
	sensors  []string
	channels int
	// of recordings to classify, whose files may have other columns, too: the training's; nil in an import
	like    *recording.Form
	fills   bool            // a file may have no column of a sensor: it is filled
	by      string          // the file that has made them
	written []string        // as that file has them
	layout  string          // of all tables
	seen    map[string]bool // the names of all columns and sensors
	untaken []string        // the columns of a file that --take does not name
	units   map[string]string
	second  float64 // see recording.Form
}

// taken are the columns that are taken of a file, in the chosen order.
type taken struct {
	at      []int    // their numbers among the columns of the file
	sensors []string // those that the file has
	notes   []string // what a person should know of each recording of the file
}

// apply takes the columns of a recording that has this many.
func (t *taken) apply(x *recording.Recording, width int) {
	x.Sensors, x.Notes = t.sensors, t.notes
	x.Values = pick(x.Values, width, t.at)
}

// takeColumns finds the chosen columns among the columns of a file. The first file makes the choice: the columns to
// take, sensor by sensor. New recordings have those of the training, whatever other files have, less the sensors that
// this file has no column of. Whether its recordings are timed matters for the notes.
func (r *reading) takeColumns(path string, c columns, timed bool) (t taken, err error) {
	all := &r.chosen
	isFirst, wanted := all.names == nil, all.names
	rest, names := r.notLeft(c)
	switch {
	case isFirst && r.Take == nil:
		wanted = names
	case isFirst:
		wanted = namesToTake(r.Take, c, rest)
	}
	found, missing, others, turned := suggest.Match(wanted, names)
	if all.written != nil {
		_, _, _, turned = suggest.Match(all.written, names)
	}
	for i, place := range found {
		if place < 0 {
			continue
		}
		t.at = append(t.at, rest[place])
		if !isFirst {
			t.sensors = append(t.sensors, all.of[i])
		}
	}
	t.sensors = slices.Compact(t.sensors)
	if all.fills && t.sensors != nil { // the form fills a sensor without any column, and tells of it
		missing = slices.DeleteFunc(missing, func(name string) bool {
			return !slices.Contains(t.sensors, all.of[slices.Index(all.names, name)])
		})
	}
	switch {
	case all.like != nil && len(missing) == 0:
		t.notes, err = all.like.Others(others, turned && !r.anyOrder, timed)
	case all.like == nil && r.Take == nil:
		missing = append(missing, others...)
	case all.like == nil:
		all.untaken = others
	}
	switch {
	case err != nil:
		return t, err
	case len(missing) > 0 && (isFirst || all.like != nil):
		return t, fmt.Errorf("no column or sensor is named %q; there are %s", missing[0], few(c.names))
	case len(missing) > 0:
		return t, fmt.Errorf("%s is not in this file or not in %s; all recordings must have the same columns: %s",
			few(missing), all.by, inCommon(missing, names, t.sensors != nil))
	case len(t.at) == 0:
		return t, fmt.Errorf("no column of values is left; there are %s", few(c.names))
	case turned && !isFirst && all.like == nil:
		r.noteOf("turned", fmt.Sprintf("columns are in another order in some files, such as %s; they are taken by "+
			"their names", path))
	}
	if isFirst {
		err = r.choose(path, c, t.at, names)
	}
	if isFirst || len(t.sensors) == len(all.sensors) {
		t.sensors = all.sensors // which files share
	}
	return t, err
}

// noteColumns notes, once, what a person should know of the columns that a sample is made of, such as that the training
// had no such sensor.
func (r *reading) noteColumns(x *sample) {
	for _, note := range x.Notes {
		r.noteOf(note, note)
	}
}

// notLeft returns the columns that are not left out, and their names.
func (r *reading) notLeft(c columns) (rest []int, names []string) {
	for i, name := range c.names {
		r.chosen.seen[name], r.chosen.seen[c.of[i]] = true, true
		if !slices.Contains(r.Leave, name) && !slices.Contains(r.Leave, c.of[i]) {
			rest, names = append(rest, i), append(names, name)
		}
	}
	return rest, names
}

// choose makes the columns of the first file those of all files, sensor by sensor. It sorts at.
func (r *reading) choose(path string, c columns, at []int, written []string) (err error) {
	all := &r.chosen
	all.by, all.written = path, written
	sortColumns(at, c, r.Take == nil && all.layout != readingsLayout && r.axes == nil)
	for _, i := range at {
		all.names, all.of = append(all.names, c.names[i]), append(all.of, c.of[i])
	}
	all.sensors, all.channels, err = all.columns.split()
	return err
}

// inCommon says how files that lack columns of each other can be read. names are those of a file; some says whether it
// has any of the columns.
func inCommon(missing, names []string, some bool) string {
	for _, name := range missing {
		other := column(names, name)
		if other >= 0 && names[other] != name {
			return fmt.Sprintf("%s and %s differ in case only; name them alike", names[other], name)
		}
	}
	if !some {
		return "they have none in common; name them alike"
	}
	return fmt.Sprintf("--leave %q takes those that all have", strings.Join(missing, ","))
}

// sortColumns puts columns in the order in which their sensors come first. The axes of a sensor have the order of their
// names, so that z,y,x are x,y,z, whatever order a program has written them in; or that in which they come, if a person
// has given it.
func sortColumns(at []int, c columns, byName bool) {
	begins, axes := map[string]int{}, map[string]int{} // where each sensor and each axis comes first
	axis := func(i int) string { return strings.TrimPrefix(c.names[i], c.of[i]) }
	for k, i := range slices.Backward(at) {
		begins[c.of[i]], axes[axis(i)] = k, k
	}
	slices.SortStableFunc(at, func(i, j int) int {
		order := axes[axis(i)] - axes[axis(j)]
		if byName {
			order = cmp.Or(compareNumbered(axis(i), axis(j)), order)
		}
		return cmp.Or(begins[c.of[i]]-begins[c.of[j]], order)
	})
}

// compareNumbered compares two names regardless of case, and numbers in them as numbers, such as those of stretch 2 and
// stretch 10.
func compareNumbered(a, b string) int {
	a, b = strings.ToLower(a), strings.ToLower(b)
	for a != "" && b != "" {
		x, y := digitsAtBegin(a), digitsAtBegin(b)
		if x == "" || y == "" {
			if a[0] != b[0] {
				return cmp.Compare(a[0], b[0])
			}
			a, b = a[1:], b[1:]
			continue
		}
		m, n := strings.TrimLeft(x, "0"), strings.TrimLeft(y, "0")
		order := cmp.Or(len(m)-len(n), strings.Compare(m, n))
		if order != 0 {
			return order
		}
		a, b = a[len(x):], b[len(y):]
	}
	return len(a) - len(b)
}

// digitsAtBegin returns the digits with which a text begins.
func digitsAtBegin(text string) string {
	return text[:len(text)-len(strings.TrimLeft(text, "0123456789"))]
}

// namesToTake returns the names of the columns to take. take names columns, or sensors with all their columns.
func namesToTake(take []string, c columns, rest []int) (names []string) {
	for _, name := range take {
		before := len(names)
		for _, i := range rest {
			if (c.names[i] == name || c.of[i] == name) && !slices.Contains(names, c.names[i]) {
				names = append(names, c.names[i])
			}
		}
		if len(names) == before {
			names = append(names, name) // there is none
		}
	}
	return names
}

// pick returns the columns at of values of that width.
func pick(values []float64, width int, at []int) []float64 {
	if width == len(at) && slices.IsSorted(at) {
		return values
	}
	picked := make([]float64, 0, len(values)/width*len(at))
	for row := range slices.Chunk(values, width) {
		for _, i := range at {
			picked = append(picked, row[i])
		}
	}
	return picked
}

// crossed returns the columns of all sensors, sensor by sensor: sensor.axis for each axis, or a column with the name of
// the sensor alone if there are fewer than two axes.
func crossed(sensors, axes []string) (c columns) {
	if len(axes) < 2 {
		return columns{sensors, sensors}
	}
	for _, sensor := range sensors {
		for _, axis := range axes {
			c.names, c.of = append(c.names, sensor+"."+axis), append(c.of, sensor)
		}
	}
	return c
}

// counted returns n names with the numbers from 0.
func counted(prefix string, n int) (names []string) {
	for i := range n {
		names = append(names, prefix+strconv.Itoa(i))
	}
	return names
}

// split returns the sensors and their number of channels. All sensors have as many, which are side by side.
func (c columns) split() (sensors []string, channels int, err error) {
	axis := func(i int) string { return strings.TrimPrefix(c.names[i], c.of[i]) }
	with, axes := map[string]int{}, map[string]int{} // the sensors with each axis, and the axes of each sensor
	for i, sensor := range c.of {
		with[axis(i)]++
		axes[sensor]++
	}
	sensors, channels = slices.Compact(slices.Clone(c.of)), slices.Max(slices.Collect(maps.Values(axes)))
	if len(sensors)*channels == len(c.of) {
		return sensors, channels, nil
	}
	most := slices.Max(slices.Collect(maps.Values(with)))
	var odd, short []string
	for i, name := range c.names {
		if with[axis(i)] < most {
			odd = append(odd, name)
		}
		if axes[c.of[i]] < channels {
			short = append(short, name)
		}
	}
	if odd == nil {
		odd = short
	}
	return nil, 0, fmt.Errorf("the sensors (%s) do not have as many axes each; name the columns sensor.axis, or leave "+
		"out what only some have: --leave %q", few(sensors), strings.Join(odd, ","))
}
