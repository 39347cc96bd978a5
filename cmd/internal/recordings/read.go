package recordings

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/clusterpool/ccp/internal/npz"
)

// Layouts of a table.
const (
	recordingLayout = "recording" // a line for each moment; the file is the recording
	momentsLayout   = "moments"   // a line for each moment; a column names the sample
	readingsLayout  = "readings"  // a line for each reading of a sensor
	samplesLayout   = "samples"   // a line for each sample, with a column for each sensor and moment
)

// Table says how to read tables. The zero value lets the reader recognise everything. After an import it says how to
// read new recordings alike.
type Table struct {
	Layout  string            `json:"layout,omitempty"`  // recording, moments, readings or samples
	Columns []string          `json:"columns,omitempty"` // of samples; times; sensors; and one or more values
	Time    string            `json:"time,omitempty"`    // the column of times
	Take    []string          `json:"take,omitempty"`    // the sensors or columns to take, in this order; nil for all
	Leave   []string          `json:"leave,omitempty"`   // the sensors or columns to leave out
	Units   map[string]string `json:"units,omitempty"`   // of columns, from a line below the headings
}

// columns are columns of values and the sensor of each.
type columns struct{ names, of []string }

// reader reads all inputs into one set.
type reader struct {
	*reading
	set       *set
	given     map[string]string // the classes by --labels; nil without
	columns   columns           // of the set; its zero value before the first file
	first     string            // the file that they are from
	rows      []*rows
	sensors   []string // of readings, as they first appear
	bySensor  map[string]int
	values    []string // of readings: the columns of values
	as        []string // how the files are read
	used      map[string]bool
	reordered []string // files with the columns in another order
	units     map[string]string
	problem   *tsHeader // of the first .ts file
}

// Read reads recordings: .ts files, arrays, tables, or folders of them. "-" is a table on standard input. With
// Options.Unlabelled they need no classes. The set's table holds the settings to read new recordings alike.
func Read(ctx context.Context, inputs []string, o Options) (*set, error) {
	r := &reading{Options: o, ctx: ctx}
	return r.read(inputs)
}

// read reads any form of input, and finds tests and groups by the names of the samples.
func (r *reading) read(inputs []string) (*set, error) {
	form, sources, err := r.detect(inputs)
	if err == nil {
		err = r.fits(form)
	}
	if err != nil {
		return nil, err
	}
	t := &reader{reading: r, set: &set{name: filepath.Base(inputs[0])}, bySensor: map[string]int{},
		used: map[string]bool{}, units: map[string]string{}}
	if r.Labels != "" {
		if t.given, err = r.readLabels(r.Labels); err != nil {
			return nil, err
		}
	}
	for i, from := range sources {
		if err := r.tell("reading "+inputs[0], float64(i)/float64(len(sources))); err != nil {
			return nil, err
		}
		if err := t.source(from); err != nil {
			return nil, err
		}
		t.set.split = t.set.split || from.test
	}
	if t.set.split {
		t.set.by = "the " + cmp.Or(map[bool]string{true: "folders"}[form == folders], "files")
	}
	if err := t.finish(); err != nil {
		return nil, err
	}
	return t.set, cmp.Or(t.set.mark(r.Test), t.set.group(r.Group))
}

// fits returns an error if an option belongs to another form of input.
func (r *reading) fits(form string) error {
	option, other := "", long
	switch {
	case form != long && r.Columns != nil && !r.Unlabelled:
		option = "columns"
	case form != long && r.Label != "":
		option = "label"
	case form != long && r.Labels != "":
		option = "labels"
	case form == ts && r.Test != "":
		option, other = "test", "folders or long"
	case form == ts && r.Group != "":
		option, other = "group", "folders or long"
	case r.Labels != "" && r.Label != "":
		return fmt.Errorf("the classes are given by --label %s and by --labels %s; keep one of them", r.Label, r.Labels)
	default:
		return nil
	}
	return fmt.Errorf("--%s is for the form %s, this is %s; leave it out", option, other, form)
}

// source reads a file.
func (r *reader) source(from source) error {
	switch extension(from.path) {
	case ".npy":
		return r.readArray(from)
	case ".ts":
		return r.readFile(from.path, func(in *input) error { return r.readTS(in, from) })
	}
	return r.readFile(from.path, func(in *input) error {
		t := newTable(r, in, from)
		err := r.readTable(in, t.add)
		switch {
		case err != nil:
			return err
		case t.headings == nil && from.class != "":
			return fmt.Errorf("%s: the file is empty; %s", in.path, headingHint)
		case t.headings == nil:
			return fmt.Errorf("%s: the file is empty; its first line names the columns, such as "+
				"sample,time,sensor,value,label", in.path)
		case t.unlike != "" && t.lines > 0:
			return fmt.Errorf("%s, line %d: %w", in.path, t.line, t.unlike)
		case t.lines == 0 && t.layout == recordingLayout:
			return fmt.Errorf("%s: no line of values comes after the first, which names the columns; remove the file", in.path)
		case t.lines == 0:
			return fmt.Errorf("%s: no line comes after the first, which names the columns; each reading takes a line", in.path)
		}
		if was := r.set.table.Layout; was != "" && was != t.layout {
			return fmt.Errorf("%s has the layout %s, but the files before have the layout %s; import each kind by itself, "+
				"or say --layout %s", in.path, t.layout, was, was)
		}
		r.set.table.Layout = t.layout
		r.set.grouped = r.set.grouped || t.group >= 0
		r.say(t.String())
		return nil
	})
}

// say keeps how a file was read.
func (r *reader) say(as string) {
	if !slices.Contains(r.as, as) {
		r.as = append(r.as, as)
	}
}

// order returns which of the columns of a file are the columns of the set, in the order of the set; -1 for none. The
// columns of the first file are those of the set, as far as they are taken.
func (r *reader) order(path string, c columns) (at []int, err error) {
	is := func(wanted string, i int) bool {
		found := c.names[i] == wanted || c.of[i] == wanted
		r.used[wanted] = r.used[wanted] || found
		return found
	}
	var rest []int // the columns that are not left out
	for i := range c.names {
		if !slices.ContainsFunc(r.Leave, func(name string) bool { return is(name, i) }) {
			rest = append(rest, i)
		}
	}
	if r.columns.names == nil {
		if at = rest; r.Take != nil {
			at = nil
		}
		for _, name := range r.Take {
			some := false
			for _, i := range rest {
				if is(name, i) && !slices.Contains(at, i) {
					at, some = append(at, i), true
				}
			}
			if !some && !(r.Unlabelled && r.Zeros) {
				return nil, fmt.Errorf("no column or sensor is named %q; there are %s", name, few(c.names))
			}
		}
		if len(at) == 0 {
			return nil, fmt.Errorf("no column of values is left; there are %s", few(c.names))
		}
		for _, i := range at {
			r.columns.names, r.columns.of = append(r.columns.names, c.names[i]), append(r.columns.of, c.of[i])
		}
		r.first = path
		r.set.sensors, r.set.channels, err = r.columns.sensors()
	} else {
		var odd []string // the columns that only one of the files has
		for _, name := range r.columns.names {
			i := slices.Index(c.names, name)
			if at = append(at, i); i < 0 {
				odd = append(odd, name)
			}
		}
		for _, i := range rest {
			if r.Take == nil && !r.Unlabelled && !slices.Contains(at, i) {
				odd = append(odd, c.names[i])
			}
		}
		if odd != nil && !(r.Unlabelled && r.Zeros) {
			text := fmt.Sprintf("%s, but %s has %s; all recordings must have the same", c, r.first, r.columns)
			if len(odd) < len(r.columns.names)+len(rest) {
				text += fmt.Sprintf(": --leave %s takes the columns that all have", strings.Join(odd, ","))
			}
			return nil, unlikeError(text)
		}
	}
	if len(at) < len(rest) && r.Unlabelled {
		r.once("%d of the columns of %s are not those of the training data; left out", len(rest)-len(at), path)
	}
	if !slices.IsSorted(at) && (r.Take == nil || r.Unlabelled) {
		r.reordered = append(r.reordered, path)
	}
	return at, err
}

// unlikeError says that a file has not the columns of the others.
type unlikeError string

func (e unlikeError) Error() string { return string(e) }

// once notes what is not noted yet.
func (r *reader) once(format string, values ...any) {
	if !slices.Contains(r.notes, fmt.Sprintf(format, values...)) {
		r.note(format, values...)
	}
}

// pick returns the columns at of values of that width, NaN for -1.
func pick(values []float64, width int, at []int) []float64 {
	if width == len(at) && slices.IsSorted(at) && at[0] == 0 {
		return values
	}
	picked := make([]float64, 0, len(values)/width*len(at))
	for row := range slices.Chunk(values, width) {
		for _, i := range at {
			v := math.NaN()
			if i >= 0 {
				v = row[i]
			}
			picked = append(picked, v)
		}
	}
	return picked
}

// finish makes the samples of the set.
func (r *reader) finish() (err error) {
	s := r.set
	var at []int // the columns of readings
	width := len(r.columns.names)
	if s.table.Layout == readingsLayout {
		c := columns{}
		for _, sensor := range r.sensors {
			for _, value := range r.values {
				name := sensor
				if len(r.values) > 1 {
					name += "." + value
				}
				c.names, c.of = append(c.names, name), append(c.of, sensor)
			}
		}
		width = len(c.names)
		if at, err = r.order(s.name, c); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
	}
	for _, x := range r.rows {
		one := x.sample
		if x.rows != nil {
			if one, err = r.lay(x, width); err != nil {
				return fmt.Errorf("%s, %w", x.path, err)
			}
			if at != nil {
				one.values = pick(one.values, width, at)
			}
		}
		if label, ok := r.given[one.name]; ok {
			one.label = label
		} else if label, ok := r.given[strings.TrimSuffix(one.name, filepath.Ext(one.name))]; ok {
			one.label = label
		} else if r.given != nil {
			return fmt.Errorf("%s has no label of sample %q, which begins in line %d of %s; add a line %s,CLASS",
				r.Labels, one.name, x.line, x.path, one.name)
		}
		s.samples = append(s.samples, one)
	}
	for _, name := range r.Leave {
		if !r.used[name] && !r.Unlabelled {
			return fmt.Errorf("--leave %s: no column or sensor has that name; there are %s", name, few(r.columns.names))
		}
	}
	if r.reordered != nil {
		r.note("the columns of %s and %d more files are in another order; they are taken by their names",
			r.reordered[0], len(r.reordered)-1)
	}
	s.as, s.notes = strings.Join(r.as, "; also "), r.notes
	s.table = Table{Layout: s.table.Layout, Columns: r.Columns, Time: r.Time, Take: r.columns.names, Units: r.units}
	return nil
}

// String says which sensors the columns are of.
func (c columns) String() string {
	sensors := slices.Compact(slices.Clone(c.of))
	return fmt.Sprintf("%d sensors (%s) of %d channels", len(sensors), few(sensors), len(c.of)/len(sensors))
}

// dotted returns the columns of headings sensor.axis.
func dotted(headings []string) columns {
	c := columns{names: headings}
	for _, heading := range headings {
		c.of = append(c.of, sensorOf(heading))
	}
	return c
}

// sensorOf returns a heading up to its last dot.
func sensorOf(heading string) string {
	if dot := strings.LastIndexByte(heading, '.'); dot > 0 {
		return heading[:dot]
	}
	return heading
}

// sensors returns the sensors and their number of channels. The channels of a sensor are side by side, and all sensors
// have as many.
func (c columns) sensors() (sensors []string, channels int, err error) {
	for i, name := range c.of {
		if i > 0 && c.of[i-1] == name {
			continue
		}
		if slices.Contains(sensors, name) {
			return nil, 0, fmt.Errorf("the columns of sensor %q are not side by side; "+
				"order them sensor by sensor: hip.x,hip.y,head.x,head.y", name)
		}
		sensors = append(sensors, name)
	}
	channels = len(c.of) / len(sensors)
	for i, heading := range c.names {
		if i == channels*len(sensors) {
			return nil, 0, fmt.Errorf("the sensors do not have as many axes each: column %d is %q, one more than the %d of "+
				"another sensor; leave it out with --leave %s", i+1, heading, channels, heading)
		}
		if sensor := sensors[i/channels]; c.of[i] != sensor {
			return nil, 0, fmt.Errorf("the sensors do not have as many axes each: column %d is %q where one of sensor %q "+
				"should be; leave out with --leave what only some have", i+1, heading, sensor)
		}
	}
	return sensors, channels, nil
}

// add keeps a sample that is not of a table.
func (r *reader) add(from source, s sample, line int, at []int, width int) {
	s.test = from.test
	s.values = pick(s.values, width, at)
	r.rows = append(r.rows, &rows{sample: s, path: from.path, line: line})
}

// readArray reads an array `[moments, sensors, axes]`, or `[moments, sensors]` for one axis. It names the sensors
// 0, 1, 2, …
func (r *reader) readArray(from source) error {
	a, err := npz.ReadNPYFile(from.path)
	if err != nil {
		return err
	}
	if len(a.Shape) < 2 || len(a.Shape) > 3 || slices.Contains(a.Shape, 0) {
		return fmt.Errorf("%s: the array has shape %v; want [moments, sensors, axes], none of them 0", from.path, a.Shape)
	}
	var c columns
	for sensor := range a.Shape[1] {
		for axis := range append(a.Shape, 1)[2] {
			name := strconv.Itoa(sensor)
			if c.of = append(c.of, name); len(a.Shape) == 3 {
				name += "." + strconv.Itoa(axis)
			}
			c.names = append(c.names, name)
		}
	}
	values, err := a.Floats()
	if err != nil {
		return fmt.Errorf("%s: %w", from.path, err)
	}
	for i, v := range values {
		if math.Abs(v) > math.MaxFloat32 {
			return fmt.Errorf("%s: %s is %g, which float32 does not hold; store nan for a missing value",
				from.path, a.Element("the array", i), v)
		}
	}
	at, err := r.order(from.path, c)
	if err != nil {
		return fmt.Errorf("%s: %w", from.path, err)
	}
	r.say("arrays [moments, sensors, axes]")
	r.add(from, sample{where: from.path, name: from.name(), label: from.class, values: values}, 1, at, len(c.names))
	return nil
}
