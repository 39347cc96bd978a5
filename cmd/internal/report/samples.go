package report

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/clusterpool/ccp/cmd/internal/explain"
	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/internal/picture"
	"github.com/clusterpool/ccp/internal/text"
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

// evaluate evaluates the test samples of a data set, and explains so many of them: all that the page can show if
// samples is 0.
func (r *Report) evaluate(ctx context.Context, c *models.Classifier, d *datasets.Dataset, samples int,
	doing func(string, float64)) error {
	var wrong, right []*Sample
	doing("evaluating "+text.Count(len(d.Test), "test sample"), 0)
	evaluation, err := training.EvaluateEach(c, d, d.Test, evaluated, func(i int, shares []float64) {
		x := &Sample{Index: i, Name: d.SampleName(i), Truth: int(d.Labels[i]), Predicted: floats.MaxIdx(shares)}
		x.Probability, x.TruthShare = shares[x.Predicted], shares[x.Truth]
		if x.Predicted == x.Truth {
			right = append(right, x)
		} else {
			wrong = append(wrong, x)
		}
		doing("evaluating "+text.Count(len(d.Test), "test sample"), float64(len(right)+len(wrong))/float64(len(d.Test)))
	})
	if err != nil {
		return err
	}
	slices.SortStableFunc(wrong, func(a, b *Sample) int { return cmp.Compare(b.Probability, a.Probability) })
	e := explain.Explanation{Classifier: c, Data: d, Class: -1, Split: "test", Progress: doing}
	if samples == explain.Auto {
		samples = e.Quick()
	}
	// Fewer samples are shared out in the same parts.
	means, drawn := 0, mostMistakes+mostGallery
	if r.Layout != nil && r.Layout.Kind == picture.OverTime {
		means = mostMeans
	}
	if all := means + drawn; samples > 0 && samples < all {
		drawn = max(1, samples*drawn/all)
		means = samples - drawn
	}
	r.Evaluation = &evaluation
	r.Mistakes = wrong[:min((drawn*mostMistakes+drawn/2)/(mostMistakes+mostGallery), len(wrong))]
	r.Gallery = gallery(right, wrong, d.Classes(), min(mostGallery, drawn-len(r.Mistakes)))
	return r.explain(ctx, e, means)
}

// gallery picks so many samples: the first right one of each class, then others of all classes in turn, right ones
// before wrong ones.
func gallery(right, wrong []*Sample, classes, most int) []*Sample {
	queues := make([][]*Sample, classes)
	for _, s := range slices.Concat(right, wrong) {
		queues[s.Truth] = append(queues[s.Truth], s)
	}
	picked := []*Sample{}
	for turn := range most {
		for _, queue := range queues {
			if turn < len(queue) && len(picked) < most {
				picked = append(picked, queue[turn])
			}
		}
	}
	slices.SortStableFunc(picked, func(a, b *Sample) int { return cmp.Compare(a.Truth, b.Truth) })
	return picked
}

// explain explains each sample of the page once. It adds what the mistakes' and the gallery's drawings need. Of sensors
// over time it also draws what mattered to each class predicted, over so many test samples.
func (r *Report) explain(ctx context.Context, e explain.Explanation, counted int) error {
	means := make([]explain.Mean, e.Data.Classes())
	if counted > 0 {
		if err := e.Prepare(counted); err != nil {
			return err
		}
	}
	counted = len(e.Samples)
	shown := map[int]*Sample{}
	for _, x := range slices.Concat(r.Mistakes, r.Gallery) {
		shown[x.Index] = x
		if !slices.Contains(e.Samples, x.Index) {
			e.Samples = append(e.Samples, x.Index)
		}
	}
	at := 0
	r.Explained = len(e.Samples)
	err := e.Each(ctx, func(sample int, signal []float32, a models.Attribution) error {
		r.Method = a.Method
		if at < counted {
			means[a.Class].Add(a)
		}
		at++
		if shown[sample] == nil {
			return nil
		}
		return r.draw(shown[sample], e.Data, signal, a)
	})
	for k, mean := range means {
		if mean.Samples > 0 && err == nil {
			m := Mean{Class: k, Samples: mean.Samples}
			m.Picture, err = r.Layout.Inline(r.Layout.Values("", mean.Signed))
			r.Means = append(r.Means, m)
		}
	}
	return err
}

// draw draws a sample with the nodes' contributions to its prediction. Named nodes without positions, such as words,
// are listed instead, with their contributions.
func (r *Report) draw(x *Sample, d *datasets.Dataset, signal []float32, a models.Attribution) error {
	x.Most = floats.Norm(a.Nodes, math.Inf(1))
	if d.NodeNames != nil && d.Grid == nil && d.Coordinates == nil {
		x.Words = contributors(d, signal, a.Nodes)
	} else if r.Layout != nil && (r.Layout.Kind != picture.OnPlane || d.Nodes <= mostPoints) {
		for _, p := range r.Layout.Sample(signal, a.Values, d.Channels) {
			url, err := r.Layout.Inline(p)
			if err != nil {
				return err
			}
			x.Pictures = append(x.Pictures, url)
		}
	}
	return nil
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
