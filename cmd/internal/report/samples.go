package report

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/clusterpool/ccp/cmd/internal/explain"
	"github.com/clusterpool/ccp/cmd/internal/picture"
	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/models"
	"github.com/clusterpool/ccp/models/training"
	"gonum.org/v1/gonum/floats"
)

const (
	mostMistakes = 24
	mostGallery  = 16
	mostWords    = 8
	mostMeans    = 96     // samples
	mostPoints   = 20_000 // nodes of a sample that is drawn on a plane: more would take minutes
	evaluated    = 64     // samples at a time
)

// evaluate evaluates the test samples of a data set, and explains some of them.
func (r *Report) evaluate(ctx context.Context, c *models.Classifier, d *datasets.Dataset, doing func(string)) error {
	doing(fmt.Sprintf("evaluating %d test samples", len(d.Test)))
	var wrong, right []Sample
	evaluation, err := training.EvaluateEach(c, d, d.Test, evaluated, func(i int, shares []float64) {
		x := Sample{Index: i, Name: d.SampleName(i), Truth: int(d.Labels[i]), Predicted: floats.MaxIdx(shares)}
		x.Probability, x.TruthShare = shares[x.Predicted], shares[x.Truth]
		if x.Predicted == x.Truth {
			right = append(right, x)
		} else {
			wrong = append(wrong, x)
		}
	})
	if err != nil {
		return err
	}
	slices.SortStableFunc(wrong, func(a, b Sample) int { return cmp.Compare(b.Probability, a.Probability) })
	r.Evaluation, r.Gallery = &evaluation, gallery(right, wrong, d.Classes())
	r.Mistakes = wrong[:min(mostMistakes, len(wrong))]
	doing("explaining some of them")
	e := explain.Explanation{Classifier: c, Data: d, Class: -1, Split: "test"}
	return cmp.Or(r.explain(ctx, e, r.Mistakes), r.explain(ctx, e, r.Gallery), r.explainClasses(ctx, e))
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
func (r *Report) explain(ctx context.Context, e explain.Explanation, chosen []Sample) error {
	for _, x := range chosen {
		e.Samples = append(e.Samples, x.Index)
	}
	d, at := e.Data, -1
	drawn := r.Layout != nil && (r.Layout.Kind != picture.OnPlane || d.Nodes <= mostPoints)
	return e.Each(ctx, func(_ int, signal []float32, a models.Attribution) error {
		at++
		x := &chosen[at]
		x.Most = floats.Norm(a.Nodes, math.Inf(1))
		if d.NodeNames != nil && d.Grid == nil && d.Coordinates == nil {
			x.Words = contributors(d, signal, a.Nodes)
		} else if drawn {
			for _, p := range r.Layout.Sample("", signal, a.Values, d.Channels) {
				url, err := r.Layout.Inline(p)
				if err != nil {
					return err
				}
				x.Pictures = append(x.Pictures, url)
			}
		}
		return nil
	})
}

// explainClasses draws what mattered to each class predicted, over mostMeans test samples of sensors over time: by
// sensor and frame, and their sums.
func (r *Report) explainClasses(ctx context.Context, e explain.Explanation) error {
	if r.Layout == nil || r.Layout.Kind != picture.OverTime {
		return nil
	}
	means := make([]models.MeanAttribution, e.Data.Classes())
	err := e.Prepare(mostMeans)
	if err == nil {
		err = e.Each(ctx, func(_ int, _ []float32, a models.Attribution) error { means[a.Class].Add(a); return nil })
	}
	for k, mean := range means {
		if mean.Samples > 0 && err == nil {
			m := Mean{Class: k, Samples: mean.Samples}
			m.Picture, err = r.Layout.Inline(r.Layout.Values("", "", mean.Signed))
			r.Means = append(r.Means, m)
		}
	}
	return err
}

// contributors returns the named nodes that contributed most. Nodes whose values are the baseline's are left out.
func contributors(d *datasets.Dataset, signal []float32, nodes []float64) []explain.Contribution {
	words := []explain.Contribution{}
	for i, v := range nodes {
		if v != 0 && !slices.Equal(signal[i*d.Channels:(i+1)*d.Channels], d.Mean) {
			words = append(words, explain.Contribution{Index: i, Name: d.NodeNames[i], Mean: v, Absolute: math.Abs(v)})
		}
	}
	return explain.MostFirst(words)[:min(mostWords, len(words))]
}
