package recordings

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/clusterpool/ccp/datasets/recording"
	"github.com/clusterpool/ccp/internal/npz"
	"github.com/clusterpool/ccp/internal/suggest"
)

// Layouts of a table.
const (
	recordingLayout  = "recording"  // a line for each time point; the file is the recording
	timepointsLayout = "timepoints" // a line for each time point; a column names the sample
	readingsLayout   = "readings"   // a line for each reading of a sensor
	samplesLayout    = "samples"    // a line for each sample, with a column for each sensor and time point
)

// Table says how to read tables. The zero value lets the reader recognise everything. After an import it says how to
// read new recordings alike.
type Table struct {
	Layout  string            `json:"layout,omitempty"`  // recording, timepoints, readings or samples
	Columns []string          `json:"columns,omitempty"` // of samples; times; sensors; and one or more values
	Time    string            `json:"time,omitempty"`    // the column of times
	Take    []string          `json:"take,omitempty"`    // the sensors or columns to take, in this order; nil for all
	Leave   []string          `json:"leave,omitempty"`   // the sensors or columns to leave out
	Units   map[string]string `json:"units,omitempty"`   // of columns, from a line below the headings
	Sheet   string            `json:"sheet,omitempty"`   // of a workbook; "" for the first
	Dates   string            `json:"dates,omitempty"`   // day or month: what comes first in dates such as 01/02/2024
}

// ReadUnlabelled reads recordings to classify, as the import that made a form read its own. It returns them with what a
// person should know about the files. Errors name the file and, in a table, the line and the column.
func ReadUnlabelled(ctx context.Context, inputs []string, form *recording.Form) (all []recording.Recording,
	notes []string, err error) {
	o := Options{Unlabelled: true}
	if form.Zeros || form.Fill != nil {
		o.Missing = "fill"
	}
	if form.Reading != nil {
		if err := json.Unmarshal(form.Reading, &o.Table); err != nil {
			return nil, nil, fmt.Errorf("the settings of the import cannot be read: %w; import and train again", err)
		}
	}
	r := &reading{Options: o, ctx: ctx, byHand: form.Reading == nil && form.Channels == 1}
	if r.byHand {
		r.Take, r.Layout = form.Sensors, recordingLayout
		if form.Longest == 1 {
			r.Layout = samplesLayout
		}
	}
	if len(r.Take) == form.Width() { // else the first file makes the columns
		r.columns.names, r.made.Sensors, r.made.Channels = r.Take, form.Sensors, form.Channels
		for i := range r.Take {
			r.columns.of = append(r.columns.of, form.Sensors[i/form.Channels])
		}
	}
	if err := r.read(inputs); err != nil {
		return nil, nil, err
	}
	for i, name := range r.names() {
		all = append(all, r.samples[i].Recording)
		all[i].Name = name
	}
	return all, r.notes, nil
}

// read reads recordings: .ts files, arrays, tables, or folders with them. "-" is a table on standard input. With
// Options.Unlabelled they need no classes. read finds tests and groups by the names of the samples.
func (r *reading) read(inputs []string) error {
	form, sources, err := detect(inputs, !r.Unlabelled)
	if err == nil {
		err = r.fits(form, sources)
	}
	r.input, r.markers, r.bySensor, r.units = inputs[0], map[string]int{}, map[string]int{}, map[string]string{}
	r.as, r.seen, r.days, r.has = map[string]bool{}, map[string]bool{}, newDays(r.Dates), map[string][]string{}
	if err == nil && r.Positions != "" {
		err = r.readPositions(r.Positions)
	}
	if err == nil && r.Labels != "" {
		err = r.readLabels(r.Labels)
	}
	for i := 0; i < len(sources) && err == nil; i++ {
		if err = r.tell("reading "+r.input, float64(i)/float64(len(sources))); err == nil {
			err = r.source(sources[i])
		}
		if sources[i].test {
			r.made.SplitBy = map[bool]string{true: "the folders", false: "the files"}[form == folders]
		}
	}
	for _, step := range []func() error{r.finish, r.mark, r.group} {
		if err == nil {
			err = step()
		}
	}
	return err
}

// fits returns an error if an option belongs to another form of input.
func (r *reading) fits(form string, sources []sample) error {
	if r.Labels != "" && r.Label != "" {
		return fmt.Errorf("the classes are given by --label %s and by --labels %s; keep one of them", r.Label, r.Labels)
	}
	if r.Sheet != "" && !r.Unlabelled && !slices.ContainsFunc(sources, func(s sample) bool { return extension(s.path) == ".xlsx" }) {
		return fmt.Errorf("--sheet %s is for .xlsx workbooks, of which there is none; leave it out", r.Sheet)
	}
	isTable := func(s sample) bool { return !slices.Contains([]string{".ts", ".npy"}, extension(s.path)) }
	tables := map[bool]string{true: form, false: "of tables"}[slices.ContainsFunc(sources, isTable)]
	for _, option := range []struct{ name, value, forms string }{
		{"columns", strings.Join(r.Columns, ","), folders + " or " + long}, {"label", r.Label, long}, {"labels", r.Labels, long},
		{"time", r.Time, tables}, {"dates", r.Dates, tables}, {"layout", r.Layout, tables},
		{"test", r.Test, folders + " or " + long}, {"group", r.Group, folders + " or " + long},
	} {
		fits := strings.Contains(option.forms, form) || option.name == "label" && sources[0].part
		if option.value != "" && !fits && !r.Unlabelled {
			return fmt.Errorf("--%s is for the form %s, this is %s; leave it out", option.name, option.forms, form)
		}
	}
	return nil
}

// source reads a file.
func (r *reading) source(from sample) error {
	switch extension(from.path) {
	case ".npy":
		return r.readArray(from)
	case ".ts":
		return r.readTS(from)
	}
	t := &table{reading: r, from: from, sample: -1, time: -1, sensor: -1,
		label: -1, group: -1, byName: map[string]*sample{}}
	var err error
	switch extension(from.path) {
	case ".parquet":
		err = t.readParquet()
	case ".xlsx":
		err = t.readWorkbook()
	default:
		err = r.readTable(from.path, 0, t.add)
	}
	switch was := r.table.Layout; {
	case err != nil:
		return err
	case t.headings == nil:
		return fmt.Errorf("%s: the file is empty; %s", from.path, headingHint)
	case t.lines == 0:
		return fmt.Errorf("%s: no line of values comes after the first, which names the columns; remove the file", from.path)
	case t.from.label != "" && t.layout == timepointsLayout && t.Layout == "" && t.Columns == nil && t.lines > 1 &&
		len(t.byName) == t.lines:
		return fmt.Errorf("%s: column sample differs in each of the %d lines: if it counts the time points of one recording, "+
			"say --leave sample; if each line is a recording, --layout samples", from.path, t.lines)
	case was != "" && was != t.layout:
		return fmt.Errorf("%s has the layout %s, but the files before have the layout %s; import each kind by itself",
			from.path, t.layout, was)
	}
	r.table.Layout, r.grouped = t.layout, r.grouped || t.group >= 0
	r.as[t.String()] = true
	return nil
}

// order returns the numbers of the import's columns among the columns of a file, in the import's order. The first file
// makes the import's columns: the columns to take, sensor by sensor. New recordings have those of the training, whatever
// other files have, less the sensors that this file has no column of.
func (r *reading) order(path string, c columns) (at []int, err error) {
	first, wanted := r.columns.names == nil, r.columns.names
	var rest []int // the columns that are not left out
	var names []string
	for i, name := range c.names {
		if r.seen[name], r.seen[c.of[i]] = true, true; !slices.Contains(r.Leave, name) && !slices.Contains(r.Leave, c.of[i]) {
			rest, names = append(rest, i), append(names, name)
		}
	}
	switch {
	case first && r.Take == nil:
		wanted = names
	case first:
		wanted = r.taken(c, rest)
	}
	found, missing, others, turned := suggest.Match(wanted, names)
	var has []string // sensors
	for i, place := range found {
		if place >= 0 {
			at = append(at, rest[place])
		}
		if place >= 0 && !first {
			has = append(has, r.columns.of[i])
		}
	}
	if has = slices.Compact(has); r.Unlabelled && r.Missing != "" && has != nil { // the form fills a sensor without any column, and tells of it
		missing = slices.DeleteFunc(missing, func(name string) bool {
			return !slices.Contains(has, r.columns.of[slices.Index(r.columns.names, name)])
		})
	}
	if r.Unlabelled && others != nil {
		r.note("%s has columns that the training data has not, such as %s; left out", path, others[0])
	} else if r.Take == nil {
		missing = append(missing, others...)
	}
	switch {
	case len(missing) > 0 && (first || r.Unlabelled):
		return nil, fmt.Errorf("no column or sensor is named %q; there are %s", missing[0], few(c.names))
	case len(missing) > 0:
		return nil, fmt.Errorf("%s is not in this file or not in %s; all recordings must have the same columns: "+
			"--leave %q takes those that all have", few(missing), r.first, strings.Join(missing, ","))
	case len(at) == 0:
		return nil, fmt.Errorf("no column of values is left; there are %s", few(c.names))
	case turned && (!first || r.Unlabelled) && !r.turned:
		r.turned = true
		r.note("columns are in another order in some files, such as %s; they are taken by their names", path)
	}
	if first {
		begins := map[string]int{} // of each sensor
		for k := len(at) - 1; k >= 0; k-- {
			begins[c.of[at[k]]] = k
		}
		slices.SortStableFunc(at, func(i, j int) int { return begins[c.of[i]] - begins[c.of[j]] })
		for _, i := range at {
			r.columns.names, r.columns.of = append(r.columns.names, c.names[i]), append(r.columns.of, c.of[i])
		}
		r.first = path
		r.made.Sensors, r.made.Channels, err = r.columns.sensors()
	}
	if first || len(has) == len(r.made.Sensors) {
		has = r.made.Sensors // which files share
	}
	r.has[path] = has
	return at, err
}

// finish makes the values of the samples, and says how to read new recordings alike.
func (r *reading) finish() (err error) {
	var width int  // of readings
	var at []int   // their columns
	var all string // the file that has shown these
	if r.table.Layout == readingsLayout {
		c := crossed(r.sensors, r.axes)
		width, all = len(c.names), r.samples[0].path
		if at, err = r.order(all, c); err != nil {
			return fmt.Errorf("%s: %w", all, err)
		}
	}
	if err = r.turn(); err != nil {
		return err
	}
	for _, one := range r.samples {
		one.Sensors, one.Channels = r.has[cmp.Or(all, one.path)], r.made.Channels
		if one.read != nil {
			if err = r.lay(one, cmp.Or(width, len(one.Sensors)*one.Channels)); err != nil {
				return fmt.Errorf("%s, %w", one.path, err)
			}
			if at != nil {
				one.Values = pick(one.Values, width, at)
			}
		}
		one.label = cmp.Or(r.given[one.Name], r.given[strings.TrimSuffix(one.Name, filepath.Ext(one.Name))], one.label)
		for _, name := range []string{one.label, one.group, one.Name} {
			if !utf8.ValidString(name) {
				return fmt.Errorf("%q: the name %q is not UTF-8, so that the data set cannot hold it; rename the file or folder", one.path, name)
			}
		}
		if r.given != nil && one.label == "" {
			return fmt.Errorf("%s has no label of sample %q, which begins in line %d of %s; add a line %s,CLASS",
				r.Labels, one.Name, one.line, one.path, one.Name)
		}
	}
	for _, name := range r.Leave {
		if !r.seen[name] && !r.Unlabelled {
			return fmt.Errorf("--leave %q: no column or sensor has that name; there are %s", name, few(r.columns.names))
		}
	}
	var gaps []string
	for _, marker := range slices.Sorted(maps.Keys(r.markers)) {
		gaps = append(gaps, fmt.Sprintf("%s (%d)", marker, r.markers[marker]))
	}
	if gaps != nil {
		r.note("taken for missing values: %s", few(gaps))
	}
	r.made.ReadAs = strings.Join(slices.Sorted(maps.Keys(r.as)), "; also ")
	leave := slices.Clone(r.Leave) // of new recordings, whose class and group nobody needs
	if leave = append(leave, r.Label); r.grouped {
		leave = append(leave, r.Group)
	}
	leave = slices.DeleteFunc(leave, func(name string) bool { return name == "" })
	r.table = Table{Layout: r.table.Layout, Columns: r.Columns, Time: r.Time, Take: r.columns.names, Leave: leave,
		Units: r.units, Sheet: r.Sheet, Dates: r.days.first()}
	return cmp.Or(r.rising(), r.counting())
}

// readArray reads an array `[timepoints, sensors, axes]`, or `[timepoints, sensors]` for one axis. It names the sensors
// 0, 1, 2, …
func (r *reading) readArray(from sample) error {
	a, err := npz.ReadNPYFile(from.path)
	if err != nil {
		return err
	}
	if len(a.Shape) < 2 || len(a.Shape) > 3 || slices.Contains(a.Shape, 0) {
		return fmt.Errorf("%s: the array has shape %v; want [timepoints, sensors, axes], none of them 0", from.path, a.Shape)
	}
	c := crossed(counted("", a.Shape[1]), nil)
	switch axes := a.Shape[2:]; {
	case !r.byHand:
	case len(axes) == 1 && axes[0] > 1 || len(r.Take) != a.Shape[1]:
		return fmt.Errorf("%s: the array has shape %v; want a recording [timepoints, sensors] of the training's %d sensors", from.path,
			a.Shape, len(r.Take))
	default: // an array has positions, no names
		c = crossed(r.Take, nil)
	}
	if len(a.Shape) == 3 {
		c = crossed(c.names, counted("", a.Shape[2]))
	}
	values, err := a.Floats()
	for i, v := range values {
		if math.Abs(v) > math.MaxFloat32 {
			return fmt.Errorf("%s: %s is %g, which float32 does not hold; store nan for a missing value",
				from.path, a.Element("the array", i), v)
		}
	}
	if err != nil {
		return fmt.Errorf("%s: %w", from.path, err)
	}
	from.where, from.Name, from.line, from.Values = from.path, filepath.Base(from.path), 1, values
	return r.take("arrays [timepoints, sensors, axes]", c, &from)
}

// take keeps samples of a file, whose values have columns c.
func (r *reading) take(as string, c columns, samples ...*sample) error {
	at, err := r.order(samples[0].path, c)
	if err != nil {
		return fmt.Errorf("%s: %w", samples[0].path, err)
	}
	for _, one := range samples {
		one.Values = pick(one.Values, len(c.names), at)
	}
	r.as[as], r.samples = true, append(r.samples, samples...)
	return nil
}
