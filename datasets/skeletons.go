package datasets

import (
	"context"
	"fmt"
	"math"
	"regexp"
	"slices"

	"github.com/clusterpool/ccp/datasets/augment"
	"github.com/clusterpool/ccp/datasets/skeleton"
	"github.com/clusterpool/ccp/internal/cache"
)

// heldOutSkeletons is the share of the training recordings kept for validation.
const heldOutSkeletons = 0.1

// skeletonNoise is the deviation of the noise that augmentation adds to coordinates, in lengths of the spine.
const skeletonNoise = 0.01

// skeletons is a source of recordings of people, one in each file, whose name says who does what before which camera.
type skeletons struct {
	Info
	archive     string                               // a zip file that may hold the recordings
	name        *regexp.Regexp                       // of a recording, with its numbers in groups
	example     string                               // such a name, with its extension
	describe    func(numbers []int) (recorded, bool) // what the numbers mean; false for recordings of another set
	parse       func(name string, content []byte) (*skeleton.Recording, error)
	preparation skeleton.Preparation
	classes     []string
	crop        float64         // the least share of the frames that augmentation keeps; 1 for all
	mirror      bool            // augmentation may swap left and right
	splits      []skeletonSplit // as Info.Protocols names them; the first is the usual one
}

// recorded is what a file's name says.
type recorded struct {
	class         int32
	subject, view int
}

// skeletonSplit is a protocol: who is tested, the published numbers of recordings, and the largest angle by which
// augmentation rotates about each axis, in radians.
type skeletonSplit struct {
	name        string
	isTest      func(recorded) bool
	train, test int
	turn        float64
}

// crossSubject and crossView are the names of the two protocols.
const (
	crossSubject = "cross-subject"
	crossView    = "cross-view"
)

// source is the entry in the table of sources.
func (s skeletons) source() Info {
	s.Info.find = func(dirs []string) string {
		found, err := s.find(dirs)
		if err != nil {
			return ""
		}
		defer found.close()
		return found.place
	}
	s.Info.load = s.load
	return s.Info
}

// load finds the files, prepares their signals or reads them from the user's cache directory, and draws the splits.
func (s skeletons) load(ctx context.Context, info Info, opts Options) (*Dataset, error) {
	dirs := info.dirs(opts.DataDir)
	found, err := s.find(dirs)
	if err != nil {
		return nil, err
	}
	defer found.close()
	files, takes, notes, err := s.choose(found, dirs)
	if err != nil {
		return nil, err
	}
	p, layout := s.preparation, s.preparation.Layout
	d := &Dataset{Name: s.Name, Nodes: p.Nodes(), Channels: p.Channels(), ClassNames: slices.Clone(s.classes),
		NodeNames: layout.NodeNames(p.Frames), Notes: notes, Grid: []int{p.Frames, len(layout.Joints)}, Parts: layout.Parts, Bodies: p.Bodies}
	if d.Affinity, err = layout.Graph(p.Frames); err != nil {
		return nil, err
	}
	split := s.splits[max(0, slices.Index(s.Protocols, opts.Protocol))]
	d.splitRecordings(split, takes, opts)
	if opts.Augment {
		d.Augment = s.augment(split)
	}
	signals, err := s.signals(ctx, d, found, files, opts)
	if err != nil {
		return nil, fmt.Errorf("%s: %w; get these files again, or list their names in a .txt file there whose name holds \"missing\"",
			found.place, err)
	}
	d.Signals = signals
	d.scaleStreams(3 * p.Bodies)
	d.Provenance = fmt.Sprintf("%s, %s, CRC-32C of the prepared signals %08x", s.credit, found.place, signals.Checksum())
	d.Notes = append(d.Notes, fmt.Sprintf("%s: %d frames x %d joints x %d, seen from the body of the main actor",
		split.name, p.Frames, len(layout.Joints), d.Channels))
	if copies := signals.Copies(d.Test, slices.Concat(d.Train, d.Validation)); copies > 0 {
		d.Notes = append(d.Notes, fmt.Sprintf("%d of %d test recordings are exact copies of training recordings under another name",
			copies, len(d.Test)))
	}
	return d, nil
}

// augment rotates a signal and adds noise; mirrors and crops are added where the source allows them.
func (s *skeletons) augment(split skeletonSplit) augment.Func {
	steps := []augment.Func{augment.Rotate(split.turn), augment.Noise(skeletonNoise)}
	if s.mirror {
		layout := s.preparation.Layout
		steps = append(steps, augment.Mirror(len(layout.Joints), s.preparation.Channels(), layout.Sides))
	}
	if s.crop < 1 {
		steps = append(steps, augment.TimeCrop(s.preparation.Frames, s.crop))
	}
	return augment.Compose(steps...)
}

// scaleStreams sets Mean to 0. Std is 1 for places, whose unit is already the body, and for each of the other streams, `width`
// channels wide, the root mean square over the training samples. It is the same for all axes, as augmentation rotates the
// body.
func (d *Dataset) scaleStreams(width int) {
	d.Mean, d.Std = make([]float32, d.Channels), make([]float32, d.Channels)
	for channel := range d.Std {
		d.Std[channel] = 1
	}
	if d.Channels == width { // spares a walk over all samples
		return
	}
	mean, std := d.ChannelStats(d.Train)
	for first := width; first < d.Channels; first += width {
		square := 0.0
		for c := first; c < first+width; c++ {
			square += float64(mean[c])*float64(mean[c]) + float64(std[c])*float64(std[c])
		}
		for c := first; c < first+width && square > 0; c++ {
			d.Std[c] = float32(math.Sqrt(square / float64(width)))
		}
	}
}

// splitRecordings splits by the protocol and holds out a stratified tenth of the training recordings, or opts.Validation, for
// validation. The validation set has the people and cameras of the training set: it can pick the epoch, but is easier than
// the test set, which has others.
func (d *Dataset) splitRecordings(split skeletonSplit, takes []recorded, opts Options) {
	for i, take := range takes {
		d.Labels = append(d.Labels, take.class)
		if split.isTest(take) {
			d.Test = append(d.Test, i)
		} else {
			d.Train = append(d.Train, i)
		}
	}
	if len(d.Train) != split.train || len(d.Test) != split.test {
		d.warn("%s: %d training and %d test recordings, the published protocol has %d and %d: results may not compare",
			split.name, len(d.Train), len(d.Test), split.train, split.test)
	}
	d.holdOutValidation(max(1, share(len(d.Train), opts.validation(heldOutSkeletons))), opts)
}

// signals prepares the recordings, or reads what an earlier start prepared.
func (s *skeletons) signals(ctx context.Context, d *Dataset, found *foundSkeletons, files []skeleton.File, opts Options) (*skeleton.Signals, error) {
	collection := &skeleton.Collection{FS: found.files, Files: files, Parse: s.parse, Preparation: s.preparation}
	key, doing := collection.Key(), fmt.Sprintf("reading %d recordings", len(files))
	signals, unkept, err := cache.Get(found.cachePath(s.Name),
		func(path string) (*skeleton.Signals, error) {
			return skeleton.ReadCache(path, key, len(files), d.Nodes*d.Channels)
		},
		func() (*skeleton.Signals, error) {
			return collection.Prepare(ctx, func(done float64) { opts.report(doing, done) })
		},
		func(path string, signals *skeleton.Signals) error { return signals.WriteCache(path, key) })
	if unkept != nil {
		d.warn("the prepared signals cannot be kept, so that every start reads all recordings: %v", unkept)
	}
	return signals, err
}
