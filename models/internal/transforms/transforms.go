// Package transforms classifies whole recordings in closed form, on the host.
//
// Package features has the transforms, which are maps from a recording to features. A ridge classifier reads the
// features of several transforms by a weighted sum of their Gram matrices; another one reads shapelets; a forest
// reads the features of transforms that draw nothing. The mean of their probabilities predicts. Weights and penalties
// are those by which held-out samples are most likely.
//
// A fit has four phases: plan.go picks samples and transforms, compute.go computes features, choose.go weighs the
// transforms, and solve.go solves for the weights of features. A Classifier is what they make.
package transforms

import (
	"cmp"
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
	Graph  bool    // its features tell sensors or nodes apart: see features.Transform.KnowsSensors
	Weight float64 // of the sum of the weights
	Score
}

// Score is how samples are predicted that no member was fitted to and no choice was made by. It is zero if there were
// no such samples.
//
// The samples by which choices are made would not do. Of forty samples without any sign of their class, the best of
// many kernels and penalties predicts 60% right by chance. Leave-one-out by itself predicts 0% right, because a class
// is rarer without the sample that is held out.
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
	known := w.known[v.Name]
	if known != nil {
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
	buffers    sync.Pool // of *work
	// HeldOut is of the ridge classifier with the largest share, and Readings are of all. It is not kept.
	HeldOut HeldOut
}

// Reading is what the members on the host say of a recording: the logits of the ridge classifiers, and the votes of the
// forest. Forest is nil without a forest.
type Reading struct {
	Ridge  []float32
	Forest []float64
}

// Read returns the reading of a recording, `[timepoints, columns]` row by row. Several goroutines may call it. What
// is not finite counts as the column's mean, and so does what the first time point lacks.
func (v *Classifier) Read(values []float32) (r Reading) {
	w, _ := v.buffers.Get().(*work)
	if w == nil {
		w = new(work)
	}
	defer v.buffers.Put(w)
	w.takeSample(v.scaling, values)
	if v.forest != nil { // first, because it keeps its features for the transforms
		r.Forest = v.forest.votes(v.forest.features(w))
	}
	logits := loop.Convert[float64](v.bias) // `[ridge classifiers, classes]`
	for _, t := range v.transforms {
		t.addLogits(w, logits[t.ridge*v.Classes:(t.ridge+1)*v.Classes])
	}
	r.Ridge = v.mean(loop.Convert[float32](logits))
	return r
}

// addLogits adds the transform's part to the logits of its ridge classifier, for the recording in w.
func (v *transform) addLogits(w *work, logits []float64) {
	w.features = sized(w.features, v.Width())
	x := w.features
	v.raw(w, x)
	v.standardiser.Apply(x)
	if v.kernel != nil {
		w.compared = sized(w.compared, len(v.kernel.norms))
		v.kernel.compare(x, w.compared)
		x = w.compared
	}
	for k := range logits {
		logits[k] += blas32.DDot(vector(x), vector(v.weights[k*len(x):(k+1)*len(x)]))
	}
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
	parts = slices.DeleteFunc(parts, func(p Part) bool { return p.Name == All || p.Weight == 0 })
	slices.SortStableFunc(parts, func(a, b Part) int { return cmp.Compare(b.Weight, a.Weight) })
	for _, p := range parts {
		names = append(names, p.Name)
	}
	return names
}

// SetScores sets the scores of parts by their names. A part that is not among them gets none.
func (v *Classifier) SetScores(scores map[string]Score) {
	for i := range v.header.Parts {
		part := &v.header.Parts[i]
		part.Score = scores[part.Name]
	}
}

// Grown reports whether there is a forest.
func (v *Classifier) Grown() bool { return v.forest != nil }

// WeighForest sets the weight of the forest beside the ridge classifiers. If either has all the weight, the other is
// dropped.
func (v *Classifier) WeighForest(weight float64) {
	if v.forest == nil {
		return
	}
	v.ForestWeight = weight
	all := len(v.header.Parts) - 1
	for i := range all {
		v.header.Parts[i].Weight *= 1 - weight
	}
	knowsSensors := func(name string) bool { return features.Find(name).KnowsSensors }
	part := Part{Name: Forest, Graph: slices.ContainsFunc(v.header.Forest, knowsSensors), Weight: weight}
	v.header.Parts = slices.Insert(v.header.Parts, all, part)
	switch weight {
	case 0:
		v.forest, v.header.Forest, v.Nodes, v.Trees = nil, nil, 0, 0
	case 1:
		v.transforms, v.Names, v.Shares = nil, nil, nil
		v.bias = v.bias[:v.Classes]
	}
}

// Alone reports whether the classifier has all the weight, so that no network was trained. nil has none.
func (v *Classifier) Alone() bool { return v != nil && v.Weight == 1 }
