// Package recordings turns what people have into the .npz file that ccp trains on. It reads series of the UEA archive
// (.ts), a folder of recordings for each class, or one long table of readings. All become series on a graph of sensors.
package recordings

import (
	"errors"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/clusterpool/ccp/internal/recording"
)

// set holds what was read from any form of input: samples of the same sensors, each with its own length.
type set struct {
	sensors  []string
	channels int
	samples  []sample
	classes  []string // in the order in which the data declares them; nil for sorted
	by       string   // what the data splits by, for people; "" if it does not say which samples are tests
	grouped  bool     // samples have groups
	as       string   // what the files were taken for
	table    Table    // how to read new recordings alike
	notes    []string // what a person should know
}

// sample is a recording, or a file before it is read. Patterns of names are compared with its name, which is "" if the
// data names no samples.
type sample struct {
	recording.Recording
	where        string // for errors: the file, and the line if it holds several
	path         string
	label, group string // label is that of the folder before the file is read
	test         bool
	line         int       // where it begins
	rows         []row     // nil without times: then the sample has its values
	kind         int       // of the times
	read         []float64 // the values of the rows
	series       []float32 // the values at even moments, once prepared
}

// training returns the samples that are not marked as tests.
func (s *set) training() (numbers []int) {
	for i := range s.samples {
		if !s.samples[i].test {
			numbers = append(numbers, i)
		}
	}
	return numbers
}

// number numbers the classes from 0, in the order that the data declares or sorted, and returns each sample's number
// and each class's samples. It leaves out and returns declared classes without a sample.
func (s *set) number() (labels []int32, classes []Class, without []string, err error) {
	seen := map[string]int{}
	for _, sample := range s.samples {
		seen[sample.label]++
	}
	if s.classes == nil {
		s.classes = slices.Sorted(maps.Keys(seen))
	}
	s.classes = slices.DeleteFunc(slices.Clone(s.classes), func(class string) bool {
		if seen[class] == 0 {
			without = append(without, class)
		} else {
			classes = append(classes, Class{class, seen[class]})
		}
		return seen[class] == 0
	})
	switch len(s.classes) {
	case 0:
		return nil, nil, nil, errors.New("there are no samples; check that this is the right file")
	case 1:
		return nil, nil, nil, fmt.Errorf("all %d samples are of class %q; a classifier needs samples of at least 2 classes",
			len(s.samples), s.classes[0])
	}
	for _, sample := range s.samples {
		labels = append(labels, int32(slices.Index(s.classes, sample.label)))
	}
	return labels, classes, without, nil
}

// mark makes the samples whose names match a shell pattern the test set.
func (s *set) mark(pattern string) error {
	if pattern == "" {
		return nil
	}
	for i := range s.samples {
		match, err := path.Match(pattern, s.samples[i].Name)
		if err != nil {
			return fmt.Errorf("--test %q: %w; it is a pattern of names such as 'ben_*'", pattern, err)
		}
		s.samples[i].test = match
	}
	tests := len(s.samples) - len(s.training())
	if tests == 0 || tests == len(s.samples) {
		return fmt.Errorf("--test %q matches %d of the %d samples, which are named such as %q; "+
			"want some, and some left to train on", pattern, tests, len(s.samples), s.samples[0].Name)
	}
	s.by = fmt.Sprintf("--test %q", pattern)
	return nil
}

// group takes the group of each sample from its name, unless a column holds the groups: what the first brackets of a
// regular expression match.
func (s *set) group(pattern string) error {
	expression, err := regexp.Compile(pattern)
	switch {
	case pattern == "":
		return nil
	case s.grouped:
	case err != nil:
		return fmt.Errorf("--group %q: %w; it is a regular expression such as '^([a-z]+)_'", pattern, err)
	case expression.NumSubexp() < 1:
		return fmt.Errorf("--group %q has no brackets around what is the group in a name such as %q: "+
			"'^([a-z]+)_' takes the letters before the first _", pattern, s.samples[0].Name)
	default:
		for i := range s.samples {
			x := &s.samples[i]
			found := expression.FindStringSubmatch(x.Name)
			if found == nil || found[1] == "" {
				return fmt.Errorf("%s: --group %q finds no group in %q; each sample must be of one", x.where, pattern, x.Name)
			}
			x.group = found[1]
		}
		s.grouped = true
	}
	if all := s.groups(); len(all) == 1 {
		return fmt.Errorf("--group %q puts all %d samples into one group, %q; name what tells them apart, or leave it out",
			pattern, len(s.samples), all[0])
	}
	return nil
}

// names returns the names of the samples. If two samples share a name, or one has none, each has the end of its where.
func (s *set) names() []string {
	names, seen := make([]string, len(s.samples)), map[string]bool{"": true}
	for i, x := range s.samples {
		names[i], seen[x.Name] = x.Name, true
	}
	if len(seen) <= len(names) {
		for i, x := range s.samples {
			names[i] = path.Join(filepath.Base(filepath.Dir(x.where)), filepath.Base(x.where))
		}
	}
	return names
}

// groups lists the groups; without groups the list is empty, not nil.
func (s *set) groups() []string {
	all := map[string]bool{}
	for _, x := range s.samples {
		if s.grouped {
			all[x.group] = true
		}
	}
	return append([]string{}, slices.Sorted(maps.Keys(all))...)
}

// Moments are the lengths of the samples at even moments.
type Moments struct {
	Shortest int     `json:"shortest"`
	Median   int     `json:"median"`
	Longest  int     `json:"longest"`
	Rate     float64 `json:"rate"` // in a unit of the files' times; 0: unknown
}

// moments returns the lengths of samples that are prepared.
func (s *set) moments(rate float64) Moments {
	lengths := make([]int, len(s.samples))
	for i, x := range s.samples {
		lengths[i] = len(x.series) / (len(s.sensors) * s.channels)
	}
	slices.Sort(lengths)
	return Moments{lengths[0], lengths[len(lengths)/2], lengths[len(lengths)-1], rate}
}

// String says how long the samples are.
func (m Moments) String() string {
	text := fmt.Sprintf("%d to %d, median %d", m.Shortest, m.Longest, m.Median)
	if m.Shortest == m.Longest {
		text = fmt.Sprintf("%d in all samples", m.Longest)
	}
	if m.Rate > 0 {
		text += fmt.Sprintf(", %.4g of time apart", 1/m.Rate)
	}
	return text
}

var few = recording.Few
