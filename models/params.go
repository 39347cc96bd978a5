package models

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/clusterpool/ccp/ccp"
	"github.com/clusterpool/ccp/ccp/nn"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ui/commandline"
)

// Defaults are the options of all models by parameter name; each Param… constant says what it does.
func Defaults() map[string]any {
	return map[string]any{
		ccp.ParamHierarchy:        "learned",
		ccp.ParamMembershipStd:    1.0,
		ccp.ParamMembershipRate:   10.0,
		ccp.ParamAlphaStd:         0.1,
		ccp.ParamBetaStd:          0.1,
		ccp.ParamGates:            "level",
		ccp.ParamObjectiveWeight:  1.0,
		ccp.ParamVolumeLoops:      false,
		ccp.ParamOrder:            "filter-norm-elu",
		ccp.ParamDropout:          0.0,
		ParamNormalizeInput:       true,
		ParamReadoutDropout:       0.5,
		nn.ParamL2:                1e-4,
		nn.ParamBatchNormMomentum: 0.9,
		nn.ParamBatchNormEpsilon:  1e-5,
	}
}

// ParseParams reads settings NAME=VALUE, or level_2/NAME=VALUE for one level, into the form that a Spec keeps. The error
// names the setting and lists what there is.
func ParseParams(settings []string) (map[string]any, error) {
	if len(settings) == 0 {
		return nil, nil
	}
	store := model.NewStore()
	store.SetParams(Defaults())
	params := map[string]any{}
	for _, setting := range settings {
		path, _, found := strings.Cut(setting, "=")
		name := path[strings.LastIndex(path, model.ScopeSeparator)+1:]
		if _, known := Defaults()[name]; !found || !known || strings.ContainsRune(setting, ';') {
			return nil, fmt.Errorf("setting %q is not NAME=VALUE with a name out of %s", setting, strings.Join(slices.Sorted(maps.Keys(Defaults())), ", "))
		}
		if _, err := commandline.ParseSettings(store, strings.TrimPrefix(setting, path[:len(path)-len(name)])); err != nil {
			return nil, fmt.Errorf("setting %q: its value must be a %T", setting, Defaults()[name])
		}
		params[path], _ = store.GetParam(model.ScopeSeparator + name)
	}
	return params, nil
}
