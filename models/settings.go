package models

import (
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"reflect"
	"slices"
	"strings"

	"github.com/clusterpool/ccp/ccp"
	"github.com/clusterpool/ccp/ccp/nn"
	"github.com/clusterpool/ccp/internal/params"
	"github.com/gomlx/gomlx/ml/model"
)

// Options are those of all networks. Inside a graph they are GoMLX parameters of the network's scopes; a field's param tag is the
// parameter's name, and its models tag lists the models that have the option, if not all have it.
type Options struct {
	ccp.Options `models:"ccp"`
	nn.LayerOptions
	// Candidates is how many clusters a node can belong to, those nearest to it in a prepared clustering; 0 is a
	// number that suits the level, see Spec.Suited; of a network that was made before there was one, all where nodes times clusters
	// are at most 2²⁵, else 4. Time and memory of a level with candidates are linear in its nodes and
	// edges. A level can have candidates if the level before it has.
	Candidates int `param:"ccp_candidates" default:"0" rule:"from 0" parts:"level" models:"ccp"`
	// Hierarchies is how many prepared hierarchies the network has, each searched from a seed of its own. All weights are shared. A
	// training step uses one, drawn at random; a prediction is the mean of the logits of all. 0 is a number that suits the graph, see
	// Spec.Suited.
	Hierarchies int `param:"ccp_hierarchies" default:"1" rule:"from 0" models:"ccp"`
	// Search is how a prepared hierarchy is found: by annealing; or by that and by cuts through the nodes' positions, which the graph alone
	// gives, whichever has the greater C. On a grid cuts win, and clusters have one shape. With cuts there is one hierarchy only.
	Search string `param:"ccp_search" default:"anneal" rule:"one of anneal|cut" models:"ccp"`
	// Stem is how many filters come before the first level, of each node's own neighbourhood, without pooling; 0 is none, and -1 a number
	// that suits the graph, see Spec.Suited.
	Stem int `param:"ccp_stem" default:"0" rule:"from -1" models:"ccp"`
	// Blocks is how many residual blocks of two such convolutions (He et al. 2016) follow the stem, then each level, separated by
	// commas: "1" is one after the stem, "0,1,1" are one after each of two levels. What is left out is 0.
	Blocks string `param:"ccp_blocks" default:"0" models:"ccp"`
	// Reach is how many nodes such a filter sees: the node itself and the nearest by hops.
	Reach int `param:"ccp_reach" default:"9" rule:"from 1" models:"ccp"`
	// InputDropout is the share of a signal's values that are left out in training, such as words of a document.
	InputDropout float64 `param:"input_dropout" default:"0" rule:"share"`
	// ReadoutDropout is the dropout rate before each fully connected layer.
	ReadoutDropout float64 `param:"readout_dropout" default:"0.5" rule:"share" parts:"fc classes"`
	// BayesAlpha is what naive Bayes adds to every count; 1 is Laplace's. Where samples are counts divided by their sum, it should be
	// much smaller.
	BayesAlpha float64 `param:"bayes_alpha" default:"1" rule:"positive" models:"bayes"`
	// ResNetDepth is the number of layers with weights of a residual network: 6n+2 for n blocks in each of its three stages.
	ResNetDepth int `param:"resnet_depth" default:"20" rule:"6n+2" models:"resnet"`
	// TCNDropout is the dropout rate after each ReLU of the temporal convolution network's units.
	TCNDropout float64 `param:"tcn_dropout" default:"0.5" rule:"share" models:"tcn"`
	// GATHeads is the number of attention heads of a graph attention layer. The heads' outputs are concatenated and are the level's
	// filters together, so those must be a multiple of it.
	GATHeads int `param:"gat_heads" default:"1" rule:"from 1" parts:"level" models:"gat gat-average"`
	// PLSTMSteps is the number of segments of equal length that a recording is divided into, a step of the part-aware LSTM each (at
	// most the frames).
	PLSTMSteps int `param:"plstm_steps" default:"8" rule:"from 1" models:"p-lstm"`
	// Segments is the same for the other recurrent networks of a body.
	Segments int `param:"segments" default:"20" rule:"from 1" models:"hbrnn-l st-lstm stgc tgcnn"`
	// Units is the number of units of such a network's layers, of each joint or part.
	Units int `param:"units" default:"64" rule:"from 1" models:"st-lstm stgc tgcnn"`
}

var (
	optionsType  = reflect.TypeFor[Options]()
	optionFields = params.Fields(optionsType)
)

// optionsOf reads the options in the scope of a part of a network.
func optionsOf(scope *model.Scope) Options { return params.Read[Options](scope) }

// Settings are changes to the options of a network and of its parts: level_1 and so on, fc_1 and so on, classes. The zero value
// changes nothing. As JSON they are the options by name, or by path, such as "level_2/ccp_dropout".
type Settings struct{ values map[string]string } // path -> value

// NewSettings takes settings NAME=VALUE, or PART/NAME=VALUE for one part. Errors are those of Set.
func NewSettings(settings ...string) (s Settings, err error) {
	for _, setting := range settings {
		if err := s.Set(setting); err != nil {
			return s, err
		}
	}
	return s, nil
}

// Set takes one more setting. The error names it and says what its value must be, or lists the options. Spec.Check says whether the
// network has that part.
func (s *Settings) Set(setting string) error {
	path, value, found := strings.Cut(setting, "=")
	part, name := splitSetting(path)
	f := params.Find(optionsType, name)
	if !found || f == nil {
		var names []string
		for _, f := range optionFields {
			names = append(names, f.Name)
		}
		slices.Sort(names)
		return fmt.Errorf("setting %q is not NAME=VALUE with a name out of %s", setting, strings.Join(names, ", "))
	}
	if path != name && f.Parts == nil {
		return fmt.Errorf("setting %s: %s is for the whole model; leave %q out", setting, name, part+model.ScopeSeparator)
	}
	if err := f.Set(new(Options), value); err != nil {
		return fmt.Errorf("setting %s%w", path[:len(path)-len(name)], err)
	}
	s.put(path, value)
	return nil
}

// put keeps a value. Copies of the settings stay as they are.
func (s *Settings) put(path, value string) {
	if s.values = maps.Clone(s.values); s.values == nil {
		s.values = map[string]string{}
	}
	s.values[path] = value
}

// With are the settings after a change to the options of a part of the network, "" for all of it. Check finds values that Set would
// refuse.
func (s Settings) With(part string, change func(o *Options)) Settings {
	before, after := s.Of(part), s.Of(part)
	change(&after)
	for _, f := range optionFields {
		if value := f.Value(after); value != f.Value(before) {
			s.put(path.Join(part, f.Name), fmt.Sprint(value))
		}
	}
	return s
}

// Without are the settings without those of that name for the whole network.
func (s Settings) Without(names ...string) Settings {
	s.values = maps.Clone(s.values)
	for _, name := range names {
		delete(s.values, name)
	}
	return s
}

// Parts are the parts of the network that have settings of their own.
func (s Settings) Parts() (parts []string) {
	for _, path := range slices.Sorted(maps.Keys(s.values)) {
		if part, name := splitSetting(path); path != name && !slices.Contains(parts, part) {
			parts = append(parts, part)
		}
	}
	return parts
}

// Of are the options of a part of the network, "" for those of all of it.
func (s Settings) Of(part string) Options {
	o := params.Defaults[Options]()
	for _, prefix := range []string{"", part + model.ScopeSeparator} {
		for _, f := range optionFields {
			if value, ok := s.values[prefix+f.Name]; ok {
				_ = f.Set(&o, value) // an error is Check's to say
			}
		}
	}
	return o
}

// Level are the options of a level, counted from 0.
func (s Settings) Level(i int) Options { return s.Of(levelName(i)) }

// levelName is the name of a level, counted from 0, in settings and scopes.
func levelName(i int) string { return fmt.Sprintf("level_%d", i+1) }

// splitSetting parts the path of a setting into the part of the network, "" for all of it, and the option's name.
func splitSetting(path string) (part, name string) {
	at := strings.LastIndex(path, model.ScopeSeparator)
	return path[:max(0, at)], path[at+1:]
}

// MarshalJSON writes the settings by path.
func (s Settings) MarshalJSON() ([]byte, error) { return json.Marshal(s.params("")) }

// UnmarshalJSON lays what MarshalJSON wrote over the settings; null takes one away.
func (s *Settings) UnmarshalJSON(raw []byte) error {
	var all map[string]any
	if err := json.Unmarshal(raw, &all); err != nil {
		return err
	}
	s.values = maps.Clone(s.values)
	for path, value := range all {
		if value == nil {
			delete(s.values, path)
		} else if _, name := splitSetting(path); params.Find(optionsType, name) == nil {
			return fmt.Errorf("%s is an option of another version of ccp: use that version, or train again", path)
		} else if err := s.Set(fmt.Sprintf("%s=%v", path, value)); err != nil {
			return err
		}
	}
	return nil
}

// params are the settings as GoMLX's parameters, those of parts below scope.
func (s Settings) params(scope string) map[string]any {
	all := map[string]any{}
	for path := range s.values {
		part, name := splitSetting(path)
		value := params.Find(optionsType, name).Value(s.Of(part))
		if part != "" {
			path = scope + path
		}
		all[path] = value
	}
	return all
}

// has says whether the spec's model has an option.
func (s Spec) has(f params.Field) bool {
	return (f.Models == nil || slices.Contains(f.Models, s.Model) || registry[s.Model].own) && !slices.Contains(registry[s.Model].lacks, f.Name)
}

// For keeps those settings that a model has: what is a data set's default for one need not be for another.
func (s Settings) For(name string) Settings {
	var kept Settings
	for path, value := range s.values {
		if _, option := splitSetting(path); (Spec{Model: name}).has(*params.Find(optionsType, option)) {
			kept.put(path, value)
		}
	}
	return kept
}

// Check says which value an option cannot have.
func (s Settings) Check() error {
	for _, path := range slices.Sorted(maps.Keys(s.values)) {
		if err := new(Settings).Set(path + "=" + s.values[path]); err != nil {
			return err
		}
	}
	return nil
}

// checkSettings says which setting is for another model, for a part that the network lacks, or for one without that option.
func (s Spec) checkSettings() error {
	if err := s.Settings.Check(); err != nil {
		return err
	}
	var parts []string
	for i := range s.Levels {
		parts = append(parts, levelName(i))
	}
	for i := range s.Hidden {
		parts = append(parts, fmt.Sprintf("fc_%d", i+1))
	}
	parts = append(parts, "classes")
	for _, path := range slices.Sorted(maps.Keys(s.Settings.values)) {
		part, name := splitSetting(path)
		f := *params.Find(optionsType, name)
		lacks := func(part string) bool {
			kind, _, _ := strings.Cut(part, "_")
			return !slices.Contains(f.Parts, kind)
		}
		switch {
		case !s.has(f):
			only := ""
			if f.Models != nil {
				only = "; only " + strings.Join(f.Models, " and ") + " has"
			}
			return fmt.Errorf("setting %s: model %s has no %s%s", path, s.Model, name, only)
		case path == name: // for the whole model
		case !slices.Contains(parts, part):
			return fmt.Errorf("setting %s: the network has no %q; its parts are %s", path, part, strings.Join(parts, ", "))
		case lacks(part):
			right := slices.DeleteFunc(slices.Clone(parts), lacks)
			return fmt.Errorf("setting %s: %s has no %s; the parts with one are %s", path, part, name, strings.Join(right, ", "))
		}
	}
	return nil
}
