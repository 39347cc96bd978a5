package report

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/clusterpool/ccp/cmd/internal/explain"
	"github.com/clusterpool/ccp/cmd/internal/picture"
	"github.com/clusterpool/ccp/models"
	"github.com/clusterpool/ccp/models/training"
	"gonum.org/v1/gonum/floats"
)

const (
	mostMistakes = 24
	mostGallery  = 16
	mostWords    = 8
	mostPoses    = 5
	mostPoints   = 20_000 // nodes of a sample that is drawn on a plane: more would take minutes
	evaluated    = 64     // samples at a time
)

// Build reports a run with its classifier. If the data set is available, it evaluates the test samples, and explains
// the most confident mistakes and some samples of all classes. doing is told of long steps.
func (r *Run) Build(ctx context.Context, c *models.Classifier, doing func(string)) (Report, error) {
	report, err := r.read(c)
	if err != nil || r.data == nil {
		return report, err
	}
	if len(r.data.Test) == 0 {
		report.Notices = append(report.Notices, "The data set has no test samples, so nothing is evaluated.")
		return report, nil
	}
	doing(fmt.Sprintf("evaluating %d test samples", len(r.data.Test)))
	var wrong, right []Sample
	evaluation, err := training.EvaluateEach(c, r.data, r.data.Test, evaluated, func(sample int, probabilities []float64) {
		s := Sample{Index: sample, Truth: int(r.data.Labels[sample]), Predicted: floats.MaxIdx(probabilities)}
		s.Probability, s.TruthShare = probabilities[s.Predicted], probabilities[s.Truth]
		if s.Predicted == s.Truth {
			right = append(right, s)
		} else {
			wrong = append(wrong, s)
		}
	})
	if err != nil {
		return report, err
	}
	slices.SortStableFunc(wrong, func(a, b Sample) int { return cmp.Compare(b.Probability, a.Probability) })
	report.Evaluation, report.Gallery = &evaluation, gallery(right, wrong, r.data.Classes())
	report.Mistakes = wrong[:min(mostMistakes, len(wrong))]
	return report, cmp.Or(r.explain(ctx, c, report.Mistakes, false), r.explain(ctx, c, report.Gallery, true))
}

// gallery picks samples: the first right one of each class, then others of all classes in turn, right ones before wrong
// ones.
func gallery(right, wrong []Sample, classes int) []Sample {
	queues := make([][]Sample, classes)
	for _, s := range slices.Concat(right, wrong) {
		queues[s.Truth] = append(queues[s.Truth], s)
	}
	picked := []Sample{}
	for turn := range mostGallery {
		for _, queue := range queues {
			if turn < len(queue) && len(picked) < mostGallery {
				picked = append(picked, queue[turn])
			}
		}
	}
	slices.SortStableFunc(picked, func(a, b Sample) int { return cmp.Compare(a.Truth, b.Truth) })
	return picked
}

// explain adds what each sample's drawing needs, with the nodes' contributions to the prediction if these are wanted.
// Named nodes without a grid, such as words, are listed instead, with their contributions.
func (r *Run) explain(ctx context.Context, c *models.Classifier, samples []Sample, contributions bool) error {
	e := explain.Explanation{Classifier: c, Data: r.data, Class: -1}
	for _, s := range samples {
		e.Samples = append(e.Samples, s.Index)
	}
	layout, at := r.fixed.Layout, -1
	if layout != nil && layout.Kind == picture.OnPlane && r.data.Nodes > mostPoints {
		layout = nil
	}
	return e.Each(ctx, func(_ int, signal []float32, a models.Attribution) (err error) {
		at++
		s := &samples[at]
		switch {
		case r.data.NodeNames != nil && r.data.Grid == nil:
			s.Words = r.words(signal, a.Nodes)
		case layout == nil:
		case layout.Kind == picture.OnSkeleton && r.data.Channels > 1:
			s.Poses = poses(signal, layout, r.data.Channels)
		default:
			s.Signal, err = layout.Inline(layout.Signal("", signal, r.data.Channels))
		}
		if contributions && layout != nil && s.Words == nil && err == nil {
			s.Most = floats.Norm(a.Nodes, math.Inf(1))
			s.Contributions, err = layout.Inline(layout.Values("", "", a.Nodes))
		}
		return err
	})
}

// poses returns the first body's first two coordinates at a few evenly spread frames.
func poses(signal []float32, layout *picture.Layout, channels int) (poses []Pose) {
	frames, joints := layout.Columns, layout.Rows
	count := min(mostPoses, frames)
	for i := range count {
		pose := Pose{Frame: (i*(frames-1) + (count-1)/2) / max(1, count-1)}
		for joint := range joints {
			at := (pose.Frame*joints + joint) * channels
			pose.X, pose.Y = append(pose.X, signal[at]), append(pose.Y, signal[at+1])
		}
		poses = append(poses, pose)
	}
	return poses
}

// words returns the named nodes that contributed most. Nodes whose values are the baseline's are left out.
func (r *Run) words(signal []float32, nodes []float64) []Word {
	words := []Word{}
	for i, v := range nodes {
		values := signal[i*r.data.Channels : (i+1)*r.data.Channels]
		if v != 0 && !slices.Equal(values, r.data.Mean) {
			words = append(words, Word{r.data.NodeNames[i], v})
		}
	}
	slices.SortStableFunc(words, func(a, b Word) int {
		return cmp.Compare(math.Abs(b.Contribution), math.Abs(a.Contribution))
	})
	return words[:min(mostWords, len(words))]
}
