package audit

import (
	"math"
	"slices"
)

// This file looks for columns beside the sensors that measure nothing: numbers of cases, of people, of devices, or the
// class once more.

// mostColumns bounds the columns that are told one by one. Each has its own way out, though they say one fact.
const mostColumns = 4

// columnDescriptors lists the columns that have one value in each sample and may be no measurement.
func (s *Samples) columnDescriptors() (all []Descriptor) {
	if s.Len() < fewestOfAll {
		return nil
	}
	for _, c := range s.columns() {
		d := Descriptor{Sensor: c.sensor, Column: true, Asked: true, Values: make([]float64, s.Len())}
		for i := range d.Values {
			d.Values[i] = float64(s.Values(i)[c.sensor])
		}
		switch {
		case c.oneEach:
			d.Name = "the value of %s, which has one for each class,"
		case c.counts:
			d.Name, d.Asked = "the number in %s, which goes up from sample to sample,", s.evenly(d.Values)
		default:
			d.Name = "the value of %s, which never changes within a recording,"
		}
		all = append(all, d)
	}
	return all
}

// column is a sensor that has one value in each sample.
type column struct {
	sensor int
	// oneEach says that each class has one value, and no two the same; counts that the values are whole numbers that rise
	// from sample to sample; stays that all samples have several time points.
	oneEach, counts, stays bool
}

// columns lists the columns of which one of these is true. It goes over the samples once, with the columns that are
// left: nearly all are out after the first samples.
func (s *Samples) columns() (left []column) {
	for sensor := range s.Width {
		left = append(left, column{sensor, true, true, true})
	}
	first := make([][]float32, s.Classes) // the first sample of each class
	var before []float32                  // the sample before
	for i, class := range s.Labels {
		values := s.Values(i)
		if first[class] == nil {
			first[class] = values
		}
		kept := left[:0]
		for _, c := range left {
			if c.sees(values, first[class], before, s.Width) {
				kept = append(kept, c)
			}
		}
		left, before = kept, values
	}
	first = slices.DeleteFunc(first, func(values []float32) bool { return values == nil })
	kept := left[:0]
	for _, c := range left {
		if c.oneEach {
			values := make([]float32, len(first))
			for at := range values {
				values[at] = first[at][c.sensor]
			}
			slices.Sort(values)
			c.oneEach = len(values) > 1 && len(slices.Compact(values)) == len(first)
		}
		if c.oneEach || c.counts || c.stays {
			kept = append(kept, c)
		}
	}
	return kept
}

// sees reports whether a column may still be one after another sample, whose class has a first one. before is the
// sample before; nil if there is none.
func (c *column) sees(values, first, before []float32, width int) bool {
	value := values[c.sensor]
	for at := c.sensor + width; at < len(values); at += width {
		if values[at] != value {
			return false
		}
	}
	c.oneEach = c.oneEach && value == first[c.sensor]
	c.counts = c.counts && value == float32(math.Trunc(float64(value))) && (before == nil || value > before[c.sensor])
	c.stays = c.stays && len(values) > width
	return c.oneEach || c.counts || c.stays
}

// evenly reports whether values that rise with the place in the file do so in steps that are more even than those of a
// file that was sorted by the values: the deviation of these steps is about their mean.
func (s *Samples) evenly(values []float64) bool {
	const even = 0.6 // of the mean
	n, sum, squares := float64(len(values)-1), 0.0, 0.0
	for i := range values[1:] {
		step := (values[i+1] - values[i]) / float64(s.place(i+1)-s.place(i))
		sum, squares = sum+step, squares+step*step
	}
	mean := sum / n
	return squares/n-mean*mean < even*even*mean*mean
}

// Numbers lists the columns of whole numbers of which each sample has its own, written with as many digits as the
// others or one after the other: such as the number of a case. What is counted may be so, too, so that it is only worth
// knowing. Where more than a few columns are so, or all, these are what was measured.
func (s *Samples) Numbers() (columns []int) {
	if s.Len() < fewestOfAll {
		return nil
	}
	for sensor := range s.Width {
		if s.areNumbers(sensor) {
			columns = append(columns, sensor)
		}
		if len(columns) > mostColumns {
			return nil
		}
	}
	if len(columns) == s.Width {
		return nil
	}
	return columns
}

// areNumbers reports whether a column may number the samples.
func (s *Samples) areNumbers(sensor int) bool {
	const fewestDigits, most = 3, 2 // digits of numbers in any order; times as many as the samples, of those in a row
	seen := map[float32]bool{}
	least, largest := math.Inf(1), math.Inf(-1)
	for i := range s.Len() {
		values := s.Values(i)
		value := values[sensor]
		for at := sensor + s.Width; at < len(values); at += s.Width {
			if values[at] != value {
				return false
			}
		}
		if seen[value] || float64(value) != math.Trunc(float64(value)) {
			return false
		}
		seen[value] = true
		least, largest = min(least, float64(value)), max(largest, float64(value))
	}
	digits := math.Floor(math.Log10(math.Abs(least) + 1))
	sameDigits := least > 0 && digits+1 >= fewestDigits && largest < math.Pow(10, digits+1)
	return sameDigits || largest-least < float64(most*s.Len())
}
