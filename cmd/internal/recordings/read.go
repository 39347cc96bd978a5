package recordings

// This file reads all files of an import, or of recordings to classify, one after the other. Files must agree in their
// layout, their columns and the unit of their times.

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/clusterpool/ccp/datasets/recording"
)

// sample is a recording. Patterns of names are compared with its name, which is "" if the data names no samples.
type sample struct {
	recording.Recording
	source
	where  string // for errors: the file, and the line if it holds several
	group  string
	line   int                    // where it begins
	of     int                    // the recording, if it is a stretch of one
	from   int                    // the time points of the recording before the stretch
	isPart bool                   // it is a stretch of one of the classes of its recording
	window window                 // of the stretch, if it is one
	events []marked               // of a whole recording, for windows of early warning
	rows   rows                   // the lines of a table, until they are laid
	series []float32              // the values at even time points, once prepared
	seen   [asReadColumns]float32 // of how it was recorded, see keepAsRead
}

// reading gathers the recordings of several files.
type reading struct {
	*job
	hints
	samples     []*sample // of the same sensors, each with its own length
	ofDay       bool      // times are times of day
	recordings  int       // of tables, of which samples are
	chosen      chosen
	sensors     []string       // of readings, as they first appear
	number      map[string]int // of each of these
	axes        []string       // of readings
	resent      resent
	timeNumbers timeNumbers
	ambiguousT  string          // the heading T, taken for the time by nothing else
	classes     []string        // in the order in which the data declares them; nil for sorted
	as          map[readAs]bool // how the files are read
	decimal     mark            // before the decimals of all files, once these are read
	days        days
	written     writtenTime
	timeForm    recording.TimeForm   // once all is read
	times       []float64            // of the rows of the last sample but one, which others share
	rests       []float64            // of these times
	fileOf      map[[2]string]string // of the samples of tables, by name and class
	anyOrder    bool                 // of columns, which is nothing to tell
}

// reader returns what reads files by all that is known of them.
func (j *job) reader(h hints, c chosen) *reading {
	j.sheet = h.Sheet
	c.seen, c.units = map[string]bool{}, map[string]string{}
	written := byFlag(h.Dates)
	if j.trained {
		written = newDays(h.Dates, "a date of the training")
	}
	return &reading{job: j, hints: h, chosen: c, number: map[string]int{}, as: map[readAs]bool{},
		fileOf: map[[2]string]string{}, days: written}
}

// readAll gathers the recordings of all files.
func (r *reading) readAll(sources []source, name string) error {
	for i, from := range sources {
		err := r.report("reading "+name, float64(i)/float64(len(sources)))
		if err == nil {
			err = r.fileOrSkip(from)
		}
		if err != nil {
			return err
		}
	}
	return r.finish()
}

// fileOrSkip gathers the recordings of a file, or leaves it out, if that is wished, and nothing of it stays.
func (r *reading) fileOrSkip(from source) error {
	count, chosen := len(r.samples), r.chosen
	chosen.units = maps.Clone(chosen.units)
	err := r.readFile(from)
	if err == nil || r.skip == nil || r.ctx.Err() != nil {
		return err
	}
	r.samples, r.chosen = r.samples[:count], chosen
	r.skip(filepath.Base(from.path), err)
	return nil
}

// readFile gathers the recordings of a file.
func (r *reading) readFile(from source) error {
	if isPointer(from.path) {
		return fmt.Errorf("%s is a pointer of git-lfs in place of the file; git lfs pull fetches it", from.path)
	}
	f := formatOf(from.path)
	if f.samples == nil {
		return r.readTableFile(f, from)
	}
	c, err := f.samples(r.job, from, r.hints)
	if err != nil {
		return err
	}
	return r.addWhole(f, c)
}

// readTableFile gathers the recordings of a file that holds a table.
func (r *reading) readTableFile(f *format, from source) error {
	if r.dialect.apart {
		*r.dialect = *newDialect("", true)
		r.dialect.apart = true
	}
	t := &table{reading: r, from: from, byName: map[string]*sample{}}
	before := len(r.samples)
	err := f.lines(r.job, from.path, t.add)
	for _, check := range []func() error{t.checkLines, t.checkFitsEarlier, t.calculated, t.endsWithSums} {
		if err == nil {
			err = check()
		}
	}
	if err != nil {
		return err
	}
	t.unformatted()
	r.chosen.second = cmp.Or(r.chosen.second, t.second())
	if t.in.bare.text != "" && !t.in.tellsComma && r.dialect.bare.text == "" {
		r.dialect.bare = t.in.bare
	}
	as := t.as()
	if r.dialect.apart {
		err := r.settle(r.samples[before:])
		if err != nil {
			return err
		}
		as.decimal = r.decimal
	}
	r.chosen.layout = t.layout
	r.as[as] = true
	if t.time >= 0 && t.kind == numbers {
		r.timeNumbers.heading, r.timeNumbers.unit = t.headings[t.time], t.unit
		if t.date >= 0 {
			r.timeNumbers.date = t.headings[t.date]
		}
	}
	return nil
}

// checkLines returns an error if a table has no lines, or if each is a sample by its name, where a folder of a class
// rather holds recordings of several time points.
func (t *table) checkLines() error {
	switch {
	case t.in == nil:
		return fmt.Errorf("%s: the file is empty; %s", t.from.path, headingHint)
	case t.lines == 0:
		return fmt.Errorf("%s: no line of values comes after the first, which names the columns; remove the file",
			t.from.path)
	}
	chosenByHeading := t.layout == timepointsLayout && t.Layout == "" && t.Columns == nil
	if t.from.label != "" && chosenByHeading && t.lines > 1 && len(t.byName) == t.lines {
		return fmt.Errorf("%s: column sample differs in each of the %d lines: if it counts the time points of one "+
			"recording, say --leave sample; if each line is a recording, --layout samples", t.from.path, t.lines)
	}
	return nil
}

// checkFitsEarlier returns an error if a table has another layout or another unit of times than those before it.
func (t *table) checkFitsEarlier() error {
	layout, second := t.chosen.layout, t.chosen.second
	if layout != "" && layout != t.layout {
		return fmt.Errorf("%s has the layout %s, but the files before have the layout %s; import each kind by itself",
			t.from.path, t.layout, layout)
	}
	if second > 0 && t.second() > 0 && second != t.second() {
		return fmt.Errorf("%s: column %s is in another unit than the times of other recordings, of which %g are a second; "+
			"write all in one unit", t.from.path, t.headings[t.time], second)
	}
	return nil
}

// isPointer reports whether a file only points to its content, which git-lfs keeps elsewhere.
func isPointer(path string) bool {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() { // reading a pipe would use up its content
		return false
	}
	file, err := os.Open(path)
	if err != nil {
		return false
	}
	defer file.Close()
	const begin = "version https://git-lfs.github.com/"
	head := make([]byte, len(begin))
	_, err = io.ReadFull(file, head)
	return err == nil && string(head) == begin
}

// readAs says what the files were taken for.
func (r *reading) readAs() string {
	var all []string
	for as := range r.as {
		as.decimal = cmp.Or(as.decimal, r.decimal)
		all = append(all, as.String())
	}
	slices.Sort(all)
	return strings.Join(slices.Compact(all), "; also ")
}
