// Package features computes the features of recordings, on the host and in ONNX models.
//
// A Transform says what the features are, which recordings it suits, and how classifiers read them. A Map is a
// transform opened for recordings of one shape. Each transform has a file of its own and a line in the list All;
// nothing outside its file asks for it by name. The package knows no classifier: those that read the features are in
// models/internal/transforms.
package features

import (
	"context"
	"slices"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/models/onnx"
)

// Shape says what recordings look like and how many features a fit asks for. A Map follows from it alone.
type Shape struct {
	Columns       int              // values of a time point: all channels of the first sensor, then of the second, …
	Channels      int              // columns of a sensor
	Length        int              // time points of the median recording
	Longest       int              // time points of the longest recording
	Frames        int              // time points to which the transform values resamples a recording
	Table         bool             // recordings are rows of a table or signals on a graph, of one time point each
	Features      int              // about how many features MiniRocket and the shapelets have
	Groups        int              // groups of HYDRA's kernels at each dilation
	MostSummed    int              // columns that a sum of columns has at most; 0, in checkpoints of 0.1.0, stands for 8
	MeansSubtract bool             // intervals subtract means, as QUANT does; false in checkpoints of 0.1.0
	Links         *affinity.Matrix // between sensors; nil if unknown
	// LinksLearned says that the links follow from the training samples.
	LinksLearned bool
	// Directed are links, each from a sensor to another, that the data's source says to lead this way. They are the first
	// direction of the graph.
	Directed [][2]int
	// Heights are of sensors, for each other direction of the graph: a link leads from the lower sensor to the higher one.
	Heights [][]float32
	// Placed says that heights are the sensors' places on the main axes of their positions.
	Placed bool
}

// Map computes the features of a recording. Several goroutines may use one, each with a Recording of its own.
type Map interface {
	// Width returns the number of features.
	Width() int
	// Features writes the features of the recording to out, which is Width long and all zeros.
	Features(r *Recording, out []float32)
	// Export adds nodes that compute what Features does, `[batch, width]`, from standardised series x, `[batch, columns,
	// timepoints]` of any length.
	Export(g *onnx.Graph, x string) string
}

// DrawnMap is a Map with parts that are drawn at random or cut out of training recordings. They are zeros until Draw
// sets them, or until a reader of checkpoints fills Arrays.
type DrawnMap interface {
	Map
	// Draw draws the parts; the same recordings and seed give the same. The error is the context's.
	Draw(ctx context.Context, t Training, seed uint64) error
	// Arrays returns the parts by their paths in a checkpoint. The slices are the map's own and have their final length.
	Arrays() map[string][]float32
	// Check names the first array with a value that Features cannot use, as in a damaged checkpoint, and says what is
	// wrong with it.
	Check() (array string, err error)
}

// MapInC is a Map that predict.c.tmpl knows, too.
type MapInC interface {
	Map
	// CArguments returns what its function in C takes between the number of time points and the standardisation: int and
	// CArray. padded is the greatest length of a spectrum. nil says that this map has no form in C.
	CArguments(padded int) []any
}

// CArray is a constant array in C.
type CArray struct {
	Type, Name string
	Values     []float32
}

// Training is what maps are drawn from: the training recordings, how they are standardised, and their classes.
type Training struct {
	Scaling Scaling
	Values  [][]float32 // as Scaling.Read takes them
	Labels  []int32
}

// Transform is a kind of features that a fit can choose.
type Transform struct {
	// Name is its name in checkpoints and in results.
	Name string
	// Option is the name by which the option transforms asks for it. A transform of stretched recordings has the one of
	// the plain transform, and the others have their own names.
	Option string
	// Lacks returns what recordings of this shape lack for the transform, in words that follow "needs"; "" if they suit
	// it.
	Lacks func(Shape) string
	// New opens the transform's map.
	New func(Shape) Map

	// Prior is the weight that a ridge classifier gives the transform where another of the prior 1 has the same loss. 0
	// keeps it from all ridge classifiers. Random kernels of many shapes have 3, because few held-out samples cannot
	// tell transforms apart, and these predict new samples best.
	Prior float64
	// Stretched says that it is another transform, of recordings stretched to one length.
	Stretched bool
	// OwnRidge has a ridge classifier of its own read the transform, apart from the one that reads the others together.
	OwnRidge bool
	// UsesKernel has the ridge classifier compare recordings by a Gaussian kernel on the features, for transforms of few
	// features.
	UsesKernel bool
	// InCompact says that compact classifiers read the transform, which takes little time.
	InCompact bool
	// Counts says that features are counts, most of them zero: they are standardised as HYDRA's.
	Counts bool
	// InForest reports whether the forest reads the features of recordings of this shape. nil stands for never: trees
	// gain nothing from features with random parts, of which they would see a few.
	InForest func(Shape) bool

	// KnowsSensors says that features tell sensors apart by their links or by their order in time; results mark such
	// transforms.
	KnowsSensors bool
	// AlongLinks says that features are averages along the links. Where links were learned from samples, each training
	// sample is then read by links that it has not helped to learn.
	AlongLinks bool
	// AlsoStretched adds another transform: the same one of recordings stretched to one length.
	AlsoStretched bool
	// Coarser returns a shape for fewer features, if there are fewer to try: a fit takes the number that predicts
	// held-out samples best. nil stands for no such choice.
	Coarser func(Shape) (coarser Shape, ok bool)
}

// always has the forest read the features of all recordings.
func always(Shape) bool { return true }

// All lists the transforms in the order in which fits take and save them. Values come last, because the number of
// their frames is chosen beside the other transforms.
var All = slices.Concat(atOwnPace, stretchedOf(atOwnPace), []Transform{valuesTransform})

// atOwnPace lists the transforms of recordings as they are, but for values.
var atOwnPace = []Transform{
	miniRocketTransform,
	hydraTransform,
	shapeletsTransform,
	powerTransform,
	linksTransform,
	anywhereTransform,
	lengthsTransform,
	lagsTransform,
	scatteringTransform,
	averagesTransform,
	intervalsTransform,
}

// Find returns the transform of a name; nil if there is none.
func Find(name string) *Transform {
	at := slices.IndexFunc(All, func(t Transform) bool { return t.Name == name })
	if at < 0 {
		return nil
	}
	return &All[at]
}

// Options lists the names that the option transforms takes: those of the transforms that a ridge classifier reads.
func Options() (names []string) {
	for _, t := range All {
		if t.Prior > 0 && t.Name == t.Option {
			names = append(names, t.Option)
		}
	}
	return names
}
