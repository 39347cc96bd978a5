package recordings

import (
	"fmt"
	"math"
	"slices"

	"github.com/clusterpool/ccp/internal/loop"
)

// rows holds the lines of a sample. A long table has millions of them.
type rows struct {
	values  []float64 // of all lines
	times   []float64 // nil without
	rests   []float64 // what float64 leaves out of each of them, see exact.Rest; nil if that is nothing
	days    []float64 // of the times, in seconds, where a column of their own has them; nil without
	kind    int       // of the times
	columns []int32   // the first of each line, in the layout readings
	runs    []run     // of lines with times

	open, openTimes opens // of values and times
}

// run is a row and its line. The rows until the next run are in the lines that follow.
type run struct{ row, line int }

// addTime adds the time of a row.
func (r *rows) addTime(at, rest float64) {
	if rest != 0 && r.rests == nil {
		r.rests = make([]float64, len(r.times), cap(r.times))
	}
	r.times = append(r.times, at)
	if r.rests != nil {
		r.rests = append(r.rests, rest)
	}
}

// sharesTimes reports that both rows have their times in the same memory, see reading.trim. There must be times.
func (r *rows) sharesTimes(other *rows) bool {
	return len(r.times) == len(other.times) && &r.times[0] == &other.times[0]
}

// line returns the number of the line of a row. It takes the row after the last to be in the line after the last.
func (r *rows) line(row int) int {
	for _, in := range slices.Backward(r.runs) {
		if in.row <= row {
			return in.line + row - in.row
		}
	}
	return 0
}

// begin adds a sample, with room for as many lines as the sample before has: most samples have one length.
func (r *reading) begin(x *sample) {
	if len(r.samples) > 0 {
		before := &r.samples[len(r.samples)-1].rows
		x.rows.values = make([]float64, 0, len(before.values))
		x.rows.times = make([]float64, 0, len(before.times))
		x.rows.columns = make([]int32, 0, len(before.columns))
		r.trim(before)
	}
	r.samples = append(r.samples, x)
}

// trim gives back the room that the rows of a sample do not use, once all its lines are read. If it has the same times
// as the sample before, the two share them.
func (r *reading) trim(full *rows) {
	full.values = trimmed(full.values)
	if !slices.Equal(full.times, r.times) || !slices.Equal(full.rests, r.rests) {
		r.times, r.rests = trimmed(full.times), trimmed(full.rests)
	}
	full.times, full.rests = slices.Clip(r.times), slices.Clip(r.rests) // clipped, so that no sample adds to the other's
}

// trimmed returns values in little more memory than they need.
func trimmed(values []float64) []float64 {
	if cap(values)-len(values) <= len(values)/16 {
		return values
	}
	return slices.Clone(values)
}

// lay makes a table of a sample's lines: a row for each time at which any sensor was read. Lines of time points in
// order are such a table already.
func (r *reading) lay(s *sample, width int) error {
	lines, readings := s.rows, r.chosen.layout == readingsLayout
	s.rows = rows{}
	mayBeMinutes := lines.kind == clocks && len(lines.times) > 1 && lines.times[0] == 0 && layouts[r.days.last] == "15:04"
	if mayBeMinutes && !r.known {
		r.noteOf("minutes", fmt.Sprintf("times such as 00:01 are read as hours and minutes, from 00:00 on in %s; write "+
			"minutes and seconds as 00:00:01 or 00:01.0", s.where))
	}
	r.ofDay = lines.kind == clocks && !r.days.span
	r.goOnAfterMidnight(&lines, s.where)
	s.Values = lines.values
	if len(lines.times) == 0 {
		return nil
	}
	fromFirst := r.countFromFirst(&lines, s.where)
	if !fromFirst {
		s.Written = r.timeForm
	}
	if !readings && rise(lines.times) {
		s.Times = lines.times
		return nil
	}
	sorted, err := r.inOrder(s, &lines, readings)
	if err != nil {
		return err
	}
	for i, row := range sorted {
		if i == 0 || lines.times[row] != lines.times[sorted[i-1]] {
			s.Times = append(s.Times, lines.times[row])
		}
	}
	values := len(lines.values) / len(lines.times)
	s.Values = slices.Repeat([]float64{math.NaN()}, len(s.Times)*width)
	timepoint := 0
	for _, row := range sorted {
		for s.Times[timepoint] != lines.times[row] {
			timepoint++
		}
		copy(s.Values[timepoint*width+int(lines.columns[row]):], lines.values[row*values:][:values])
	}
	return nil
}

// rise reports whether each time is later than the one before. A NaN is not.
func rise(times []float64) bool {
	for i := 1; i < len(times); i++ {
		if !(times[i] > times[i-1]) {
			return false
		}
	}
	return true
}

// inOrder returns the rows of a sample in the order of their times, without those that came twice. It is an error if a
// clock was set back, or if one time has two rows.
func (r *reading) inOrder(s *sample, lines *rows, readings bool) (sorted []int, err error) {
	if !readings && r.ambiguousT != "" {
		return nil, fmt.Errorf("line %d: column %s does not rise: if it is the time, say --time %[2]s; if it is a sensor, "+
			"name all sensors with --take, or leave it out with --leave %[2]s", s.line, r.ambiguousT)
	}
	if !readings {
		lines.columns = make([]int32, len(lines.times))
	}
	sorted = loop.Indices(len(lines.times))
	slices.SortStableFunc(sorted, lines.compare)
	sorted = r.dropResent(s, lines, sorted)
	all := slices.Sorted(slices.Values(sorted)) // in the order of the file
	moved := lines.outOfOrder(all)
	for _, part := range lines.bySensor(all) {
		if err := lines.wentBack(part, s.Written); err != nil {
			return nil, err
		}
	}
	for i, row := range sorted[1:] {
		if lines.compare(sorted[i], row) != 0 {
			continue
		}
		line, before := lines.line(row), lines.line(sorted[i])
		if readings {
			return nil, fmt.Errorf("line %d: sensor %q was read at this time of sample %q in line %d already; keep one of them",
				line, r.sensors[int(lines.columns[row])/len(r.axes)], s.Name, before)
		}
		if few := tooFewTimes(lines.times); few != "" {
			return nil, fmt.Errorf("line %d: line %d has this time already, and %s; if the lines are evenly spaced, leave the "+
				"column of times out with --leave", line, before, few)
		}
		return nil, fmt.Errorf("line %d: line %d has this time already; keep one of them, "+
			"or leave the column of times out with --leave", line, before)
	}
	if moved > 0 && !readings {
		r.noteOf("order", fmt.Sprintf("lines are not in the order of their times, such as %d of %d in %s; put in order",
			moved, len(all), s.where))
	}
	return sorted, nil
}
