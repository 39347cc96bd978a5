package transforms

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/models/internal/layout"
	"github.com/clusterpool/ccp/models/internal/transforms/features"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"gonum.org/v1/gonum/floats"
)

// header says which arrays there are, and of what size.
type header struct {
	Columns, Classes int
	Length, Longest  int // time points of the median recording, and of the longest
	Frames           int // of the transform values
	Names            []string
	Forest           []string           // transforms that the forest reads
	Nodes, Trees     int                // of the forest
	Features, Groups int                // features of MiniRocket, and groups of HYDRA's kernels
	Landmarks        int                // of kernels
	Gaussians        map[string]float64 // see kernel, by the transforms that have one
	Channels         int                // of a sensor: it has so many columns side by side
	Turned           int                // frames, if a sample is `[sensors, frames, channels]`; else 0
	Table            bool
	Added            int  // columns that a sum has, at most; 0, in checkpoints of 0.1.0, is 8
	Centred          bool // as QUANT has intervals: see intervals; false in checkpoints of 0.1.0
	Parts            []Part
	Shares           []float64        // of the ridge classifiers in their mean; one or none is one ridge classifier
	links            *affinity.Matrix // of the sensors; nil: unknown
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
	}
}

// open makes the transforms that a header names, with arrays of zeros.
func (h header) open() *Classifier {
	v := &Classifier{header: h,
		Mixture: Mixture{ForestWeight: 0.5, Temperature: 1, ForestTemperature: 1, NetworkTemperature: 1},
		bias:    make([]float32, h.Classes*max(1, len(h.Shares))),
		scaling: features.NewScaling(h.Columns, h.Channels, h.Turned)}
	for _, name := range h.Names {
		kind := features.Find(name)
		one := &transform{Transform: kind, Map: kind.New(h.shape())}
		if kind.OwnRidge && len(h.Shares) > 1 {
			one.ridge = 1
		}
		width := one.Width()
		one.standardiser = kind.NewStandardiser(width)
		if kind.UsesKernel {
			one.kernel = &kernel{g: h.Gaussians[name], width: width, landmarks: make([]float32, h.Landmarks*width)}
			width = h.Landmarks
		}
		one.weights = make([]float32, h.Classes*width)
		v.transforms = append(v.transforms, one)
	}
	if h.Forest != nil {
		v.forest = h.newForest()
	}
	return v
}

// arrays returns all arrays of a checkpoint but the header, by their paths.
func (v *Classifier) arrays() map[string][]float32 {
	all := map[string][]float32{"mean": v.scaling.Mean, "scale": v.scaling.Scale, "bias": v.bias}
	if v.forest != nil {
		all["forest/nodes"], all["forest/roots"] = v.forest.nodes, v.forest.roots
	}
	for _, one := range v.transforms {
		parts := map[string][]float32{"mean": one.standardiser.Mean, "scale": one.standardiser.Scale, "weights": one.weights}
		if m, ok := one.Map.(features.DrawnMap); ok {
			maps.Copy(parts, m.Arrays())
		}
		if one.kernel != nil {
			parts["landmarks"] = one.kernel.landmarks
		}
		for path, x := range parts {
			all[one.Name+"/"+path] = x
		}
	}
	return all
}

// Scope is the scope of the ridge classifier and its transforms in a store.
const Scope = "/model/transforms/"

// Paths in Scope: of the header, JSON in bytes, and of the numbers of Classifier.
const (
	headerPath             = "header"
	weightPath             = "weight"
	forestWeightPath       = "forest_weight"
	forestTemperaturePath  = "forest_temperature"
	smoothingPath          = "smoothing"
	temperaturePath        = "temperature"
	networkTemperaturePath = "network_temperature"
)

// values returns all that Logits needs, by paths in Scope.
func (v *Classifier) values() map[string]*tensors.Tensor {
	raw, err := json.Marshal(v.header)
	if err != nil {
		panic(err) // a header has numbers and strings only
	}
	all := map[string]*tensors.Tensor{headerPath: tensors.FromFlatDataAndDimensions(raw, len(raw))}
	for path, x := range v.arrays() {
		all[path] = tensors.FromFlatDataAndDimensions(x, len(x))
	}
	return all
}

// Size returns the number of values of the ridge classifier and its transforms.
func (v *Classifier) Size() (n int) {
	for _, x := range v.arrays() {
		n += len(x)
	}
	return n
}

// Keep puts the classifier into a store.
func (v *Classifier) Keep(store *model.Store) error {
	all := v.values()
	for path, x := range map[string]float64{weightPath: v.Weight, smoothingPath: v.Smoothing,
		temperaturePath: v.Temperature, networkTemperaturePath: v.NetworkTemperature, forestWeightPath: v.ForestWeight,
		forestTemperaturePath: v.ForestTemperature} {
		all[path] = tensors.FromScalar(float32(x))
	}
	for path, value := range all {
		variable, err := store.CreateVariable(Scope+path, value)
		if err != nil {
			return err
		}
		variable.SetTrainable(false)
	}
	return nil
}

// numberPaths are the paths of the numbers of Classifier.
var numberPaths = []string{weightPath, forestWeightPath, forestTemperaturePath, smoothingPath, temperaturePath, networkTemperaturePath}

// Paths has the full paths of all that Keep has put into a store. A registered network may have a scope of the same
// name: its variables are not among them.
func (v *Classifier) Paths() map[string]bool {
	all := map[string]bool{Scope + headerPath: true}
	for path := range v.arrays() {
		all[Scope+path] = true
	}
	for _, path := range numberPaths {
		all[Scope+path] = true
	}
	return all
}

// Sum returns a digest of what a store has at Paths, so that two stores with the same classifier have the same.
func (v *Classifier) Sum(store *model.Store) (string, error) {
	digest := sha256.New()
	for _, path := range slices.Sorted(maps.Keys(v.Paths())) {
		variable := store.GetVariable(path)
		fmt.Fprintln(digest, path, variable != nil) // a checkpoint of before there were temperatures has none
		if variable == nil {
			continue
		}
		value, err := variable.Value()
		if err == nil {
			err = value.ConstBytes(func(raw []byte) { digest.Write(raw) })
		}
		if err != nil {
			return "", fmt.Errorf("variable %s: %w", path, err)
		}
	}
	return string(digest.Sum(nil)), nil
}

// Weight returns the weight of the ridge classifier in a store beside the network; 0 without one.
func Weight(store *model.Store) float64 { return number(store, weightPath) }

func number(store *model.Store, path string) float64 {
	variable := store.GetVariable(Scope + path)
	if variable == nil {
		return 0
	}
	value, _ := variable.MustValue().Value().(float32) // Keep made it
	return float64(value)
}

// asFrames returns a configuration of signals on a graph as one of sensors in frames, if a header was fitted to
// these. Without a grid version 0.1.0 told frames by the edges, and its checkpoints stay what they are.
func (c Config) asFrames(h header) Config {
	if !c.Table || h.Table || c.Links == nil || h.Columns < 1 || h.Channels < 1 || h.Columns >= c.Columns {
		return c
	}
	l := layout.Layout{Frames: c.Columns / h.Columns, Sensors: h.Columns / h.Channels, SensorWise: h.Turned > 0}
	if layout.Seems(c.Links) != l {
		return c
	}
	c.Table, c.Columns, c.Links = false, h.Columns, l.Links(c.Links)
	if l.SensorWise {
		c.Turned = l.Frames
	}
	return c
}

// Open returns the classifier in a store; nil if there is none. of is the shape of its samples, as For returns it.
// Errors name the array.
func Open(store *model.Store, of Config) (*Classifier, error) {
	if store.GetVariable(Scope+weightPath) == nil {
		return nil, nil
	}
	raw, err := read[uint8](store, headerPath)
	if err != nil {
		return nil, err
	}
	var h header
	if err := json.Unmarshal(raw, &h); err != nil {
		return nil, fmt.Errorf("transforms: array %q: %w", headerPath, err)
	}
	if err := h.check(); err != nil {
		return nil, fmt.Errorf("transforms: array %q: %w", headerPath, err)
	}
	of = of.asFrames(h)
	if h.Columns != of.Columns || h.Classes != of.Classes || h.Channels != of.Channels || h.Turned != of.Turned {
		return nil, fmt.Errorf("transforms: array %q is of %d columns, %d channels and %d classes, the model of %d, %d and %d",
			headerPath, h.Columns, h.Channels, h.Classes, of.Columns, of.Channels, of.Classes)
	}
	h.links = of.Links
	for _, name := range slices.Concat(h.Names, h.Forest) {
		if lacks := features.Find(name).Lacks(h.shape()); lacks != "" {
			return nil, fmt.Errorf("transforms: array %q: the transform %q needs %s", headerPath, name, lacks)
		}
	}
	v := h.open()
	v.Weight, v.Smoothing = Weight(store), number(store, smoothingPath)
	// A checkpoint of before there were temperatures has none.
	v.Temperature, v.NetworkTemperature = cmp.Or(number(store, temperaturePath), 1), cmp.Or(number(store, networkTemperaturePath), 1)
	v.ForestWeight, v.ForestTemperature = number(store, forestWeightPath), cmp.Or(number(store, forestTemperaturePath), 1)
	if !(v.Temperature > 0 && v.NetworkTemperature > 0) {
		return nil, fmt.Errorf("transforms: the temperatures are %g and %g; they have to be above zero", v.Temperature, v.NetworkTemperature)
	}
	for path, to := range v.arrays() {
		from, err := read[float32](store, path)
		if err != nil {
			return nil, err
		}
		copy(to, from)
		if len(from) != len(to) {
			return nil, fmt.Errorf("transforms: array %q has %d values, and the header asks for %d", path, len(from), len(to))
		}
	}
	if v.forest != nil {
		if err := v.forest.check(); err != nil {
			return nil, fmt.Errorf("transforms: array %q: %w", "forest/nodes", err)
		}
	}
	for _, one := range v.transforms {
		if one.kernel != nil {
			one.kernel.ready()
		}
		if m, ok := one.Map.(features.DrawnMap); ok {
			if array, err := m.Check(); err != nil {
				return nil, fmt.Errorf("transforms: array %q: %w", one.Name+"/"+array, err)
			}
		}
	}
	return v, nil
}

// check returns an error if no fit writes such a header, so that a damaged one asks for no more memory than there is.
func (h header) check() error {
	const most = 1 << 28
	held := 1.0
	for _, n := range []int{h.Length, h.Longest, h.Frames, h.Columns, h.Channels, h.Landmarks, h.Classes, h.Features, h.Groups} {
		if n < 1 || n > most {
			return fmt.Errorf("a size is %d; it has to be in 1..%d", n, most)
		}
	}
	if slices.ContainsFunc(h.Names, func(name string) bool { t := features.Find(name); return t != nil && t.UsesKernel }) {
		held = float64(h.Landmarks) * float64(max(h.Frames, features.BandCount))
	}
	held = max(held, float64(h.Length)) * float64(h.Columns)
	if held > most {
		return fmt.Errorf("its sizes ask for %.0f values, more than %d", held, most)
	}
	if h.Nodes < 0 || h.Nodes > 2*leastTrees*mostSamples || h.Trees < 0 || h.Trees > mostTrees || h.Forest != nil && h.Trees == 0 {
		return fmt.Errorf("its forest has %d trees of %d nodes", h.Trees, h.Nodes)
	}
	if sum := floats.Sum(h.Shares); len(h.Shares) > 2 || h.Shares != nil && (!(floats.Min(h.Shares) > 0) || !(math.Abs(sum-1) < 1e-6)) {
		return fmt.Errorf("the shares of its ridge classifiers are %v; at most two add up to 1", h.Shares)
	}
	for _, name := range slices.Concat(h.Names, h.Forest) {
		if features.Find(name) == nil {
			return fmt.Errorf("no transform is called %q; there are %s", name, strings.Join(names(), ", "))
		}
	}
	return nil
}

// read returns the values of an array.
func read[T float32 | uint8](store *model.Store, path string) ([]T, error) {
	variable := store.GetVariable(Scope + path)
	if variable == nil {
		return nil, fmt.Errorf("transforms: there is no array %q; was the checkpoint written whole?", path)
	}
	value, err := variable.Value()
	if err != nil {
		return nil, fmt.Errorf("transforms: array %q: %w", path, err)
	}
	flat, err := tensors.CopyFlatData[T](value)
	if err != nil {
		return nil, fmt.Errorf("transforms: array %q: %w", path, err)
	}
	return flat, nil
}
