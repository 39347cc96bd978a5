package recordings

import (
	"fmt"
	"slices"
	"strings"
)

// minSteps is the number of steps in which a sensor hardly counts by chance.
const minSteps = 10

// refuseCounters returns an error if columns that nobody named count the samples of a table, or rise in every
// recording: such a column may be the time under another name. One of several axes of a sensor may well rise.
func (r *reading) refuseCounters() error {
	layout, width := r.chosen.layout, len(r.chosen.names)
	if layout == readingsLayout {
		return nil
	}
	inOneLine := layout == samplesLayout && len(r.samples[0].Values) > width // the time points of a sample
	if layout == samplesLayout && !inOneLine {
		return r.refuseSampleNumbers()
	}
	var names []string
	for column, name := range r.chosen.names {
		if r.chosen.channels == 1 && r.rises(column) {
			names = append(names, name)
		}
	}
	if names == nil || inOneLine && len(names) == width { // without them nothing is left
		return nil
	}
	way := fmt.Sprintf("if it is the time, say --time %q; ", names[0])
	if layout == "" || inOneLine { // times have no place in arrays, nor in a table with a line for each sample
		way = ""
	}
	example := r.samples[0]
	column := slices.Index(r.chosen.names, names[0])
	return fmt.Errorf("column %s rises in every recording, as from %g to %g in %s: %sif it only counts, --leave %q; if "+
		"it is a sensor, name all sensors: --take %s",
		few(names), example.Values[column], example.Values[len(example.Values)-width+column], example.where, way,
		strings.Join(names, ","), r.allSensors())
}

// refuseSampleNumbers returns an error if a column numbers the samples, and would be taken for a sensor. It is for
// tables in which each line is a sample of one time point.
func (r *reading) refuseSampleNumbers() error {
	for column, name := range r.chosen.names {
		if r.countsSamples(column) {
			first, last := r.samples[0].Values[column], r.samples[len(r.samples)-1].Values[column]
			return fmt.Errorf("column %s numbers the samples, from %g to %g: leave it out, --leave %q; if it is a sensor, "+
				"name all sensors: --take %s", name, first, last, name, r.allSensors())
		}
	}
	return nil
}

// allSensors writes what --take needs for all columns; some of many.
func (r *reading) allSensors() string {
	const most = 20
	if len(r.chosen.names) > most {
		return few(r.chosen.names)
	}
	return strings.Join(r.chosen.names, ",")
}

// countsSamples reports that a column of a table with a line for each sample counts them one by one.
func (r *reading) countsSamples(column int) bool {
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

// noteConstantColumns notes columns that nobody named and that have one value in each recording, but not the same in
// all: a number of the subject, say. As a sensor, it would tell a training whose recording it is.
func (r *reading) noteConstantColumns() {
	layout := r.chosen.layout
	if layout != timepointsLayout && layout != recordingLayout {
		return
	}
	first, width := r.samples[0], len(r.chosen.names)
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
			few(names), first.Values[slices.Index(r.chosen.names, names[0])], first.where, names[0], strings.Join(names, ","))
	}
}
