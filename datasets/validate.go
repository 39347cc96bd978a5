package datasets

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/clusterpool/ccp/datasets/internal/images"
	"github.com/clusterpool/ccp/datasets/internal/newsgroups"
	"github.com/clusterpool/ccp/datasets/internal/skeleton"
)

// finish computes the parts that a loader leaves to Load, adds the warnings and returns all errors.
func (d *Dataset) finish(opts Options) []error {
	if d.Series != nil && d.sensors == nil && len(d.Labels) == len(d.Series) {
		if err := d.overFrames(opts); err != nil {
			return []error{err}
		}
	}
	if d.Mean == nil {
		d.standardise()
	}
	if opts.Augment && d.Augment == nil {
		d.warn("no augmentation is known for %s: its samples are used as they are", d.Name)
	}
	errs := d.errors()
	if len(errs) == 0 {
		d.warnOddities()
	}
	return errs
}

// finished returns the data set if finish finds no error in it.
func (d *Dataset) finished(opts Options) (*Dataset, error) {
	if err := d.first(d.finish(opts)); err != nil {
		return nil, err
	}
	return d, nil
}

// Validate checks that the parts of the data set fit together:
//   - lengths, labels in range, at least two classes;
//   - splits that do not overlap; only the validation split may be empty;
//   - a graph over the same number of nodes;
//   - usable means and deviations, finite values.
//
// The error names the first thing found wrong, where it is and its value.
func (d *Dataset) Validate() error {
	return d.first(d.errors())
}

// first returns the first of some errors, with the name of the data set; nil if there are none.
func (d *Dataset) first(errs []error) error {
	if len(errs) == 0 {
		return nil
	}
	return fmt.Errorf("data set %s: %w", d.Name, errs[0])
}

// errors returns all errors that Validate finds. Without a valid shape nothing else can be checked.
func (d *Dataset) errors() []error {
	if err := d.checkShape(); err != nil {
		return []error{err}
	}
	return separate(errors.Join(d.checkLabels(), d.checkSplits(), d.checkValues(), d.Info.Check()))
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

func (d *Dataset) checkLabels() error {
	if len(d.Labels) != d.Signals.Len() {
		return fmt.Errorf("%d labels for %d samples", len(d.Labels), d.Signals.Len())
	}
	if d.Groups != nil && len(d.Groups) != d.Signals.Len() {
		return fmt.Errorf("%d groups for %d samples", len(d.Groups), d.Signals.Len())
	}
	if d.SampleNames != nil && len(d.SampleNames) != d.Signals.Len() {
		return fmt.Errorf("%d names of samples for %d samples", len(d.SampleNames), d.Signals.Len())
	}
	if d.Classes() < 2 && !d.whole {
		return fmt.Errorf("labels name %d class: a classifier needs at least 2", d.Classes())
	}
	for i, label := range d.Labels {
		if label < 0 || int(label) >= d.Classes() {
			return fmt.Errorf("labels[%d] is %d, outside 0 to %d", i, label, d.Classes()-1)
		}
	}
	return nil
}

func (d *Dataset) checkSplits() error {
	owner := make([]string, d.Signals.Len())
	for _, split := range d.splits() {
		if len(split.indices) == 0 && split.name != "validation" && (!d.whole || split.name != "train") {
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
	switch d.Signals.(type) {
	case *images.Bytes, *skeleton.Signals, *newsgroups.Bags, *framed:
		return nil // finite by the way they are made
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

// finite reports whether a value is neither NaN nor infinite: their difference from themselves is NaN.
func finite(value float64) bool { return value-value == 0 }

// separate lists joined errors in order.
func separate(err error) []error {
	joined, ok := err.(interface{ Unwrap() []error })
	switch {
	case err == nil:
		return nil
	case !ok:
		return []error{err}
	}
	var out []error
	for _, one := range joined.Unwrap() {
		out = append(out, separate(one)...)
	}
	return out
}

// ChannelStats returns the mean and the standard deviation (divisor n) of each channel of the raw values of the given
// samples, over all their nodes. A constant channel has a deviation of exactly 0. Without samples both are 0.
func (d *Dataset) ChannelStats(indices []int) (mean, std []float32) {
	return d.stats(indices, d.Channels)
}

// stats returns what ChannelStats does for every width-th value: those of a channel, or of a sensor's channel.
func (d *Dataset) stats(indices []int, width int) (mean, std []float32) {
	mean, std = make([]float32, width), make([]float32, width)
	if len(indices) == 0 || d.Nodes == 0 {
		return mean, std
	}
	count := 0.0
	each := func(visit func(at int, value float64)) {
		count = 0
		for sample := range d.Raws(indices) {
			for j, value := range sample {
				visit(j%width, float64(value))
			}
			count += float64(len(sample) / width)
		}
	}
	// Two passes keep the deviation exact if the mean is much larger. A constant channel has a deviation of exactly 0:
	// the float64 sum of up to 2^29 equal float32 values is exact.
	centre, squares := make([]float64, width), make([]float64, width)
	each(func(at int, value float64) { centre[at] += value })
	for at := range centre {
		centre[at] /= count
	}
	each(func(at int, value float64) {
		difference := value - centre[at]
		squares[at] += difference * difference
	})
	for at := range mean {
		mean[at] = float32(centre[at])
		std[at] = float32(math.Sqrt(squares[at] / count))
	}
	return mean, std
}

// standardise sets Mean and Std from the training samples: by channel or, if the import says so, by sensor. It warns of
// a constant channel and sets its deviation to 1; its input is then 0. A body keeps its shape: the positions of its
// joints have one deviation for all axes, that of the axes that vary.
func (d *Dataset) standardise() {
	width := d.Channels
	if d.Form != nil && d.Form.Alone() {
		width *= len(d.Form.Sensors)
	}
	d.Mean, d.Std = d.stats(d.Train, width)
	deviations := d.Std[:0]
	if n := 3 * d.Bodies; n <= d.Channels && width == d.Channels {
		deviations = d.Std[:n]
	}
	vary := slices.DeleteFunc(slices.Clone(deviations), func(std float32) bool { return std == 0 })
	for at, std := range d.Std {
		if std == 0 {
			d.Std[at] = 1
			if len(d.Train) > 0 {
				d.warn("%s is constant (%g) over the training samples and tells nothing", d.Column(at, len(d.Mean)), d.Mean[at])
			}
		}
	}
	square := 0.0
	for _, std := range vary {
		square += float64(std) * float64(std) / float64(len(vary))
	}
	for channel := range deviations {
		deviations[channel] = cmp.Or(float32(math.Sqrt(square)), 1)
	}
}
