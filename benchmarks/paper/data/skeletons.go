package data

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/clusterpool/ccp/benchmarks/paper/data/internal/augment"
	"github.com/clusterpool/ccp/benchmarks/paper/data/internal/skeleton"
	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/datasets/recording"
	"github.com/clusterpool/ccp/datasets/signal"
)

// heldOutSkeletons is the usual share of the training recordings for validation.
const heldOutSkeletons = 0.1

// skeletonNoise is the deviation of the noise that augmentation adds to coordinates, in lengths of the spine.
const skeletonNoise = 0.01

// The options of NTU RGB+D and of NW-UCLA, which differ in the usual protocol, the first of skeleton.Source.Splits.
type (
	ntuOptions struct {
		// Protocol names the split: "cross-subject" tests on people who are not in the training, "cross-view" before a camera
		// that is not.
		Protocol string `param:"protocol" default:"cross-subject" rule:"one of cross-subject|cross-view"`
	}
	nwuclaOptions struct {
		Protocol string `param:"protocol" default:"cross-view" rule:"one of cross-view|cross-subject"`
	}
)

var ntu = skeletons(datasets.Source{
	Name: "ntu",
	About: "sixty actions of one or two people before the second Kinect (NTU RGB+D), 80 frames of 25 joints: " +
		"positions of the joints, seen from the body",
	Needs: "the 56,880 .skeleton files (S001C001P001R001A001.skeleton ...), in a folder or as " + skeleton.NTU.Archive +
		", and the list of the 302 with missing skeletons, as a .txt file whose name holds \"missing\"",
	Licence: "academic use only, on request from the ROSE Lab; cite A. Shahroudy et al., NTU RGB+D, 2016",
	Samples: 56_578, Options: ntuOptions{},
	Folder: "ntu",
	Ask: "NTU RGB+D is given only to those who agree to its terms: ask for " + skeleton.NTU.Archive +
		" at https://rose1.ntu.edu.sg/dataset/actionRecognition/",
	Folders: []string{"nturgb+d_skeletons", "ntu/nturgb+d_skeletons", "ntu"},
	Get:     "the skeletons of NTU RGB+D from the ROSE Lab, and the list of samples with missing skeletons",
}, &skeleton.NTU, "NTU RGB+D (A. Shahroudy et al., 2016), academic use only")

var nwucla = skeletons(datasets.Source{
	Name: "nw-ucla",
	About: "ten actions of ten people before three of the first Kinects (NW-UCLA Multiview Action 3D), 40 " +
		"frames of 20 joints: positions, directions of bones, and motion, of upright bodies",
	Needs: "the 1,484 files of its skeletons in JSON (a01_s01_e00_v01.json ...), in a folder or as " +
		skeleton.NWUCLA.Archive,
	Licence: "none stated by its authors; cite J. Wang et al., Cross-view Action Modeling, Learning and Recognition, 2014",
	Samples: 1_484, Options: nwuclaOptions{},
	Folder: "nw-ucla",
	Ask: "NW-UCLA is given out by its authors: get its skeletons, by way of https://wangjiangb.github.io/my_data.html, " +
		"as JSON (" + skeleton.NWUCLA.Archive + ")",
	Folders: []string{"nw-ucla", "NW-UCLA/all_sqe", "NW-UCLA", "all_sqe"},
	Get:     "the skeletons of NW-UCLA in JSON",
}, &skeleton.NWUCLA, "NW-UCLA Multiview Action 3D (J. Wang et al., 2014), no licence stated")

// skeletons completes the description of a set of recordings. credit is for their provenance.
func skeletons(of datasets.Source, s *skeleton.Source, credit string) datasets.Source {
	of.Nodes, of.Channels, of.Classes = s.Nodes(), s.Channels(), len(s.Classes)
	of.Place = s.Find
	of.Load = func(ctx context.Context, dirs []string, opts datasets.Options) (*datasets.Raw, error) {
		return loadSkeletons(ctx, dirs, s, credit, opts)
	}
	return of
}

// loadSkeletons reads the recordings and splits them by the protocol. The validation samples have the cameras of the
// training set, and without groups its people. They can pick the epoch, but they are easier than the test samples.
func loadSkeletons(ctx context.Context, dirs []string, s *skeleton.Source, credit string,
	opts datasets.Options) (*datasets.Raw, error) {
	r, err := s.Load(ctx, dirs, opts.Progress)
	if err != nil {
		return nil, err
	}
	frames, graphOf := s.Frames, s.Frames
	if s.Whole {
		frames, graphOf = cmp.Or(opts.Frames, s.Frames), 1
	}
	split := s.Splits[max(0,
		slices.IndexFunc(s.Splits, func(split skeleton.Split) bool { return split.Name == opts.Own["protocol"] }))]
	raw := &datasets.Raw{Info: signal.Info{Nodes: s.Nodes(), Channels: s.Channels(), ClassNames: slices.Clone(s.Classes),
		Grid: []int{s.Frames, len(s.Layout.Joints)}, Parts: s.Layout.Parts, Bodies: s.Bodies,
		NodeNames: recording.NodeNames(s.Layout.Joints, s.Frames)},
		Split: &datasets.Split{}, Warnings: r.Warnings,
		Provenance: fmt.Sprintf("%s, %s, CRC-32C of the prepared signals %08x", credit, r.Place, r.Checksum()),
		Notes: append(r.Notes, fmt.Sprintf("%s: %d frames x %d joints x %d, seen from the body of the main actor",
			split.Name, frames, len(s.Layout.Joints), s.Channels()))}
	for i, take := range r.Takes {
		if s.Whole { // transforms hold out people, not recordings
			raw.Groups = append(raw.Groups, fmt.Sprintf("person %d", take.Subject))
		}
		raw.Labels = append(raw.Labels, take.Class)
		if split.IsTest(take) {
			raw.Split.Test = append(raw.Split.Test, i)
		} else {
			raw.Split.Train = append(raw.Split.Train, i)
		}
	}
	train, test := raw.Split.Train, raw.Split.Test
	if len(train) != split.Train || len(test) != split.Test {
		raw.Warnings = append(raw.Warnings,
			fmt.Sprintf("%s: %d training and %d test recordings, the published protocol has %d and %d: results may not compare",
				split.Name, len(train), len(test), split.Train, split.Test))
	}
	if copies := r.Copies(test, train); copies > 0 {
		raw.Notes = append(raw.Notes, fmt.Sprintf("%d of %d test recordings are exact copies of training recordings under "+
			"another name", copies, len(test)))
	}
	raw.HeldOut = max(1, int(math.Round(heldOutSkeletons*float64(len(train)))))
	raw.Scale = func(r *datasets.Raw, train []int) (mean, std []float32) { return scaleStreams(r, train, 3*s.Bodies) }
	if s.Mirror {
		raw.Mirror = augment.Mirror(len(s.Layout.Joints), s.Channels(), s.Layout.Sides)
	}
	if opts.Augment {
		raw.Augment = augmentSkeletons(s, raw.Mirror, frames, split)
	}
	raw.Signals, raw.Finite = r.Signals, true
	if s.Whole { // the network reads some frames of each recording, and transforms use all
		for i := range r.Signals.Len() {
			series := make([]float32, r.Signals.Size(i))
			r.Signals.Read(i, series)
			raw.Series = append(raw.Series, series)
		}
		alone := false // the values are positions in space
		raw.Recorded = &recording.Form{Sensors: slices.Clone(s.Layout.Joints), Channels: s.Channels(), Scale: &alone,
			Frames: frames}
	}
	raw.Graph, err = s.Layout.Graph(graphOf)
	return raw, err
}

// augmentSkeletons rotates a signal and adds noise. It mirrors and crops it if the source allows that.
func augmentSkeletons(s *skeleton.Source, mirror func([]float32), frames int, split skeleton.Split) augment.Func {
	steps := []augment.Func{augment.Rotate(split.Turn), augment.Noise(skeletonNoise)}
	if mirror != nil {
		steps = append(steps, augment.Sometimes(mirror))
	}
	if s.Crop < 1 {
		steps = append(steps, augment.TimeCrop(frames, s.Crop))
	}
	return func(rng *rand.Rand, sample []float32) {
		for _, step := range steps {
			step(rng, sample)
		}
	}
}

// scaleStreams returns a Mean of 0. Std is 1 for positions, whose unit is already the body. For each of the other
// streams, `width` channels wide, it is the root mean square over the training samples. It is the same for all axes, as
// augmentation rotates the body.
func scaleStreams(r *datasets.Raw, train []int, width int) (mean, std []float32) {
	mean, std = make([]float32, r.Channels), slices.Repeat([]float32{1}, r.Channels)
	if r.Channels == width { // spares a walk over all samples
		return mean, std
	}
	means, deviations := r.ChannelStats(train)
	for first := width; first < r.Channels; first += width {
		square := 0.0
		for c := first; c < first+width; c++ {
			square += float64(means[c])*float64(means[c]) + float64(deviations[c])*float64(deviations[c])
		}
		for c := first; c < first+width && square > 0; c++ {
			std[c] = float32(math.Sqrt(square / float64(width)))
		}
	}
	return mean, std
}
