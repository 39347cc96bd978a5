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
	mostMeans    = 96     // samples
	mostClasses  = 24     // whose means are drawn
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
	doing("explaining some of them")
	report.Means, err = r.means(ctx, c)
	return report, cmp.Or(err, r.explain(ctx, c, report.Mistakes), r.explain(ctx, c, report.Gallery))
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

// explain adds what each sample's drawing needs, with the nodes' contributions to the prediction. Named nodes without
// places, such as words, are listed instead, with their contributions.
func (r *Run) explain(ctx context.Context, c *models.Classifier, samples []Sample) error {
	e := explain.Explanation{Classifier: c, Data: r.data, Class: -1}
	for _, s := range samples {
		e.Samples = append(e.Samples, s.Index)
	}
	layout, at := r.fixed.Layout, -1
	if layout != nil && layout.Kind == picture.OnPlane && r.data.Nodes > mostPoints {
		layout = nil
	}
	return e.Each(ctx, func(_ int, signal []float32, a models.Attribution) error {
		at++
		s := &samples[at]
		s.Most = floats.Norm(a.Nodes, math.Inf(1))
		if r.data.NodeNames != nil && r.data.Grid == nil && r.data.Coordinates == nil {
			s.Words = r.words(signal, a.Nodes)
		} else if layout != nil {
			for _, p := range layout.Sample("", signal, a.Values, r.data.Channels) {
				url, err := layout.Inline(p)
				if err != nil {
					return err
				}
				s.Pictures = append(s.Pictures, url)
			}
		}
		return nil
	})
}

// means draws what mattered to each class predicted, over mostMeans test samples of sensors over time: by sensor and
// frame, and their sums.
func (r *Run) means(ctx context.Context, c *models.Classifier) (drawn []Mean, err error) {
	if r.fixed.Layout == nil || r.fixed.Layout.Kind != picture.OverTime {
		return nil, nil
	}
	e := explain.Explanation{Classifier: c, Data: r.data, Class: -1, Split: "test"}
	if err := e.Prepare(mostMeans); err != nil {
		return nil, err
	}
	means := make([]models.MeanAttribution, r.data.Classes())
	err = e.Each(ctx, func(_ int, _ []float32, a models.Attribution) error { means[a.Class].Add(a); return nil })
	for k, mean := range means {
		if mean.Samples > 0 && err == nil && len(drawn) < mostClasses {
			m := Mean{Class: k, Samples: mean.Samples}
			m.Picture, err = r.fixed.Layout.Inline(r.fixed.Layout.Values("", "", mean.Signed))
			drawn = append(drawn, m)
		}
	}
	return drawn, err
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
