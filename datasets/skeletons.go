package datasets

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/clusterpool/ccp/datasets/internal/augment"
	"github.com/clusterpool/ccp/datasets/internal/skeleton"
	"github.com/clusterpool/ccp/internal/recording"
	"github.com/clusterpool/ccp/signal"
)

// heldOutSkeletons is the usual share of the training recordings for validation.
const heldOutSkeletons = 0.1

// skeletonNoise is the deviation of the noise that augmentation adds to coordinates, in lengths of the spine.
const skeletonNoise = 0.01

var ntu = Info{
	Name: "ntu",
	Description: "sixty actions of one or two people before the second Kinect (NTU RGB+D), 80 frames of 25 joints: " +
		"positions of the joints, seen from the body",
	Needs: "the 56,880 .skeleton files (S001C001P001R001A001.skeleton ...), in a folder or as " + skeleton.NTU.Archive +
		", and the list of the 302 with missing skeletons, as a .txt file whose name holds \"missing\"",
	Licence: "academic use only, on request from the ROSE Lab; cite A. Shahroudy et al., NTU RGB+D, 2016",
	Samples: 56_578,
	Folder:  "ntu",
	Ask: "NTU RGB+D is given only to those who agree to its terms: ask for " + skeleton.NTU.Archive +
		" at https://rose1.ntu.edu.sg/dataset/actionRecognition/",
	folders: []string{"nturgb+d_skeletons", "ntu/nturgb+d_skeletons", "ntu"},
	credit:  "NTU RGB+D (A. Shahroudy et al., 2016), academic use only",
	get:     "the skeletons of NTU RGB+D from the ROSE Lab, and the list of samples with missing skeletons",
}.skeletons(&skeleton.NTU)

var nwucla = Info{
	Name: "nw-ucla",
	Description: "ten actions of ten people before three of the first Kinects (NW-UCLA Multiview Action 3D), 40 " +
		"frames of 20 joints: positions, directions of bones, and motion, of upright bodies",
	Needs: "the 1,484 files of its skeletons in JSON (a01_s01_e00_v01.json ...), in a folder or as " +
		skeleton.NWUCLA.Archive,
	Licence: "none stated by its authors; cite J. Wang et al., Cross-view Action Modeling, Learning and Recognition, 2014",
	Samples: 1_484,
	Folder:  "nw-ucla",
	Ask: "NW-UCLA is given out by its authors: get its skeletons, by way of https://wangjiangb.github.io/my_data.html, " +
		"as JSON (" + skeleton.NWUCLA.Archive + ")",
	folders: []string{"nw-ucla", "NW-UCLA/all_sqe", "NW-UCLA", "all_sqe"},
	credit:  "NW-UCLA Multiview Action 3D (J. Wang et al., 2014), no licence stated",
	get:     "the skeletons of NW-UCLA in JSON",
}.skeletons(&skeleton.NWUCLA)

// skeletons completes the description of a set of recordings.
func (i Info) skeletons(s *skeleton.Source) Info {
	i.Nodes, i.Channels, i.Classes = s.Nodes(), s.Channels(), len(s.Classes)
	for _, split := range s.Splits {
		i.Protocols = append(i.Protocols, split.Name)
	}
	i.find = s.Find
	i.load = func(ctx context.Context, info Info, opts Options) (*Dataset, error) {
		return loadSkeletons(ctx, info, s, opts)
	}
	return i
}

// loadSkeletons reads the recordings and splits them by the protocol. The validation samples have the cameras of the
// training set, and without groups its people. They can pick the epoch, but they are easier than the test samples.
func loadSkeletons(ctx context.Context, info Info, s *skeleton.Source, opts Options) (*Dataset, error) {
	r, err := s.Load(ctx, info.dirs(opts.DataDir), opts.report)
	if err != nil {
		return nil, err
	}
	d := &Dataset{Info: signal.Info{Nodes: s.Nodes(), Channels: s.Channels(), ClassNames: slices.Clone(s.Classes), Grid: []int{s.Frames, len(s.Layout.Joints)}, Parts: s.Layout.Parts, Bodies: s.Bodies}, NodeNames: s.Layout.NodeNames(s.Frames), Notes: r.Notes, Warnings: r.Warnings}
	split := s.Splits[max(0, slices.Index(info.Protocols, opts.Protocol))]
	for i, take := range r.Takes {
		if s.Whole { // transforms hold out people, not recordings
			d.Groups = append(d.Groups, fmt.Sprintf("person %d", take.Subject))
		}
		d.Labels = append(d.Labels, take.Class)
		if split.IsTest(take) {
			d.Test = append(d.Test, i)
		} else {
			d.Train = append(d.Train, i)
		}
	}
	if len(d.Train) != split.Train || len(d.Test) != split.Test {
		d.warn("%s: %d training and %d test recordings, the published protocol has %d and %d: results may not compare",
			split.Name, len(d.Train), len(d.Test), split.Train, split.Test)
	}
	d.holdOutValidation(max(1, share(len(d.Train), opts.validation(heldOutSkeletons))), opts)
	if err := d.skeletonFrames(s, r.Signals, opts); err != nil {
		return nil, err
	}
	if s.Mirror {
		d.Mirror = augment.Mirror(len(s.Layout.Joints), s.Channels(), s.Layout.Sides)
	}
	if opts.Augment {
		d.Augment = augmentSkeletons(s, d.Mirror, d.Grid[0], split)
	}
	d.streams = 3 * s.Bodies
	d.rescale()
	d.Provenance = fmt.Sprintf("%s, %s, CRC-32C of the prepared signals %08x", info.credit, r.Place, r.Checksum())
	d.Notes = append(d.Notes, fmt.Sprintf("%s: %d frames x %d joints x %d, seen from the body of the main actor",
		split.Name, d.Grid[0], len(s.Layout.Joints), d.Channels))
	if copies := r.Copies(d.Test, slices.Concat(d.Train, d.Validation)); copies > 0 {
		d.Notes = append(d.Notes, fmt.Sprintf("%d of %d test recordings are exact copies of training recordings under "+
			"another name", copies, len(d.Test)))
	}
	return d, nil
}

// skeletonFrames makes the graph of joints in frames. If recordings are whole, the network reads some frames of each, and
// transforms use all.
func (d *Dataset) skeletonFrames(s *skeleton.Source, signals *skeleton.Signals, opts Options) (err error) {
	if !s.Whole {
		d.Signals = signals
		d.Affinity, err = s.Layout.Graph(s.Frames)
		return err
	}
	for i := range signals.Len() {
		series := make([]float32, signals.Size(i))
		signals.Read(i, series)
		d.Series = append(d.Series, series)
	}
	alone := false // the values are positions in space
	d.Form = &recording.Form{Sensors: slices.Clone(s.Layout.Joints), Channels: s.Channels(), Scale: &alone}
	opts.Frames = cmp.Or(opts.Frames, s.Frames)
	if d.Affinity, err = s.Layout.Graph(1); err != nil {
		return err
	}
	return d.overFrames(opts)
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

// scaleStreams sets Mean to 0. Std is 1 for positions, whose unit is already the body. For each of the other streams,
// `width` channels wide, it is the root mean square over the training samples. It is the same for all axes, as
// augmentation rotates the body.
func (d *Dataset) scaleStreams(width int) {
	d.Mean, d.Std = make([]float32, d.Channels), slices.Repeat([]float32{1}, d.Channels)
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
