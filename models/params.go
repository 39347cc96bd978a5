package models

import (
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/clusterpool/ccp/ccp"
	"github.com/clusterpool/ccp/ccp/nn"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ui/commandline"
)

// parameter is what is known of an option of the models.
type parameter struct {
	initial any    // its default, of the type that all its values have
	parts   string // the kinds of parts of the network that can have a value of their own
	values  rule
	models  string // the models that have it; "": all
}

// rule is what the values of a parameter must be.
type rule struct {
	says  string
	holds func(value any) bool
}

func oneOf(names ...string) rule {
	return rule{"one of " + strings.Join(names, ", "), func(v any) bool { return slices.Contains(names, v.(string)) }}
}

func number(says string, holds func(float64) bool) rule {
	return rule{says, func(v any) bool { return holds(v.(float64)) && !math.IsInf(v.(float64), 0) }}
}

var (
	eitherWay   = rule{"true or false", func(any) bool { return true }}
	finite      = number("a finite number", func(v float64) bool { return !math.IsNaN(v) })
	positive    = number("positive and finite", func(v float64) bool { return v > 0 })
	notNegative = number("finite and not negative", func(v float64) bool { return v >= 0 })
	fraction    = number("in [0, 1)", func(v float64) bool { return v >= 0 && v < 1 })
)

// parameters are the options of all models by name; each Param… constant says what it does.
var parameters = map[string]parameter{
	ccp.ParamHierarchy:        {ccp.Learned, "", oneOf(ccp.Hierarchies()...), clusterPooling},
	ccp.ParamMembershipStd:    {1.0, "level", notNegative, clusterPooling},
	ccp.ParamMembershipRate:   {10.0, "level", positive, clusterPooling},
	ccp.ParamAlphaStd:         {0.1, "level", notNegative, clusterPooling},
	ccp.ParamBetaStd:          {0.1, "level", notNegative, clusterPooling},
	ccp.ParamGates:            {"level", "level", oneOf("level", "cluster", "slot"), clusterPooling},
	ccp.ParamObjectiveWeight:  {1.0, "level", finite, clusterPooling},
	ccp.ParamVolumeLoops:      {false, "level", eitherWay, clusterPooling},
	ccp.ParamSlots:            {ccp.SlotsByRank, "level", oneOf(ccp.SlotsByRank, ccp.SlotsRandom), clusterPooling},
	ccp.ParamRefresh:          {1.0, "", number("a whole number from 1", func(v float64) bool { return v >= 1 && v == math.Trunc(v) }), clusterPooling},
	ccp.ParamRecompute:        {false, "level", eitherWay, clusterPooling},
	ccp.ParamOrder:            {"filter-norm-elu", "level", oneOf("filter-norm-elu", "filter-elu-norm"), clusterPooling},
	ccp.ParamDropout:          {0.0, "level", fraction, clusterPooling},
	ParamCandidates:           {0.0, "level", number("a whole number from 0", func(v float64) bool { return v >= 0 && v == math.Trunc(v) && v < 1<<20 }), clusterPooling},
	ParamNormalizeInput:       {true, "", eitherWay, clusterPooling},
	ParamInputDropout:         {0.0, "", fraction, ""},
	ParamBayesAlpha:           {1.0, "", positive, naiveBayes},
	ParamResNetDepth:          {20.0, "", resnetDepths, "resnet"},
	ParamTCNDropout:           {0.5, "", fraction, "tcn"},
	ParamGATHeads:             {1.0, "level", number("a whole number from 1", func(v float64) bool { return v >= 1 && v == math.Trunc(v) && v < 1<<20 }), "gat gat-average"},
	ParamPLSTMSteps:           {8.0, "", number("a whole number from 1", func(v float64) bool { return v >= 1 && v == math.Trunc(v) }), "p-lstm"},
	ParamReadoutDropout:       {0.5, "fc classes", fraction, ""},
	nn.ParamDType:             {nn.Float32, "", oneOf(nn.Float32, nn.BFloat16), ""},
	nn.ParamL2:                {1e-4, "level fc classes", notNegative, ""},
	nn.ParamBatchNormMomentum: {0.9, "level fc", fraction, ""},
	nn.ParamBatchNormEpsilon:  {1e-5, "level fc", positive, ""},
}

// Defaults are the options of all models by parameter name; each Param… constant says what it does.
func Defaults() map[string]any {
	defaults := map[string]any{}
	for name, p := range parameters {
		defaults[name] = p.initial
	}
	return defaults
}

// splitSetting parts the path of a setting into the part of the network, "" for all of it, and the parameter's name.
func splitSetting(path string) (part, name string) {
	at := strings.LastIndex(path, model.ScopeSeparator)
	return path[:max(0, at)], path[at+1:]
}

// ParseParams reads settings NAME=VALUE, or level_2/NAME=VALUE for one level, into the form that a Spec keeps. The error
// names the setting and lists what there is. CheckParams and Spec.Check judge the values and the parts.
func ParseParams(settings []string) (map[string]any, error) {
	if len(settings) == 0 {
		return nil, nil
	}
	store := model.NewStore()
	store.SetParams(Defaults())
	params := map[string]any{}
	for _, setting := range settings {
		path, _, found := strings.Cut(setting, "=")
		_, name := splitSetting(path)
		p, known := parameters[name]
		if !found || !known || strings.ContainsRune(setting, ';') {
			return nil, fmt.Errorf("setting %q is not NAME=VALUE with a name out of %s", setting, parameterNames())
		}
		if _, err := commandline.ParseSettings(store, strings.TrimPrefix(setting, path[:len(path)-len(name)])); err != nil {
			return nil, fmt.Errorf("setting %q: its value must be a %T", setting, p.initial)
		}
		params[path], _ = store.GetParam(model.ScopeSeparator + name)
	}
	return params, nil
}

func parameterNames() string { return strings.Join(slices.Sorted(maps.Keys(parameters)), ", ") }

// CheckParams says which setting has a value that it cannot have, whatever the network.
func CheckParams(params map[string]any) error {
	for _, path := range slices.Sorted(maps.Keys(params)) {
		part, name := splitSetting(path)
		p, known := parameters[name]
		switch value := params[path]; {
		case !known:
			return fmt.Errorf("setting %s: there is no parameter %q; there are %s", path, name, parameterNames())
		case reflect.TypeOf(value) != reflect.TypeOf(p.initial):
			return fmt.Errorf("setting %s=%v: its value must be a %T, it is a %T", path, value, p.initial, value)
		case !p.values.holds(value):
			return fmt.Errorf("setting %s=%v: it must be %s", path, value, p.values.says)
		case path != name && p.parts == "":
			return fmt.Errorf("setting %s=%v: %s is for the whole model; leave %q out", path, value, name, part+model.ScopeSeparator)
		}
	}
	return nil
}

// has says whether the spec's model has the parameter.
func (s Spec) has(name string) bool {
	with := parameters[name].models
	return (with == "" || slices.Contains(strings.Fields(with), s.Model)) && !slices.Contains(registry[s.Model].lacks, name)
}

// ParamsOf keeps those of the settings that a model has: what is a data set's default for one need not be for another.
func ParamsOf(name string, params map[string]any) map[string]any {
	s, kept := Spec{Model: name}, map[string]any{}
	for path, value := range params {
		if _, name := splitSetting(path); s.has(name) {
			kept[path] = value
		}
	}
	return kept
}

// checkParts says which setting is for a part of the network that is not there, or that has no such option.
func (s Spec) checkParts() error {
	kinds := map[string]string{}
	var parts []string
	add := func(part, kind string) { parts, kinds[part] = append(parts, part), kind }
	for _, path := range slices.Sorted(maps.Keys(s.Params)) {
		if _, name := splitSetting(path); !s.has(name) {
			only := ""
			if with := strings.Fields(parameters[name].models); len(with) > 0 {
				only = "; only " + strings.Join(with, " and ") + " has"
			}
			return fmt.Errorf("setting %s: model %s has no %s%s", path, s.Model, name, only)
		}
	}
	for i := range s.Levels {
		add(fmt.Sprintf("level_%d", i+1), "level")
	}
	for i := range s.Hidden {
		add(fmt.Sprintf("fc_%d", i+1), "fc")
	}
	add("classes", "classes")
	for _, path := range slices.Sorted(maps.Keys(s.Params)) {
		part, name := splitSetting(path)
		if path == name {
			continue
		}
		if kinds[part] == "" {
			return fmt.Errorf("setting %s: the network has no %q; its parts are %s", path, part, strings.Join(parts, ", "))
		}
		with := func(part string) bool { return slices.Contains(strings.Fields(parameters[name].parts), kinds[part]) }
		if !with(part) {
			var right []string
			for _, part := range parts {
				if with(part) {
					right = append(right, part)
				}
			}
			return fmt.Errorf("setting %s: %s has no %s; the parts with one are %s", path, part, name, strings.Join(right, ", "))
		}
	}
	return nil
}
