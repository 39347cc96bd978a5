package models

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/clusterpool/ccp/ccp"
	"github.com/clusterpool/ccp/ccp/nn"
	"github.com/clusterpool/ccp/internal/params"
	"github.com/clusterpool/ccp/internal/suggest"
	"github.com/clusterpool/ccp/models/internal/transforms"
)

// Options are the options of all networks. Programs begin with DefaultOptions and assign to fields. Inside a graph
// they are GoMLX parameters of the network's scopes. A field's tag param is the parameter's name. Its tag models
// lists the models that have the option; without it all have it.
type Options struct {
	ccp.Options `models:"ccp"`
	nn.LayerOptions
	// Candidates is the number of clusters that a node can belong to: the nearest in a prepared clustering. 0 is all.
	// Time and memory of a level with candidates are linear in its nodes and edges. A level can have candidates if
	// the level before it has. training.Resolve chooses a number for large levels.
	Candidates int `param:"ccp_candidates" default:"0" rule:"from 0" models:"ccp" phase:"building"`
	// Hierarchies is the number of hierarchies of the network, each searched or drawn from its own seed. All weights
	// but the memberships are shared. A training step uses one, drawn at random. A prediction is the mean of the
	// logits of all.
	Hierarchies int `param:"ccp_hierarchies" default:"1" rule:"from 1" models:"ccp" auto:"yes"`
	// HierarchySeed is the seed of searches: each has hierarchies of its own. The training's seed has no part in
	// them.
	HierarchySeed int `param:"ccp_hierarchy_seed" default:"0" rule:"from 0" models:"ccp"`
	// Start is where learned memberships begin: "drawn" at random, or at "searched" clusters of large C.
	Start string `param:"ccp_start" default:"drawn" rule:"one of drawn|searched" models:"ccp"`
	// Search is how a prepared hierarchy is found: by annealing, or also by cuts through the nodes' positions. The
	// search keeps the clustering with the greater C. On a grid cuts win, and clusters have one shape. With cuts
	// there is one hierarchy only.
	Search string `param:"ccp_search" default:"anneal" rule:"one of anneal|cut" models:"ccp"`
	// Stem is the number of filters before the first level, each of a node's own neighbourhood, without pooling; 0 is
	// none.
	Stem int `param:"ccp_stem" default:"0" rule:"from 0" models:"ccp" phase:"building" auto:"yes"`
	// Blocks counts the residual blocks of two such convolutions (He et al. 2016): those after the stem, then those
	// after each level. "1" is one block after the stem. "0,1,1" is one after each of two levels. A number that is
	// left out is 0.
	Blocks string `param:"ccp_blocks" default:"0" models:"ccp" phase:"building" auto:"1|1,1,1"`
	// Reach is how many nodes such a filter reads: the node itself and the nearest by hops.
	Reach int `param:"ccp_reach" default:"9" rule:"from 1" models:"ccp"`
	// Readout is what the readout reads: the "last" level's clusters, or of all "levels" the mean and the maximum
	// over the clusters, and over the nodes of a stem (jumping knowledge, Xu et al. 2018).
	Readout string `param:"ccp_readout" default:"last" rule:"one of last|levels" models:"ccp" phase:"building" auto:"last|levels"`
	// Transforms are those that predict beside the network, from samples as they are: "all" that suit the samples,
	// "none", or some of minirocket,hydra,shapelets,power,links,scattering,averages,values,forest. Held-out training
	// samples decide the weights.
	Transforms string `param:"transforms" default:"none" models:"ccp transforms" phase:"transforms" auto:"yes"`
	// InputDropout is the share of a signal's values that a training step leaves out, such as words of a document.
	InputDropout float64 `param:"input_dropout" default:"0" rule:"share"`
	// ReadoutDropout is the dropout rate before each fully connected layer.
	ReadoutDropout float64 `param:"readout_dropout" default:"0.5" rule:"share"`
	// Own holds the values of a registered network's own options, see Network.Options. Spec.Put adds one.
	Own Patch
}

// DefaultOptions returns the options that nobody has set.
func DefaultOptions() Options { return params.Defaults[Options]() }

// Patch holds changes by name: values of a training's configuration or of options. A value has its option's type, or
// is its text.
type Patch map[string]any

var optionsType = reflect.TypeFor[Options]()

// optionFields are the fields of Options, and of the options of registered networks, see Network.Options.
var optionFields = params.Fields(optionsType)

// addOptions adds the options of a registered network. Networks share an option that means the same.
func addOptions(name string, options any) {
	for _, f := range params.Fields(reflect.TypeOf(options)) {
		f.Models = []string{name}
		if known := params.Find(optionFields, f.Name); known == nil {
			optionFields = append(optionFields, f)
		} else if len(known.Models) == 0 || !known.Same(f) {
			panic(fmt.Sprintf("models: network %s has an option %s, which means something else already", name, f.Name))
		} else {
			known.Models = append(known.Models, name)
		}
	}
}

// has reports whether the spec's model has an option. A registered network with Clusters has those of the model ccp,
// apart from the options that only ccp's own function Build follows.
func (s Spec) has(name string) bool {
	f := params.Find(optionFields, name)
	if f == nil || slices.Contains(s.Network().Lacks, name) {
		return false
	}
	if len(f.Models) == 0 || slices.Contains(f.Models, s.Model) {
		return true
	}
	return s.Network().Clusters && slices.Contains(f.Models, clusterPooling) && f.Phase != params.Building
}

// Put sets an option to a value of its type, or to a text of one. Copies of the spec stay as they are. The error says
// what the value must be, or which options there are.
func (s *Spec) Put(name string, value any) error {
	f := params.Find(optionFields, name)
	switch {
	case f == nil:
		return params.Unknown(name, ": "+suggest.Among(name, slices.Sorted(slices.Values(params.Names(optionFields)))))
	case !s.has(name):
		only := ""
		if len(f.Models) > 0 {
			only = "; only " + strings.Join(f.Models, " and ") + " has"
		}
		return params.Errorf(name, nil, "model %s has no %s%s", s.Model, name, only)
	}
	options := s.Options
	err := options.put(f, value)
	if err == nil {
		s.Options = options
		_, err = transforms.Parse(s.Options.Transforms)
	}
	return err
}

// put sets an option to a value of its type, or to a text of one.
func (o *Options) put(f *params.Field, value any) error {
	if f.Of(optionsType) {
		return f.Set(o, value)
	}
	typed, err := f.Parse(value)
	own := Patch{} // not what copies of the options have
	maps.Copy(own, o.Own)
	own[f.Name], o.Own = typed, own
	return err
}

// OptionsOf returns the options of a network: Options, or its own, see Network.Options.
func OptionsOf[T any](o Options) T {
	own, _ := params.From[T](func(name string) (any, bool) { // an error is Check's to return
		if f := params.Find(params.Fields(optionsType), name); f != nil {
			return f.Typed(o), true
		}
		value, ok := o.Own[name]
		return value, ok
	})
	return own
}

// levelName is the scope of a level, counted from 0.
func levelName(i int) string { return fmt.Sprintf("level_%d", i+1) }

// Values returns the values of all options that the spec's model has, by name, in the types of GoMLX's parameters.
func (s Spec) Values() Patch {
	values := s.Options.values()
	for _, f := range optionFields {
		if !s.has(f.Name) {
			delete(values, f.Name)
		} else if _, set := values[f.Name]; !set {
			values[f.Name] = params.Plain(f.Default())
		}
	}
	return values
}

// values returns the values of all fields and of Own, by name.
func (o Options) values() Patch {
	values := Patch(params.Values(o))
	for name, value := range o.Own {
		values[name] = params.Plain(value)
	}
	return values
}

// MarshalJSON writes the options as an object of values by name.
func (o Options) MarshalJSON() ([]byte, error) { return json.Marshal(o.values()) }

// UnmarshalJSON reads what MarshalJSON wrote. The error names an option that is gone, or a wrong value.
func (o *Options) UnmarshalJSON(raw []byte) error {
	var values Patch
	if err := json.Unmarshal(raw, &values); err != nil {
		return err
	}
	*o = DefaultOptions()
	for path, value := range values {
		f := params.Find(optionFields, path)
		if f == nil {
			return fmt.Errorf("%s is an option of another version of ccp: use that version, or train again", path)
		}
		if err := o.put(f, value); err != nil {
			return err
		}
	}
	return nil
}

// checkOptions returns an error if an option cannot have its value, or is for another model.
func checkOptions(s Spec) error {
	if err := params.Check(s.Options); err != nil {
		return err
	}
	given := Patch{}
	maps.Copy(given, s.Options.Own)
	for _, f := range params.Fields(optionsType) {
		if value := f.Typed(s.Options); value != f.Default() {
			given[f.Name] = value
		}
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		known := params.Find(optionFields, name)
		if s.Network().Clusters && !s.has(name) && known != nil && known.Phase == params.Building {
			continue // checkpoints of 0.1.0 may have it, without effect
		}
		if err := s.Put(name, given[name]); err != nil {
			return err
		}
	}
	return nil
}
