package audit

import "math"

// This file looks for columns beside the sensors that measure nothing: numbers of cases, of people, of devices, or the
// class once more.

// mostColumns bounds the columns that are told one by one. Each has its own way out, though they say one fact.
const mostColumns = 4

// columnDescriptors lists the columns that have one value in each sample and may be no measurement.
func (s *Samples) columnDescriptors() (all []Descriptor) {
	if s.Len() < fewestOfAll {
		return nil
	}
	for sensor := range s.Width {
		c := s.column(sensor)
		if c == nil {
			continue
		}
		d := Descriptor{Sensor: sensor, Column: true, Asked: true, Values: c.values}
		switch {
		case c.oneEach:
			d.Name = "the value of %s, which has one for each class,"
		case c.counts:
			d.Name, d.Asked = "the number in %s, which goes up from sample to sample,", s.evenly(c.values)
		default:
			d.Name = "the value of %s, which never changes within a recording,"
		}
		all = append(all, d)
	}
	return all
}

// column is a sensor that has one value in each sample.
type column struct {
	values []float64
	// oneEach says that each class has one value, and no two the same; counts that the values are whole numbers that rise
	// from sample to sample.
	oneEach, counts bool
}

// column returns a column if its values are one for each class, or rise, or stay in recordings of several time points;
// or else nil.
func (s *Samples) column(sensor int) *column {
	c := &column{values: make([]float64, 0, s.Len()), oneEach: true, counts: true}
	of, last, stays := map[int32]float64{}, math.Inf(-1), true
	for i, class := range s.Labels {
		values := s.Values(i)
		first := values[sensor]
		for at := sensor + s.Width; at < len(values); at += s.Width {
			if values[at] != first {
				return nil
			}
		}
		value := float64(first)
		known, seen := of[class]
		of[class] = value
		c.oneEach = c.oneEach && (!seen || known == value)
		c.counts = c.counts && value > last && value == math.Trunc(value)
		stays = stays && len(values) > s.Width
		if !c.oneEach && !c.counts && !stays {
			return nil
		}
		last, c.values = value, append(c.values, value)
	}
	distinct := map[float64]bool{}
	for _, value := range of {
		distinct[value] = true
	}
	c.oneEach = c.oneEach && len(of) > 1 && len(distinct) == len(of)
	if !c.oneEach && !c.counts && !stays {
		return nil
	}
	return c
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
