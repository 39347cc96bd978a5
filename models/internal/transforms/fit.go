package transforms

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
)

// Fit fits the transforms, the ridge classifiers and the forest. With more than 2,400 samples the transforms have
// fewer features. Of more than 20,000 samples it uses whole groups, evenly spread, or parts of groups of more than
// 5,000. Errors name the sample, or come from the context and the backend.
func Fit(ctx context.Context, c Config, samples []Sample) (*Classifier, error) {
	if err := c.check(samples); err != nil {
		return nil, err
	}
	p, err := c.plan(samples)
	if err != nil {
		return nil, err
	}
	defer p.close()
	e, err := p.extractor(ctx)
	if err != nil {
		return nil, err
	}
	candidates, votes, err := e.growForest(ctx)
	if err != nil {
		return nil, err
	}
	v := e.classifier
	v.Weight, v.Smoothing = 1, smoothing(len(samples))
	if len(v.Names) == 0 { // the forest alone is asked for
		v.ForestWeight, v.header.Parts = 1, []Part{{Name: All, Weight: 1}}
		v.HeldOut.addVotes(votes, v.Classes)
		return v, nil
	}
	ridges, err := e.ridges(ctx, candidates)
	if err != nil {
		return nil, err
	}
	v.join(p.taskOf(p.samples), ridges)
	v.HeldOut.addVotes(votes, v.Classes)
	if c.Lone {
		v.ForestWeight = 0 // trees that end at the first split guess
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return v, nil
}

// growForest computes the features of all samples, and grows the forest if there is one. Its features, which are
// another copy of many, are held no longer than that. votes are those of outOfFold.
func (e *extractor) growForest(ctx context.Context) (candidates []*candidate, votes [][]float64, err error) {
	candidates, grown, err := e.extractAll(ctx)
	if grown != nil {
		defer grown.close()
	}
	v := e.classifier
	if err != nil || v.forest == nil {
		return candidates, nil, cmp.Or(err, ctx.Err())
	}
	if err := v.forest.grow(ctx, grown, labelsOf(e.samples), e.Seed); err != nil {
		return candidates, nil, err
	}
	v.Nodes, v.Trees = len(v.forest.nodes)/3, len(v.forest.roots)
	if e.InTurn && len(e.samples) <= mostOutOfFold {
		votes, err = e.outOfFold(ctx, grown)
	}
	return candidates, votes, cmp.Or(err, ctx.Err())
}

// ridges fits a ridge classifier to the transforms that one reads together, and another to those that have their own.
func (e *extractor) ridges(ctx context.Context, candidates []*candidate) (fitted []*ridge, err error) {
	for _, own := range []bool{false, true} {
		read := slices.Clone(candidates)
		read = slices.DeleteFunc(read, func(c *candidate) bool { return c.OwnRidge != own })
		if len(read) == 0 {
			continue
		}
		choice, err := e.newChooser(read).choose(ctx)
		if err != nil {
			return nil, err
		}
		e.classifier.note(choice)
		if len(choice.candidates) == 0 {
			continue
		}
		r, err := e.solve(ctx, choice)
		if err != nil {
			return nil, err
		}
		fitted = append(fitted, r)
		for _, c := range choice.candidates {
			c.features.close() // whose memory the next ridge classifier takes
		}
	}
	if len(fitted) == 0 {
		return nil, fmt.Errorf("all %d samples %w; check their values, which are float32: subtract a large mean, multiply "+
			"tiny values, before you store them", len(e.samples), ErrAlike)
	}
	return fitted, nil
}

// note writes what was chosen into the header, which has it also of transforms that got no weight.
func (v *Classifier) note(c *choice) {
	maps.Copy(v.Gaussians, c.gaussians)
	if c.frames > 0 {
		v.Frames = c.frames
	}
}

// join makes the classifier of ridge classifiers, whose probabilities it averages with weights by their losses. One
// that gets no weight is left out.
func (v *Classifier) join(t task, ridges []*ridge) {
	v.transforms, v.Names, v.bias = nil, nil, nil
	var scores []score
	for _, r := range ridges {
		scores = append(scores, r.score)
	}
	shares := t.weigh(scores, slices.Repeat([]float64{1}, len(ridges)), sharePower)
	v.HeldOut = ridges[slices.Index(shares, slices.Max(shares))].held
	for i, r := range ridges {
		for _, part := range r.parts {
			part.Weight *= shares[i]
			v.header.Parts = append(v.header.Parts, part)
		}
		if shares[i] == 0 {
			continue
		}
		for _, c := range r.candidates {
			c.ridge = len(v.Shares)
			v.transforms, v.Names = append(v.transforms, c.transform), append(v.Names, c.Name)
		}
		v.bias, v.Shares = append(v.bias, r.bias...), append(v.Shares, shares[i])
	}
	v.header.Parts = append(v.header.Parts, Part{Name: All, Weight: 1})
	v.HeldOut.Readings = v.readingsOf(ridges, shares)
}
