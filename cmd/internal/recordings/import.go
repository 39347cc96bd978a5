package recordings

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/clusterpool/ccp/datasets/recording"
	"github.com/clusterpool/ccp/internal/npz"
	"github.com/clusterpool/ccp/internal/text"
)

// Options say how to read the input and what to write. The zero value suits files that need no explanation.
type Options struct {
	// Missing says what becomes of a sensor without any value in a sample: "error", "zero" or "fill". A fill is what the
	// sensor's neighbours and its mean let expect. "" is fill if samples have one time point and no time. Else it is error.
	Missing string

	Links      string // a CSV of pairs of sensors
	Positions  string // a CSV of positions of sensors
	Parts      string // a CSV of sensors and their parts of a body
	Bodies     int    // with Parts: the bodies whose x, y and z are the first channels; 0: channels are not positions
	Neighbours int    // with Positions: the nearest sensors that each sensor is joined to
	Origin     string // the sensor whose first value is subtracted from all sensors, in each channel
	// Scale says whether a training normalises each sensor by itself. If it is nil, the training does so where its sensors
	// differ much. Sensors with Parts or an Origin are positions, and stay alike.
	Scale *bool

	Cut recording.Cut // the windows to cut recordings into, which are the samples then; its zero value leaves them whole

	Test  string // a pattern of the names of the recordings to test on
	Group string // a regular expression whose brackets hold the group in a sample's name, or a column of a long CSV

	Table             // how to read tables
	Label      string // the column of classes
	Labels     string // or a CSV of samples and classes
	Unlabelled bool   // recordings without classes, to classify

	Progress func(doing string, done float64) // may be nil
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

// Import reads recordings and writes them to the .npz file out, whole or not at all. Errors name the file, the line or
// column, and the value, and say what to do.
func Import(ctx context.Context, inputs []string, out string, o Options) (*Result, error) {
	r := &reading{Options: o, ctx: ctx, made: Result{File: out}}
	err := r.read(inputs)
	for _, step := range []func() error{r.choose, r.prepare, r.number, r.link, r.divide} {
		if err == nil {
			err = step()
		}
	}
	if err != nil {
		return nil, err
	}
	made := &r.made
	made.Samples, made.Training, made.Timepoints = len(r.samples), r.training(), r.timepoints()
	if m := made.Timepoints; m.Median == 1 && m.Longest > 1 && r.table.Layout == timepointsLayout {
		r.note("most samples have one line, and some have up to %d: if each line is a sample, say --layout samples", m.Longest)
	}
	made.Test, made.Groups, made.Notes = made.Samples-made.Training, r.groups(), append([]string{}, r.notes...)
	return made, r.write()
}

// choose makes the form of the recordings.
func (r *reading) choose() (err error) {
	if r.Origin != "" {
		if _, err := sensor(r.made.Sensors, r.Origin); err != nil {
			return fmt.Errorf("--origin %w", err)
		}
	}
	long := func(x *sample) bool { return x.Times != nil || x.Timepoints() > 1 }
	r.form = &recording.Form{Sensors: r.made.Sensors, Channels: r.made.Channels, Zeros: r.Missing == "zero", Origin: r.Origin,
		Filled: r.Missing == "fill" || r.Missing == "" && !slices.ContainsFunc(r.samples, long), Scale: r.Scale}
	r.form.Rate = recording.Rate(len(r.samples), func(i int) recording.Recording { return r.samples[i].Recording })
	r.form.Reading, err = json.Marshal(r.table)
	return err
}

// prepare makes series at even time points of the samples: without gaps, less their origin. With windows it cuts them
// first.
func (r *reading) prepare() error {
	if r.Cut.Window.Length > 0 {
		if err := r.cut(); err != nil {
			return err
		}
	} else {
		for _, x := range r.samples {
			if err := r.even(x); err != nil {
				return err
			}
		}
	}
	for at := 0; at < r.form.Width() && r.form.Filled; at++ { // a training could not learn from a sensor that is never there
		there := func(x *sample) bool { return !x.test && x.series[at] == x.series[at] }
		if !slices.ContainsFunc(r.samples, there) {
			return fmt.Errorf("%s has no value in any training sample; leave it out with --leave",
				recording.Column(r.made.Sensors, r.made.Channels, at))
		}
	}
	return nil
}

// even replaces the values of a sample, once prepared, by a series at even time points.
func (r *reading) even(x *sample) error {
	changes, err := r.form.Prepare(&x.Recording)
	if err != nil {
		return fmt.Errorf("%s: %w", x.where, err)
	}
	if r.made.Filled.Add(changes) {
		r.made.Filled.Samples++
	}
	r.made.Filled.Of += len(x.Values)
	x.series, x.Values = r.form.Even(x.Recording, nil), nil
	return nil
}

// cut replaces recordings by their windows, in groups that no split parts. It leaves out what fills no window, or has a
// sensor without any value.
func (r *reading) cut() error {
	whole, names := r.samples, r.names()
	var short, lost []error
	var notes []string
	r.samples = nil
	for i, x := range whole {
		ordered, windows, about, err := r.form.Windows(x.Recording, r.Cut, math.MaxInt)
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
			one := &sample{Recording: ordered.Part(w), label: x.label, test: x.test, group: x.group,
				where: fmt.Sprintf("%s, window from %s to %s", x.where, start, end)}
			if one.Name = names[i] + " from " + start; !r.grouped {
				one.group = names[i]
			}
			one.Values = slices.Clone(one.Values) // windows share values
			if err := r.even(one); err != nil {
				lost = append(lost, err)
				continue
			}
			r.samples = append(r.samples, one)
		}
	}
	if len(r.samples) == 0 {
		return slices.Concat(lost, short)[0]
	}
	if short != nil {
		r.note("%d of %d recordings are left out, the first: %v", len(short), len(whole), short[0])
	}
	if lost != nil {
		r.note("%d of %d windows are left out, the first: %v", len(lost), len(lost)+len(r.samples), lost[0])
	}
	if notes != nil {
		r.note("%s (of %d recordings a part is left out)", notes[0], len(notes))
	}
	r.grouped = true
	r.made.ReadAs += fmt.Sprintf("; %s, cut into windows of %s", text.Count(len(whole), "recording"), r.Cut.Window)
	if r.Cut.Step.Length > 0 {
		r.made.ReadAs += ", a step of " + r.Cut.Step.String()
	}
	return nil
}

// number numbers the classes from 0, in the order that the data declares or sorted. It leaves out declared classes
// without a sample.
func (r *reading) number() error {
	count, number := map[string]int{}, map[string]int32{}
	for _, x := range r.samples {
		count[x.label]++
	}
	if r.classes == nil {
		r.classes = slices.Sorted(maps.Keys(count))
	}
	var names, without []string
	for _, class := range r.classes {
		if count[class] == 0 {
			without = append(without, class)
			continue
		}
		number[class] = int32(len(names))
		names, r.made.Classes = append(names, class), append(r.made.Classes, Class{class, count[class]})
	}
	if len(names) == 1 {
		return fmt.Errorf("%s: all %d samples are of class %q; a classifier needs samples of at least 2 classes", r.input,
			len(r.samples), names[0])
	}
	if without != nil {
		r.note("no sample is of class %s, which the data declares; left out", strings.Join(without, ", "))
	}
	var labels []int32
	for _, x := range r.samples {
		labels = append(labels, number[x.label])
	}
	keep(r, "labels", labels)
	keep(r, "class_names", names)
	return nil
}

// keep adds an array to write. It is a list. With dims it is an array of more axes: dims are the sizes after the first.
func keep[T any](r *reading, name string, values []T, dims ...int) {
	shape := []int{len(values)}
	for _, size := range dims {
		shape = append(shape, size)
		shape[0] /= size
	}
	r.arrays = append(r.arrays, npz.Named{Name: name, Array: &npz.Array{Shape: shape, Data: values}})
}

// write writes the arrays that package datasets reads.
func (r *reading) write() error {
	form, err := json.Marshal(r.form)
	if err != nil {
		return err
	}
	keep(r, "sample_names", r.names())
	keep(r, "sensor_names", r.made.Sensors)
	keep(r, "recording", []string{string(form)})
	var split []uint8 // see package datasets
	var groups []string
	for _, x := range r.samples {
		split, groups = append(split, map[bool]uint8{true: 2}[x.test]), append(groups, x.group)
	}
	if r.made.SplitBy != "" {
		keep(r, "split", split)
	}
	if r.grouped {
		keep(r, "groups", groups)
	}
	sensors, channels := len(r.made.Sensors), r.made.Channels
	shape := []int{len(r.samples), sensors, r.made.Timepoints.Longest, channels}
	return npz.Write(r.made.File, append(r.arrays, npz.Named{Name: "series", Array: &npz.Array{Shape: shape},
		Rows: func(i int, row []float32) error {
			recording.Turned(row, r.samples[i].series, sensors, channels)
			return r.tell("writing "+r.made.File, float64(i+1)/float64(len(r.samples)))
		}}))
}
