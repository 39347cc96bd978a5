// Package transforms classifies whole recordings in closed form, on the host.
//
// A transform is a map from a recording to features: MiniRocket's kernels, HYDRA's competing kernels, the power in bands of
// frequency, or the values themselves. One ridge classifier uses the features of all transforms, by a weighted sum of their
// Gram matrices. The weights and the penalty are those by which held-out samples are most likely.
package transforms

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/datasets/signal"
	"github.com/clusterpool/ccp/internal/suggest"
	"github.com/clusterpool/ccp/models/internal/layout"
	"github.com/clusterpool/ccp/models/internal/prob"
	"github.com/gomlx/compute"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/floats"
)

// The names of the transforms.
const (
	MiniRocket = "minirocket"
	Hydra      = "hydra"
	Values     = "values"
)

// kind is a transform that a fit can take.
type kind struct {
	name  string
	lacks func(h header) string // what the samples lack for it; "" for nothing
	open  func(h header) featureMap
	// prior is the weight of a transform whose loss is that of another with the prior 1. Random kernels of many shapes have a
	// greater one: few held-out samples cannot tell transforms apart, and new ones are predicted best by these.
	prior float64
	bent  bool // its features are few, and compared by a kernel
	// coarser makes the resolution of its features coarser, and reports whether it could; nil if there is one resolution only.
	coarser func(h *header) bool
}

// kinds are all transforms. Those with several resolutions come last: these are chosen beside the others.
var kinds = []kind{
	{MiniRocket, header.lacksKernel, newMiniRocket, 3, false, nil},
	{Hydra, header.lacksKernel, newHydra, 3, false, nil},
	{"power", header.lacksSeries, newPower, 1, true, nil},
	{"lags", header.lacksLags, newLags, 1, false, nil},
	{"scattering", header.lacksScattering, newScattering, 1, false, nil},
	{"averages", header.lacksAverages, newAverages, 1, true, nil},
	{"intervals", header.lacksIntervals, newIntervals, 1, true, (*header).fewerIntervals},
	{Values, header.lacksValues, newValues, 1, true, (*header).fewerFrames},
}

// kindOf returns the transform of a name; nil if there is none.
func kindOf(name string) *kind {
	at := slices.IndexFunc(kinds, func(k kind) bool { return k.name == name })
	if at < 0 {
		return nil
	}
	return &kinds[at]
}

// names lists all transforms.
func names() (all []string) {
	for _, k := range kinds {
		all = append(all, k.name)
	}
	return all
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
		if kindOf(name) == nil {
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
		c.Columns, c.Frames, c.Links = l.Sensors*data.Channels, l.Frames, l.Links(graph)
	}
	return c, err
}

// Config of a fit.
type Config struct {
	Columns, Classes int
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
	Weight         float64 // of the sum of the weights
	Accuracy, Loss float64 // on held-out samples, of a transform alone at most 700; the loss is in nats
}

// transform is a map whose features are standardised, compared with landmarks if there is a kernel, and weighted.
type transform struct {
	featureMap
	name        string
	mean, scale []float32
	kernel      *kernel
	weights     []float32 // `[classes, features]`
}

// standardise changes features. As in HYDRA, a count of zero stays zero.
func (v *transform) standardise(features []float32) {
	for j, x := range features {
		if x != 0 || v.name != Hydra {
			features[j] = (x - v.mean[j]) * v.scale[j]
		}
	}
}

// Classifier is a fitted ridge classifier on transforms. In the mean with a network its probabilities have the weight Weight,
// and the network's 1 - Weight. Smoothing is Laplace's: the probability that all classes share, 1/(n+2) for n training samples,
// since no number of right predictions makes the next one certain. Temperature divides the classifier's logits, and
// NetworkTemperature the network's (Guo et al. 2017). They are 1 unless held-out samples were there to fit them to.
type Classifier struct {
	Weight, Smoothing               float64
	Temperature, NetworkTemperature float64
	header
	units      units
	transforms []*transform
	bias       []float32
	buffer     sync.Pool
}

// Logits returns the logits of a recording, `[timepoints, columns]` row by row. Several goroutines may call it. What is not
// finite counts as the column's mean, and so does what the first time point lacks.
func (v *Classifier) Logits(values []float32) []float32 {
	w, _ := v.buffer.Get().(*work)
	if w == nil {
		w = new(work)
	}
	defer v.buffer.Put(w)
	v.units.read(w, values)
	sums := make([]float64, v.Classes)
	for _, one := range v.transforms {
		w.out = sized(w.out, one.width())
		x := w.out
		one.features(w, x)
		one.standardise(x)
		if one.kernel != nil {
			w.sum = sized(w.sum, len(one.kernel.norms))
			one.kernel.compare(x, w.sum)
			x = w.sum
		}
		for k := range sums {
			sums[k] += blas32.DDot(vector(x), vector(one.weights[k*len(x):(k+1)*len(x)]))
		}
	}
	logits := make([]float32, v.Classes)
	for k, sum := range sums {
		logits[k] = float32(sum + float64(v.bias[k]))
	}
	return logits
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

// Alone reports whether the classifier has all the weight, so that no network was trained. nil has none.
func (v *Classifier) Alone() bool { return v != nil && v.Weight == 1 }

// Probabilities returns the probabilities of classes with these logits, after Laplace smoothing. If the network's probabilities
// are given, it returns the weighted mean of both: the one formula by which the two are weighed and predict.
func (v *Classifier) Probabilities(logits []float32, network []float64) []float64 {
	tempered := make([]float32, len(logits))
	for k, x := range logits {
		tempered[k] = x / float32(v.Temperature)
	}
	p := prob.Softmax(tempered)
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
	for _, step := range []func(context.Context) error{f.compute, f.choose, f.solve} {
		if err := step(ctx); err != nil {
			return nil, err
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	f.classifier.Weight, f.classifier.Smoothing = 1, 1/float64(len(samples)+2)
	return f.classifier, nil
}

// Memory is about how many bytes Fit takes beside the samples. It holds the features twice, and six matrices of all
// samples, or of the features if these are fewer. Half as much waits to be collected.
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
	return (8*n*width + 48*side*side) * 3 / 2
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
		if kindOf(name) == nil {
			return fmt.Errorf("transforms: no transform is called %q; there are %s", name, strings.Join(names(), ", "))
		}
	}
	return nil
}
