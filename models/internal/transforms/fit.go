package transforms

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/clusterpool/ccp/models/internal/transforms/features"
	"gonum.org/v1/gonum/mat"
)

// MostSamples is the largest number of samples that a fit uses.
const MostSamples = 20_000

const (
	// samples with which the ridge classifier has a weight for each sample in any case, and transforms all their
	// features
	mostDual      = 2_400
	mostChosen    = 700   // samples by which transforms are chosen
	mostLandmarks = 1_000 // landmarks of the transform values, if there are more samples than mostDual
	blockSize     = 1_024 // features, or samples, that are multiplied at once
)

// fit is a fit under way.
type fit struct {
	Config
	task
	classifier *Classifier
	used       []int // of all
	samples    []Sample
	landmarks  []int // samples that are the landmarks of kernels
	dual       bool
	candidates []*candidate
	columns    []float32  // raw features that the forest reads, `[features][samples]`, until it is grown
	relinked   []relinked // by parts of the samples; nil: all are read by the same links
	penalty    float64
	score      score
	bias       []float32
}

// candidate is a transform and its standardised features, `[samples][features]`, before its kernel.
type candidate struct {
	*transform
	rows           [][]float32
	gram           *mat.SymDense // of all samples, or of those that transforms are chosen by
	weight, square float64       // the square is the mean one of a sample's centred features
	centre         []float64     // the mean features
	coefficients   *mat.Dense    // `[features, classes]`
}

// Suits returns an error if a transform of Only does not suit the samples.
func (c Config) Suits(samples []Sample) error { _, err := c.begin(samples); return err }

// begin picks the samples, and the transforms that suit them.
func (c Config) begin(samples []Sample) (*fit, error) {
	f := &fit{Config: c, used: spread(samples, MostSamples)}
	f.samples = pick(samples, f.used)
	f.task = c.taskOf(f.samples)
	var lengths []int
	for _, s := range f.samples {
		lengths = append(lengths, len(s.Values)/c.Columns)
	}
	slices.Sort(lengths)
	length := lengths[len(lengths)/2]
	frames := cmp.Or(c.Frames, length)
	for frames > 1 && frames*c.Columns > features.MostValues {
		frames /= 2
	}
	h := header{Columns: c.Columns, Classes: c.Classes, Length: length, Longest: lengths[len(lengths)-1], Frames: frames,
		Features: 10_000, Groups: 64, Landmarks: len(f.used), Channels: max(1, c.Channels), Turned: c.Turned,
		Table: c.Table, Added: 2, Centred: true, links: c.Links, Gaussians: map[string]float64{}}
	if len(f.used) > mostDual {
		h.Features, h.Groups = 2_000, 16
	}
	for _, t := range features.All {
		asked, lacks := slices.Contains(c.Only, t.Option), t.Lacks(h.shape())
		switch {
		case lacks != "" && asked && !t.IsStretched():
			return nil, fmt.Errorf("transforms: the transform %q needs %s; leave it out", t.Name, lacks)
		case lacks == "" && t.Prior > 0 && (asked || c.Only == nil):
			h.Names = append(h.Names, t.Name)
		}
		forest := t.InForest != nil && t.InForest(h.shape())
		if lacks == "" && forest && (c.Only == nil || slices.Contains(c.Only, Forest)) {
			h.Forest = append(h.Forest, t.Name)
		}
	}
	// A weight for each sample costs less than one for each feature while the samples are fewer.
	width, small := 0, h
	small.Landmarks = 1
	for _, v := range small.open().transforms {
		switch {
		case v.OwnRidge: // they are fewer
		case v.kernel != nil:
			width += mostLandmarks
		default:
			width += v.Width()
		}
	}
	f.dual = len(f.used) <= max(mostDual, width)
	if !f.dual {
		f.landmarks = spread(f.samples, mostLandmarks)
		h.Landmarks = len(f.landmarks)
	}
	f.classifier = h.open()
	return f, nil
}

// compute draws the maps, and computes the features of all samples: the forest's columns have them as they are, and the candidates
// standardised.
func (f *fit) compute(ctx context.Context) error {
	training := f.training()
	f.classifier.scaling.Measure(training.Values)
	if f.classifier.forest != nil {
		f.columns = make([]float32, len(f.samples)*f.classifier.forest.width)
	}
	for _, v := range f.classifier.transforms {
		if m, ok := v.Map.(features.DrawnMap); ok {
			if err := m.Draw(ctx, training, f.Seed); err != nil {
				return err
			}
		}
		f.candidates = append(f.candidates, &candidate{transform: v})
	}
	if err := f.relink(); err != nil {
		return err
	}
	return f.extract(ctx, f.samples, f.columns, f.candidates...)
}

// training returns what maps are drawn from.
func (f *fit) training() features.Training {
	t := features.Training{Scaling: f.classifier.scaling, Labels: f.labels}
	for _, s := range f.samples {
		t.Values = append(t.Values, s.Values)
	}
	return t
}

// grow grows the forest.
func (f *fit) grow(ctx context.Context) error {
	v := f.classifier
	if v.forest == nil {
		return nil
	}
	err := v.forest.grow(ctx, f.columns, f.labels, f.Seed)
	v.Nodes, v.Trees, f.columns = len(v.forest.nodes)/3, len(v.forest.roots), nil
	return err
}

// extract computes the features of samples and standardises those of transforms. The forest's go to columns unless these are nil.
func (f *fit) extract(ctx context.Context, samples []Sample, columns []float32, transforms ...*candidate) error {
	for _, c := range transforms {
		flat := make([]float32, len(samples)*c.Width())
		c.rows = slices.Collect(slices.Chunk(flat, c.Width()))
	}
	if err := inParallel(ctx, len(samples), func(w *work, i int) {
		w.read(f.classifier.scaling, samples[i].Values)
		if columns != nil {
			for j, x := range f.forestOf(samples[i]).features(w) {
				columns[j*len(samples)+i] = x
			}
		}
		for _, c := range transforms {
			f.mapOf(c.transform, samples[i]).raw(w, c.rows[i])
		}
	}); err != nil {
		return err
	}
	return inParallel(ctx, len(transforms), func(_ *work, i int) {
		c := transforms[i]
		c.standardiser.Measure(c.rows)
		for _, row := range c.rows {
			c.standardiser.Apply(row)
		}
	})
}

// trial is what transforms are chosen by: Gram matrices of some of the samples, and the score of each transform alone there.
type trial struct {
	task
	chosen []int // of the fit's samples
	some   bool  // of some classes only
	grams  []*mat.SymDense
	alone  []score
	priors []float64
	centre [][]float64 // the mean of each row of a Gram matrix, before it is centred
	square []float64   // the mean square of a sample's centred features
}

// try begins a trial. If its samples are of some classes only, it knows no others: these would be rivals without a sample.
func (f *fit) try() *trial {
	chosen, some := judges(f.samples, mostChosen)
	t, c, samples := &trial{chosen: chosen, some: some}, f.Config, pick(f.samples, chosen)
	if some {
		samples, c.Classes = numbered(samples)
	}
	t.task = c.taskOf(samples)
	return t
}

// judge takes the Gram matrix of a transform.
func (t *trial) judge(ctx context.Context, v int, gram *mat.SymDense) {
	t.centre[v], t.square[v] = centred(gram)
	t.grams[v], t.alone[v] = gram, t.best(ctx, gram, midPenalty)
}

// joined is the score of all transforms together.
func (t *trial) joined(ctx context.Context) score {
	return t.best(ctx, weighted(t.grams, t.weigh(t.alone, t.priors, lossPower)), midPenalty)
}

// choose weighs the transforms. They are not usable if all samples have the same features in each.
func (f *fit) choose(ctx context.Context) (usable bool, err error) {
	t, n := f.try(), len(f.candidates)
	t.grams, t.alone = make([]*mat.SymDense, n), make([]score, n)
	t.centre, t.square = make([][]float64, n), make([]float64, n)
	var linear []int
	for v, c := range f.candidates {
		t.priors = append(t.priors, c.Prior)
		t.alone[v].loss = math.Inf(1)
		if c.kernel == nil {
			if err := f.multiply(ctx, t, v); err != nil {
				return false, err
			}
			linear = append(linear, v)
		}
	}
	if err := inParallel(ctx, len(linear), func(_ *work, i int) { t.judge(ctx, linear[i], t.grams[linear[i]]) }); err != nil {
		return false, err
	}
	for v, c := range f.candidates {
		var squares *mat.SymDense
		var err error
		switch {
		case c.kernel == nil:
			continue
		case c.Coarser != nil:
			c, squares, err = f.resolve(ctx, t, v)
		default:
			squares, err = f.squares(ctx, pick(c.rows, t.chosen))
		}
		if err == nil {
			err = f.bend(ctx, t, v, c, squares)
		}
		if err != nil {
			return false, err
		}
	}
	joined := t.joined(ctx)
	if err := ctx.Err(); err != nil {
		return false, err
	}
	if math.IsInf(joined.loss, 1) {
		return false, nil
	}
	f.penalty = penalties[joined.penalty]
	judged := make([]Score, n)
	for v := range f.candidates {
		judged[v], err = f.judgeAlone(ctx, t, v)
		if err != nil {
			return false, err
		}
	}
	for i, weight := range t.weigh(t.alone, t.priors, lossPower) {
		c := f.candidates[i]
		c.weight = weight
		if alone := t.alone[i]; !math.IsInf(alone.loss, 1) {
			f.classifier.header.Parts = append(f.classifier.header.Parts, Part{c.Name, c.KnowsSensors, weight, judged[i]})
		}
	}
	f.candidates = slices.DeleteFunc(f.candidates, func(c *candidate) bool { return c.weight == 0 })
	return true, nil
}

// multiply computes the Gram matrix of a transform, and the part of it that transforms are chosen by.
func (f *fit) multiply(ctx context.Context, t *trial, v int) (err error) {
	c := f.candidates[v]
	rows, some := c.rows, t.chosen
	if !f.dual {
		rows, some = pick(rows, t.chosen), nil
	}
	c.gram, err = f.squares(ctx, rows)
	if err != nil {
		return err
	}
	if c.kernel != nil {
		c.gram = c.kernel.gram(c.gram)
	}
	t.grams[v] = part(c.gram, some)
	return nil
}

// squares returns the scalar products of rows.
func (f *fit) squares(ctx context.Context, rows [][]float32) (*mat.SymDense, error) {
	width := len(rows[0])
	return squares(f.Backend, len(rows), false, func(yield func(*mat.Dense) bool) {
		for from := 0; from < width && ctx.Err() == nil; from += blockSize {
			// Parts of one size, so that the backend compiles once.
			if !yield(block(rows, from, min(from+blockSize, width), min(blockSize, width))) {
				return
			}
		}
	})
}

// block returns the features from..to of rows, with zeros behind.
func block(rows [][]float32, from, to, width int) *mat.Dense {
	z := mat.NewDense(len(rows), width, nil)
	for i, row := range rows {
		line := z.RawRowView(i)
		for j, x := range row[from:to] {
			line[j] = float64(x)
		}
	}
	return z
}

// part returns a copy of some rows and columns; of all if some is nil.
func part(k *mat.SymDense, some []int) *mat.SymDense {
	if some == nil {
		return mat.NewSymDense(k.SymmetricDim(), slices.Clone(k.RawSymmetric().Data))
	}
	small := mat.NewSymDense(len(some), nil)
	for a, i := range some {
		for b, j := range some[:a+1] {
			small.SetSym(b, a, k.At(j, i))
		}
	}
	return small
}
