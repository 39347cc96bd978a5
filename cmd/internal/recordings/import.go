package recordings

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/clusterpool/ccp/ccp/affinity"
)

// Forms of input.
const (
	TS      = "ts"      // one or two .ts files, or the folder that holds them
	Folders = "folders" // a folder with a folder of recordings for each class
	Long    = "long"    // a CSV with a line for each reading
)

// Options say how to read and what to make. The zero value suits files that say all by themselves.
type Options struct {
	Format string // a form of input; "" finds it out
	Frames int    // moments of a signal; 0 takes those of the samples
	Zeros  bool   // a sensor without any value in a sample becomes zeros, and is no error

	Links      string // a CSV of pairs of sensors
	Positions  string // a CSV of places of sensors
	Parts      string // a CSV of sensors and their parts of a body
	Bodies     int    // with Parts, how many bodies' x, y and z are the first channels; 0 where they are no places in space
	Neighbours int    // nearest ones that each sensor is joined to by its place
	Origin     string // the sensor whose first value is taken from all, in each channel
	Scale      bool   // each sensor's channels are scaled by themselves

	Test  string // a pattern of the names of the samples to test on
	Group string // a regular expression whose brackets hold the group in a sample's name, or a column of a long CSV

	Columns []string // of a long CSV: sample, time, sensor and one or more values
	Label   string   // its column of classes
	Labels  string   // or a CSV of samples and classes

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
	ctx   context.Context
	notes []string
}

// tell reports progress, and ends the import when its context ends.
func (r *reading) tell(doing string, done float64) error {
	if r.ctx.Err() != nil {
		return context.Cause(r.ctx)
	}
	if r.Progress != nil {
		r.Progress(doing, done)
	}
	return nil
}

// note keeps what a person should know for the end.
func (r *reading) note(format string, values ...any) {
	r.notes = append(r.notes, fmt.Sprintf(format, values...))
}

// Import reads recordings and writes them to the .npz file out, which appears whole or not at all. Errors name the file, the line or
// column, the value, and say what to do.
func Import(ctx context.Context, inputs []string, out string, o Options) (*Result, error) {
	r := &reading{Options: o, ctx: ctx}
	s, err := r.read(inputs)
	if err != nil {
		return nil, err
	}
	labels, without, err := s.number()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", inputs[0], err)
	}
	if without != nil {
		r.note("no sample is of class %s, which the data declares; left out", strings.Join(without, ", "))
	}
	filled, err := s.fill(o.Zeros)
	if err != nil {
		return nil, err
	}
	if err := s.shift(o.Origin); err != nil {
		return nil, err
	}
	if note := s.scale(o.Scale); note != "" {
		r.note("%s", note)
	}
	frames := s.frames(o.Frames)
	signal := func(i int, dst []float32) { s.resample(i, frames.Count, dst) }
	links, from, err := r.links(s, frames.Count, signal)
	if err != nil {
		return nil, err
	}
	graph, err := s.spaceTime(links, frames.Count)
	if err != nil {
		return nil, err
	}
	var parts []Part
	var partOf []int32
	if o.Parts != "" {
		if o.Scale {
			return nil, fmt.Errorf("--scale would bend the body that --parts %s is of; leave one of them out", o.Parts)
		}
		if 3*o.Bodies > s.channels {
			return nil, fmt.Errorf("--bodies %d: each has x, y and z, and there are %d channels; --bodies 0 says that they are no places in space", o.Bodies, s.channels)
		}
		if parts, partOf, err = readParts(o.Parts, s.sensors); err != nil {
			return nil, err
		}
	}
	result := &Result{File: out, Samples: len(s.samples), Sensors: s.sensors, Frames: frames, Channels: s.channels, Parts: parts, Filled: filled,
		Nodes: graph.N(), Edges: graph.Edges(), Graph: from, Training: len(s.training()), Groups: s.groups(), Notes: append([]string{}, r.notes...)}
	result.Test = result.Samples - result.Training
	for class, name := range s.classes {
		count := 0
		for _, label := range labels {
			if int(label) == class {
				count++
			}
		}
		result.Classes = append(result.Classes, Class{name, count})
	}
	if s.split {
		result.SplitBy = s.by
	}
	return result, r.write(out, s, labels, graph, frames.Count, partOf, signal)
}

// read reads whatever form of input there is, and marks tests and groups by the names of the samples.
func (r *reading) read(inputs []string) (*set, error) {
	format, paths, err := detect(r.Format, inputs)
	if err == nil {
		err = r.fits(format)
	}
	if err != nil {
		return nil, err
	}
	var s *set
	switch format {
	case TS:
		s, err = r.readTSFiles(paths)
	case Folders:
		s, err = r.readFolders(paths[0])
	case Long:
		s, err = r.readLong(paths[0])
	}
	if err != nil {
		return nil, err
	}
	if err := cmp.Or(s.mark(r.Test), s.group(r.Group)); err != nil {
		return nil, err
	}
	return s, s.several(r.Group)
}

// fits refuses options that another form of input takes.
func (r *reading) fits(format string) error {
	for _, option := range []struct {
		name  string
		given bool
		by    []string
	}{
		{"columns", r.Columns != nil, []string{Long}},
		{"label", r.Label != "", []string{Long}},
		{"labels", r.Labels != "", []string{Long}},
		{"test", r.Test != "", []string{Folders, Long}},
		{"group", r.Group != "", []string{Folders, Long}},
	} {
		if option.given && !slices.Contains(option.by, format) {
			return fmt.Errorf("--%s is for the format %s, this is %s; leave it out", option.name, strings.Join(option.by, " or "), format)
		}
	}
	return nil
}

// shift takes the first value of a sensor from all sensors, channel by channel: where the recording was made says nothing.
func (s *set) shift(origin string) error {
	if origin == "" {
		return nil
	}
	sensor := slices.Index(s.sensors, origin)
	if sensor < 0 {
		return fmt.Errorf("--origin %q is not one of the sensors: %s", origin, few(s.sensors))
	}
	for i := range s.samples {
		values := s.samples[i].values
		first := slices.Clone(values[sensor*s.channels : (sensor+1)*s.channels])
		for at := range values {
			values[at] -= first[at%s.channels]
		}
	}
	return nil
}

// spaceTime is the graph of the signals: sensors of one frame are joined by links, each sensor with itself in the next frame. One sensor
// alone is joined to the two frames before and the two after, so that a neighbourhood is more than a line's two.
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
