package datasets

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"strconv"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/datasets/internal/audit"
	"github.com/clusterpool/ccp/datasets/recording"
	"github.com/clusterpool/ccp/datasets/signal"
	"github.com/clusterpool/ccp/internal/loop"
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

// Bytes are samples held as bytes in records of one size, as image files store them. A raw value is byte / Scale.
type Bytes struct {
	// Records holds the records one after another.
	Records []byte
	// Record is the size of a record in bytes, Skip the number of bytes at its head that are no pixels (a label).
	Record, Skip int
	// Nodes and Channels are the shape of a sample.
	Nodes, Channels int
	// Planar says that a record is `[channels, nodes]`, one plane a channel, and not `[nodes, channels]`.
	Planar bool
	// Scale divides a byte: 255 for pixels in [0, 1], 1 for the bytes themselves.
	Scale float32
}

// Len returns the number of samples.
func (b *Bytes) Len() int { return len(b.Records) / max(1, b.Record) }

// Read writes sample i to dst, `[nodes, channels]`.
func (b *Bytes) Read(i int, dst []float32) {
	start := i*b.Record + b.Skip
	pixels := b.Records[start : start+b.Nodes*b.Channels]
	perNode, perChannel := b.Channels, 1 // how far on in pixels
	if b.Planar {
		perNode, perChannel = 1, b.Nodes
	}
	for node := range b.Nodes {
		for channel := range b.Channels {
			dst[node*b.Channels+channel] = float32(pixels[node*perNode+channel*perChannel]) / b.Scale
		}
	}
}

// Raw is what a source brings: labelled samples, of which nothing has been learned yet. [Make] makes a data set of it.
type Raw struct {
	// Name of the data set, at least 3 characters (GoMLX cuts shorter names badly).
	Name string
	// Info is the shape of the signals and their classes. Make sets its statistics, and Form, Nodes, Grid and Channels of
	// recordings.
	signal.Info
	// Signals are the raw samples. If they are recordings, Make sets them to the frames that a network reads. Finite says
	// that they are finite by the way they are made, and need no check.
	Signals Signals
	Finite  bool
	// Series are the recordings whole, `[timepoints, sensors, channels]` each, at even time points; nil if samples are
	// none.
	Series [][]float32
	// Recorded says how recordings became series; nil if samples are none. Frames of 0 are the median length of the
	// training samples, at most 256. Lengths and Scale follow from the training samples, too, unless they are there.
	Recorded *recording.Form
	// Labels holds a class, 0 to len(ClassNames)-1, for each sample.
	Labels []int32
	// Groups names the group of each sample, such as its subject or its site; nil if there are none. Samples of one
	// group are alike. Drawn splits have whole groups.
	Groups []string
	// Stretches are the parts of one class of the recordings that samples are windows of, recording by recording in their
	// order, and Windows says where each sample was cut; nil if samples are no windows.
	Stretches []Stretch
	Windows   []Window
	// SampleNames names each sample, such as its file; nil if samples have no names.
	SampleNames []string
	// SampleNotes are what a person should know of each recording, such as times in another unit; nil if there is nothing.
	SampleNotes [][]string
	// Unread says why series are not those of whole recordings, see ReadSeries; nil if all are.
	Unread []*recording.Unread
	// Graph is the raw graph over the nodes, or over the sensors of recordings: symmetric, not negative, not normalised.
	// If it is nil, Make joins each of the nodes to the KNN nearest by the training samples, and sensors by correlations.
	Graph *affinity.Matrix
	KNN   int
	// Directed are links of the graph, each from a node or sensor to another, that lead this way and not back; nil if the
	// source gives links no direction. The graph has them without.
	Directed [][2]int
	// Coordinates `[nodes, d]`, row-major, are the positions of nodes or sensors in pictures and for directed slots; nil
	// if there are none.
	Coordinates []float64
	// Augment changes a normalised sample, `[nodes, channels]`, in place. It is for training samples only. nil is none, or
	// for recordings in several frames the usual change of windows, factors and cuts.
	Augment func(rng *rand.Rand, sample []float32)
	// Mirror swaps left and right of a raw sample in place, as Augment may; nil for none.
	Mirror func(sample []float32)
	// Scale returns Mean and Std if the protocol of the source fixes how they are taken; nil: over the training samples,
	// by channel or sensor.
	Scale func(r *Raw, train []int) (mean, std []float32)
	// Split is the source's own split; nil if it has none. HeldOut is the usual number of validation samples if the source
	// says so; 0: an eighth of the training samples; below 0: none.
	Split   *Split
	HeldOut int
	// Provenance says where the data came from, under which licence, and its checksum.
	Provenance string
	// Notes say how the samples were made, such as the counts after each step of a preparation, a line each.
	Notes []string
	// Warnings are the oddities found while loading that do not stop a training, one sentence each.
	Warnings []string

	families *families             // of samples without groups; nil if none were looked for
	fromOne  bool                  // the edges of a file begin with node 1, as if nodes were counted from 1
	asRead   []audit.AsRead        // what an import saw of each recording before it made a series of it; nil: unknown
	made     map[int]*audit.Making // how some recordings were made, by their values before gaps were filled; nil: by these
}

// Input returns sample i as a classifier takes it, in raw units: a recording whole, `[timepoints, sensors, channels]`,
// or a signal `[nodes, channels]`. buffer has room for a signal. The caller does not change what it gets.
func (r *Raw) Input(i int, buffer []float32) []float32 {
	if r.Series != nil {
		return r.Series[i]
	}
	r.Signals.Read(i, buffer)
	return buffer
}

// Inputs goes over samples as Input returns them. A signal is valid until the next.
func (r *Raw) Inputs(indices []int) iter.Seq[[]float32] {
	return func(yield func([]float32) bool) {
		buffer := make([]float32, r.Nodes*r.Channels)
		for _, i := range indices {
			if !yield(r.Input(i, buffer)) {
				return
			}
		}
	}
}

// Group returns the group of sample i; "" if there are no groups.
func (r *Raw) Group(i int) string {
	if r.Groups == nil {
		return ""
	}
	return r.Groups[i]
}

// SampleName returns the name of sample i for people, such as its file, or else its number.
func (r *Raw) SampleName(i int) string {
	if r.SampleNames != nil {
		return r.SampleNames[i]
	}
	return strconv.Itoa(i)
}

// HoldOut holds out a share of the training samples of a split for validation, or the usual number if the share is 0.
// Groups stay whole. A split that has validation samples stays as it is.
func (r *Raw) HoldOut(s Split, part float64, seed uint64) Split {
	count := r.HeldOut
	if part > 0 {
		count = share(len(s.Train), part)
	} else if count == 0 {
		count = share(len(s.Train), defaultValidationShare)
	}
	return s.HoldOut(r.Labels, r.Units(), count, seed)
}

// choose makes the source's own split, or else a drawn one, into what the options ask for.
func (r *Raw) choose(o Options) error {
	var s Split
	var err error
	switch {
	case o.Fold != (Fold{}):
		s, err = o.Fold.Split(r.Labels, r.drawn(o.Fold), r.ClassNames, o.Seed)
		if err != nil {
			return refused{fmt.Errorf("fold %s: %w", o.Fold, err)}
		}
	case r.Split != nil:
		s = *r.Split
	case o.Whole:
		s.Test = loop.Indices(len(r.Labels))
	case o.NoTest:
		s.Train, s.NoTest = loop.Indices(len(r.Labels)), true
	default:
		s = Drawn(r.Labels, r.Units(), o.Seed)
	}
	if o.holdsOut() {
		s = r.HoldOut(s, o.Validation, o.Seed)
	}
	r.Split = &s
	return nil
}

// drawn returns what a fold does not part: groups if each of them is a fold, or else units.
func (r *Raw) drawn(f Fold) []string {
	if f.Of == 0 {
		return r.Groups
	}
	return r.Units()
}

// record sets how recordings became series, with the frames and lengths that the options ask for.
func (r *Raw) record(form recording.Form, o Options) {
	form.Frames, form.Shortest, form.Longest = o.Frames, 0, 0
	if o.Form != nil {
		form.Frames, form.Shortest, form.Longest = o.Form.Frames, o.Form.Shortest, o.Form.Longest
	}
	r.Recorded = &form
}

// classCounts counts the samples of each class.
func (r *Raw) classCounts(indices []int) []int {
	counts := make([]int, r.Classes())
	for _, i := range indices {
		counts[r.Labels[i]]++
	}
	return counts
}

// checkLabels checks what there is for each sample, and that there are at least so many classes.
func (d *Raw) checkLabels(least int) error {
	if len(d.Labels) != d.Signals.Len() {
		return fmt.Errorf("%d labels for %d samples", len(d.Labels), d.Signals.Len())
	}
	if d.Groups != nil && len(d.Groups) != d.Signals.Len() {
		return fmt.Errorf("%d groups for %d samples", len(d.Groups), d.Signals.Len())
	}
	if d.SampleNames != nil && len(d.SampleNames) != d.Signals.Len() {
		return fmt.Errorf("%d names of samples for %d samples", len(d.SampleNames), d.Signals.Len())
	}
	if d.Classes() < least {
		return fmt.Errorf("labels name %d class: a classifier needs at least 2", d.Classes())
	}
	for i, label := range d.Labels {
		if label < 0 || int(label) >= d.Classes() {
			return fmt.Errorf("labels[%d] is %d, outside 0 to %d", i, label, d.Classes()-1)
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
