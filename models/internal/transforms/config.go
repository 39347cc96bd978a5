package transforms

import (
	"errors"
	"fmt"
	"slices"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/datasets/signal"
	"github.com/clusterpool/ccp/models/internal/layout"
	"github.com/clusterpool/ccp/models/internal/transforms/features"
	"github.com/gomlx/compute"
)

// Sample is a recording for a fit.
type Sample struct {
	Values []float32 // `[timepoints, columns]`; recordings may differ in length. NaN counts as the column's mean
	Label  int32
	Group  string // the samples of a group are held out together; "" is a group of its own

	part int // of the samples, see fit.relink
}

// For returns what a fit on the data needs to know of them, for the transforms that the option asks for. Signals on a
// graph of frames times sensors are series, as recordings are, if their grid says so.
func For(data *signal.Info, graph *affinity.Matrix, option string) (Config, error) {
	some, err := Parse(option)
	c := Config{Columns: data.Nodes * data.Channels, Channels: data.Channels, Classes: data.Classes(), Table: true, Only: some,
		Links: graph}
	l := layout.Layout{}
	if f := data.Form; f != nil {
		l = layout.Layout{Frames: f.Frames, Sensors: len(f.Sensors)}
		c.Table = f.Longest == 1
	} else if l = layout.Of(graph, data.Grid); l.Frames > 0 {
		c.Table = false
		if l.SensorWise {
			c.Turned = l.Frames
		}
	}
	if l.Frames > 0 {
		c.Columns, c.Frames, c.Links = l.Sensors*data.Channels, min(l.Frames, features.MostFrames), l.Links(graph)
	}
	return c, err
}

// Config of a fit.
type Config struct {
	Columns, Classes int
	Lone             bool             // no class has samples of two groups, so that the others tell nothing of a held-out one
	Channels         int              // of a sensor or node; a time point has those of each side by side
	Table            bool             // samples are rows of a table, or signals on a graph: one time point each
	Turned           int              // frames, if a sample is `[sensors, frames, channels]`; else 0
	Links            *affinity.Matrix // of the sensors or nodes; nil: unknown
	// Relink returns the links as some of the samples alone would give them; nil if Links do not follow from samples. A
	// sample that helped to link sensors looks smoother along their links than a new one, so that it is averaged along
	// the links of others.
	Relink  func(some []int) (*affinity.Matrix, error)
	Frames  int // that the transform values has of a recording; 0: the median length
	Held    Held
	Only    []string // names of the transforms to use; nil means those that suit the samples
	Seed    uint64
	Backend compute.Backend // sums squares
}

// Memory is about how many bytes Fit takes beside the samples. It holds the features twice, and six matrices of all
// samples, or of the features if these are fewer; before, while the forest grows, once and what the forest reads.
// Half as much waits to be collected.
func (c Config) Memory(samples []Sample) int {
	f, err := c.begin(samples)
	if err != nil {
		return 0
	}
	width, n := 0, len(f.used)
	for _, v := range f.classifier.transforms {
		width += v.Width()
	}
	side := n
	if !f.dual {
		side = width
	}
	more := 4*n*width + 48*side*side
	if m := f.classifier.forest; m != nil {
		more = max(more, 4*n*m.width)
	}
	return (4*n*width + more) * 3 / 2
}

// ErrTooFew says that samples are too few, of too few classes or groups, for a fit.
var ErrTooFew = errors.New("too few samples")

// few is an ErrTooFew with a sentence of its own.
type few string

func (f few) Error() string { return string(f) }

// Is reports whether the error is ErrTooFew.
func (f few) Is(target error) bool { return target == ErrTooFew }

// check returns an error that names the first bad sample, or an ErrTooFew. Parse has looked at the names of transforms,
// and the data set at labels.
func (c Config) check(samples []Sample) error {
	classes, groups := map[int32]bool{}, len(groupsOf(samples))
	for i, s := range samples {
		bad := slices.IndexFunc(s.Values, func(x float32) bool { return !finite(x) && x == x })
		switch n := len(s.Values); {
		case n == 0 || n%c.Columns != 0:
			return fmt.Errorf("transforms: sample %d has %d values, which is no multiple of %d columns", i, n, c.Columns)
		case c.Table && n != c.Columns:
			return fmt.Errorf("transforms: sample %d has %d values; a row of the table has %d", i, n, c.Columns)
		case bad >= 0:
			return fmt.Errorf("transforms: sample %d: value %d is infinite; make it NaN if it is unknown", i, bad)
		}
		classes[s.Label] = true
	}
	switch {
	case len(classes) < 2:
		return few(fmt.Sprintf("%d training samples of %d class; a fit needs two classes", len(samples), len(classes)))
	case groups < 2:
		return few(fmt.Sprintf("transforms: all %d samples are of one group; to hold one out takes two", len(samples)))
	}
	return nil
}
