package transforms

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/clusterpool/ccp/internal/loop"
	"gonum.org/v1/gonum/mat"
)

// trial is what transforms are chosen by: some of the samples, each of which is held out in turn.
type trial struct {
	task
	chosen      []int // of the fit's samples
	someClasses bool  // the samples are of some classes only
}

// judgement is what a trial says of a candidate alone.
type judgement struct {
	gram   *mat.SymDense // of the trial's samples, centred
	centre []float64     // the mean of each row before
	square float64       // the mean square of a sample's centred features
	score                // of a ridge classifier on this candidate alone
}

// newTrial picks samples. If they are of some classes only, the trial knows no others, which would be rivals without a
// sample.
func (p *plan) newTrial() *trial {
	chosen, some := judges(p.samples, mostChosen)
	c, samples := p.Config, pick(p.samples, chosen)
	if some {
		samples, c.Classes = numbered(samples)
	}
	return &trial{c.taskOf(samples), chosen, some}
}

// judge centres a Gram matrix of the trial's samples, and judges it.
func (t *trial) judge(ctx context.Context, gram *mat.SymDense) judgement {
	centre, square := centred(gram)
	return judgement{gram, centre, square, t.best(ctx, gram, midPenalty)}
}

// weights returns the weights of candidates by their scores alone.
func (t *trial) weights(alone []judgement, candidates []*candidate) []float64 {
	var scores []score
	var priors []float64
	for i, c := range candidates {
		scores, priors = append(scores, alone[i].score), append(priors, c.Prior)
	}
	return t.weigh(scores, priors, lossPower)
}

// together returns the score of a ridge classifier on all candidates.
func (t *trial) together(ctx context.Context, alone []judgement, candidates []*candidate) score {
	var grams []*mat.SymDense
	for _, j := range alone {
		grams = append(grams, j.gram)
	}
	return t.best(ctx, weighted(grams, t.weights(alone, candidates)), midPenalty)
}

// choice is what a ridge classifier is fitted with.
type choice struct {
	candidates []*candidate // those with a weight; none if all samples have the same features in each
	weights    []float64
	penalty    float64
	grams      []*mat.SymDense // of all samples, in the dual; nil where it was not computed
	parts      []Part          // of all candidates that were judged
	frames     int             // that a transform with a choice of shapes has; 0 without one
	gaussians  map[string]float64
}

// chooser chooses among the candidates that one ridge classifier can read.
type chooser struct {
	*extractor
	*trial
	candidates []*candidate
	grams      []*mat.SymDense // of each candidate: of all samples, in the dual, and else of the trial's
	alone      []judgement     // of each candidate
	frames     int             // see choice
	gaussians  map[string]float64
}

// newChooser begins a choice, in which no candidate is judged yet.
func (e *extractor) newChooser(candidates []*candidate) *chooser {
	n := len(candidates)
	c := &chooser{
		extractor:  e,
		trial:      e.newTrial(),
		candidates: slices.Clone(candidates),
		grams:      make([]*mat.SymDense, n),
		alone:      make([]judgement, n),
		gaussians:  map[string]float64{},
	}
	for i := range c.alone {
		c.alone[i].loss = math.Inf(1)
	}
	return c
}

// choose judges the candidates, weighs them, and chooses the penalty. Transforms with a kernel are judged after the
// others, since the number of their features is chosen beside these.
func (c *chooser) choose(ctx context.Context) (*choice, error) {
	var linear []int
	for i, candidate := range c.candidates {
		if candidate.kernel == nil {
			linear = append(linear, i)
		}
	}
	grams := make([]*mat.SymDense, len(linear)) // of the trial's samples
	for at, i := range linear {
		var err error
		grams[at], err = c.multiply(ctx, i)
		if err != nil {
			return nil, err
		}
	}
	err := inParallel(ctx, len(linear), func(_ *work, at int) { c.alone[linear[at]] = c.judge(ctx, grams[at]) })
	if err != nil {
		return nil, err
	}
	for i, candidate := range c.candidates {
		if candidate.kernel != nil {
			if err := c.chooseFeatures(ctx, i); err != nil {
				return nil, err
			}
		}
	}
	return c.weighed(ctx)
}

// weighed returns the choice once all candidates are judged.
func (c *chooser) weighed(ctx context.Context) (*choice, error) {
	together := c.together(ctx, c.alone, c.candidates)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	choice := &choice{frames: c.frames, gaussians: c.gaussians}
	if math.IsInf(together.loss, 1) {
		return choice, nil
	}
	choice.penalty = penalties[together.penalty]
	weights := c.weights(c.alone, c.candidates)
	for i, candidate := range c.candidates {
		score, err := c.judgeAlone(ctx, candidate, c.alone[i])
		if err != nil {
			return nil, err
		}
		if !math.IsInf(c.alone[i].loss, 1) {
			choice.parts = append(choice.parts, Part{candidate.Name, candidate.KnowsSensors, weights[i], score})
		}
		if weights[i] != 0 {
			choice.candidates = append(choice.candidates, candidate)
			choice.weights = append(choice.weights, weights[i])
			choice.grams = append(choice.grams, c.grams[i])
		}
	}
	return choice, nil
}

// multiply computes the Gram matrix of a candidate, and returns the trial's part of it.
func (c *chooser) multiply(ctx context.Context, i int) (*mat.SymDense, error) {
	candidate := c.candidates[i]
	which, some := everySample(c.plan), c.chosen
	if !c.dual {
		which, some = c.chosen, nil
	}
	gram, err := c.productsOf(ctx, candidate, which)
	if err != nil {
		return nil, err
	}
	if candidate.kernel != nil {
		gram = candidate.kernel.gram(gram)
	}
	c.grams[i] = gram
	return part(gram, some), nil
}

// productsOf returns the scalar products of a candidate's features of some samples.
func (c *chooser) productsOf(ctx context.Context, one *candidate, some []int) (*mat.SymDense, error) {
	rows, err := one.features.pick(some)
	if err != nil {
		return nil, err
	}
	return products(ctx, c.Backend, rows)
}

// chooseFeatures chooses the shape of a transform with a kernel, where it has a choice, and then the kernel. In a
// compact classifier neither is chosen.
func (c *chooser) chooseFeatures(ctx context.Context, i int) error {
	if c.candidates[i].Coarser != nil && !c.Compact {
		products, err := c.chooseShape(ctx, i)
		if err != nil {
			return err
		}
		return c.chooseKernel(ctx, i, products)
	}
	products, err := c.productsOf(ctx, c.candidates[i], c.chosen)
	if err != nil {
		return err
	}
	return c.chooseKernel(ctx, i, products)
}

// chooseShape puts a candidate with as many features as suit the samples in place of one, and returns the scalar
// products of the trial's samples. Fewer features are taken if the log-likelihood of the held-out samples by all
// candidates together then rises by a nat.
func (c *chooser) chooseShape(ctx context.Context, i int) (best *mat.SymDense, err error) {
	h, least := c.header, math.Inf(1)
	for {
		tried := &candidate{transform: h.newTransform(c.candidates[i].Name)}
		if err := c.extract(ctx, c.chosen, nil, tried); err != nil {
			return nil, err
		}
		products, err := c.productsOf(ctx, tried, loop.Indices(len(c.chosen)))
		if err != nil {
			return nil, err
		}
		coarser, more := tried.Coarser(h.shape())
		var loss float64
		if more || best != nil { // else there is no other to compare with
			c.alone[i] = c.judge(ctx, (&kernel{g: trialGaussian, width: tried.Width()}).gram(products))
			loss = c.together(ctx, c.alone, c.candidates).loss
		}
		if best == nil || loss < least-1/float64(len(c.chosen)) {
			best, least = products, loss
			c.candidates[i], c.frames = tried, h.Frames
		}
		if !more {
			return best, nil
		}
		h.Frames = coarser.Frames
	}
}

// chooseKernel chooses the kernel with which a candidate alone has the least loss, and judges the candidate. products
// are the scalar products of the trial's samples.
func (c *chooser) chooseKernel(ctx context.Context, i int, products *mat.SymDense) error {
	tried := gaussians
	if c.Compact {
		tried = []float64{trialGaussian}
	}
	candidate, scores := c.candidates[i], make([]score, len(tried))
	err := inParallel(ctx, len(scores), func(_ *work, at int) {
		gram := (&kernel{g: tried[at], width: candidate.Width()}).gram(products)
		centred(gram)
		scores[at] = c.best(ctx, gram, midPenalty)
	})
	if err != nil {
		return err
	}
	least := slices.MinFunc(scores, func(a, b score) int { return cmp.Compare(a.loss, b.loss) })
	g := tried[slices.Index(scores, least)]
	candidate.kernel.g, c.gaussians[candidate.Name] = g, g
	if len(c.chosen) == len(c.samples) { // whose scalar products are there
		c.grams[i] = candidate.kernel.gram(products)
		c.alone[i] = c.judge(ctx, part(c.grams[i], nil))
		return nil
	}
	if candidate.features.samples < len(c.samples) { // which chooseShape has computed of the trial's samples only
		if err := c.extract(ctx, everySample(c.plan), nil, candidate); err != nil {
			return err
		}
	}
	gram, err := c.multiply(ctx, i)
	if err != nil {
		return err
	}
	c.alone[i] = c.judge(ctx, gram)
	return nil
}
