package recordings

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/clusterpool/ccp/cmd/internal/text"
	"github.com/clusterpool/ccp/internal/npz"
	"github.com/clusterpool/ccp/internal/recording"
)

// Options say how to read the input and what to write. The zero value suits files that need no explanation.
type Options struct {
	// Missing says what becomes of a sensor without any value in a sample: "error", "zero" or "fill". A fill is what the
	// sensor's neighbours and its mean let expect. "" is fill if samples have one moment and no time. Else it is error.
	Missing string

	Links      string // a CSV of pairs of sensors
	Positions  string // a CSV of positions of sensors
	Heights    bool   // of positions in degrees count, too, in metres
	Parts      string // a CSV of sensors and their parts of a body
	Bodies     int    // with Parts: the bodies whose x, y and z are the first channels; 0: channels are not positions
	Neighbours int    // with Positions: the nearest sensors that each sensor is joined to
	Origin     string // the sensor whose first value is subtracted from all sensors, in each channel
	// Scale says whether a training normalises each sensor by itself. nil: if the sensors of the training samples differ
	// much, and Parts and Origin do not say that they are places.
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
	File     string   `json:"file"`
	Samples  int      `json:"samples"`
	Classes  []Class  `json:"classes"`
	Sensors  []string `json:"sensors"`
	Moments  Moments  `json:"moments"`
	Channels int      `json:"channels"`
	ReadAs   string   `json:"read_as"`         // what the files were taken for
	Parts    []Part   `json:"parts,omitempty"` // of a body
	Filled   Filled   `json:"filled"`
	Links    int      `json:"links"` // between sensors; 0: the training links them
	Graph    string   `json:"graph"` // what they were made from
	Training int      `json:"training"`
	Test     int      `json:"test"`
	SplitBy  string   `json:"split_by"` // "" where the split is drawn when the file is read
	Groups   []string `json:"groups"`
	Notes    []string `json:"notes"`
}

// Class is a class and the number of its samples.
type Class struct {
	Name    string `json:"name"`
	Samples int    `json:"samples"`
}

// reading is an import under way.
type reading struct {
	Options
	ctx     context.Context
	notes   []string
	markers map[string]int // what stood for missing values, beside the usual words
	places  *places        // of sensors; nil if unknown
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

// Import reads recordings and writes them to the .npz file out, whole or not at all. Errors name the file, the line or
// column, and the value, and say what to do.
func Import(ctx context.Context, inputs []string, out string, o Options) (*Result, error) {
	r := &reading{Options: o, ctx: ctx}
	s, err := r.read(inputs)
	if err != nil {
		return nil, err
	}
	if o.Origin != "" {
		if _, err := sensor(s.sensors, o.Origin); err != nil {
			return nil, fmt.Errorf("--origin %w", err)
		}
	}
	form := &recording.Form{Sensors: s.sensors, Channels: s.channels, Zeros: o.Missing == "zero", Origin: o.Origin,
		Scale: o.Scale, Rate: s.rate()}
	if form.Reading, err = json.Marshal(s.table); err != nil {
		return nil, err
	}
	long := func(x sample) bool { return x.Times != nil || x.Moments() > 1 }
	form.Filled = o.Missing == "fill" || o.Missing == "" && !slices.ContainsFunc(s.samples, long)
	if err = r.cut(s, form); err != nil {
		return nil, err
	}
	labels, classes, without, err := s.number()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", inputs[0], err)
	}
	if without != nil {
		r.note("no sample is of class %s, which the data declares; left out", strings.Join(without, ", "))
	}
	links, from, err := r.links(s)
	if err != nil {
		return nil, err
	}
	if form.Filled { // a training could not learn from a sensor that is never there
		_, err = recording.NewFill(s.sensors, s.channels, nil, func(yield func(row []float64)) {
			for _, i := range s.training() {
				for row := range slices.Chunk(s.samples[i].Values, form.Width()) {
					yield(row)
				}
			}
		})
		if err != nil {
			return nil, err
		}
	}
	filled, err := s.prepare(form)
	if err != nil {
		return nil, err
	}
	parts, partOf, err := r.readParts(r.Parts, s)
	if err != nil {
		return nil, err
	}
	result := &Result{File: out, Samples: len(s.samples), Classes: classes, Sensors: s.sensors, Moments: s.moments(form.Rate),
		Channels: s.channels, Parts: parts, Filled: filled, Links: len(links), Graph: from,
		Training: len(s.training()), ReadAs: s.as, SplitBy: s.by, Groups: s.groups(), Notes: append([]string{}, r.notes...)}
	result.Test = result.Samples - result.Training
	return result, r.write(out, s, labels, links, form, partOf)
}

// rate returns the median rate of the samples; 0 if they have no times.
func (s *set) rate() float64 {
	var rates []float64
	for _, x := range s.samples {
		if rate := recording.RateOf(x.Times); rate > 0 {
			rates = append(rates, rate)
		}
	}
	if slices.Sort(rates); rates == nil {
		return 0
	}
	return rates[len(rates)/2]
}

// Filled counts the values that were missing.
type Filled struct {
	Values  int `json:"values"`  // interpolated in time, or repeated at an end
	Zeros   int `json:"zeros"`   // set to zero, because the sensor has no value in the sample
	Means   int `json:"means"`   // left for the training to fill by neighbours and means
	Samples int `json:"samples"` // with missing values
	Of      int `json:"of"`      // all values
}

// cut replaces recordings by their windows, if the options name them, in groups that no split parts. It leaves out what
// fills no window, or has a sensor without any value.
func (r *reading) cut(s *set, form *recording.Form) error {
	if r.Cut.Window.Length == 0 {
		return nil
	}
	whole, names := s.samples, s.names()
	var first, unusable error
	short, lost, notes := 0, 0, []string(nil)
	s.samples = nil
	for i, x := range whole {
		ordered, windows, about, err := form.Windows(x.Recording, r.Cut, math.MaxInt)
		if err != nil {
			err = fmt.Errorf("%s: %w", x.where, err)
		}
		switch {
		case errors.Is(err, recording.ErrShort):
			short, first = short+1, cmp.Or(first, err)
		case err != nil:
			return err
		case about != nil:
			notes = append(notes, names[i]+": "+about[0])
		}
		for _, w := range windows {
			one := sample{Recording: ordered.Part(w), label: x.label, test: x.test, group: x.group,
				where: fmt.Sprintf("%s, window from %.10g to %.10g", x.where, w.Start, w.End)}
			if one.Name = fmt.Sprintf("%s from %.10g", names[i], w.Start); !s.grouped {
				one.group = names[i]
			}
			prepared := one.Recording
			if _, err := form.Prepare(&prepared); err != nil {
				lost, unusable = lost+1, cmp.Or(unusable, fmt.Errorf("%s: %w", one.where, err))
				continue
			}
			s.samples = append(s.samples, one)
		}
	}
	if len(s.samples) == 0 {
		return cmp.Or(unusable, first)
	}
	if short > 0 {
		r.note("%d of %d recordings are left out, the first: %v", short, len(whole), first)
	}
	if lost > 0 {
		r.note("%d of %d windows are left out, the first: %v", lost, lost+len(s.samples), unusable)
	}
	if notes != nil {
		r.note("%s (of %d recordings a part is left out)", notes[0], len(notes))
	}
	s.grouped = true
	s.as += fmt.Sprintf("; %s, cut into windows of %s", text.Count(len(whole), "recording"), r.Cut.Window)
	if r.Cut.Step.Length > 0 {
		s.as += ", a step of " + r.Cut.Step.String()
	}
	return nil
}

// prepare fills the gaps of all samples, subtracts their origin, and brings them to even moments.
func (s *set) prepare(form *recording.Form) (f Filled, err error) {
	for i := range s.samples {
		x := &s.samples[i]
		changes, err := form.Prepare(&x.Recording)
		if err != nil {
			return f, fmt.Errorf("%s: %w", x.where, err)
		}
		f.Values, f.Zeros, f.Of = f.Values+changes.Interpolated, f.Zeros+changes.Zeros, f.Of+len(x.Values)
		f.Means += changes.Filled
		if changes.Interpolated > 0 || changes.Zeros > 0 || changes.Filled > 0 {
			f.Samples++
		}
		x.series, x.Values = form.Even(x.Recording, nil), nil
	}
	return f, nil
}

// write writes the arrays that package datasets reads.
func (r *reading) write(path string, s *set, labels []int32, links [][2]int, form *recording.Form, parts []int32) error {
	carried, err := json.Marshal(form)
	if err != nil {
		return err
	}
	arrays := []npz.Named{
		{Name: "labels", Array: list(labels)},
		{Name: "class_names", Array: list(s.classes)},
		{Name: "sample_names", Array: list(s.names())},
		{Name: "sensor_names", Array: list(s.sensors)},
		{Name: "recording", Array: list([]string{string(carried)})},
	}
	if len(links) > 0 {
		var ends []int32
		for _, link := range links {
			ends = append(ends, int32(link[0]), int32(link[1]))
		}
		arrays = append(arrays, npz.Named{Name: "edges", Array: &npz.Array{Shape: []int{len(links), 2}, Data: ends}})
	}
	if r.places != nil {
		plan, dims := r.places.plan(s.sensors)
		arrays = append(arrays, npz.Named{Name: "coordinates",
			Array: &npz.Array{Shape: []int{len(s.sensors), dims}, Data: plan}})
	}
	if parts != nil {
		arrays = append(arrays, npz.Named{Name: "parts", Array: list(parts)},
			npz.Named{Name: "bodies", Array: list([]int32{int32(r.Bodies)})})
	}
	var split []uint8 // see package datasets
	var groups []string
	for _, x := range s.samples {
		split, groups = append(split, map[bool]uint8{true: 2}[x.test]), append(groups, x.group)
	}
	if s.by != "" {
		arrays = append(arrays, npz.Named{Name: "split", Array: list(split)})
	}
	if s.grouped {
		arrays = append(arrays, npz.Named{Name: "groups", Array: list(groups)})
	}
	moments := s.moments(0).Longest
	shape := []int{len(s.samples), len(s.sensors), moments, s.channels}
	return npz.Write(path, append(arrays, npz.Named{Name: "series", Array: &npz.Array{Shape: shape},
		Rows: func(i int, row []float32) error {
			recording.Turned(row, s.samples[i].series, len(s.sensors), s.channels)
			return r.tell("writing "+path, float64(i+1)/float64(len(s.samples)))
		}}))
}

// list returns an array of one dimension.
func list[T any](values []T) *npz.Array { return &npz.Array{Shape: []int{len(values)}, Data: values} }
