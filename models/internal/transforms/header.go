package transforms

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/models/internal/transforms/features"
	"gonum.org/v1/gonum/floats"
)

// header says which arrays a checkpoint has, and of what size. It is saved as JSON with the names of its fields, in
// their order.
type header struct {
	Columns, Classes int
	Length, Longest  int                // time points of the median recording, and of the longest
	Frames           int                // of the transform values
	Names            []string           // of the transforms that ridge classifiers read
	Forest           []string           // of the transforms that the forest reads
	Nodes, Trees     int                // of the forest
	Features, Groups int                // features of MiniRocket, and groups of HYDRA's kernels
	Landmarks        int                // of kernels
	Gaussians        map[string]float64 // see kernel, by the transforms that have one
	Channels         int                // of a sensor: it has so many columns side by side
	Turned           int                // frames, if a sample is `[sensors, frames, channels]`; else 0
	Table            bool               // samples have one time point each
	Added            int                // columns that a sum has, at most; 0, in checkpoints of 0.1.0, is 8
	Centred          bool               // intervals subtract means, as in QUANT; false in checkpoints of 0.1.0
	Parts            []Part
	Shares           []float64   // of the ridge classifiers in their mean; one or none is one ridge classifier
	Directed         [][2]int    `json:",omitempty"` // see features.Shape
	Heights          [][]float32 `json:",omitempty"` // see features.Shape
	Placed           bool        `json:",omitempty"` // see features.Shape
	LinksLearned     bool        `json:",omitempty"` // see features.Shape

	links *affinity.Matrix // of the sensors; nil: unknown
}

// shape returns the shape from which the maps follow.
func (h header) shape() features.Shape {
	return features.Shape{
		Columns:       h.Columns,
		Channels:      h.Channels,
		Length:        h.Length,
		Longest:       h.Longest,
		Frames:        h.Frames,
		Table:         h.Table,
		Features:      h.Features,
		Groups:        h.Groups,
		MostSummed:    h.Added,
		MeansSubtract: h.Centred,
		Links:         h.links,
		Directed:      h.Directed,
		Heights:       h.Heights,
		Placed:        h.Placed,
		LinksLearned:  h.LinksLearned,
	}
}

// open makes the transforms that a header names, with arrays of zeros.
func (h header) open() *Classifier {
	v := &Classifier{header: h,
		Mixture: Mixture{ForestWeight: 0.5, Temperature: 1, ForestTemperature: 1, NetworkTemperature: 1},
		bias:    make([]float32, h.Classes*max(1, len(h.Shares))),
		scaling: features.NewScaling(h.Columns, h.Channels, h.Turned)}
	for _, name := range h.Names {
		v.transforms = append(v.transforms, h.newTransform(name))
	}
	if h.Forest != nil {
		v.forest = h.newForest()
	}
	return v
}

// newTransform makes a transform of the header, with arrays of zeros.
func (h header) newTransform(name string) *transform {
	kind := features.Find(name)
	t := &transform{Transform: kind, Map: kind.New(h.shape())}
	if kind.OwnRidge && len(h.Shares) > 1 {
		t.ridge = 1
	}
	width := t.Width()
	t.standardiser = kind.NewStandardiser(width)
	if kind.UsesKernel {
		t.kernel = &kernel{g: h.Gaussians[name], width: width, landmarks: make([]float32, h.Landmarks*width)}
		width = h.Landmarks
	}
	t.weights = make([]float32, h.Classes*width)
	return t
}

// openHeader returns the header. It refuses one that no fit to samples of this shape writes.
func (p place) openHeader(of Config) (h header, err error) {
	raw, err := read[uint8](p, headerPath)
	if err != nil {
		return h, err
	}
	if err := json.Unmarshal(raw, &h); err != nil {
		return h, fmt.Errorf("transforms: array %q: %w", headerPath, err)
	}
	if err := h.check(); err != nil {
		return h, fmt.Errorf("transforms: array %q: %w", headerPath, err)
	}
	of = of.asFrames(h)
	if h.Columns != of.Columns || h.Classes != of.Classes || h.Channels != of.Channels || h.Turned != of.Turned {
		return h, fmt.Errorf("transforms: array %q is of %d columns, %d channels and %d classes, "+
			"the model of %d, %d and %d",
			headerPath, h.Columns, h.Channels, h.Classes, of.Columns, of.Channels, of.Classes)
	}
	h.links = of.Links
	for _, name := range slices.Concat(h.Names, h.Forest) {
		if lacks := features.Find(name).Lacks(h.shape()); lacks != "" {
			return h, fmt.Errorf("transforms: array %q: the transform %q needs %s", headerPath, name, lacks)
		}
	}
	return h, nil
}

// check returns an error if no fit writes such a header, so that a damaged one asks for no more memory than there is.
func (h header) check() error {
	const most = 1 << 28
	sizes := []int{h.Length, h.Longest, h.Frames, h.Columns, h.Channels, h.Landmarks, h.Classes, h.Features, h.Groups}
	for _, n := range sizes {
		if n < 1 || n > most {
			return fmt.Errorf("a size is %d; it has to be in 1..%d", n, most)
		}
	}
	usesKernel := func(name string) bool {
		t := features.Find(name)
		return t != nil && t.UsesKernel
	}
	values := float64(h.Length) // of each column, in a recording or in the landmarks
	if slices.ContainsFunc(h.Names, usesKernel) {
		values = max(values, float64(h.Landmarks)*float64(max(h.Frames, features.BandCount)))
	}
	values *= float64(h.Columns)
	if values > most {
		return fmt.Errorf("its sizes ask for %.0f values, more than %d", values, most)
	}
	treesMissing := h.Forest != nil && h.Trees == 0
	if h.Nodes < 0 || h.Nodes > 2*leastTrees*MostSamples || h.Trees < 0 || h.Trees > mostTrees || treesMissing {
		return fmt.Errorf("its forest has %d trees of %d nodes", h.Trees, h.Nodes)
	}
	for _, heights := range h.Heights {
		if len(heights) != h.Columns/h.Channels {
			return fmt.Errorf("%d sensors have %d heights in a direction of the graph", h.Columns/h.Channels, len(heights))
		}
	}
	if !validShares(h.Shares) {
		return fmt.Errorf("the shares of its ridge classifiers are %v; at most two add up to 1", h.Shares)
	}
	for _, name := range slices.Concat(h.Names, h.Forest) {
		if features.Find(name) == nil {
			return fmt.Errorf("no transform is called %q; there are %s", name, strings.Join(names(), ", "))
		}
	}
	return nil
}

// validShares reports whether there are at most two shares, above zero and 1 together. A single ridge classifier may
// have none.
func validShares(shares []float64) bool {
	if len(shares) == 0 || len(shares) > 2 {
		return len(shares) == 0
	}
	return floats.Min(shares) > 0 && math.Abs(floats.Sum(shares)-1) < 1e-6
}
