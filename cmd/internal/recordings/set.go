// Package recordings turns what people have into the .npz file that ccp trains on. It reads series of the UEA archive
// (.ts), a folder of recordings for each class, or one long table of readings. All become signals on a graph of space
// and time: node `frame * sensors + sensor` is a sensor at a moment.
package recordings

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"path"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/clusterpool/ccp/internal/recording"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
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

// mostFrames bounds the default number of frames, because the time of a training grows with it.
const mostFrames = 128

// Frames holds the number of moments of a signal, and the lengths of the samples before resampling.
type Frames struct {
	Count    int `json:"count"`
	Shortest int `json:"shortest"`
	Median   int `json:"median"`
	Longest  int `json:"longest"`
}

// frames returns the number of frames asked for or, for 0, the median length of the samples, at most mostFrames.
func (s *set) frames(asked int) Frames {
	lengths := make([]int, len(s.samples))
	for i := range lengths {
		lengths[i] = s.samples[i].Moments()
	}
	slices.Sort(lengths)
	f := Frames{asked, lengths[0], lengths[len(lengths)/2], lengths[len(lengths)-1]}
	if asked == 0 {
		f.Count = min(f.Median, mostFrames)
	}
	return f
}

// String says where the number of frames comes from.
func (f Frames) String() string {
	switch {
	case f.Shortest == f.Longest && f.Longest == f.Count:
		return fmt.Sprintf("%d, as all samples have", f.Count)
	case f.Shortest == f.Longest:
		return fmt.Sprintf("%d, resampled linearly from the %d of all samples", f.Count, f.Longest)
	}
	return fmt.Sprintf("%d, resampled linearly from %d to %d, median %d", f.Count, f.Shortest, f.Longest, f.Median)
}

// unlike is the ratio above which sensors are taken to measure different things.
const unlike = 5

// scale decides how a training will normalise the sensors, sets form.Scale and says so.
func (r *reading) scale(s *set, form *recording.Form) (how string) {
	const alone, alike = "each sensor by itself, over the samples trained on", "all sensors alike"
	differ := s.unlike(s.statistics())
	switch {
	case r.Scale != nil:
		form.Scale = *r.Scale
		return map[bool]string{true: alone, false: alike}[*r.Scale]
	case differ == "":
		return alike
	case r.Parts != "" || r.Origin != "":
		return alike + ", as places in space; " + differ + " (--scale if they measure different things)"
	}
	form.Scale = true
	return alone + "; " + differ + " (--scale=false keeps them alike)"
}

// statistics returns the mean and the deviation of each sensor's channels over all moments of the training samples,
// `[sensors, channels]`. A constant channel has a deviation of 0.
func (s *set) statistics() (mean, deviation []float64) {
	width := len(s.sensors) * s.channels
	mean, deviation = make([]float64, width), make([]float64, width)
	count := 0
	for _, i := range s.training() {
		count += s.samples[i].Moments()
		for at, v := range s.samples[i].Values {
			mean[at%width] += v
		}
	}
	for column := range mean {
		mean[column] /= float64(count)
	}
	for _, i := range s.training() {
		for at, v := range s.samples[i].Values {
			deviation[at%width] += (v - mean[at%width]) * (v - mean[at%width]) / float64(count)
		}
	}
	for column, square := range deviation {
		if deviation[column] = math.Sqrt(square); deviation[column] <= 1e-9*math.Abs(mean[column]) {
			deviation[column] = 0 // rounding
		}
	}
	return mean, deviation
}

// unlike says which sensors differ most in a channel, if some would be lost where all are normalised alike. It skips
// constant sensors.
func (s *set) unlike(mean, deviation []float64) (differ string) {
	worst := float64(unlike)
	for channel := range s.channels {
		var columns []int
		var means, squares []float64
		for column := channel; column < len(deviation); column += s.channels {
			if deviation[column] > 0 {
				columns, means = append(columns, column), append(means, mean[column])
				squares = append(squares, deviation[column]*deviation[column])
			}
		}
		if len(columns) == 0 {
			continue
		}
		name := func(at int) string { return recording.Column(s.sensors, s.channels, columns[at]) }
		least, most := floats.MinIdx(squares), floats.MaxIdx(squares)
		ratio := math.Sqrt(squares[most] / squares[least])
		text := fmt.Sprintf("%s varies %.3g times as much as %s", name(most), ratio, name(least))
		if ratio <= unlike { // as much, but perhaps elsewhere
			ratio = math.Sqrt((stat.Mean(squares, nil) + stat.PopVariance(means, nil)) / squares[least])
			text = fmt.Sprintf("all sensors together vary %.3g times as much as %s", ratio, name(least))
		}
		if ratio > worst {
			worst, differ = ratio, text
		}
	}
	return differ
}

var few = recording.Few
