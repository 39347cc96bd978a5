package recordings

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/internal/npz"
	"github.com/clusterpool/ccp/internal/recording"
)

// Options say how to read the input and what to write. The zero value suits files that need no explanation.
type Options struct {
	Frames int // moments of a signal; 0: as many as the samples have
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
	// Scale says whether a training normalises each sensor by itself. nil: if the sensors differ much, and Parts and Origin
	// do not say that they are places.
	Scale *bool

	Test  string // a pattern of the names of the samples to test on
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
	Frames   Frames   `json:"frames"`
	Channels int      `json:"channels"`
	Scale    string   `json:"scale"`           // how a training will normalise, and why
	ReadAs   string   `json:"read_as"`         // what the files were taken for
	Parts    []Part   `json:"parts,omitempty"` // of a body
	Filled   Filled   `json:"filled"`
	Nodes    int      `json:"nodes"`
	Edges    int      `json:"edges"`
	Graph    string   `json:"graph"` // what it was made from
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
	labels, classes, without, err := s.number()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", inputs[0], err)
	}
	if without != nil {
		r.note("no sample is of class %s, which the data declares; left out", strings.Join(without, ", "))
	}
	if o.Origin != "" {
		if _, err := sensor(s.sensors, o.Origin); err != nil {
			return nil, fmt.Errorf("--origin %w", err)
		}
	}
	form := &recording.Form{Sensors: s.sensors, Channels: s.channels, Zeros: o.Missing == "zero", Origin: o.Origin}
	if form.Reading, err = json.Marshal(s.table); err != nil {
		return nil, err
	}
	raw := slices.Clone(s.samples)
	long := func(x sample) bool { return x.Times != nil || x.Moments() > 1 }
	fill := o.Missing == "fill" || o.Missing == "" && !slices.ContainsFunc(raw, long)
	if fill {
		if form.Fill, err = s.fill(raw, nil); err != nil { // links may need the filled signals
			return nil, err
		}
	}
	filled, err := s.prepare(form)
	if err != nil {
		return nil, err
	}
	scaled := r.scale(s, form)
	frames := s.frames(o.Frames)
	form.Frames = frames.Count
	signal := func(i int, dst []float32) { form.Resample(s.samples[i].Recording, dst) }
	links, from, err := r.links(s, frames.Count, signal)
	if err != nil {
		return nil, err
	}
	if fill {
		if form.Fill, err = s.fill(raw, links); err != nil {
			return nil, err
		}
	}
	if filled.Means > 0 { // once more, by the neighbours that are known now
		copy(s.samples, raw)
		if _, err = s.prepare(form); err != nil {
			return nil, err
		}
	}
	graph, err := s.spaceTime(links, frames.Count)
	if err != nil {
		return nil, err
	}
	parts, partOf, err := r.readParts(r.Parts, s)
	if err != nil {
		return nil, err
	}
	result := &Result{File: out, Samples: len(s.samples), Classes: classes, Sensors: s.sensors, Frames: frames,
		Channels: s.channels, Scale: scaled, Parts: parts, Filled: filled, Nodes: graph.N(), Edges: graph.Edges(), Graph: from,
		Training: len(s.training()), ReadAs: s.as, SplitBy: s.by, Groups: s.groups(), Notes: append([]string{}, r.notes...)}
	result.Test = result.Samples - result.Training
	return result, r.write(out, s, labels, graph, form, partOf, signal)
}

// Filled counts the values that were missing.
type Filled struct {
	Values  int `json:"values"`  // interpolated in time, or repeated at an end
	Zeros   int `json:"zeros"`   // set to zero, because the sensor has no value in the sample
	Means   int `json:"means"`   // filled by neighbours and means
	Samples int `json:"samples"` // with missing values
	Of      int `json:"of"`      // all values
}

// fill learns what missing values become from the training samples as they were read.
func (s *set) fill(raw []sample, links [][2]int) (*recording.Fill, error) {
	return recording.NewFill(s.sensors, s.channels, links, func(yield func(row []float64)) {
		for _, i := range s.training() {
			for row := range slices.Chunk(raw[i].Values, len(s.sensors)*s.channels) {
				yield(row)
			}
		}
	})
}

// prepare fills the gaps of all samples and subtracts their origin.
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
	}
	return f, nil
}

// spaceTime returns the graph of the signals. Links join sensors of a frame, and each sensor is joined to itself in the
// next frame. A single sensor is joined to the two frames before and after, because neighbourhoods would be too small.
func (s *set) spaceTime(links [][2]int, frames int) (*affinity.Matrix, error) {
	if len(s.sensors) > 1 {
		return affinity.SpaceTime(links, len(s.sensors), frames)
	}
	var edges []affinity.Edge
	for frame := range frames {
		for next := frame + 1; next <= min(frame+2, frames-1); next++ {
			edges = append(edges, affinity.Edge{I: frame, J: next, Weight: 1})
		}
	}
	return affinity.New(frames, edges)
}

// write writes the arrays that package datasets reads.
func (r *reading) write(path string, s *set, labels []int32, graph *affinity.Matrix, form *recording.Form,
	parts []int32,
	signal func(i int, dst []float32),
) error {
	carried, err := json.Marshal(form)
	if err != nil {
		return err
	}
	edges := graph.EdgeList() // each once, all of weight 1
	ends := make([]int32, 0, 2*len(edges))
	for _, edge := range edges {
		ends = append(ends, int32(edge.I), int32(edge.J))
	}
	names := s.sensors
	onMap := r.places != nil && form.Frames == 1
	if !onMap {
		names = make([]string, 0, graph.N())
		for frame := range form.Frames {
			for _, sensor := range s.sensors {
				names = append(names, fmt.Sprintf("%s@%d", sensor, frame))
			}
		}
	}
	arrays := []npz.Named{
		{Name: "labels", Array: list(labels)},
		{Name: "class_names", Array: list(s.classes)},
		{Name: "edges", Array: &npz.Array{Shape: []int{len(edges), 2}, Data: ends}},
		{Name: "node_names", Array: list(names)},
		{Name: "sample_names", Array: list(s.names())},
		{Name: "recording", Array: list([]string{string(carried)})},
	}
	if !onMap { // pictures of one moment are drawn by coordinates
		arrays = append(arrays, npz.Named{Name: "grid", Array: list([]int32{int32(form.Frames), int32(len(s.sensors))})})
	}
	if r.places != nil {
		plan, dims := r.places.plan(s.sensors)
		arrays = append(arrays, npz.Named{Name: "coordinates",
			Array: &npz.Array{Shape: []int{graph.N(), dims}, Data: slices.Repeat(plan, form.Frames)}})
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
	return npz.WriteArchive(path, func(w *npz.Writer) error {
		for _, a := range arrays {
			if err := w.Array(a.Name, a.Array); err != nil {
				return err
			}
		}
		return w.Rows("features", []int{len(s.samples), graph.N(), s.channels}, func(i int, row []float32) error {
			signal(i, row)
			return r.tell("writing "+path, float64(i+1)/float64(len(s.samples)))
		})
	})
}

// list returns an array of one dimension.
func list[T any](values []T) *npz.Array { return &npz.Array{Shape: []int{len(values)}, Data: values} }
