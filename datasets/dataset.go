// Package datasets loads labelled signals on one fixed graph.
//
// [Load] takes the name of a source, or the path of an .npz file, and returns a [Dataset]. This holds
//   - the raw samples `[samples, nodes, channels]`, and a label for each;
//   - the training, validation and test splits;
//   - the affinity of the nodes;
//   - the mean and standard deviation that normalise the samples.
//
// [New] makes a data set of samples in memory. [Dataset.Batches] feeds a split to a GoMLX trainer.
//
// A new source is a line in the table of registry.go. Its file in this package says what the source is and where it is
// published. An internal package reads its files. These packages and package augment know nothing of data sets.
package datasets

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/signal"
)

// Signals holds the raw samples, `[samples, nodes, channels]`, in the smallest form (bytes for images), and converts
// one sample at a time.
type Signals interface {
	// Len returns the number of samples.
	Len() int
	// Read writes sample i to dst, `[nodes, channels]` row-major, in raw units. It is safe for concurrent use.
	Read(i int, dst []float32)
}

// Floats are samples held as float32, `[samples, nodes, channels]` row-major.
type Floats struct {
	Values []float32
	// Size is the number of values of a sample: nodes x channels.
	Size int
}

// Len returns the number of samples.
func (f *Floats) Len() int { return len(f.Values) / max(1, f.Size) }

// Read copies sample i to dst.
func (f *Floats) Read(i int, dst []float32) { copy(dst, f.Values[i*f.Size:(i+1)*f.Size]) }

// Dataset is a set of labelled signals on one fixed graph.
type Dataset struct {
	// Name of the data set, at least 3 characters (GoMLX cuts shorter names badly).
	Name string
	// Info is the shape of the signals, their classes and their statistics over Train, but for Range and Baseline.
	signal.Info
	// Signals are the raw samples. If they are recordings, these are the frames that a network reads.
	Signals Signals
	// Series are the recordings whole, `[timepoints, sensors, channels]` each, at even time points; nil if samples are none.
	Series [][]float32
	// Labels holds a class, 0 to len(ClassNames)-1, for each sample.
	Labels []int32
	// Groups names the group of each sample, such as its subject or its site; nil if there are none. Samples of one
	// group are alike. Drawn splits have whole groups.
	Groups []string
	// SampleNames names each sample, such as its file; nil if samples have no names.
	SampleNames []string
	// Train, Validation and Test hold the indices of their samples. They do not overlap.
	Train, Validation, Test []int
	// Affinity is the raw graph over the nodes: symmetric, not negative, not normalised.
	Affinity *affinity.Matrix
	// Coordinates `[nodes, d]`, row-major, are the nodes' positions in pictures and for directed slots; nil if there
	// are none.
	Coordinates []float64
	// NodeNames names each node, such as its word; nil if nodes have no names.
	NodeNames []string
	// Augment changes a normalised sample, `[nodes, channels]`, in place; nil for none. It is for training samples
	// only.
	Augment func(rng *rand.Rand, sample []float32)
	// Mirror swaps left and right of a raw sample in place, as Augment may; nil for none.
	Mirror func(sample []float32)
	// Provenance says where the data came from, under which licence, and its checksum.
	Provenance string
	// Notes say how the samples were made, such as the counts after each step of a preparation, a line each.
	Notes []string
	// Warnings are the oddities found while loading that do not stop a training, one sentence each.
	Warnings []string

	usual   int              // validation samples that HoldOut holds out if it is told no share
	joined  int              // neighbours of each node in a graph made of Train; 0: the graph is the data's own
	made    *affinity.Matrix // the graph that was made of joined nodes
	whole   bool             // all samples are the test, see Options.Whole
	streams int              // channels of each stream of a published skeleton, see scaleStreams; 0 for other data

	sensors   *affinity.Matrix     // the graph of the sensors of recordings
	positions []float64            // of the sensors, `[sensors, d]`; nil if unknown
	linked    int                  // neighbours of each sensor, if correlations made it; 0: the graph is the data's own
	reframe   func(*Dataset) error // chooses frames, scale and links of recordings by the training samples of another split
}

// Sample writes sample i, normalised by Mean and Std, to dst, `[nodes, channels]` row-major. It is safe for
// concurrent use.
func (d *Dataset) Sample(i int, dst []float32) {
	d.Signals.Read(i, dst)
	d.Normalize(dst, dst)
}

type namedSplit struct {
	name    string
	indices []int
}

// splits lists the three splits in the order of reports.
func (d *Dataset) splits() []namedSplit {
	return []namedSplit{{"train", d.Train}, {"validation", d.Validation}, {"test", d.Test}}
}

// SampleName returns the name of sample i for people, such as its file, or else its number.
func (d *Dataset) SampleName(i int) string {
	if d.SampleNames != nil {
		return d.SampleNames[i]
	}
	return strconv.Itoa(i)
}

// NodeName returns the name of node i for people, such as a word or "head@12". A node without a name is called by its
// place on the grid, or else by its number.
func (d *Dataset) NodeName(i int) string {
	switch {
	case d.NodeNames != nil:
		return d.NodeNames[i]
	case d.Grid != nil:
		return fmt.Sprintf("row %d column %d", i/d.Grid[1], i%d.Grid[1])
	}
	return fmt.Sprintf("node %d", i)
}

// warn appends a warning.
func (d *Dataset) warn(format string, args ...any) {
	if line := fmt.Sprintf(format, args...); !slices.Contains(d.Warnings, line) { // HoldOut finds some again
		d.Warnings = append(d.Warnings, line)
	}
}

// classCounts counts the samples of each class.
func (d *Dataset) classCounts(indices []int) []int {
	counts := make([]int, d.Classes())
	for _, i := range indices {
		counts[d.Labels[i]]++
	}
	return counts
}

// className returns a class as messages show it: its number, and its name if that says more.
func (d *Dataset) className(class int) string {
	if name := d.ClassNames[class]; name != fmt.Sprint(class) {
		return fmt.Sprintf("%d (%s)", class, name)
	}
	return fmt.Sprint(class)
}

// New makes a data set of samples in memory. The features are `[samples, nodes, channels]`, row-major and in raw units.
// Their length gives the number of channels. Classes count from 0. The slices are not copied.
//
// New draws the splits as Load does for an .npz file without any: stratified, by Seed, Validation, HoldOut and Fold. It
// uses no other options. Mean and Std are taken over Train. For your own splits, names or augmentation, set the fields
// of the data set, recompute Mean and Std with [Dataset.ChannelStats], and call [Dataset.Validate].
//
// It is an error if the lengths do not fit together or if Validate fails. The error says what, where and the value.
func New(name string, features []float32, labels []int32, graph *affinity.Matrix, opts Options) (*Dataset, error) {
	if err := opts.check(); err != nil {
		return nil, err
	}
	d := &Dataset{Name: name, Labels: labels, Affinity: graph, Provenance: "made in memory"}
	var err error
	switch {
	case graph == nil:
		err = errors.New("no graph; build one with package affinity")
	case len(labels) == 0 || graph.N() == 0:
		err = fmt.Errorf("%d labels and %d nodes; there must be at least 1 of each", len(labels), graph.N())
	case len(features) == 0 || len(features)%(len(labels)*graph.N()) != 0:
		err = fmt.Errorf("%d features; want samples x nodes x channels, a multiple of %d x %d",
			len(features), len(labels), graph.N())
	case int(slices.Max(labels)) >= len(labels):
		err = fmt.Errorf("label %d is more than the %d samples allow; number the classes from 0",
			slices.Max(labels), len(labels))
	}
	if err != nil {
		return nil, d.first([]error{err})
	}
	size := len(features) / len(labels)
	d.Nodes, d.Channels, d.Signals = graph.N(), size/graph.N(), &Floats{Values: features, Size: size}
	for class := range slices.Max(labels) + 1 {
		d.ClassNames = append(d.ClassNames, strconv.Itoa(int(class)))
	}
	if err = d.checkLabels(); err == nil {
		err = d.drawSplits(opts)
	}
	if err != nil {
		return nil, d.first([]error{err})
	}
	return d.finished(Options{})
}
