package recordings

import (
	"fmt"
	"slices"
	"strings"
)

// minSteps is the number of steps in which a sensor hardly counts by chance.
const minSteps = 10

// refuseCounters returns an error if columns that nobody named count the samples of a table, or rise in every recording: such
// a column may be the time under another name. One of several axes of a sensor may well rise.
func (r *reading) refuseCounters() error {
	all, layout, width := r.chosen.columns, r.chosen.layout, len(r.chosen.names)
	series := layout == samplesLayout && len(r.samples[0].Values) > width
	samples := layout == samplesLayout && !series
	if layout == readingsLayout {
		return nil
	}
	var names []string
	for column, name := range all.names {
		switch {
		case samples && r.numbers(column), !samples && r.chosen.channels == 1 && r.rises(column):
			names = append(names, name)
		}
	}
	if names == nil || series && len(names) == width { // without them nothing is left
		return nil
	}
	at, take := slices.Index(all.names, names[0]), strings.Join(all.names, ",")
	if width > 20 {
		take = few(all.names)
	}
	first, last := r.samples[0], r.samples[0].Values
	if samples {
		last = r.samples[len(r.samples)-1].Values
		return fmt.Errorf("column %s numbers the samples, from %g to %g: leave it out, --leave %q; if it is a sensor, "+
			"name all sensors: --take %s", names[0], first.Values[at], last[at], names[0], take)
	}
	time := fmt.Sprintf("if it is the time, say --time %q; ", names[0])
	if layout == "" || series { // times have no place in arrays, nor in a table with a line for each sample
		time = ""
	}
	return fmt.Errorf("column %s rises in every recording, as from %g to %g in %s: %sif it only counts, --leave %q; if "+
		"it is a sensor, name all sensors: --take %s",
		few(names), first.Values[at], last[len(last)-width+at], first.where, time,
		strings.Join(names, ","), take)
}

// numbers reports that a column of a table with a line for each sample counts them one by one.
func (r *reading) numbers(column int) bool {
	for i, x := range r.samples[1:] {
		if x.Values[column] != r.samples[i].Values[column]+1 {
			return false
		}
	}
	return len(r.samples) > minSteps
}

// rises reports that a column rises at each time point of every recording.
func (r *reading) rises(column int) bool {
	width, steps := len(r.chosen.names), 0
	for _, x := range r.samples {
		for at := column + width; at < len(x.Values); at += width {
			if !(x.Values[at] > x.Values[at-width]) {
				return false
			}
			steps++
		}
	}
	return steps >= minSteps
}

// noteConstantColumns notes columns that nobody named and that have one value in each recording, but not the same in all: a
// number of the subject, say. As a sensor, it would tell a training whose recording it is.
func (r *reading) noteConstantColumns() {
	first, width := r.samples[0], len(r.chosen.names)
	if layout := r.chosen.layout; layout != timepointsLayout && layout != recordingLayout {
		return
	}
	var names []string
	for column, name := range r.chosen.names {
		steps, same, constant := 0, true, true
		for _, x := range r.samples {
			same = same && x.Values[column] == first.Values[column]
			for at := column + width; at < len(x.Values) && constant; at += width {
				constant = x.Values[at] == x.Values[column]
				steps++
			}
		}
		if constant && !same && steps >= minSteps {
			names = append(names, name)
		}
	}
	if names != nil {
		r.note("column %s has one value in each recording, but not the same in all, such as %g in %s: if it is no sensor "+
			"but says who was recorded, --group %q keeps a person's recordings together, and --leave %q leaves it out",
			few(names),
			first.Values[slices.Index(r.chosen.names, names[0])], first.where, names[0], strings.Join(names, ","))
	}
}
