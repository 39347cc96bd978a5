// Package transforms classifies whole recordings in closed form, on the host.
//
// A transform is a map from a recording to features: MiniRocket's kernels, HYDRA's competing kernels, distances from
// shapelets, the power in bands of frequency, or the values themselves. A ridge classifier uses the features of transforms, by a
// weighted sum of their Gram matrices. Another reads shapelets, and the mean of both predicts. The weights and the penalty are those
// by which held-out samples are most likely.
package transforms

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/datasets/signal"
	"github.com/clusterpool/ccp/internal/loop"
	"github.com/clusterpool/ccp/internal/suggest"
	"github.com/clusterpool/ccp/models/internal/layout"
	"github.com/clusterpool/ccp/models/internal/prob"
	"github.com/gomlx/compute"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/floats"
)

// The names of the transforms, and of the forest that reads some of them.
const (
	MiniRocket = "minirocket"
	Hydra      = "hydra"
	Shapelets  = "shapelets"
	Values     = "values"
	Forest     = "forest"
)

// kind is a transform that a fit can take.
type kind struct {
	name  string
	lacks func(h header) string // what the samples lack for it; "" for nothing
	open  func(h header) featureMap
	// prior is the weight of a transform in the ridge classifier whose loss is that of another with the prior 1; 0: only the forest
	// reads it. Random kernels of many shapes have a greater one: few held-out samples cannot tell transforms apart, and new ones
	// are predicted best by these.
	prior float64
	bent  bool // the ridge classifier compares its features, which are few, by a kernel
	trees bool // the forest reads its features, which nothing random is in
	graph bool // its features tell of links, or of which sensor is before another
	paced bool // there is one of recordings stretched to one length, too
	apart bool // a ridge classifier of its own reads it
}

// kinds are all transforms. Values come behind the others: their number of frames is chosen beside these.
var kinds = withStretched([]kind{
	{name: MiniRocket, lacks: header.lacksKernel, open: newMiniRocket, prior: 3, paced: true},
	{name: Hydra, lacks: header.lacksKernel, open: newHydra, prior: 3, paced: true},
	{name: Shapelets, lacks: header.lacksShapelets, open: newShapelets, prior: 3, paced: true, apart: true},
	{name: "power", lacks: header.lacksSeries, open: newPower, prior: 1, bent: true, trees: true, paced: true},
	{name: "lags", lacks: header.lacksLags, open: newLags, prior: 1, trees: true, graph: true},
	{name: "scattering", lacks: header.lacksScattering, open: newScattering, prior: 1, trees: true, graph: true},
	{name: "averages", lacks: header.lacksAverages, open: newAverages, prior: 1, bent: true, trees: true, graph: true},
	{name: "intervals", lacks: header.lacksIntervals, open: newIntervals, trees: true, paced: true},
	{name: Values, lacks: header.lacksValues, open: newValues, prior: 1, bent: true, trees: true},
})

// kindOf returns the transform of a name; nil if there is none.
func kindOf(name string) *kind {
	at := slices.IndexFunc(kinds, func(k kind) bool { return k.name == name })
	if at < 0 {
		return nil
	}
	return &kinds[at]
}

// names lists what the option can name: the transforms, and the forest. A transform's name stands for that of stretched
// recordings as well.
func names() (all []string) {
	for _, k := range kinds {
		if k.prior > 0 && k.name == basis(k.name) {
			all = append(all, k.name)
		}
	}
	return append(all, Forest)
}

// All is the value of the option transforms that uses every transform that suits the samples. None uses none.
const (
	All  = "all"
	None = "none"
)

// Parse reads the option: All, None, or names. It returns the names; nil means the transforms that suit the samples.
func Parse(option string) (some []string, err error) {
	if option == All || option == None {
		return nil, nil
	}
	for name := range strings.SplitSeq(option, ",") {
		if !slices.Contains(names(), name) {
			return nil, fmt.Errorf("transforms: there is no %q; %s; join several by commas", name,
				suggest.Among(name, append([]string{All, None}, names()...)))
		}
		some = append(some, name)
	}
	return some, nil
}

// Sample is a recording for a fit.
type Sample struct {
	Values []float32 // `[timepoints, columns]`; recordings may differ in length. NaN counts as the column's mean
	Label  int32
	Group  string // the samples of a group are held out together; "" is a group of its own
}

// For returns what a fit on the data needs to know of them, for the transforms that the option asks for. Signals on a graph of
// frames times sensors are series, as recordings are.
func For(data *signal.Info, graph *affinity.Matrix, option string) (Config, error) {
	some, err := Parse(option)
	c := Config{Columns: data.Nodes * data.Channels, Channels: data.Channels, Classes: data.Classes(), Table: true, Only: some,
		Links: graph}
	l := layout.Layout{}
	if f := data.Form; f != nil {
		l = layout.Layout{Frames: f.Frames, Sensors: len(f.Sensors)}
		c.Table = f.Longest == 1
	} else if l = layout.Of(graph, data.Grid); l.Frames > 0 {
		if c.Table = false; l.SensorWise {
			c.Turned = l.Frames
		}
	}
	if l.Frames > 0 {
		c.Columns, c.Frames, c.Links = l.Sensors*data.Channels, min(l.Frames, mostFrames), l.Links(graph)
	}
	return c, err
}

// Config of a fit.
type Config struct {
	Columns, Classes int
	Lone             bool             // no class has samples of two groups, so that the others tell nothing of a held-out one
	Channels         int              // of a sensor or node; a time point has those of each side by side
	Table            bool             // samples are rows of a table, or signals on a graph: one time point each
	Turned           int              // frames, if a sample is `[sensors, frames, channels]`; else 0
	Links            *affinity.Matrix // of the sensors or nodes; nil: unknown
	Frames           int              // that the transform values has of a recording; 0: the median length
	Only             []string         // names of the transforms to use; nil means those that suit the samples
	Seed             uint64
	Backend          compute.Backend // sums squares
}

// Part is the weight and the score of a transform. The last part, "all", is the whole ridge classifier.
type Part struct {
	Name           string
	Graph          bool    // it goes by links, or by pairs of few sensors
	Weight         float64 // of the sum of the weights
	Accuracy, Loss float64 // on held-out samples, of a transform alone at most 700; the loss is in nats
}

// transform is a map whose features are standardised, compared with landmarks if there is a kernel, and weighted.
type transform struct {
	featureMap
	name        string
	mean, scale []float32
	kernel      *kernel
	ridge       int       // which ridge classifier reads it
	weights     []float32 // `[classes, features]`
}

// raw writes the features of the recording in w, as they are.
func (v *transform) raw(w *work, out []float32) {
	if copy(out, w.known[v.name]) == 0 {
		v.features(w, out)
	}
}

// standardise changes features. As in HYDRA, a count of zero stays zero.
func (v *transform) standardise(features []float32) {
	for j, x := range features {
		if x != 0 || basis(v.name) != Hydra {
			features[j] = (x - v.mean[j]) * v.scale[j]
		}
	}
}

// Classifier is a fitted ridge classifier on transforms. In the mean with a network its probabilities have the weight Weight,
// and the network's 1 - Weight. Smoothing is Laplace's: the probability that all classes share, 1/(n+2) for n training samples,
// since no number of right predictions makes the next one certain. Temperature divides the classifier's logits, and
// NetworkTemperature the network's (Guo et al. 2017). They are 1 unless held-out samples were there to fit them to.
type Classifier struct {
	Weight, Smoothing                                  float64
	ForestWeight                                       float64
	Temperature, ForestTemperature, NetworkTemperature float64
	header
	units      units
	forest     *forest // nil if it has no part
	transforms []*transform
	bias       []float32 // `[ridge classifiers, classes]`
	buffer     sync.Pool
}

// Reading is what the members on the host say of a recording: the logits of the ridge classifier, and the votes of the forest.
type Reading struct {
	Ridge  []float32
	Forest []float64
}

// Read returns the reading of a recording, `[timepoints, columns]` row by row. Several goroutines may call it. What is not
// finite counts as the column's mean, and so does what the first time point lacks.
func (v *Classifier) Read(values []float32) (r Reading) {
	w, _ := v.buffer.Get().(*work)
	if w == nil {
		w = new(work)
	}
	defer v.buffer.Put(w)
	v.units.read(w, values)
	if v.forest != nil {
		r.Forest = v.forest.votes(v.forest.features(w))
	}
	sums := loop.Convert[float64](v.bias)
	for _, one := range v.transforms {
		w.out = sized(w.out, one.width())
		x := w.out
		one.raw(w, x)
		one.standardise(x)
		if one.kernel != nil {
			w.sum = sized(w.sum, len(one.kernel.norms))
			one.kernel.compare(x, w.sum)
			x = w.sum
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

// SetScore replaces the loss and the accuracy of all transforms together by those on samples that no choice has used.
func (v *Classifier) SetScore(loss, accuracy float64) {
	all := &v.header.Parts[len(v.header.Parts)-1]
	all.Loss, all.Accuracy = loss, accuracy
}

// Grown reports whether there is a forest.
func (v *Classifier) Grown() bool { return v.forest != nil }

// WeighForest sets the weight of the forest beside the ridge classifier; the one without a weight goes. The loss and the accuracy
// of the forest are those of its part.
func (v *Classifier) WeighForest(weight, loss, accuracy float64) {
	if v.forest == nil {
		return
	}
	v.ForestWeight = weight
	all := len(v.header.Parts) - 1
	for i := range all {
		v.header.Parts[i].Weight *= 1 - weight
	}
	graph := slices.ContainsFunc(v.header.Forest, func(name string) bool { return kindOf(name).graph })
	v.header.Parts = slices.Insert(v.header.Parts, all, Part{Forest, graph, weight, accuracy, loss})
	switch weight {
	case 0:
		v.forest, v.header.Forest, v.Nodes, v.Trees = nil, nil, 0, 0
	case 1:
		v.transforms, v.Names, v.Shares, v.bias = nil, nil, nil, v.bias[:v.Classes]
	}
}

// Alone reports whether the classifier has all the weight, so that no network was trained. nil has none.
func (v *Classifier) Alone() bool { return v != nil && v.Weight == 1 }

// Probabilities returns the probabilities of classes with this reading, after Laplace smoothing. If the network's probabilities
// are given, it returns the weighted mean of all: the one formula by which members are weighed and predict.
func (v *Classifier) Probabilities(r Reading, network []float64) []float64 {
	tempered := make([]float32, len(r.Ridge))
	for k, x := range r.Ridge {
		tempered[k] = x / float32(v.Temperature)
	}
	p := prob.Softmax(tempered)
	if r.Forest != nil {
		floats.Scale(1-v.ForestWeight, p)
		floats.AddScaled(p, v.ForestWeight, prob.Temper(r.Forest, v.ForestTemperature))
	}
	for k := range p {
		p[k] = (1-v.Smoothing)*p[k] + v.Smoothing/float64(len(p))
	}
	if network != nil {
		floats.Scale(v.Weight, p)
		floats.AddScaled(p, 1-v.Weight, prob.Temper(network, v.NetworkTemperature))
	}
	return p
}

// Fit fits the transforms and the ridge classifier. With more than 2,400 samples the transforms have fewer features. Of more
// than 20,000 samples it uses whole groups, evenly spread, or parts of groups of more than 5,000. Errors name the sample, or
// come from the context and the backend.
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
	if f.classifier.Weight, f.classifier.Smoothing = 1, 1/float64(len(samples)+2); c.Lone && len(f.classifier.Names) > 0 {
		f.classifier.ForestWeight = 0 // trees that end at the first split guess
	}
	return f.classifier, nil
}

// Memory is about how many bytes Fit takes beside the samples. It holds the features twice, and six matrices of all
// samples, or of the features if these are fewer; before, while the forest grows, once and what the forest reads. Half as much
// waits to be collected.
func (c Config) Memory(samples []Sample) int {
	f, err := c.begin(samples)
	if err != nil {
		return 0
	}
	width, n := 0, len(f.used)
	for _, v := range f.classifier.transforms {
		width += v.width()
	}
	side := n
	if !f.dual {
		side = width
	}
	more := 4*n*width + 48*side*side
	if m := f.classifier.forest; m != nil {
		more = max(more, 4*n*m.width)
	}
	return (4*n*width + more) * 3 / 2
}

// check returns an error that names the first bad sample.
func (c Config) check(samples []Sample) error {
	classes, groups := map[int32]bool{}, len(groupsOf(samples))
	for i, s := range samples {
		bad := slices.IndexFunc(s.Values, func(x float32) bool { return !finite(x) && x == x })
		switch n := len(s.Values); {
		case c.Columns < 1:
			return fmt.Errorf("transforms: %d columns; a recording has at least one", c.Columns)
		case n == 0 || n%c.Columns != 0:
			return fmt.Errorf("transforms: sample %d has %d values, which is no multiple of %d columns", i, n, c.Columns)
		case c.Table && n != c.Columns:
			return fmt.Errorf("transforms: sample %d has %d values; a row of the table has %d", i, n, c.Columns)
		case bad >= 0:
			return fmt.Errorf("transforms: sample %d: value %d is infinite; make it NaN if it is unknown", i, bad)
		case s.Label < 0 || int(s.Label) >= c.Classes:
			return fmt.Errorf("transforms: sample %d has the label %d; there are %d classes", i, s.Label, c.Classes)
		}
		classes[s.Label] = true
	}
	switch {
	case len(classes) < 2:
		return fmt.Errorf("%d training samples of %d class; a fit needs two classes", len(samples), len(classes))
	case groups < 2:
		return fmt.Errorf("transforms: all %d samples are of one group; to hold one out takes two", len(samples))
	case c.Only != nil && len(c.Only) == 0:
		return fmt.Errorf("transforms: no transform is asked for; there are %s", strings.Join(names(), ", "))
	case c.Backend == nil:
		return fmt.Errorf("transforms: a fit needs a backend")
	}
	for _, name := range c.Only {
		if !slices.Contains(names(), name) {
			return fmt.Errorf("transforms: no transform is called %q; there are %s", name, strings.Join(names(), ", "))
		}
	}
	return nil
}
