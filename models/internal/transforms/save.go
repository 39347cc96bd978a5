package transforms

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/models/internal/transforms/features"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
)

// arrays returns all arrays of a checkpoint but the header, by their paths.
func (v *Classifier) arrays() map[string][]float32 {
	all := map[string][]float32{"mean": v.scaling.Mean, "scale": v.scaling.Scale, "bias": v.bias}
	if v.forest != nil {
		all["forest/nodes"], all["forest/roots"] = v.forest.nodes, v.forest.roots
	}
	for _, t := range v.transforms {
		arrays := map[string][]float32{"mean": t.standardiser.Mean, "scale": t.standardiser.Scale, "weights": t.weights}
		if m, ok := t.Map.(features.DrawnMap); ok {
			maps.Copy(arrays, m.Arrays())
		}
		if t.kernel != nil {
			arrays["landmarks"] = t.kernel.landmarks
		}
		for path, x := range arrays {
			all[t.Name+"/"+path] = x
		}
	}
	return all
}

// Scope is the scope of the ridge classifier and its transforms in a store that predict whole recordings.
const Scope = "/model/transforms/"

// LookScope is the scope of a classifier of cut recordings, by the number of its look.
func LookScope(look int) string { return fmt.Sprintf("/model/early/%02d/", look) }

// place is where a classifier is in a store: the store, and the scope of its arrays.
type place struct {
	*model.Store
	scope string
}

// variable returns the variable of a path in the scope; nil if there is none.
func (p place) variable(path string) *model.Variable { return p.GetVariable(p.scope + path) }

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

// values returns the header and all arrays, by paths in Scope.
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

// Keep puts the classifier into a scope of a store, such as Scope.
func (v *Classifier) Keep(store *model.Store, scope string) error {
	all := v.values()
	for path, x := range v.Mixture.numbers() {
		all[path] = tensors.FromScalar(float32(x))
	}
	for path, value := range all {
		variable, err := store.CreateVariable(scope+path, value)
		if err != nil {
			return err
		}
		variable.SetTrainable(false)
	}
	return nil
}

// numbers returns the mixture by paths in Scope.
func (m Mixture) numbers() map[string]float64 {
	return map[string]float64{
		weightPath:             m.Weight,
		forestWeightPath:       m.ForestWeight,
		forestTemperaturePath:  m.ForestTemperature,
		smoothingPath:          m.Smoothing,
		temperaturePath:        m.Temperature,
		networkTemperaturePath: m.NetworkTemperature,
	}
}

// Paths has the full paths of all that Keep has put into Scope of a store. A registered network may have a scope of the
// same name: its variables are not among them.
func (v *Classifier) Paths() map[string]bool {
	all := map[string]bool{Scope + headerPath: true}
	for path := range v.arrays() {
		all[Scope+path] = true
	}
	for path := range v.Mixture.numbers() {
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
		if err != nil {
			return "", fmt.Errorf("variable %s: %w", path, err)
		}
		if err := value.ConstBytes(func(raw []byte) { digest.Write(raw) }); err != nil {
			return "", fmt.Errorf("variable %s: %w", path, err)
		}
	}
	return string(digest.Sum(nil)), nil
}

// Weight returns the weight of the ridge classifier in a store beside the network; 0 without one.
func Weight(store *model.Store) float64 { return place{store, Scope}.number(weightPath) }

// number returns a number of the mixture, by its path; 0 without one.
func (p place) number(path string) float64 {
	variable := p.variable(path)
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
	l := affinity.Layout{Frames: c.Columns / h.Columns, Sensors: h.Columns / h.Channels, SensorWise: h.Turned > 0,
		Guessed: true}
	if c.Guess != l {
		return c
	}
	c.Table, c.Columns, c.Links = false, h.Columns, l.Links(c.Links)
	if l.SensorWise {
		c.Turned = l.Frames
	}
	return c
}

// Open returns the classifier in a scope of a store, such as Scope; nil if there is none. of is the shape of its
// samples, as For returns it. Errors name the array.
func Open(store *model.Store, scope string, of Config) (*Classifier, error) {
	in := place{store, scope}
	if in.variable(weightPath) == nil {
		return nil, nil
	}
	h, err := in.openHeader(of)
	if err != nil {
		return nil, err
	}
	v := h.open()
	v.Mixture, err = in.openMixture()
	if err != nil {
		return nil, err
	}
	for path, to := range v.arrays() {
		from, err := read[float32](in, path)
		if err != nil {
			return nil, err
		}
		if len(from) != len(to) {
			return nil, fmt.Errorf("transforms: array %q has %d values, and the header asks for %d", path, len(from), len(to))
		}
		copy(to, from)
	}
	if err := v.checkArrays(); err != nil {
		return nil, err
	}
	for _, t := range v.transforms {
		if t.kernel != nil {
			t.kernel.ready()
		}
	}
	return v, nil
}

// openMixture returns the mixture. A checkpoint of before there were temperatures has none.
func (p place) openMixture() (Mixture, error) {
	m := Mixture{
		Weight:             p.number(weightPath),
		ForestWeight:       p.number(forestWeightPath),
		Smoothing:          p.number(smoothingPath),
		Temperature:        cmp.Or(p.number(temperaturePath), 1),
		ForestTemperature:  cmp.Or(p.number(forestTemperaturePath), 1),
		NetworkTemperature: cmp.Or(p.number(networkTemperaturePath), 1),
	}
	if !(m.Temperature > 0 && m.NetworkTemperature > 0) { // NaN is not, either
		return m, fmt.Errorf("transforms: the temperatures are %g and %g; they have to be above zero",
			m.Temperature, m.NetworkTemperature)
	}
	return m, nil
}

// checkArrays returns an error that names an array with values that a prediction cannot use, as in a damaged
// checkpoint.
func (v *Classifier) checkArrays() error {
	if v.forest != nil {
		if err := v.forest.check(); err != nil {
			return fmt.Errorf("transforms: array %q: %w", "forest/nodes", err)
		}
	}
	for _, t := range v.transforms {
		if m, ok := t.Map.(features.DrawnMap); ok {
			if array, err := m.Check(); err != nil {
				return fmt.Errorf("transforms: array %q: %w", t.Name+"/"+array, err)
			}
		}
	}
	return nil
}

// read returns the values of an array.
func read[T float32 | uint8](from place, path string) ([]T, error) {
	variable := from.variable(path)
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
