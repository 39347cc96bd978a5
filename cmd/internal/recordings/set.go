// Package recordings turns what people have into the .npz file that ccp trains on. It reads series of the UEA archive
// (.ts), a folder of recordings for each class, or one long table of readings. All become series on a graph of sensors.
package recordings

import (
	"bufio"
	"context"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/clusterpool/ccp/datasets/recording"
	"github.com/clusterpool/ccp/internal/npz"
	"github.com/clusterpool/ccp/internal/suggest"
	"github.com/clusterpool/ccp/internal/text"
)

// reading is an import under way: what was read so far, and what becomes of it.
type reading struct {
	Options
	ctx       context.Context
	input     string // the first, for errors
	made      Result
	samples   []*sample // of the same sensors, each with its own length
	times     []float64 // of the rows of the last sample but one, which others share
	classes   []string  // in the order in which the data declares them; nil for sorted
	grouped   bool      // samples have groups
	table     Table     // how to read new recordings alike
	notes     []string  // what a person should know
	form      *recording.Form
	arrays    []npz.Named         // to write
	markers   map[string]int      // what stood for missing values, beside the usual words
	positions *positionsOf        // of sensors; nil if unknown
	given     map[string]string   // the classes by --labels; nil without
	columns   columns             // of all files; its zero value before the first of an import
	has       map[string][]string // the sensors of each file
	first     string              // the file that has shown the columns
	problem   *tsHeader           // of the first .ts file
	sensors   []string            // of readings, as they first appear
	bySensor  map[string]int
	axes      []string        // of readings
	as        map[string]bool // how the files are read
	seen      map[string]bool // the names of all columns and sensors
	byHand    bool            // the training's file was made without an import, of sensors of one value each
	mere      string          // the heading T, taken for the time by nothing else
	turned    bool            // a file has the columns in another order
	units     map[string]string
	days      days
	buffer    *bufio.Reader // of the file being read
	opening   batch         // its first lines
}

// tell reports progress. It returns an error when the context has ended.
func (r *reading) tell(doing string, done float64) error {
	if r.ctx.Err() != nil {
		return context.Cause(r.ctx)
	}
	if r.Progress != nil {
		r.Progress(doing, done)
	}
	return nil
}

// note keeps what a person should know, once, for the end.
func (r *reading) note(format string, values ...any) {
	if note := fmt.Sprintf(format, values...); !slices.Contains(r.notes, note) {
		r.notes = append(r.notes, note)
	}
}

// sample is a recording, or a file before it is read. Patterns of names are compared with its name, which is "" if the
// data names no samples.
type sample struct {
	recording.Recording
	where        string // for errors: the file, and the line if it holds several
	path         string
	label, group string // label is the folder's before the file is read
	test         bool
	part         bool      // its folder is named train or test, and may be no class
	line         int       // where it begins
	rows         rows      // the lines of a table with times
	kind         int       // of the times
	read         []float64 // the values of the lines of a table, until they are laid
	series       []float32 // the values at even time points, once prepared
}

// training counts the samples that are not marked as tests.
func (r *reading) training() (count int) {
	for _, x := range r.samples {
		if !x.test {
			count++
		}
	}
	return count
}

// mark makes the samples whose names match --test, a shell pattern, the test set.
func (r *reading) mark() (err error) {
	if r.Test == "" {
		return nil
	}
	for _, x := range r.samples {
		if x.test, err = path.Match(r.Test, x.Name); err != nil {
			return fmt.Errorf("--test %q: %w; it is a pattern of names such as 'ben_*'", r.Test, err)
		}
	}
	if left := r.training(); left == 0 || left == len(r.samples) {
		return fmt.Errorf("--test %q matches %d of the %d samples, which are named such as %q; "+
			"want some, and some left to train on", r.Test, len(r.samples)-left, len(r.samples), r.samples[0].Name)
	}
	r.made.SplitBy = fmt.Sprintf("--test %q", r.Test)
	return nil
}

// group takes the group of each sample from its name, unless a column holds the groups: what the first brackets of
// --group, a regular expression, match.
func (r *reading) group() error {
	expression, err := regexp.Compile(r.Group)
	switch {
	case r.Group == "":
		return nil
	case r.grouped:
	case err != nil:
		return fmt.Errorf("--group %q: %w; it is a regular expression such as '^([a-z]+)_'", r.Group, err)
	case expression.NumSubexp() < 1:
		return fmt.Errorf("--group %q has no brackets around what is the group in a name such as %q: "+
			"'^([a-z]+)_' takes the letters before the first _", r.Group, r.samples[0].Name)
	default:
		for _, x := range r.samples {
			found := expression.FindStringSubmatch(x.Name)
			if found == nil || found[1] == "" {
				return fmt.Errorf("%s: --group %q finds no group in %q; each sample must be of one", x.where, r.Group, x.Name)
			}
			x.group = found[1]
		}
		r.grouped = true
	}
	if all := r.groups(); len(all) == 1 {
		return fmt.Errorf("--group %q puts all %d samples into one group, %q; name what tells them apart, or leave it out",
			r.Group, len(r.samples), all[0])
	}
	return nil
}

// names returns the names of the samples. If two samples share a name, or one has none, each has the end of its where: with
// one folder, or as many as it takes.
func (r *reading) names() []string {
	names, seen := make([]string, len(r.samples)), map[string]bool{"": true}
	for i, x := range r.samples {
		names[i], seen[x.Name] = x.Name, true
	}
	for deep, more := 2, true; more && len(seen) <= len(names); deep++ {
		seen, more = map[string]bool{"": true}, false
		for i, x := range r.samples {
			folders := strings.Split(filepath.ToSlash(x.where), "/")
			more = more || deep < len(folders)
			names[i] = strings.Join(folders[max(0, len(folders)-deep):], "/")
			seen[names[i]] = true
		}
	}
	return names
}

// groups lists the groups; without groups the list is empty, not nil.
func (r *reading) groups() []string {
	all := map[string]bool{}
	for _, x := range r.samples {
		if r.grouped {
			all[x.group] = true
		}
	}
	return append([]string{}, slices.Sorted(maps.Keys(all))...)
}

// Timepoints are the lengths of the samples at even time points.
type Timepoints struct {
	Shortest int     `json:"shortest"`
	Median   int     `json:"median"`
	Longest  int     `json:"longest"`
	Rate     float64 `json:"rate"` // in a unit of the files' times; 0: unknown
}

// timepoints returns the lengths of samples that are prepared.
func (r *reading) timepoints() Timepoints {
	var lengths []int
	for _, x := range r.samples {
		lengths = append(lengths, len(x.series)/r.form.Width())
	}
	slices.Sort(lengths)
	return Timepoints{lengths[0], lengths[len(lengths)/2], lengths[len(lengths)-1], r.form.Rate}
}

// String says how long the samples are.
func (m Timepoints) String() string {
	as := fmt.Sprintf("%d to %d time points, median %d", m.Shortest, m.Longest, m.Median)
	if m.Shortest == m.Longest {
		as = text.Count(m.Longest, "time point") + " in all samples"
	}
	if m.Rate > 0 {
		as += fmt.Sprintf(", %.4g of time apart", 1/m.Rate)
	}
	return as
}

var few = suggest.Few
