// Package recordings turns what people have into the .npz file that ccp trains on. It works in stages. A source is a
// file, and what its folders say of it. It has a table of lines, or whole samples. Roles say what the columns of a
// table are. By them the lines become recordings, each with its own times. An import writes these as series on a graph
// of sensors.
package recordings

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/clusterpool/ccp/datasets/recording"
	"github.com/clusterpool/ccp/internal/extremes"
	"github.com/clusterpool/ccp/internal/npz"
	"github.com/gomlx/gomlx/support/xslices"
)

// Options say how to read the input and what to write. The zero value suits files that need no explanation.
type Options struct {
	// Missing says what becomes of a sensor without any value in a sample: "error", "zero" or "fill". A fill is what the
	// sensor's neighbours and its mean let expect. "" is fill if samples have one time point and no time. Else it is
	// error.
	Missing string
	Gaps    []float64 // values that stand for missing ones

	Links      string // a CSV of pairs of sensors that belong together
	Directed   bool   // with Links: each leads from its first sensor to its second
	Positions  string // or a CSV of positions of sensors
	Neighbours int    // with Positions: the nearest sensors that each sensor is joined to
	Parts      string // a CSV of sensors and their parts of a body
	Bodies     int    // with Parts: the bodies whose x, y and z are the first channels; 0: channels are not positions
	Origin     string // the sensor whose first value is subtracted from all sensors, in each channel
	// Scale says whether a training normalises each sensor by itself. If it is nil, the training does so where its sensors
	// differ much. Sensors with Parts or an Origin are positions, and stay alike.
	Scale *bool

	Cut recording.Cut // the windows to cut recordings into, which are the samples then; its zero value leaves them whole
	// Ahead makes windows of early warning: the class of a window is the event that begins within Ahead of its end. After
	// is how long after an event windows are left out; its zero value is as long as Ahead.
	Ahead, After recording.Span

	Test  string // a pattern of the names of the recordings to test on
	Group string // a regular expression whose brackets hold the group in a sample's name, or a column of a long CSV

	Table         // how to read tables
	Label  string // the column of classes
	Labels string // or a table of samples and classes, or of intervals of time and classes
	Rest   string // the class of what has none within a recording; "": it is left out

	Progress func(doing string, done float64) // may be nil

	trained bool // read as a training was, by its settings in Table
}

// Result is what was made.
type Result struct {
	File       string     `json:"file"`
	Samples    int        `json:"samples"`
	Classes    []Class    `json:"classes"`
	Sensors    []string   `json:"sensors"`
	Timepoints Timepoints `json:"timepoints"`
	Lengths    string     `json:"-"` // the same in words
	Channels   int        `json:"channels"`
	ReadAs     string     `json:"read_as"` // what the files were taken for
	Filled     Filled     `json:"filled"`
	Parts      []Part     `json:"parts,omitempty"` // of a body
	Links      int        `json:"links"`           // between sensors; 0: the training links them
	Graph      string     `json:"graph"`           // what they were made from
	Training   int        `json:"training"`        // samples
	Test       int        `json:"test"`
	SplitBy    string     `json:"split_by"` // "" where the split is drawn when the file is read
	Undrawable bool       `json:"-"`        // no split can be drawn, as each class has one sample or group
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
	Samples int    `json:"samples"`         // with missing values
	Of      int    `json:"of"`              // all values
	Holes   *Holes `json:"holes,omitempty"` // nil if there are none to speak of
}

// making is an import under way: what was read, and what becomes of it.
type making struct {
	Options
	*reading
	input     string // the first, for errors
	made      Result
	grouped   bool // samples have groups
	form      *recording.Form
	arrays    []npz.Named       // to write
	extremes  []extremes.Column // of each column
	stretches []stretch         // that windows were cut of
	zeroEnds  zeroEnds

	resampled resampled
	holes     holes
}

// Import reads recordings and writes them to the .npz file out, whole or not at all. Errors name the file, the line or
// column, and the value, and say what to do.
func Import(ctx context.Context, inputs []string, out string, o Options) (*Result, error) {
	m, err := gather(ctx, inputs, o)
	if err != nil {
		return nil, err
	}
	m.made.File = out
	for _, step := range []func() error{m.parse, m.markTests, m.takeGroups, m.chooseForm, m.prepare, m.numberClasses,
		m.linkSensors, m.takeParts} {
		err := step()
		if err != nil {
			return nil, err
		}
	}
	made := &m.made
	made.Timepoints = m.timepoints()
	made.Lengths = made.Timepoints.lengths(m.form)
	if made.Timepoints.Median == 1 && made.Timepoints.Longest > 1 && m.chosen.layout == timepointsLayout {
		m.note("most samples have one line, and some have up to %d: if each line is a sample, say --layout samples",
			made.Timepoints.Longest)
	}
	made.Samples, made.Training = len(m.samples), m.training()
	made.Test = made.Samples - made.Training
	made.Groups = m.groups()
	m.noteUndrawable()
	made.Notes = append([]string{}, m.noteTexts()...) // not null in JSON
	return made, m.write()
}

// gather reads the recordings of an import.
func gather(ctx context.Context, inputs []string, o Options) (*making, error) {
	form, sources, err := sourcesOf(inputs, true)
	if err != nil {
		return nil, err
	}
	err = o.fits(form, sources)
	if err != nil {
		return nil, err
	}
	j := &job{ctx: ctx, progress: o.Progress, markers: map[string]int{}, dialect: newDialect(o.Decimal, o.trained),
		trained: o.trained}
	j.noteAside(sources, o.Labels, o.Links, o.Positions, o.Parts)
	h := hints{Table: o.Table, labelName: o.Label, groupBy: o.Group, stretches: o.Cut.Window.Length > 0}
	if o.Positions != "" {
		h.places, err = j.readPositions(o.Positions, newDialect(o.Decimal, false))
		if err != nil {
			return nil, err
		}
	}
	if o.Labels != "" {
		h.given, h.intervals, err = j.readLabels(o.Labels, o.Dates)
		if err != nil {
			return nil, err
		}
	}
	m := &making{Options: o, input: inputs[0]}
	m.reading = j.reader(h, chosen{})
	err = m.readAll(sources, inputs[0])
	if err != nil {
		return nil, err
	}
	if h.places != nil {
		m.places, err = h.places.settled(j)
		if err != nil {
			return nil, err
		}
	}
	err = m.checkGathered()
	if err != nil {
		return nil, err
	}
	m.made.Sensors, m.made.Channels, m.made.ReadAs = m.chosen.sensors, m.chosen.channels, m.readAs()
	if o.Take == nil && (form == folders || form == long) {
		err = cmp.Or(m.refuseCounters(), m.refuseDescriptions())
		m.noteConstantColumns()
	}
	return m, err
}

// checkGathered returns an error if a sample lacks its class, where a table names them, or if --leave names what is not
// there. It takes what the files say of the test samples.
func (m *making) checkGathered() error {
	for _, x := range m.samples {
		m.made.SplitBy = cmp.Or(m.made.SplitBy, x.test)
		if m.given != nil && x.label == "" {
			return m.noLabel(x)
		}
	}
	m.noteUnusedLabels()
	for _, name := range m.Options.Leave {
		if !m.chosen.seen[name] {
			return fmt.Errorf("--leave %q: no column or sensor has that name; there are %s", name, few(m.chosen.names))
		}
	}
	return nil
}

// fits returns an error if an option belongs to another form of input.
func (o *Options) fits(form string, sources []source) error {
	if o.Labels != "" && o.Label != "" {
		return fmt.Errorf("the classes are given by --label %s and by --labels %s; keep one of them", o.Label, o.Labels)
	}
	if o.Sheet != "" && !slices.ContainsFunc(sources, func(s source) bool { return formatOf(s.path).sheets }) {
		return fmt.Errorf("--sheet %s is for .xlsx workbooks, of which there is none; leave it out", o.Sheet)
	}
	if o.Lists != "" && !slices.ContainsFunc(sources, func(s source) bool { return formatOf(s.path).lists }) {
		return fmt.Errorf("--lists %s is for lists in .parquet files, of which there is none; leave it out", o.Lists)
	}
	anywhere, tables := folders+" or "+long, "of tables"
	if slices.ContainsFunc(sources, func(s source) bool { return formatOf(s.path).lines != nil }) {
		tables = form
	}
	for _, option := range []struct{ name, value, forms string }{
		{"columns", strings.Join(o.Columns, ","), anywhere}, {"label", o.Label, long}, {"labels", o.Labels, long},
		{"time", o.Time, tables}, {"dates", o.Dates, tables}, {"decimal", o.Decimal, tables}, {"layout", o.Layout, tables},
		{"test", o.Test, anywhere}, {"group", o.Group, anywhere},
	} {
		fits := strings.Contains(option.forms, form) || option.name == "label" && sources[0].part
		if option.value != "" && !fits {
			return fmt.Errorf("--%s is for the form %s, this is %s; leave it out", option.name, option.forms, form)
		}
	}
	return nil
}

// keep adds an array to those that the import writes. Without dims it is a list of the values. With dims it has more
// axes: dims are their sizes after the first, whose size follows.
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
	keep(m, "sample_names", distinctNames(m.samples))
	keep(m, "sensor_names", m.made.Sensors)
	keep(m, "recording", []string{string(form)})
	m.keepAsRead()
	if m.made.SplitBy != "" {
		split := make([]uint8, len(m.samples))
		for i, x := range m.samples {
			if x.test != "" {
				split[i] = 2 // the test, see package datasets
			}
		}
		keep(m, "split", split)
	}
	m.keepStretches()
	if m.grouped {
		keep(m, "groups", xslices.Map(m.samples, func(x *sample) string { return x.group }))
	}
	sensors, channels := len(m.made.Sensors), m.made.Channels
	shape := []int{len(m.samples), sensors, m.made.Timepoints.Longest, channels}
	return npz.Write(m.made.File, append(m.arrays,
		npz.Named{Name: "series", Array: &npz.Array{Shape: shape}, Rows: func(i int, row []float32) error {
			turned(row, m.samples[i].series, sensors, channels)
			return m.report("writing "+m.made.File, float64(i+1)/float64(len(m.samples)))
		}}))
}

// turned writes a series, `[timepoints, sensors, channels]`, as a file has it, `[sensors, timepoints, channels]`, with
// NaN after its end.
func turned(dst, series []float32, sensors, channels int) {
	timepoints := len(dst) / (sensors * channels)
	for sensor := range sensors {
		for timepoint := range timepoints {
			from, to := (timepoint*sensors+sensor)*channels, (sensor*timepoints+timepoint)*channels
			for channel := range channels {
				dst[to+channel] = float32(math.NaN())
				if from+channel < len(series) {
					dst[to+channel] = series[from+channel]
				}
			}
		}
	}
}
