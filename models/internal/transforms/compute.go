package transforms

import (
	"context"
	"slices"

	"github.com/clusterpool/ccp/internal/loop"
	"github.com/clusterpool/ccp/models/internal/transforms/features"
)

// candidate is a transform with the features of training samples, from which a ridge classifier can be fitted.
type candidate struct {
	*transform
	rows [][]float32 // standardised features before the kernel, `[samples][features]`
}

// extractor computes the features of training samples by maps that are drawn.
type extractor struct {
	*plan
	classifier *Classifier // which has the maps
	relinked               // the maps along links, if links follow from samples
}

// extractor measures the columns of recordings, and draws the maps.
func (p *plan) extractor(ctx context.Context) (*extractor, error) {
	v := p.header.open()
	training := features.Training{Scaling: v.scaling, Labels: labelsOf(p.samples)}
	for _, s := range p.samples {
		training.Values = append(training.Values, s.Values)
	}
	v.scaling.Measure(training.Values)
	for _, t := range v.transforms {
		if m, ok := t.Map.(features.DrawnMap); ok {
			if err := m.Draw(ctx, training, p.Seed); err != nil {
				return nil, err
			}
		}
	}
	maps, err := p.relink(v)
	if err != nil {
		return nil, err
	}
	return &extractor{p, v, maps}, nil
}

// labelsOf returns the labels of samples.
func labelsOf(samples []Sample) []int32 {
	labels := make([]int32, len(samples))
	for i, s := range samples {
		labels[i] = s.Label
	}
	return labels
}

// extractAll computes the features of all samples: a candidate for each transform, whose features are standardised, and
// columns for the forest, whose features are as they are, `[features][samples]`. Without a forest columns is nil.
func (e *extractor) extractAll(ctx context.Context) (candidates []*candidate, columns []float32, err error) {
	for _, t := range e.classifier.transforms {
		candidates = append(candidates, &candidate{transform: t})
	}
	if e.classifier.forest != nil {
		columns = make([]float32, len(e.samples)*e.classifier.forest.width)
	}
	err = e.extract(ctx, everySample(e.plan), columns, candidates...)
	return candidates, columns, err
}

// everySample returns the numbers of all samples of the fit.
func everySample(p *plan) []int { return loop.Indices(len(p.samples)) }

// extract computes the features of some samples, by their numbers among those of the fit, and standardises those of
// candidates. The forest's go to columns unless these are nil.
func (e *extractor) extract(ctx context.Context, some []int, columns []float32, candidates ...*candidate) error {
	for _, c := range candidates {
		flat := make([]float32, len(some)*c.Width())
		c.rows = slices.Collect(slices.Chunk(flat, c.Width()))
	}
	err := inParallel(ctx, len(some), func(w *work, at int) {
		sample := some[at]
		w.takeSample(e.classifier.scaling, e.samples[sample].Values)
		if columns != nil {
			for j, x := range e.forestFor(sample, e.classifier.forest).features(w) {
				columns[j*len(some)+at] = x
			}
		}
		for _, c := range candidates {
			e.transformFor(sample, c.transform).raw(w, c.rows[at])
		}
	})
	if err != nil {
		return err
	}
	return inParallel(ctx, len(candidates), func(_ *work, i int) {
		c := candidates[i]
		c.standardiser.Measure(c.rows)
		for _, row := range c.rows {
			c.standardiser.Apply(row)
		}
	})
}
