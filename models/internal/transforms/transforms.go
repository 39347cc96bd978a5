// Package transforms classifies whole recordings in closed form, on the host.
//
// A transform is a map from a recording to features: MiniRocket's kernels, HYDRA's competing kernels, distances from
// shapelets, the power in bands of frequency, or the values themselves. A ridge classifier uses the features of
// transforms, by a weighted sum of their Gram matrices. Another reads shapelets, and the mean of both predicts. The
// weights and the penalty are those by which held-out samples are most likely.
package transforms

import (
	"cmp"
	"context"
	"math"
	"slices"
	"sync"

	"github.com/clusterpool/ccp/internal/loop"
	"github.com/clusterpool/ccp/models/internal/prob"
	"github.com/clusterpool/ccp/models/internal/transforms/features"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/floats"
)

// Part is the weight and the score of a transform. The last part, "all", is all transforms together.
type Part struct {
	Name   string
	Graph  bool    // it goes by links, or by pairs of few sensors
	Weight float64 // of the sum of the weights
	Score
}

// Score is how samples are predicted that no member was fitted to and no choice was made by. If there were none, all is
// zero. The samples by which choices are made are no such samples: of forty without any sign of their class the best of
// many kernels and penalties has 60% right, and leave-one-out by itself 0%, since a class is rarer without a sample of
// its own.
type Score struct {
	Loss, Accuracy float64 // the loss is in nats
	Samples        int     // how many there were
	Groups         int     // of how many groups; 0 if samples were held out singly
}

// transform is a transform as a ridge classifier reads it: its features are standardised, compared with landmarks if
// there is a kernel, and weighted.
type transform struct {
	*features.Transform
	features.Map
	standardiser features.Standardiser
	kernel       *kernel   // nil if the features are weighted themselves
	ridge        int       // which ridge classifier reads it
	weights      []float32 // `[classes, features]`, or `[classes, landmarks]` with a kernel
}

// raw writes the features of the recording in w, as they are: those that the forest has read, or new ones.
func (v *transform) raw(w *work, out []float32) {
	if known := w.known[v.Name]; known != nil {
		copy(out, known)
		return
	}
	v.Features(&w.Recording, out)
}

// Classifier is a fitted ridge classifier on transforms, and a forest, with the mixture in which they and a network
// predict.
type Classifier struct {
	Mixture
	header
	scaling    features.Scaling // of the recordings
	forest     *forest          // nil if it has no part
	transforms []*transform
	bias       []float32 // `[ridge classifiers, classes]`
	buffer     sync.Pool
}

// Reading is what the members on the host say of a recording: the logits of the ridge classifier, and the votes of
// the forest.
type Reading struct {
	Ridge  []float32
	Forest []float64
}

// Read returns the reading of a recording, `[timepoints, columns]` row by row. Several goroutines may call it. What
// is not finite counts as the column's mean, and so does what the first time point lacks.
func (v *Classifier) Read(values []float32) (r Reading) {
	w, _ := v.buffer.Get().(*work)
	if w == nil {
		w = new(work)
	}
	defer v.buffer.Put(w)
	w.read(v.scaling, values)
	if v.forest != nil {
		r.Forest = v.forest.votes(v.forest.features(w))
	}
	sums := loop.Convert[float64](v.bias)
	for _, one := range v.transforms {
		w.features = sized(w.features, one.Width())
		x := w.features
		one.raw(w, x)
		one.standardiser.Apply(x)
		if one.kernel != nil {
			w.compared = sized(w.compared, len(one.kernel.norms))
			one.kernel.compare(x, w.compared)
			x = w.compared
		}
		for k := range v.Classes {
			sums[one.ridge*v.Classes+k] += blas32.DDot(vector(x), vector(one.weights[k*len(x):(k+1)*len(x)]))
		}
	}
	r.Ridge = v.mean(loop.Convert[float32](sums))
	return r
}

// mean returns logits whose softmax is the mean of those of the ridge classifiers.
func (v *Classifier) mean(logits []float32) []float32 {
	if len(v.Shares) < 2 {
		return logits
	}
	p := make([]float64, v.Classes)
	for i, share := range v.Shares {
		floats.AddScaled(p, share, prob.Softmax(logits[i*v.Classes:(i+1)*v.Classes]))
	}
	mean := make([]float32, v.Classes)
	for k, x := range p {
		mean[k] = float32(math.Log(max(x, math.SmallestNonzeroFloat32)))
	}
	return mean
}

// Parts returns the part of each transform, and of all together. Transforms without weight are listed, too, unless all
// samples have the same features in them.
func (v *Classifier) Parts() []Part { return slices.Clone(v.header.Parts) }

// Predicting returns the transforms that have a weight, the one of the greatest weight first.
func (v *Classifier) Predicting() (names []string) {
	parts := v.Parts()
	parts = slices.DeleteFunc(parts[:len(parts)-1], func(p Part) bool { return p.Weight == 0 })
	slices.SortStableFunc(parts, func(a, b Part) int { return cmp.Compare(b.Weight, a.Weight) })
	for _, p := range parts {
		names = append(names, p.Name)
	}
	return names
}

// SetScores sets the scores of parts by their names, and takes those of others away.
func (v *Classifier) SetScores(of map[string]Score) {
	for i := range v.header.Parts {
		v.header.Parts[i].Score = of[v.header.Parts[i].Name]
	}
}

// Grown reports whether there is a forest.
func (v *Classifier) Grown() bool { return v.forest != nil }

// WeighForest sets the weight of the forest beside the ridge classifier; the one without a weight goes.
func (v *Classifier) WeighForest(weight float64) {
	if v.forest == nil {
		return
	}
	v.ForestWeight = weight
	all := len(v.header.Parts) - 1
	for i := range all {
		v.header.Parts[i].Weight *= 1 - weight
	}
	graph := slices.ContainsFunc(v.header.Forest, func(name string) bool { return features.Find(name).KnowsSensors })
	v.header.Parts = slices.Insert(v.header.Parts, all, Part{Name: Forest, Graph: graph, Weight: weight})
	switch weight {
	case 0:
		v.forest, v.header.Forest, v.Nodes, v.Trees = nil, nil, 0, 0
	case 1:
		v.transforms, v.Names, v.Shares, v.bias = nil, nil, nil, v.bias[:v.Classes]
	}
}

// Alone reports whether the classifier has all the weight, so that no network was trained. nil has none.
func (v *Classifier) Alone() bool { return v != nil && v.Weight == 1 }

// Fit fits the transforms and the ridge classifier. With more than 2,400 samples the transforms have fewer features.
// Of more than 20,000 samples it uses whole groups, evenly spread, or parts of groups of more than 5,000. Errors name
// the sample, or come from the context and the backend.
func Fit(ctx context.Context, c Config, samples []Sample) (*Classifier, error) {
	if err := c.check(samples); err != nil {
		return nil, err
	}
	f, err := c.begin(samples)
	if err != nil {
		return nil, err
	}
	steps := []func(context.Context) error{f.compute, f.grow, f.ridges}
	if v := f.classifier; len(v.Names) == 0 { // the forest alone is asked for
		steps, v.ForestWeight, v.header.Parts = steps[:2], 1, []Part{{Name: All, Weight: 1}}
	}
	for _, step := range steps {
		if err := step(ctx); err != nil {
			return nil, err
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	f.classifier.Weight, f.classifier.Smoothing = 1, 1/float64(len(samples)+2)
	if c.Lone && len(f.classifier.Names) > 0 {
		f.classifier.ForestWeight = 0 // trees that end at the first split guess
	}
	return f.classifier, nil
}
