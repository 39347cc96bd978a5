// Package recordings makes the .npz file that ccp trains on of what people have: series of the UEA archive (.ts), a folder of
// recordings for each class, or one long table of readings. All become signals on a graph of space and time: node
// `frame * sensors + sensor` is a sensor at a moment.
package recordings

import (
	"errors"
	"fmt"
	"slices"
)

// Splits of a sample, as an .npz file marks them.
const (
	train = 0
	test  = 2
)

// set is what was read, in whatever form it came: samples of the same sensors, each of its own length.
type set struct {
	name     string
	sensors  []string
	channels int
	samples  []sample
	classes  []string // in the order in which the data declares them; nil for sorted
	split    bool     // the data says which samples are tests
	by       string   // what the data splits by, for people
	grouped  bool     // samples say which group they are of
}

// sample is a recording.
type sample struct {
	where string // for errors: the file, and the line if it holds several
	name  string // that patterns of names are held against; "" where the data names no samples
	label string
	group string
	test  bool
	// values `[moments, sensors, channels]`, NaN where one is missing.
	values []float64
	// times of the moments, ascending; nil if they are evenly spaced.
	times []float64
}

// moments is the length of a sample.
func (s *set) moments(i int) int { return len(s.samples[i].values) / (len(s.sensors) * s.channels) }

// training are the samples that nothing marks as tests.
func (s *set) training() []int {
	var out []int
	for i := range s.samples {
		if !s.samples[i].test {
			out = append(out, i)
		}
	}
	return out
}

// number counts the classes from 0: in the order that the data declares, else sorted. Declared classes without a sample are left out,
// and returned.
func (s *set) number() (labels []int32, without []string, err error) {
	var seen []string
	for _, sample := range s.samples {
		seen = append(seen, sample.label)
	}
	slices.Sort(seen)
	seen = slices.Compact(seen)
	if s.classes == nil {
		s.classes = seen
	}
	s.classes = slices.DeleteFunc(slices.Clone(s.classes), func(class string) bool {
		_, found := slices.BinarySearch(seen, class)
		if !found {
			without = append(without, class)
		}
		return !found
	})
	switch len(s.classes) {
	case 0:
		return nil, nil, errors.New("there are no samples; check that this is the right file")
	case 1:
		return nil, nil, fmt.Errorf("all %d samples are of class %q; a classifier needs samples of at least 2 classes", len(s.samples), s.classes[0])
	}
	for _, sample := range s.samples {
		labels = append(labels, int32(slices.Index(s.classes, sample.label)))
	}
	return labels, without, nil
}
