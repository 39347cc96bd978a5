package recordings

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"
)

// rows holds the lines of a sample that have times. A long table has millions of them.
type rows struct {
	times []float64
	first []int32 // the first column of each row; nil if that is 0 for all
	runs  []run
}

// run is a row and its line. The rows until the next run are in the lines that follow.
type run struct{ row, line int }

// add adds a line whose values begin in that column.
func (r *rows) add(time float64, column, line int) {
	n := len(r.times)
	if n == 0 || r.line(n) != line {
		r.runs = append(r.runs, run{n, line})
	}
	if r.first == nil && column > 0 {
		r.first = make([]int32, n)
	}
	if r.first != nil {
		r.first = append(r.first, int32(column))
	}
	r.times = append(r.times, time)
}

// line returns the number of the line of a row. It takes the row after the last to be in the line after the last.
func (r *rows) line(row int) int {
	after, _ := slices.BinarySearchFunc(r.runs, row+1, func(x run, row int) int { return cmp.Compare(x.row, row) })
	in := r.runs[after-1]
	return in.line + row - in.row
}

// row is a line of a sample.
type row struct {
	time     float64
	at, from int // the first of its columns; the first of its values among those read
	line     int
}

// list returns the rows. values is the number of values of each.
func (r *rows) list(values int) []row {
	all := make([]row, len(r.times))
	for i, time := range r.times {
		if all[i] = (row{time: time, from: i * values, line: r.line(i)}); r.first != nil {
			all[i].at = int(r.first[i])
		}
	}
	return all
}

// rise reports that each time is later than the one before.
func (r *rows) rise() bool {
	for i := 1; i < len(r.times); i++ {
		if r.times[i] <= r.times[i-1] {
			return false
		}
	}
	return true
}

// begin adds a sample, with room for as many lines as the sample before has: most samples have one length. The sample
// before gives back the room that it does not use. If it has the same times as an earlier one, the two share them.
func (r *reading) begin(x *sample) {
	if n := len(r.samples); n > 0 {
		before := r.samples[n-1]
		x.read, x.rows.times = make([]float64, 0, len(before.read)), make([]float64, 0, len(before.rows.times))
		if before.read = trimmed(before.read); !slices.Equal(before.rows.times, r.times) {
			r.times = trimmed(before.rows.times)
		}
		before.rows.times = slices.Clip(r.times)
	}
	r.samples = append(r.samples, x)
}

// trimmed returns values in little more memory than they need.
func trimmed(values []float64) []float64 {
	if cap(values)-len(values) <= len(values)/16 {
		return values
	}
	return slices.Clone(values)
}

// pastMidnight reports whether times of day that are not in order have more than 12 hours without any. Those before this gap
// are of the next day, which it adds.
func (r *rows) pastMidnight() bool {
	const day = 24 * 60 * 60
	if slices.IsSorted(r.times) {
		return false
	}
	sorted := slices.Sorted(slices.Values(r.times))
	for i, next := range sorted[1:] {
		if next-sorted[i] > day/2 {
			r.times = slices.Clone(r.times) // other samples may share them
			for at, time := range r.times {
				if time < next {
					r.times[at] += day
				}
			}
			return true
		}
	}
	return false
}

// ofNoDay reports whether all times are of the first day of a workbook: there a time of day is a date, too.
func (r *rows) ofNoDay() bool {
	return slices.ContainsFunc([]time.Time{epoch1900, epoch1904}, func(first time.Time) bool {
		return !slices.ContainsFunc(r.times, func(at float64) bool { return at < float64(first.Unix()) || at >= float64(first.Unix()+24*60*60) })
	})
}

// lay makes a table of a sample's lines: a row for each time at which any sensor was read. Lines of time points in order are
// such a table already.
func (r *reading) lay(s *sample, width int) error {
	defer func() { s.rows, s.read = rows{}, nil }()
	layout := r.table.Layout
	if (s.kind == clocks || s.rows.ofNoDay()) && s.rows.pastMidnight() {
		r.note("times of day go on after midnight, such as in %s", s.where)
	}
	switch {
	case len(s.rows.times) == 0:
		s.Values = s.read
		return nil
	case layout != readingsLayout && s.rows.rise():
		s.Values, s.Times = s.read, s.rows.times
		return nil
	}
	values := len(s.read) / len(s.rows.times)
	order := s.rows.list(values)
	ascend := func(a, b row) int { return cmp.Or(cmp.Compare(a.time, b.time), cmp.Compare(a.at, b.at)) }
	if layout != readingsLayout && !slices.IsSortedFunc(order, ascend) {
		if r.mere != "" {
			return fmt.Errorf("line %d: column %s is not in order: if it is the time, say --time %[2]s; if it is a sensor, name all "+
				"sensors with --take, or leave it out with --leave %[2]s", s.line, r.mere)
		}
		r.note("lines are not in the order of their times, such as in %s; put in order", s.where)
	}
	slices.SortStableFunc(order, ascend)
	for i, one := range order {
		switch {
		case i > 0 && ascend(one, order[i-1]) == 0 && layout == readingsLayout:
			return fmt.Errorf("line %d: sensor %q was read at this time of sample %q in line %d already; keep one of them",
				one.line, r.sensors[one.at/len(r.axes)], s.Name, order[i-1].line)
		case i > 0 && ascend(one, order[i-1]) == 0:
			return fmt.Errorf("line %d: line %d has this time already; keep one of them, or leave the column of "+
				"times out with --leave", one.line, order[i-1].line)
		case i == 0 || one.time != order[i-1].time:
			s.Times = append(s.Times, one.time)
		}
	}
	s.Values = slices.Repeat([]float64{math.NaN()}, len(s.Times)*width)
	timepoint := 0
	for _, one := range order {
		for s.Times[timepoint] != one.time {
			timepoint++
		}
		copy(s.Values[timepoint*width+one.at:], s.read[one.from:][:values])
	}
	return nil
}
