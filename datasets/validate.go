package datasets

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

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
	return separate(errors.Join(d.checkLabels(least), d.checkSplits(), d.checkValues(), d.Info.Check()))
}

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
	if _, _, weights := d.Affinity.CSR(); len(weights) > 0 && slices.Max(weights) > math.MaxFloat32 {
		return fmt.Errorf("the graph has an edge of weight %g, which is beyond float32; scale the weights down",
			slices.Max(weights))
	}
	return nil
}

func (d *Dataset) checkSplits() error {
	owner := make([]string, d.Signals.Len())
	for _, split := range d.Split.named() {
		if len(split.indices) == 0 && split.name != "validation" && (!d.whole(len(owner)) || split.name != "train") {
			return fmt.Errorf("the %s split is empty; give more samples, or mark some for it", split.name)
		}
		for at, i := range split.indices {
			if i < 0 || i >= len(owner) {
				return fmt.Errorf("%s[%d] is sample %d, outside 0 to %d", split.name, at, i, len(owner)-1)
			}
			if owner[i] != "" {
				return fmt.Errorf("%s[%d] is sample %d, which is already in %s", split.name, at, i, owner[i])
			}
			owner[i] = split.name
		}
	}
	return nil
}

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
