package recordings

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/clusterpool/ccp/datasets/recording"
	"github.com/clusterpool/ccp/internal/suggest"
	"github.com/clusterpool/ccp/internal/text"
	"github.com/gomlx/gomlx/support/xslices"
)

// ReadUnlabelled reads recordings to classify, as the import that made a form read its own. It returns them with what a
// person should know about the files. Errors name the file and, in a table, the line and the column.
func ReadUnlabelled(ctx context.Context, inputs []string, form *recording.Form) (all []recording.Recording,
	notes []string, err error) {
	return ReadReadable(ctx, inputs, form, nil)
}

// ReadReadable is ReadUnlabelled, but it leaves out files that cannot be read, and recordings whose lines make none,
// and calls skip with the name of each and the reason. If skip is nil, that is an error.
func ReadReadable(ctx context.Context, inputs []string, form *recording.Form,
	skip func(name string, err error)) (all []recording.Recording,
	notes []string, err error) {
	r, err := readAlike(ctx, inputs, form, skip)
	if err != nil {
		return nil, nil, err
	}
	for i, name := range names(r.samples) {
		all = append(all, r.samples[i].Recording)
		all[i].Name = name
	}
	return all, r.told(), nil
}

// readAlike reads recordings as those of the training were read: by the settings that the import kept in the form, or,
// where the training's file was made by hand, by the names of its sensors.
func readAlike(ctx context.Context, inputs []string, form *recording.Form,
	skip func(name string, err error)) (*reading, error) {
	q := question{known: true, byHand: form.Reading == nil && form.Channels == 1}
	if form.Reading != nil {
		if err := json.Unmarshal(form.Reading, &q.Table); err != nil {
			return nil, fmt.Errorf("the settings of the import cannot be read: %w; import and train again", err)
		}
	}
	if q.byHand {
		q.Take, q.Layout = form.Sensors, recordingLayout
		if form.Longest == 1 {
			q.Layout = samplesLayout
		}
	}
	c := chosen{like: form, fills: form.Zeros || form.Fill != nil, second: form.Second}
	if len(q.Take) == form.Width() { // else the first file makes the columns
		c.names, c.sensors, c.channels = q.Take, form.Sensors, form.Channels
		for i := range q.Take {
			c.of = append(c.of, form.Sensors[i/form.Channels])
		}
	}
	_, sources, err := sourcesOf(inputs, false)
	if err != nil {
		return nil, err
	}
	d := newDialect(q.Decimal, true)
	d.apart = form.Reading != nil && q.Decimal == "" // made by 0.1.0
	j := &job{ctx: ctx, markers: map[string]int{}, dialect: d, skip: skip}
	j.noteAside(sources)
	return j.read(sources, inputs[0], q, c)
}

var few = suggest.Few

// sample is a recording. Patterns of names are compared with its name, which is "" if the data names no samples.
type sample struct {
	recording.Recording
	source
	where  string // for errors: the file, and the line if it holds several
	group  string
	line   int       // where it begins
	rows   rows      // the lines of a table, until they are laid
	series []float32 // the values at even time points, once prepared
}

// job is what the reading of all files shares.
type job struct {
	ctx      context.Context
	progress func(doing string, done float64) // may be nil
	skip     func(name string, err error)     // is told of files and recordings that are left out; nil: they are errors
	notes    []note                           // what a person should know
	markers  map[string]int                   // what stood for missing values, beside the usual words
	sheet    string                           // of workbooks; "" for the first
	dialect  *dialect                         // of the numbers in texts
	buffer   *bufio.Reader                    // of the file being read
	opening  batch                            // its first lines
	table    splitter                         // the last table, whose room the next one has
}

// tell reports progress. It returns an error when the context has ended.
func (j *job) tell(doing string, done float64) error {
	if j.ctx.Err() != nil {
		return context.Cause(j.ctx)
	}
	if j.progress != nil {
		j.progress(doing, done)
	}
	return nil
}

// note is what a person should know. What is so of several recordings or files names the first.
type note struct {
	about, text string
	count       int
}

// note keeps what a person should know, once.
func (j *job) note(format string, values ...any) {
	text := fmt.Sprintf(format, values...)
	j.noteOf(text, text)
}

// noteOf keeps what a person should know about several recordings or files: the text of the first.
func (j *job) noteOf(about, text string) {
	at := slices.IndexFunc(j.notes, func(n note) bool { return n.about == about })
	if at < 0 {
		at, j.notes = len(j.notes), append(j.notes, note{about: about, text: text})
	}
	j.notes[at].count++
}

// told returns the notes. Those of several recordings or files have their number.
func (j *job) told() (all []string) {
	for _, n := range j.notes {
		if n.count > 1 && n.about != n.text {
			n.text += fmt.Sprintf(" (%d in all)", n.count)
		}
		all = append(all, n.text)
	}
	return all
}

// reading gathers the recordings of several files.
type reading struct {
	*job
	question
	samples     []*sample // of the same sensors, each with its own length
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
	times       []float64            // of the rows of the last sample but one, which others share
	rests       []float64            // of these times
	fileOf      map[[2]string]string // of the samples of tables, by name and class
}

// read gathers the recordings of all files.
func (j *job) read(sources []source, name string, q question, c chosen) (*reading, error) {
	j.sheet = q.Sheet
	c.seen, c.units = map[string]bool{}, map[string]string{}
	r := &reading{job: j, question: q, chosen: c, number: map[string]int{}, as: map[readAs]bool{},
		fileOf: map[[2]string]string{}, days: newDays(q.Dates)}
	for i, from := range sources {
		err := j.tell("reading "+name, float64(i)/float64(len(sources)))
		if err == nil {
			err = r.fileOrSkip(from)
		}
		if err != nil {
			return nil, err
		}
	}
	return r, r.finish()
}

// fileOrSkip gathers the recordings of a file, or leaves it out, if that is wished, and nothing of it stays.
func (r *reading) fileOrSkip(from source) error {
	count, chosen := len(r.samples), r.chosen
	chosen.units = maps.Clone(chosen.units)
	err := r.file(from)
	if err == nil || r.skip == nil || r.ctx.Err() != nil {
		return err
	}
	r.samples, r.chosen = r.samples[:count], chosen
	r.skip(filepath.Base(from.path), err)
	return nil
}

// file gathers the recordings of a file.
func (r *reading) file(from source) error {
	f := formatOf(from.path)
	if isPointer(from.path) {
		return fmt.Errorf("%s is a pointer of git-lfs in place of the file; git lfs pull fetches it", from.path)
	}
	if f.samples != nil {
		c, err := f.samples(r.job, from, r.question)
		if err != nil {
			return err
		}
		return r.take(f, c)
	}
	t, before := &table{reading: r, from: from, byName: map[string]*sample{}}, len(r.samples)
	if r.dialect.apart {
		*r.dialect = *newDialect("", true)
		r.dialect.apart = true
	}
	err := f.lines(r.job, from.path, t.add)
	switch {
	case err != nil:
		return err
	case t.in == nil:
		return fmt.Errorf("%s: the file is empty; %s", from.path, headingHint)
	case t.lines == 0:
		return fmt.Errorf("%s: no line of values comes after the first, which names the columns; remove the file", from.path)
	case t.from.label != "" && t.layout == timepointsLayout && t.Layout == "" && t.Columns == nil && t.lines > 1 &&
		len(t.byName) == t.lines:
		return fmt.Errorf("%s: column sample differs in each of the %d lines: if it counts the time points of one "+
			"recording, say --leave sample; if each line is a recording, --layout samples", from.path, t.lines)
	case r.chosen.layout != "" && r.chosen.layout != t.layout:
		return fmt.Errorf("%s has the layout %s, but the files before have the layout %s; import each kind by itself",
			from.path, t.layout, r.chosen.layout)
	case r.chosen.second > 0 && t.second() > 0 && r.chosen.second != t.second():
		return fmt.Errorf("%s: column %s is in another unit than the times of other recordings, of which %g are a second; "+
			"write all in one unit", from.path, t.headings[t.time], r.chosen.second)
	}
	if err := t.calculated(); err != nil {
		return err
	}
	if err := t.endsWithSums(); err != nil {
		return err
	}
	t.unformatted()
	r.chosen.second = cmp.Or(r.chosen.second, t.second())
	if t.in.bare.text != "" && !t.in.tellsComma && r.dialect.bare.text == "" {
		r.dialect.bare = t.in.bare
	}
	as := t.as()
	if r.dialect.apart {
		if err := r.settle(r.samples[before:]); err != nil {
			return err
		}
		as.decimal = r.decimal
	}
	r.chosen.layout, r.as[as] = t.layout, true
	if t.time >= 0 && t.kind == numbers {
		r.timeNumbers.heading, r.timeNumbers.unit = t.headings[t.time], t.unit
		if t.date >= 0 {
			r.timeNumbers.date = t.headings[t.date]
		}
	}
	return nil
}

// isPointer reports whether a file only points to its content, which git-lfs keeps elsewhere.
func isPointer(path string) bool {
	const begin = "version https://git-lfs.github.com/"
	head := make([]byte, len(begin))
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() { // reading a pipe would use up its content
		return false
	}
	file, err := os.Open(path)
	if err != nil {
		return false
	}
	defer file.Close()
	_, _ = io.ReadFull(file, head)
	return string(head) == begin
}

// take adds the samples of a file that names no columns, such as .npy or .ts, to those read before. It refuses a file
// that does not fit them.
func (r *reading) take(f *format, c content) error {
	if err := r.fitsEarlier(f, c); err != nil {
		return err
	}
	path, isFirst := c.samples[0].path, r.chosen.by == ""
	longerNames := sameWords(r.classes, c.classes) && len(c.classes) < len(r.classes)
	if f.whole && !r.known && (isFirst || longerNames) {
		r.classes = c.classes // of two ways to part the names of the classes, that with the longer ones
	}
	r.chosen.second = cmp.Or(r.chosen.second, c.second)
	at, sensors, told, err := r.order(path, c.columns, c.samples[0].Times != nil)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	for _, one := range c.samples {
		one.Sensors, one.Values, one.Notes = sensors, pick(one.Values, len(c.columns.names), at), told
	}
	r.as[readAs{before: c.as}], r.samples = true, append(r.samples, c.samples...)
	return nil
}

// fitsEarlier returns an error if a file that names no columns does not fit those read before: if it has other
// dimensions, classes or another unit of time.
func (r *reading) fitsEarlier(f *format, c content) error {
	path, firstPath := c.samples[0].path, r.chosen.by
	dimensions, before := len(c.columns.names), len(r.chosen.names)
	if f.whole && !r.known && firstPath != "" {
		if dimensions != before {
			return fmt.Errorf("%s has %d dimensions, %s has %d; take the two files of one problem", path, dimensions,
				firstPath, before)
		}
		unknown := slices.IndexFunc(c.classes, func(class string) bool { return !slices.Contains(r.classes, class) })
		if unknown >= 0 && !sameWords(r.classes, c.classes) {
			return fmt.Errorf("%s: class %q is not one of %s (%s); take the two files of one problem", path,
				c.classes[unknown], firstPath, strings.Join(r.classes, " "))
		}
	}
	if r.chosen.second > 0 && c.second > 0 && r.chosen.second != c.second {
		return fmt.Errorf("%s: its times are in another unit than those of other recordings, of which %g are a second; "+
			"write all in one unit", path, r.chosen.second)
	}
	turned := f.ending == ".npy" && !r.known && before > 0 && dimensions != before
	if turned && r.Take == nil && r.Leave == nil { // else columns are chosen by name
		return fmt.Errorf("%s has %d values at each time point, %s has %d: arrays are [timepoints, sensors, axes], so turn "+
			"them if the lengths of recordings are in another place", path, dimensions, firstPath, before)
	}
	return nil
}

// sameWords reports that two lists of classes have the same words: a class of two words looks like two classes of one.
func sameWords(a, b []string) bool { return strings.Join(a, " ") == strings.Join(b, " ") }

// finish makes the values of the samples.
func (r *reading) finish() (err error) {
	c := crossed(r.sensors, r.axes) // of tables in the layout readings; none if no file has it
	var at []int                    // the chosen ones of c
	var sensors, told []string
	if c.names != nil && len(r.samples) > 0 {
		at, sensors, told, err = r.order(r.samples[0].path, c, true)
		if err != nil {
			return fmt.Errorf("%s: %w", r.samples[0].path, err)
		}
	}
	if !r.dialect.apart {
		err = r.settle(r.samples)
	}
	if err == nil {
		err = cmp.Or(r.numbersAsTimes(), r.turn())
	}
	if err != nil {
		return err
	}
	unlaid := map[*sample]struct{}{}
	for _, one := range r.samples {
		one.Channels = r.chosen.channels
		if one.rows.values != nil {
			err = r.lay(one, cmp.Or(len(c.names), len(one.Sensors)*one.Channels))
			switch {
			case err != nil && r.skip == nil:
				return fmt.Errorf("%s, %w", one.path, err)
			case err != nil:
				r.skip(one.Name, err)
				unlaid[one] = struct{}{}
				continue
			}
		}
		if at != nil {
			one.Sensors, one.Values, one.Notes = sensors, pick(one.Values, len(c.names), at), told
		}
		given := cmp.Or(r.given[one.Name], r.given[strings.TrimSuffix(one.Name, filepath.Ext(one.Name))])
		one.label = suggest.Truth(suggest.Tidy(cmp.Or(given, one.label)))
		one.group, one.Name = suggest.Tidy(one.group), suggest.Tidy(one.Name)
		for _, name := range []string{one.label, one.group, one.Name} {
			if !utf8.ValidString(name) {
				return fmt.Errorf("%q: the name %q is not UTF-8, so that the data set cannot hold it; rename the file or folder",
					one.path, name)
			}
		}
	}
	r.samples = slices.DeleteFunc(r.samples, func(one *sample) bool { _, wrong := unlaid[one]; return wrong })
	if n := r.resent.lines; n > 0 {
		r.note("left out: %s with the time and the values of another one, such as %s", text.Count(n, "line"), r.resent.first)
	}
	if markers := slices.Sorted(maps.Keys(r.markers)); markers != nil {
		r.note("taken for missing values: %s",
			few(xslices.Map(markers, func(marker string) string { return fmt.Sprintf("%s (%d)", marker, r.markers[marker]) })))
	}
	return nil
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

// alike says how to read new recordings, whose class and group nobody needs.
func (r *reading) alike() Table {
	leave := append(slices.Clone(r.Leave), r.label)
	if !strings.Contains(r.group, "(") { // else an expression that finds the group in names, and no column
		leave = append(leave, r.group)
	}
	leave = slices.DeleteFunc(leave, func(name string) bool { return name == "" })
	return Table{Layout: r.chosen.layout, Columns: r.Columns, Time: r.Time, Take: r.chosen.names, Leave: leave,
		Units: r.chosen.units, Sheet: r.Sheet, Lists: r.Lists, Dates: r.days.first(), Clock: r.Clock,
		Decimal: r.decimal.name()}
}

// names returns the names of the samples. If two samples share a name, or one has none, each has the end of its where:
// with one folder, or as many as it takes.
func names(samples []*sample) []string {
	all := make([]string, len(samples))
	for deep := 1; ; deep++ {
		seen, more := map[string]bool{"": true}, deep == 1
		for i, x := range samples {
			all[i] = x.Name
			if deep > 1 {
				folders := strings.Split(filepath.ToSlash(x.where), "/")
				all[i], more = strings.Join(folders[max(0, len(folders)-deep):], "/"), more || deep < len(folders)
			}
			seen[all[i]] = true
		}
		if !more || len(seen) > len(all) {
			return all
		}
	}
}
