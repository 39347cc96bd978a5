package transforms

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/clusterpool/ccp/internal/loop"
	"github.com/clusterpool/ccp/models/internal/transforms/features"
)

// candidate is a transform with the features of training samples, from which a ridge classifier can be fitted.
type candidate struct {
	*transform
	features *table // standardised features before the kernel
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
// those that the forest reads, which are as they are; nil without a forest.
func (e *extractor) extractAll(ctx context.Context) (candidates []*candidate, grown *table, err error) {
	for _, t := range e.classifier.transforms {
		candidates = append(candidates, &candidate{transform: t})
	}
	if e.classifier.forest != nil {
		grown, err = e.newTable(len(e.samples), e.classifier.forest.width, mostInMemory)
		if err != nil {
			return nil, nil, err
		}
	}
	err = e.extract(ctx, everySample(e.plan), grown, candidates...)
	return candidates, grown, err
}

// everySample returns the numbers of all samples of the fit.
func everySample(p *plan) []int { return loop.Indices(len(p.samples)) }

// extract computes the features of some samples, by their numbers among those of the fit, and standardises those of
// candidates, which it replaces. The forest's go to a table unless this is nil. A block of samples is computed at a
// time.
func (e *extractor) extract(ctx context.Context, some []int, grown *table, candidates ...*candidate) (err error) {
	for _, c := range candidates {
		c.features, err = e.newTable(len(some), c.Width(), e.inMemory)
		if err != nil {
			return err
		}
	}
	at := 0
	for block := range slices.Chunk(some, blockSize) {
		if err := e.extractBlock(ctx, block, at, grown, candidates); err != nil {
			return err
		}
		at += len(block)
	}
	failed := make([]error, len(candidates))
	err = inParallel(ctx, len(candidates), func(_ *work, i int) {
		failed[i] = candidates[i].features.standardise(candidates[i].standardiser)
	})
	return cmp.Or(err, errors.Join(failed...))
}

// extractBlock computes the features of a block of samples, and puts them into tables, in which the first one has the
// number from.
func (e *extractor) extractBlock(ctx context.Context, block []int, from int, grown *table,
	candidates []*candidate) error {
	to := from + len(block)
	var read [][]float32 // by the forest
	if grown != nil {
		read = grown.rows(from, to)
	}
	rows := make([][][]float32, len(candidates))
	for i, c := range candidates {
		rows[i] = c.features.rows(from, to)
	}
	err := inParallel(ctx, len(block), func(w *work, at int) {
		sample := block[at]
		w.takeSample(e.classifier.scaling, e.samples[sample].Values)
		if grown != nil {
			copy(read[at], e.forestFor(sample, e.classifier.forest).features(w))
		}
		for i, c := range candidates {
			e.transformFor(sample, c.transform).raw(w, rows[i][at])
		}
	})
	if err != nil {
		return err
	}
	for i, c := range candidates {
		if err := c.features.put(from, rows[i]); err != nil {
			return err
		}
	}
	if grown == nil {
		return nil
	}
	return grown.put(from, read)
}
