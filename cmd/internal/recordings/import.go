// Package recordings turns what people have into the .npz file that ccp trains on. It works in stages. A source is a file, and
// what its folders say of it. It has a table of lines, or whole samples. Roles say what the columns of a table are. By them the
// lines become recordings, each with its own times. An import writes these as series on a graph of sensors.
package recordings

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/clusterpool/ccp/datasets/recording"
	"github.com/clusterpool/ccp/internal/npz"
	"github.com/clusterpool/ccp/internal/suggest"
	"github.com/clusterpool/ccp/internal/text"
)

// Options say how to read the input and what to write. The zero value suits files that need no explanation.
type Options struct {
	// Missing says what becomes of a sensor without any value in a sample: "error", "zero" or "fill". A fill is what the
	// sensor's neighbours and its mean let expect. "" is fill if samples have one time point and no time. Else it is error.
	Missing string
	Gaps    []float64 // values that stand for missing ones

	Graph         // how sensors belong together
	Origin string // the sensor whose first value is subtracted from all sensors, in each channel
	// Scale says whether a training normalises each sensor by itself. If it is nil, the training does so where its sensors
	// differ much. Sensors with Parts or an Origin are positions, and stay alike.
	Scale *bool

	Cut recording.Cut // the windows to cut recordings into, which are the samples then; its zero value leaves them whole

	Test  string // a pattern of the names of the recordings to test on
	Group string // a regular expression whose brackets hold the group in a sample's name, or a column of a long CSV

	Table         // how to read tables
	Label  string // the column of classes
	Labels string // or a CSV of samples and classes

	Progress func(doing string, done float64) // may be nil
}

// Graph says how sensors belong together.
type Graph struct {
	Links      string // a CSV of pairs of sensors
	Positions  string // a CSV of positions of sensors
	Neighbours int    // with Positions: the nearest sensors that each sensor is joined to
	Parts      string // a CSV of sensors and their parts of a body
	Bodies     int    // with Parts: the bodies whose x, y and z are the first channels; 0: channels are not positions
}

// Result is what was made.
type Result struct {
	File       string     `json:"file"`
	Samples    int        `json:"samples"`
	Classes    []Class    `json:"classes"`
	Sensors    []string   `json:"sensors"`
	Timepoints Timepoints `json:"timepoints"`
	Channels   int        `json:"channels"`
	ReadAs     string     `json:"read_as"`         // what the files were taken for
	Parts      []Part     `json:"parts,omitempty"` // of a body
	Filled     Filled     `json:"filled"`
	Links      int        `json:"links"` // between sensors; 0: the training links them
	Graph      string     `json:"graph"` // what they were made from
	Training   int        `json:"training"`
	Test       int        `json:"test"`
	SplitBy    string     `json:"split_by"` // "" where the split is drawn when the file is read
	Groups     []string   `json:"groups"`
	Notes      []string   `json:"notes"`
}

// Class is a class and the number of its samples.
type Class struct {
	Name    string `json:"class"`
	Samples int    `json:"samples"`
}

// Filled counts the values that were missing.
type Filled struct {
	recording.Changes
	Samples int `json:"samples"` // with missing values
	Of      int `json:"of"`      // all values
}

// making is an import under way: what was read, and what becomes of it.
type making struct {
	Options
	*reading
	input    string // the first, for errors
	made     Result
	grouped  bool // samples have groups
	form     *recording.Form
	arrays   []npz.Named          // to write
	extremes []recording.Extremes // of each column
}

// Import reads recordings and writes them to the .npz file out, whole or not at all. Errors name the file, the line or
// column, and the value, and say what to do.
func Import(ctx context.Context, inputs []string, out string, o Options) (*Result, error) {
	m, err := gather(ctx, inputs, o)
	if err != nil {
		return nil, err
	}
	m.made.File = out
	for _, step := range []func() error{m.mark, m.group, m.choose, m.prepare, m.number, m.link, m.divide} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	made := &m.made
	made.Samples, made.Training, made.Timepoints = len(m.samples), m.training(), m.timepoints()
	if p := made.Timepoints; p.Median == 1 && p.Longest > 1 && m.chosen.layout == timepointsLayout {
		m.note("most samples have one line, and some have up to %d: if each line is a sample, say --layout samples", p.Longest)
	}
	made.Test, made.Groups, made.Notes = made.Samples-made.Training, m.groups(), append([]string{}, m.told()...)
	return made, m.write()
}

// gather reads the recordings of an import.
func gather(ctx context.Context, inputs []string, o Options) (*making, error) {
	m, j := &making{Options: o, input: inputs[0]}, &job{ctx: ctx, progress: o.Progress, markers: map[string]int{}}
	q := question{Table: o.Table, label: o.Label, group: o.Group}
	form, sources, err := sourcesOf(inputs, true)
	if err == nil {
		err = m.fits(form, sources)
	}
	if err == nil && o.Positions != "" {
		q.places, err = j.readPositions(o.Positions)
	}
	if err == nil && o.Labels != "" {
		q.given, err = j.readLabels(o.Labels)
	}
	if err == nil {
		m.reading, err = j.read(sources, inputs[0], q, chosen{})
	}
	if err != nil {
		return nil, err
	}
	for _, x := range m.samples {
		if m.made.SplitBy = cmp.Or(m.made.SplitBy, x.test); q.given != nil && x.label == "" {
			return nil, fmt.Errorf("%s has no label of sample %q, which begins in line %d of %s; add a line %s,CLASS",
				o.Labels, x.Name, x.line, x.path, x.Name)
		}
	}
	for _, name := range o.Leave {
		if !m.chosen.seen[name] {
			return nil, fmt.Errorf("--leave %q: no column or sensor has that name; there are %s", name, few(m.chosen.names))
		}
	}
	m.made.Sensors, m.made.Channels, m.made.ReadAs = m.chosen.sensors, m.chosen.channels, m.readAs()
	if o.Take == nil && (form == folders || form == long) {
		err = m.counting()
	}
	return m, err
}

// fits returns an error if an option belongs to another form of input.
func (o *Options) fits(form string, sources []source) error {
	if o.Labels != "" && o.Label != "" {
		return fmt.Errorf("the classes are given by --label %s and by --labels %s; keep one of them", o.Label, o.Labels)
	}
	if o.Sheet != "" && !slices.ContainsFunc(sources, func(s source) bool { return formatOf(s.path).sheets }) {
		return fmt.Errorf("--sheet %s is for .xlsx workbooks, of which there is none; leave it out", o.Sheet)
	}
	anywhere, tables := folders+" or "+long, "of tables"
	if slices.ContainsFunc(sources, func(s source) bool { return formatOf(s.path).lines != nil }) {
		tables = form
	}
	for _, option := range []struct{ name, value, forms string }{
		{"columns", strings.Join(o.Columns, ","), anywhere}, {"label", o.Label, long}, {"labels", o.Labels, long},
		{"time", o.Time, tables}, {"dates", o.Dates, tables}, {"layout", o.Layout, tables},
		{"test", o.Test, anywhere}, {"group", o.Group, anywhere},
	} {
		fits := strings.Contains(option.forms, form) || option.name == "label" && sources[0].part
		if option.value != "" && !fits {
			return fmt.Errorf("--%s is for the form %s, this is %s; leave it out", option.name, option.forms, form)
		}
	}
	return nil
}

// training counts the samples that are not marked as tests.
func (m *making) training() (count int) {
	for _, x := range m.samples {
		if x.test == "" {
			count++
		}
	}
	return count
}

// mark makes the samples whose names match --test, a shell pattern, the test set.
func (m *making) mark() error {
	if m.Test == "" {
		return nil
	}
	m.made.SplitBy = fmt.Sprintf("--test %q", m.Test)
	for _, x := range m.samples {
		matched, err := path.Match(m.Test, x.Name)
		if err != nil {
			return fmt.Errorf("--test %q: %w; it is a pattern of names such as 'ben_*'", m.Test, err)
		}
		x.test = map[bool]string{true: m.made.SplitBy}[matched]
	}
	if left := m.training(); left == 0 || left == len(m.samples) {
		return fmt.Errorf("--test %q matches %d of the %d samples, which are named such as %q; "+
			"want some, and some left to train on", m.Test, len(m.samples)-left, len(m.samples), m.samples[0].Name)
	}
	return nil
}

// group takes the group of each sample from its name, unless a column holds the groups: what the first brackets of
// --group, a regular expression, match.
func (m *making) group() error {
	expression, err := regexp.Compile(m.Group)
	switch {
	case m.Group == "":
		return nil
	case !strings.Contains(m.Group, "(") && m.chosen.layout != "": // a column
		m.grouped = true
	case err != nil:
		return fmt.Errorf("--group %q: %w; it is a regular expression such as '^([a-z]+)_'", m.Group, err)
	case expression.NumSubexp() < 1:
		return fmt.Errorf("--group %q has no brackets around what is the group in a name such as %q: "+
			"'^([a-z]+)_' takes the letters before the first _", m.Group, m.samples[0].Name)
	default:
		for _, x := range m.samples {
			found := expression.FindStringSubmatch(x.Name)
			if found == nil || found[1] == "" {
				return fmt.Errorf("%s: --group %q finds no group in %q; each sample must be of one", x.where, m.Group, x.Name)
			}
			x.group = found[1]
		}
		m.grouped = true
	}
	if all := m.groups(); len(all) == 1 {
		return fmt.Errorf("--group %q puts all %d samples into one group, %q; name what tells them apart, or leave it out",
			m.Group, len(m.samples), all[0])
	}
	return nil
}

// choose makes the form of the recordings.
func (m *making) choose() (err error) {
	if m.Origin != "" {
		if _, err := sensorOf(m.made.Sensors, m.Origin); err != nil {
			return fmt.Errorf("--origin %w", err)
		}
	}
	long := func(x *sample) bool { return x.Times != nil || x.Timepoints() > 1 }
	m.form = &recording.Form{Sensors: m.made.Sensors, Channels: m.made.Channels, Zeros: m.Missing == "zero", Origin: m.Origin, Gaps: m.Gaps,
		Second: m.chosen.second,
		Filled: m.Missing == "fill" || m.Missing == "" && !slices.ContainsFunc(m.samples, long), Scale: m.Scale}
	m.form.Rate = recording.Rate(len(m.samples), func(i int) recording.Recording { return m.samples[i].Recording })
	m.extremes = make([]recording.Extremes, m.form.Width())
	m.form.Reading, err = json.Marshal(m.alike())
	return err
}

// prepare makes series at even time points of the samples: without gaps, less their origin. With windows it cuts them
// first.
func (m *making) prepare() error {
	if m.Cut.Window.Length > 0 {
		if err := m.cut(); err != nil {
			return err
		}
	} else {
		for _, x := range m.samples {
			if err := m.even(x); err != nil {
				return err
			}
		}
	}
	for at := range m.extremes {
		for _, gap := range m.extremes[at].Gaps() {
			m.noteOf(fmt.Sprint("gap ", gap.Value), fmt.Sprintf("%s %s: if it stands for a missing value, say --gap %g",
				recording.Column(m.made.Sensors, m.made.Channels, at), gap, gap.Value))
		}
	}
	for at := 0; at < m.form.Width() && m.form.Filled; at++ { // a training could not learn from a sensor that is never there
		there := func(x *sample) bool { return x.test == "" && x.series[at] == x.series[at] }
		if !slices.ContainsFunc(m.samples, there) {
			return fmt.Errorf("%s has no value in any training sample; leave it out with --leave",
				recording.Column(m.made.Sensors, m.made.Channels, at))
		}
	}
	return nil
}

// even replaces the values of a sample, once prepared, by a series at even time points.
func (m *making) even(x *sample) error {
	changes, err := m.form.Prepare(&x.Recording)
	if err != nil {
		return fmt.Errorf("%s: %w", x.where, err)
	}
	if m.made.Filled.Add(changes) {
		m.made.Filled.Samples++
	}
	m.made.Filled.Of += len(x.Values)
	for _, note := range changes.Notes {
		m.noteOf(note, fmt.Sprintf("%s, such as in %s", note, x.where))
	}
	m.roundedOff(x)
	x.series, x.Values = m.form.Even(x.Recording, nil), nil
	return nil
}

// roundedOff adds the values of a sample to the extremes of all, and notes a sensor whose values lie so far from zero that float32, which the file holds, cannot tell them apart.
func (m *making) roundedOff(x *sample) {
	const digits = 1 << 24 // of float32
	width := m.form.Width()
	for column := range width {
		least, most := math.Inf(1), math.Inf(-1)
		for at := column; at < len(x.Values); at += width {
			if v := x.Values[at]; v == v {
				least, most = min(least, v), max(most, v)
				m.extremes[column].Add(v)
			}
		}
		if far := max(-least, most); most > least && far/digits > (most-least)/100 {
			m.noteOf("rounded", fmt.Sprintf("%s goes from %.9g to %.9g in %s, and the file holds it in steps of %.2g: take a constant from that "+
				"column, or if all sensors are positions, let --origin %q take its first value from all",
				recording.Column(m.form.Sensors, m.form.Channels, column), least, most, x.where, 2*far/digits,
				m.form.Sensors[column/m.form.Channels]))
		}
	}
}

// cut replaces recordings by their windows, in groups that no split parts. It leaves out what fills no window, or has a
// sensor without any value.
func (m *making) cut() error {
	whole, names := m.samples, names(m.samples)
	var short, lost []error
	var notes []string
	m.samples = nil
	for i, x := range whole {
		ordered, windows, about, err := m.form.Windows(x.Recording, m.Cut, math.MaxInt)
		if err != nil {
			err = fmt.Errorf("%s: %w", x.where, err)
		}
		switch {
		case errors.Is(err, recording.ErrShort):
			short = append(short, err)
		case err != nil:
			return err
		case about != nil:
			notes = append(notes, names[i]+": "+about[0])
		}
		for _, w := range windows {
			start, end := recording.TimeText(w.Start), recording.TimeText(w.End)
			one := &sample{Recording: ordered.Part(w), source: x.source, group: x.group,
				where: fmt.Sprintf("%s, window from %s to %s", x.where, start, end)}
			if one.Name = names[i] + " from " + start; !m.grouped {
				one.group = names[i]
			}
			one.Values = slices.Clone(one.Values) // windows share values
			if err := m.even(one); err != nil {
				lost = append(lost, err)
				continue
			}
			m.samples = append(m.samples, one)
		}
	}
	if len(m.samples) == 0 {
		return slices.Concat(lost, short)[0]
	}
	if short != nil {
		m.note("%d of %d recordings are left out, the first: %v", len(short), len(whole), short[0])
	}
	if lost != nil {
		m.note("%d of %d windows are left out, the first: %v", len(lost), len(lost)+len(m.samples), lost[0])
	}
	if notes != nil {
		m.note("%s (of %d recordings a part is left out)", notes[0], len(notes))
	}
	m.grouped = true
	m.made.ReadAs += fmt.Sprintf("; %s, cut into windows of %s", text.Count(len(whole), "recording"), m.Cut.Window)
	if m.Cut.Step.Length > 0 {
		m.made.ReadAs += ", a step of " + m.Cut.Step.String()
	}
	return nil
}

// number numbers the classes from 0, in the order that the data declares or sorted. It leaves out declared classes
// without a sample.
func (m *making) number() error {
	count, number := map[string]int{}, map[string]int32{}
	for _, x := range m.samples {
		count[x.label]++
	}
	if m.classes == nil {
		m.classes = slices.Sorted(maps.Keys(count))
	}
	names := slices.DeleteFunc(slices.Clone(m.classes), func(class string) bool { return count[class] == 0 })
	for i, class := range names {
		number[class], m.made.Classes = int32(i), append(m.made.Classes, Class{class, count[class]})
	}
	if len(names) == 1 {
		return fmt.Errorf("%s: all %d samples are of class %q; a classifier needs samples of at least 2 classes", m.input,
			len(m.samples), names[0])
	}
	for _, note := range append(suggest.Alike("class", names), suggest.Alike("group", m.groups())...) {
		m.note("%s", note)
	}
	if len(names) < len(m.classes) {
		without := slices.DeleteFunc(slices.Clone(m.classes), func(class string) bool { return count[class] > 0 })
		m.note("no sample is of class %s, which the data declares; left out", strings.Join(without, ", "))
	}
	var labels []int32
	for _, x := range m.samples {
		labels = append(labels, number[x.label])
	}
	keep(m, "labels", labels)
	keep(m, "class_names", names)
	return nil
}

// keep adds an array to write. It is a list. With dims it is an array of more axes: dims are the sizes after the first.
func keep[T any](m *making, name string, values []T, dims ...int) {
	shape := []int{len(values)}
	for _, size := range dims {
		shape = append(shape, size)
		shape[0] /= size
	}
	m.arrays = append(m.arrays, npz.Named{Name: name, Array: &npz.Array{Shape: shape, Data: values}})
}

// write writes the arrays that package datasets reads.
func (m *making) write() error {
	form, err := json.Marshal(m.form)
	if err != nil {
		return err
	}
	keep(m, "sample_names", names(m.samples))
	keep(m, "sensor_names", m.made.Sensors)
	keep(m, "recording", []string{string(form)})
	var split []uint8 // see package datasets
	var groups []string
	for _, x := range m.samples {
		split, groups = append(split, map[bool]uint8{true: 2}[x.test != ""]), append(groups, x.group)
	}
	if m.made.SplitBy != "" {
		keep(m, "split", split)
	}
	if m.grouped {
		keep(m, "groups", groups)
	}
	sensors, channels := len(m.made.Sensors), m.made.Channels
	shape := []int{len(m.samples), sensors, m.made.Timepoints.Longest, channels}
	return npz.Write(m.made.File, append(m.arrays, npz.Named{Name: "series", Array: &npz.Array{Shape: shape},
		Rows: func(i int, row []float32) error {
			recording.Turned(row, m.samples[i].series, sensors, channels)
			return m.tell("writing "+m.made.File, float64(i+1)/float64(len(m.samples)))
		}}))
}

// groups lists the groups; without groups the list is empty, not nil.
func (m *making) groups() []string {
	all := map[string]bool{}
	for _, x := range m.samples {
		if m.grouped {
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
func (m *making) timepoints() Timepoints {
	var lengths []int
	for _, x := range m.samples {
		lengths = append(lengths, len(x.series)/m.form.Width())
	}
	slices.Sort(lengths)
	return Timepoints{lengths[0], lengths[len(lengths)/2], lengths[len(lengths)-1], m.form.Rate}
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
