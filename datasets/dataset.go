// Package datasets loads labelled signals on one fixed graph.
//
// A source brings [Raw] samples, and a label for each. A [Split] lists the samples of the training, of the validation
// and of the test. [Make] joins both to a [Dataset]. It computes from the training samples alone what normalises all
// samples, such as their mean and standard deviation. To test on another fold, call Make with another split.
//
// [Load] reads a source by its name, or an .npz file by its path, and calls Make. [New] does so with samples in memory.
// [Dataset.Batches] feeds a split to a GoMLX trainer.
//
// The digits are embedded. [Register] adds a source: what it is, where it is published, and how its files are read.
package datasets

import (
	"errors"
	"fmt"
	"slices"

	"github.com/clusterpool/ccp/ccp/affinity"
)

// Dataset is a set of labelled signals on one fixed graph: raw samples, how they are split, and what [Make] has learned
// from the training samples: Mean, Std and Form, and its own fields. Make does not look at these: to keep other values
// when validation samples are held out, change Scale, Graph and Coordinates of Raw.
type Dataset struct {
	Raw
	Split
	// Affinity is the raw graph over the nodes: symmetric, not negative, not normalised.
	Affinity *affinity.Matrix
	// Coordinates `[nodes, d]`, row-major, are the nodes' positions in pictures and for directed slots; nil if there
	// are none.
	Coordinates []float64
	// Notes and Warnings are those of Raw, followed by those of Make.
	Notes, Warnings []string

	learned *affinity.Matrix // the graph that Make made of the training samples; nil if it made none
	hashed  *hashes          // of the samples; nil if the data set was made by hand
	known   []stats          // of the training samples, while Make needs them; nil: not found yet
}

// Sample writes sample i, normalised by Mean and Std, to dst, `[nodes, channels]` row-major. It is safe for
// concurrent use.
func (d *Dataset) Sample(i int, dst []float32) {
	d.Signals.Read(i, dst)
	d.Normalize(dst, dst)
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

// Validate checks that the parts of the data set fit together:
//   - lengths, labels in range, at least two classes;
//   - splits that do not overlap; only the validation split may be empty;
//   - a graph over the same number of nodes;
//   - usable means and deviations, finite values.
//
// The error names the first thing found wrong, where it is and its value.
func (d *Dataset) Validate() error {
	return named(d.Name, d.errors())
}

// errors returns all errors that Validate finds. Without a valid shape nothing else can be checked.
func (d *Dataset) errors() []error {
	if err := d.checkShape(); err != nil {
		return []error{err}
	}
	least := 2
	if d.whole(len(d.Labels)) {
		least = 1
	}
	wrong := errors.Join(d.checkLabels(least), d.checkSplits(), d.checkValues())
	if wrong == nil { // else there are no means yet
		wrong = d.Info.Check()
	}
	return separate(wrong)
}

// checkShape returns an error if there are no samples, or if samples, nodes and graph do not go together.
func (d *Dataset) checkShape() error {
	switch {
	case len(d.Name) < 3:
		return fmt.Errorf("name %q has fewer than 3 characters; GoMLX needs 3", d.Name)
	case d.Nodes < 1 || d.Channels < 1:
		return fmt.Errorf("%d nodes and %d channels: both must be at least 1", d.Nodes, d.Channels)
	case d.Signals == nil || d.Signals.Len() == 0:
		return errors.New("no samples")
	case d.Affinity == nil:
		return errors.New("no graph")
	case d.Affinity.N() != d.Nodes:
		return fmt.Errorf("the graph has %d nodes, the samples have %d", d.Affinity.N(), d.Nodes)
	}
	return checkUnit(d.Affinity)
}

// The heaviest edge of a graph weighs at least leastWeight and at most mostWeight, or sums and quotients of weights
// would leave what a float64 holds in full.
const leastWeight, mostWeight = 1e-300, 1e300

// checkUnit returns an error if a graph's weights are too large or too small to be computed with.
func checkUnit(graph *affinity.Matrix) error {
	_, _, weights := graph.WithoutLoops().CSR()
	if len(weights) == 0 {
		return nil
	}
	if heaviest := slices.Max(weights); heaviest < leastWeight || heaviest > mostWeight {
		return fmt.Errorf("the heaviest edge of the graph weighs %g, outside %g to %g; multiply all weights by one number "+
			"(their unit changes nothing)", heaviest, leastWeight, mostWeight)
	}
	return nil
}

// checkSplits returns an error if a split has a sample that there is not, or one of another split, or if it is empty.
// Only validation may be empty, and train if all samples are the test.
func (d *Dataset) checkSplits() error {
	owner := make([]uint8, d.Signals.Len()) // the number of the split of each sample, counted from 1
	for part, split := range d.Split.named() {
		mayBeEmpty := split.name == "validation" || split.name == "test" && d.NoTest ||
			split.name == "train" && d.whole(len(owner))
		if len(split.indices) == 0 && !mayBeEmpty {
			return fmt.Errorf("the %s split is empty; give more samples, or mark some for it", split.name)
		}
		for at, i := range split.indices {
			if i < 0 || i >= len(owner) {
				return fmt.Errorf("%s[%d] is sample %d, outside 0 to %d", split.name, at, i, len(owner)-1)
			}
			if before := owner[i]; before > 0 {
				return fmt.Errorf("%s[%d] is sample %d, which is already in %s", split.name, at, i,
					d.Split.named()[before-1].name)
			}
			owner[i] = uint8(part + 1)
		}
	}
	return nil
}

// checkValues returns an error if a value is not finite. Series have been looked at when they were read.
func (d *Dataset) checkValues() error {
	if d.Finite || d.Series != nil {
		return nil
	}
	sample := make([]float32, d.Nodes*d.Channels)
	for i := range d.Signals.Len() {
		d.Signals.Read(i, sample)
		for j, value := range sample {
			if !finite(float64(value)) {
				return fmt.Errorf("sample %d, node %d, channel %d is %g; replace or remove it",
					i, j/d.Channels, j%d.Channels, value)
			}
		}
	}
	return nil
}

// named returns the first of some errors, with the name of the data set; nil if there are none.
func named(name string, errs []error) error {
	if len(errs) == 0 {
		return nil
	}
	return fmt.Errorf("data set %s: %w", name, errs[0])
}

// OnRandomGraph returns the data set on a random connected graph with as many edges, drawn from the seed. It has no
// coordinates and no directed links: these are of the data's graph.
func (d *Dataset) OnRandomGraph(seed int64) (*Dataset, error) {
	var err error
	other := *d
	other.Coordinates, other.Directed = nil, nil
	other.Affinity, err = affinity.RandomConnected(d.Affinity.N(), d.Affinity.Edges(), uint64(seed))
	if err != nil {
		return nil, err
	}
	other.Arrange(other.Affinity)
	return &other, nil
}
