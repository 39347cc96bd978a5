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
	"github.com/clusterpool/ccp/internal/suggest"
	"github.com/gomlx/gomlx/ml/model"
)

// Options are the options of all networks. Inside a graph they are GoMLX parameters of the network's scopes. A field's
// tag param is the parameter's name. Its tag models lists the models that have the option; without it all have it.
type Options struct {
	ccp.Options `models:"ccp"`
	nn.LayerOptions
	// Candidates is the number of clusters that a node can belong to: the nearest in a prepared clustering. 0 is all.
	// Time and memory of a level with candidates are linear in its nodes and edges. A level can have candidates if the
	// level before it has. training.Resolve chooses a number for large levels.
	Candidates int `param:"ccp_candidates" default:"0" rule:"from 0" parts:"level" models:"ccp"`
	// Hierarchies is the number of hierarchies of the network, each searched or drawn from its own seed. All weights but
	// the memberships are shared. A training step uses one, drawn at random. A prediction is the mean of the logits of
	// all.
	Hierarchies int `param:"ccp_hierarchies" default:"1" rule:"from 1" models:"ccp"`
	// Start is where learned memberships begin: "drawn" at random, or at "searched" clusters of large C.
	Start string `param:"ccp_start" default:"drawn" rule:"one of drawn|searched" models:"ccp"`
	// Search is how a prepared hierarchy is found: by annealing, or also by cuts through the nodes' positions. The
	// search keeps the clustering with the greater C. On a grid cuts win, and clusters have one shape. With cuts there
	// is one hierarchy only.
	Search string `param:"ccp_search" default:"anneal" rule:"one of anneal|cut" models:"ccp"`
	// Stem is the number of filters before the first level, each of a node's own neighbourhood, without pooling; 0 is
	// none.
	Stem int `param:"ccp_stem" default:"0" rule:"from 0" models:"ccp"`
	// Blocks counts the residual blocks of two such convolutions (He et al. 2016): those after the stem, then those
	// after each level. "1" is one block after the stem. "0,1,1" is one after each of two levels. A number that is left
	// out is 0.
	Blocks string `param:"ccp_blocks" default:"0" models:"ccp"`
	// Reach is how many nodes such a filter sees: the node itself and the nearest by hops.
	Reach int `param:"ccp_reach" default:"9" rule:"from 1" models:"ccp"`
	// Kernels is about how many features random convolutional kernels have. Their ridge classifier answers beside the
	// network, and counts three times in the mean of both. 0 is no kernels. In the model kernels it is 10,000.
	Kernels int `param:"kernels" default:"0" rule:"from 0" models:"ccp kernels"`
	// Voices are what answers beside the network in closed form, on samples as they are: "all" that suit the samples,
	// "none", or some of kernels,competing,bands,values. How much they count is decided by held-out training samples.
	Voices string `param:"voices" default:"none" models:"ccp kernels"`
	// InputDropout is the share of a signal's values that a training step leaves out, such as words of a document.
	InputDropout float64 `param:"input_dropout" default:"0" rule:"share"`
	// ReadoutDropout is the dropout rate before each fully connected layer.
	ReadoutDropout float64 `param:"readout_dropout" default:"0.5" rule:"share" parts:"fc classes"`
}

// optionFields are the fields of Options, and of the options of registered networks, see Network.Options.
var optionFields = params.Fields(reflect.TypeFor[Options]())

// optionOf returns the field of an option at a path, or nil if there is none.
func optionOf(path string) *params.Field {
	_, name := splitSetting(path)
	at := slices.IndexFunc(optionFields, func(f params.Field) bool { return f.Name == name })
	if at < 0 {
		return nil
	}
	return &optionFields[at]
}

// addOptions adds the options of a registered network. Networks share an option that means the same.
func addOptions(name string, options any) {
	for _, f := range params.Fields(reflect.TypeOf(options)) {
		f.Models = []string{name}
		if known := optionOf(f.Name); known == nil {
			optionFields = append(optionFields, f)
		} else if len(known.Models) == 0 || !known.Same(f) {
			panic(fmt.Sprintf("models: network %s has an option %s, which means something else already", name, f.Name))
		} else {
			known.Models = append(known.Models, name)
		}
	}
}

// OptionNames returns the names of all options, sorted.
func OptionNames() (names []string) {
	for _, f := range optionFields {
		names = append(names, f.Name)
	}
	slices.Sort(names)
	return names
}

// Settings are changes to the options of a network and of its parts: level_1 and so on, fc_1 and so on, classes. The
// zero value changes nothing. Its JSON is an object of values by path: an option's name, or a part and a name,
// "level_2/ccp_dropout".
type Settings struct {
	values map[string]any // by path; each has the type of the option's field
}

// NewSettings returns settings from texts, NAME=VALUE or PART/NAME=VALUE. Its errors are the errors of Put.
func NewSettings(settings ...string) (s Settings, err error) {
	for _, setting := range settings {
		path, value, found := strings.Cut(setting, "=")
		if !found {
			return s, fmt.Errorf("setting %q is not NAME=VALUE with a name out of %s", setting,
				strings.Join(OptionNames(), ", "))
		}
		if err := s.Put(path, value); err != nil {
			return s, err
		}
	}
	return s, nil
}

// Put sets the option at a path to a value of its type, or to a text of one. Copies of the settings stay as they are.
// The error says what the value must be, or which options there are. Spec.Check reports whether the network has the
// part.
func (s *Settings) Put(path string, value any) error {
	part, name := splitSetting(path)
	f := optionOf(name)
	if f == nil {
		return fmt.Errorf("there is no option %q: %s", path, suggest.Among(name, OptionNames()))
	}
	if path != name && len(f.Parts) == 0 {
		return fmt.Errorf("%s: %s is for the whole model; leave %q out", path, name, part+model.ScopeSeparator)
	}
	typed, err := f.Parse(value)
	if err != nil {
		return fmt.Errorf("%s%w", path[:len(path)-len(name)], err)
	}
	s.keep(path, typed)
	return nil
}

func (s *Settings) keep(path string, value any) {
	if s.values = maps.Clone(s.values); s.values == nil {
		s.values = map[string]any{}
	}
	s.values[path] = value
}

// With returns the settings after a change to the options of a part of the network, "" for all of it. Check finds
// values that Put would refuse.
func (s Settings) With(part string, change func(o *Options)) Settings {
	before, after := s.Of(part), s.Of(part)
	change(&after)
	for _, f := range params.Fields(reflect.TypeOf(after)) {
		if value := f.Typed(after); value != f.Typed(before) {
			s.keep(path.Join(part, f.Name), value)
		}
	}
	return s
}

// paths returns the paths of all settings, sorted.
func (s Settings) paths() []string { return slices.Sorted(maps.Keys(s.values)) }

// Parts returns the parts of the network that have settings of their own.
func (s Settings) Parts() (parts []string) {
	for _, path := range s.paths() {
		if part, _ := splitSetting(path); part != "" && !slices.Contains(parts, part) {
			parts = append(parts, part)
		}
	}
	return parts
}

// Of returns the options of a part of the network, "" for the whole network.
func (s Settings) Of(part string) Options { return OptionsOf[Options](s, part) }

// OptionsOf returns a network's own options out of its settings, see Network.Options. They are those of a part of the
// network, "" for the whole network.
func OptionsOf[T any](s Settings, part string) T {
	o, _ := params.From[T](func(name string) (any, bool) { // an error is Check's to return
		if value, ok := s.values[path.Join(part, name)]; ok {
			return value, true
		}
		value, ok := s.values[name]
		return value, ok
	})
	return o
}

// Level returns the options of a level, counted from 0.
func (s Settings) Level(i int) Options { return s.Of(levelName(i)) }

// levelName is the name of a level, counted from 0, in settings and scopes.
func levelName(i int) string { return fmt.Sprintf("level_%d", i+1) }

// splitSetting splits the path of a setting into the part of the network, "" for all of it, and the option's name.
func splitSetting(path string) (part, name string) {
	at := strings.LastIndex(path, model.ScopeSeparator)
	return path[:max(0, at)], path[at+1:]
}

// Whole returns the settings with a value for every option that a model has.
func (s Settings) Whole(name string) Settings {
	whole := Settings{values: map[string]any{}}
	for _, f := range optionFields {
		if (Spec{Model: name}).has(f.Name) {
			whole.values[f.Name] = f.Default()
		}
	}
	maps.Copy(whole.values, s.values)
	return whole
}

// Values returns the settings by path.
func (s Settings) Values() map[string]any { return s.params("") }

// MarshalJSON writes Values.
func (s Settings) MarshalJSON() ([]byte, error) { return json.Marshal(s.Values()) }

// UnmarshalJSON reads what MarshalJSON wrote.
func (s *Settings) UnmarshalJSON(raw []byte) error {
	var all map[string]any
	if err := json.Unmarshal(raw, &all); err != nil {
		return err
	}
	s.values = nil
	for path, value := range all {
		if optionOf(path) == nil {
			return fmt.Errorf("%s is an option of another version of ccp: use that version, or train again", path)
		} else if err := s.Put(path, value); err != nil {
			return err
		}
	}
	return nil
}

// params returns the settings as GoMLX's parameters. The paths of parts are below scope.
func (s Settings) params(scope string) map[string]any {
	all := map[string]any{}
	for path, value := range s.values {
		if part, _ := splitSetting(path); part != "" {
			path = scope + path
		}
		all[path] = params.Plain(value)
	}
	return all
}

// For returns the settings of options that a model has: a data set's default for one model need not suit another.
func (s Settings) For(name string) (kept Settings) {
	for path, value := range s.values {
		if (Spec{Model: name}).has(path) {
			kept.keep(path, value)
		}
	}
	return kept
}

// has reports whether the spec's model has the option at a path.
func (s Spec) has(path string) bool {
	f := optionOf(path)
	return f != nil && !slices.Contains(s.Network().Lacks, f.Name) && (len(f.Models) == 0 ||
		slices.Contains(f.Models, s.Model) || s.own() && slices.Contains(f.Models, clusterPooling))
}

// Check returns an error if an option cannot have its value.
func (s Settings) Check() error {
	for _, path := range s.paths() {
		if err := new(Settings).Put(path, s.values[path]); err != nil {
			return err
		}
	}
	_, err := s.Of("").voices()
	return err
}

// checkSettings returns an error if a setting is for another model, for a part that the network lacks, or for one
// without the option.
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
	for _, path := range s.Settings.paths() {
		part, name := splitSetting(path)
		f := *optionOf(name)
		lacks := func(part string) bool {
			kind, _, _ := strings.Cut(part, "_")
			return !slices.Contains(f.Parts, kind)
		}
		switch {
		case !s.has(path):
			only := ""
			if len(f.Models) > 0 {
				only = "; only " + strings.Join(f.Models, " and ") + " has"
			}
			return fmt.Errorf("%s: model %s has no %s%s", path, s.Model, name, only)
		case path == name: // for the whole model
		case !slices.Contains(parts, part):
			return fmt.Errorf("%s: the network has no %q; its parts are %s", path, part, strings.Join(parts, ", "))
		case lacks(part):
			right := slices.DeleteFunc(slices.Clone(parts), lacks)
			return fmt.Errorf("%s: %s has no %s; the parts with one are %s", path, part, name, strings.Join(right,
				", "))
		}
	}
	return nil
}
