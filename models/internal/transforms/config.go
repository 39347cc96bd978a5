package transforms

import (
	"errors"
	"fmt"
	"slices"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/datasets/signal"
	"github.com/clusterpool/ccp/models/internal/transforms/features"
	"github.com/gomlx/compute"
)

// Sample is a recording for a fit.
type Sample struct {
	Values []float32 // `[timepoints, columns]`; recordings may differ in length. NaN counts as the column's mean
	Label  int32
	Group  string // the samples of a group are held out together; a sample without one is held out singly
	// Families names samples that may belong together, once for each way in which they may; "" where one is alone. Nothing
	// is chosen by it: it only tells what that would cost, see HeldOut.
	Families []string
}

// For returns the Config of a fit to a data set, with the transforms that the option asks for. Recordings are series,
// and so are signals whose nodes are, as Layout of the data states, sensors at successive frames. All other samples
// are rows of a table. graph is that of the nodes. The error is Parse's, and all but Only is right in spite of it.
func For(data *signal.Info, graph *affinity.Matrix, option string) (Config, error) {
	some, err := Parse(option)
	c := Config{
		Columns:  data.Nodes * data.Channels,
		Channels: data.Channels,
		Classes:  data.Classes(),
		Table:    true,
		Only:     some,
		Links:    graph,
	}
	l := data.Layout
	if !l.InTime() {
		c.Guess = l
		return c, err
	}
	c.Table = data.Form != nil && data.Form.Longest == 1
	if l.SensorWise {
		c.Turned = l.Frames
	}
	c.Columns = l.Sensors * data.Channels
	c.Frames = min(l.Frames, features.MostFrames)
	c.Links = l.Links(graph)
	return c, err
}

// Config says what a fit is to do, and what it cannot find out from the samples.
type Config struct {
	Columns, Classes int
	// Lone says that no class has samples of two groups. No held-out sample can then choose anything, because the others
	// tell nothing of its class.
	Lone     bool
	Channels int              // of a sensor or node; a time point has those of each side by side
	Table    bool             // samples are rows of a table, or signals on a graph: one time point each
	Turned   int              // frames, if a sample is `[sensors, frames, channels]`; else 0
	Links    *affinity.Matrix // of the sensors or nodes; nil: unknown
	Directed [][2]int         // links that lead one way; see features.Shape
	Heights  [][]float32      // of the sensors or nodes in each direction; see features.Shape
	Placed   bool             // heights are places; see features.Shape
	Guess    affinity.Layout  // of the nodes of a table, if their links look like sensors at frames
	// Relink returns the links as some of the samples alone would give them; nil if Links do not follow from samples. A
	// sample that helped to link sensors looks smoother along their links than a new one, so that it is averaged along
	// the links of others.
	Relink func(some []int) (*affinity.Matrix, error)
	Frames int  // that the transform values has of a recording; 0: the median length
	Held   Held // samples by which transforms are judged
	// InTurn asks what the members say of the samples that they are fitted to, see HeldOut.Readings.
	InTurn bool
	Only   []string // names of the transforms to use; nil means those that suit the samples
	Seed   uint64   // of all random draws
	// Compact makes a small classifier, for one of which there are many: few transforms of few features that one ridge
	// classifier reads. Only has no part in it.
	Compact bool
	Backend compute.Backend // multiplies matrices
	// Scratch is a folder for the features of many samples while they are fitted; "" is the system's for temporary files.
	Scratch string
}

// ErrAlike says that the samples have the same features in every transform.
var ErrAlike = errors.New("have the same features in every transform")

// ErrTooFew says that samples are too few, of too few classes or groups, for a fit.
var ErrTooFew = errors.New("too few samples")

// tooFewError is an ErrTooFew with a sentence of its own.
type tooFewError string

// Error returns the sentence.
func (e tooFewError) Error() string { return string(e) }

// Is reports whether the target is ErrTooFew.
func (e tooFewError) Is(target error) bool { return target == ErrTooFew }

// check returns an error that names the first bad sample, or an ErrTooFew. Parse has looked at the names of transforms,
// and the data set at labels.
func (c Config) check(samples []Sample) error {
	classes, groups := map[int32]bool{}, len(groupsOf(samples))
	infinite := func(x float32) bool { return !finite(x) && x == x } // NaN is a value that is missing
	for i, s := range samples {
		n, bad := len(s.Values), slices.IndexFunc(s.Values, infinite)
		switch {
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
		return tooFewError(fmt.Sprintf("%d training samples of %d class; a fit needs two classes",
			len(samples), len(classes)))
	case groups < 2:
		return tooFewError(fmt.Sprintf("transforms: all %d samples are of one group; to hold one out takes two",
			len(samples)))
	}
	return nil
}
