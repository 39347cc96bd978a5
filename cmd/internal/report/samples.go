package report

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/clusterpool/ccp/models"
	"gonum.org/v1/gonum/floats"
)

const (
	mostWords = 8
	mostPoses = 5
)

// explain adds to each sample what its drawing needs, and with contributions those of the nodes to the prediction. Named nodes
// always have them, because a text cannot be drawn.
func (r *Run) explain(ctx context.Context, c *models.Classifier, samples []Sample, contributions bool) error {
	signals := make([][]float32, len(samples))
	for i, s := range samples {
		signals[i] = make([]float32, r.data.Nodes*r.data.Channels)
		r.data.Signals.Read(s.Index, signals[i])
	}
	var attributions []models.Attribution
	if contributions || r.named() {
		var err error
		if attributions, err = c.Attribute(ctx, signals, models.AttributionOptions{}); err != nil {
			return err
		}
	}
	for i := range samples {
		if r.named() {
			samples[i].Words = r.words(signals[i], attributions[i].Nodes)
			continue
		}
		if attributions != nil {
			samples[i].Contributions = scaled(attributions[i].Nodes)
		}
		if r.data.Parts != nil && r.data.Channels >= 2 {
			samples[i].Poses = r.poses(signals[i])
		} else {
			samples[i].Image = r.image(signals[i])
		}
	}
	return nil
}

// named says whether nodes are shown by their names, as words are; a pixel or a joint in time has a place instead.
func (r *Run) named() bool { return r.data.NodeNames != nil && r.data.Grid == nil }

// words are the named nodes that contributed most, of those that differ from the baseline.
func (r *Run) words(signal []float32, nodes []float64) []Word {
	words := []Word{}
	for i, v := range nodes {
		values := signal[i*r.data.Channels : (i+1)*r.data.Channels]
		if v != 0 && !slices.Equal(values, r.data.Mean) {
			words = append(words, Word{r.data.NodeNames[i], v})
		}
	}
	slices.SortStableFunc(words, func(a, b Word) int { return cmp.Compare(math.Abs(b.Contribution), math.Abs(a.Contribution)) })
	return words[:min(mostWords, len(words))]
}

// image is a signal in 8 bits, from its lowest to its highest value: all of three channels, otherwise the first.
func (r *Run) image(signal []float32) *Scaled {
	channels := 1
	if r.data.Channels == 3 {
		channels = 3
	}
	var values []float64
	for i, v := range signal {
		if i%r.data.Channels < channels {
			values = append(values, float64(v))
		}
	}
	floats.AddConst(-floats.Min(values), values)
	return scaled(values)
}

// poses are the first body's first two coordinates, which are to its left and upwards, at a few evenly spread frames.
func (r *Run) poses(signal []float32) (poses []Pose) {
	frames, joints := r.data.Grid[0], r.data.Grid[1]
	for _, frame := range spread(frames, min(mostPoses, frames), 0) {
		pose := Pose{Frame: frame}
		for joint := range joints {
			at := (frame*joints + joint) * r.data.Channels
			pose.X, pose.Y = append(pose.X, signal[at]), append(pose.Y, signal[at+1])
		}
		poses = append(poses, pose)
	}
	return poses
}
