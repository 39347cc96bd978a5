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
	mostClasses  = 24     // whose means are drawn
	mostPoints   = 20_000 // nodes of a sample that is drawn on a plane: more would take minutes
	evaluated    = 64     // samples at a time
)

// samples evaluates and explains the test samples of a data set.
type samples struct {
	*models.Classifier
	data   *datasets.Dataset
	layout *picture.Layout // nil if the nodes are too many to be drawn
}

// add evaluates the test samples, and explains some of them.
func (s *samples) add(ctx context.Context, r *Report, doing func(string)) error {
	doing(fmt.Sprintf("evaluating %d test samples", len(s.data.Test)))
	var wrong, right []Sample
	evaluation, err := training.EvaluateEach(s.Classifier, s.data, s.data.Test, evaluated, func(i int, shares []float64) {
		x := Sample{Index: i, Name: s.data.SampleName(i), Truth: int(s.data.Labels[i]), Predicted: floats.MaxIdx(shares)}
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
	r.Evaluation, r.Gallery = &evaluation, gallery(right, wrong, s.data.Classes())
	r.Mistakes = wrong[:min(mostMistakes, len(wrong))]
	doing("explaining some of them")
	r.Means, err = s.means(ctx)
	return cmp.Or(err, s.explain(ctx, r.Mistakes), s.explain(ctx, r.Gallery))
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
func (s *samples) explain(ctx context.Context, chosen []Sample) error {
	e := explain.Explanation{Classifier: s.Classifier, Data: s.data, Class: -1}
	for _, x := range chosen {
		e.Samples = append(e.Samples, x.Index)
	}
	drawn, at := s.layout != nil && (s.layout.Kind != picture.OnPlane || s.data.Nodes <= mostPoints), -1
	return e.Each(ctx, func(_ int, signal []float32, a models.Attribution) error {
		at++
		x := &chosen[at]
		x.Most = floats.Norm(a.Nodes, math.Inf(1))
		if s.data.NodeNames != nil && s.data.Grid == nil && s.data.Coordinates == nil {
			x.Words = s.words(signal, a.Nodes)
		} else if drawn {
			for _, p := range s.layout.Sample("", signal, a.Values, s.data.Channels) {
				url, err := s.layout.Inline(p)
				if err != nil {
					return err
				}
				x.Pictures = append(x.Pictures, url)
			}
		}
		return nil
	})
}

// means draws what mattered to each class predicted, over mostMeans test samples of sensors over time: by sensor and
// frame, and their sums.
func (s *samples) means(ctx context.Context) (drawn []Mean, err error) {
	if s.layout == nil || s.layout.Kind != picture.OverTime {
		return nil, nil
	}
	e := explain.Explanation{Classifier: s.Classifier, Data: s.data, Class: -1, Split: "test"}
	if err := e.Prepare(mostMeans); err != nil {
		return nil, err
	}
	means := make([]models.MeanAttribution, s.data.Classes())
	err = e.Each(ctx, func(_ int, _ []float32, a models.Attribution) error { means[a.Class].Add(a); return nil })
	for k, mean := range means {
		if mean.Samples > 0 && err == nil && len(drawn) < mostClasses {
			m := Mean{Class: k, Samples: mean.Samples}
			m.Picture, err = s.layout.Inline(s.layout.Values("", "", mean.Signed))
			drawn = append(drawn, m)
		}
	}
	return drawn, err
}

// words returns the named nodes that contributed most. Nodes whose values are the baseline's are left out.
func (s *samples) words(signal []float32, nodes []float64) []Word {
	words := []Word{}
	for i, v := range nodes {
		values := signal[i*s.data.Channels : (i+1)*s.data.Channels]
		if v != 0 && !slices.Equal(values, s.data.Mean) {
			words = append(words, Word{s.data.NodeNames[i], v})
		}
	}
	slices.SortStableFunc(words, func(a, b Word) int {
		return cmp.Compare(math.Abs(b.Contribution), math.Abs(a.Contribution))
	})
	return words[:min(mostWords, len(words))]
}
