package models

import (
	"math"
	"testing"

	"github.com/clusterpool/ccp/ccp"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestParseParams(t *testing.T) {
	for name, c := range map[string]struct {
		settings []string
		want     map[string]any
	}{
		"none":      {nil, nil},
		"float":     {[]string{"ccp_dropout=0.25"}, map[string]any{"ccp_dropout": 0.25}},
		"whole":     {[]string{"ccp_membership_rate=3"}, map[string]any{"ccp_membership_rate": 3.0}},
		"exponent":  {[]string{"l2=1e-5"}, map[string]any{"l2": 1e-5}},
		"bool":      {[]string{"ccp_volume_loops=true"}, map[string]any{"ccp_volume_loops": true}},
		"string":    {[]string{"ccp_gates=slot"}, map[string]any{"ccp_gates": "slot"}},
		"one level": {[]string{"level_2/ccp_dropout=0.3"}, map[string]any{"level_2/ccp_dropout": 0.3}},
		"several":   {[]string{"l2=0", "fc_1/readout_dropout=0", "ccp_order=filter-elu-norm"}, map[string]any{"l2": 0.0, "fc_1/readout_dropout": 0.0, "ccp_order": "filter-elu-norm"}},
		"twice":     {[]string{"l2=1", "l2=2"}, map[string]any{"l2": 2.0}},
		"both":      {[]string{"l2=1", "level_1/l2=2"}, map[string]any{"l2": 1.0, "level_1/l2": 2.0}},
	} {
		params, err := ParseParams(c.settings)
		require.NoError(t, err, name)
		assert.Equal(t, c.want, params, name)
	}
	for setting, want := range map[string]string{
		"":                     `setting "" is not NAME=VALUE with a name out of batchnorm_epsilon, batchnorm_momentum, bayes_alpha, ccp_alpha_std`,
		"ccp_dropout":          `setting "ccp_dropout" is not NAME=VALUE`,
		"dropout=0.3":          `setting "dropout=0.3" is not NAME=VALUE with a name out of`,
		"level_2/dropout=0.3":  `setting "level_2/dropout=0.3" is not NAME=VALUE`,
		"ccp_dropout=much":     `setting "ccp_dropout=much": its value must be a float64`,
		"ccp_dropout=":         `setting "ccp_dropout=": its value must be a float64`,
		"ccp_volume_loops=5":   `setting "ccp_volume_loops=5": its value must be a bool`,
		"l2=1;ccp_dropout=0.1": `setting "l2=1;ccp_dropout=0.1" is not NAME=VALUE`,
	} {
		_, err := ParseParams([]string{"l2=0", setting})
		assert.ErrorContains(t, err, want, setting)
	}
}

func TestCheckParams(t *testing.T) {
	require.NoError(t, CheckParams(nil))
	require.NoError(t, CheckParams(Defaults()), "every default passes")
	for path, c := range map[string]struct {
		value any
		want  string
	}{
		"ccp_hierarchy":            {"frozen", "setting ccp_hierarchy=frozen: it must be one of learned, task-only, objective-only, refined, prepared, random"},
		"ccp_gates":                {"node", "setting ccp_gates=node: it must be one of level, cluster, slot"},
		"ccp_order":                {"norm", "setting ccp_order=norm: it must be one of filter-norm-elu, filter-elu-norm"},
		"ccp_dropout":              {1.0, "setting ccp_dropout=1: it must be in [0, 1)"},
		"level_1/ccp_dropout":      {-0.1, "setting level_1/ccp_dropout=-0.1: it must be in [0, 1)"},
		"readout_dropout":          {math.NaN(), "setting readout_dropout=NaN: it must be in [0, 1)"},
		"ccp_membership_rate":      {0.0, "setting ccp_membership_rate=0: it must be positive and finite"},
		"batchnorm_epsilon":        {math.Inf(1), "setting batchnorm_epsilon=+Inf: it must be positive and finite"},
		"l2":                       {-1.0, "setting l2=-1: it must be finite and not negative"},
		"ccp_objective_weight":     {math.Inf(-1), "setting ccp_objective_weight=-Inf: it must be a finite number"},
		"ccp_alpha_std":            {1, "setting ccp_alpha_std=1: its value must be a float64, it is a int"},
		"depth":                    {1.0, `setting depth: there is no parameter "depth"; there are batchnorm_epsilon,`},
		"level_1/ccp_hierarchy":    {"random", `setting level_1/ccp_hierarchy=random: ccp_hierarchy is for the whole model; leave "level_1/" out`},
		"fc_1/ccp_normalize_input": {true, "ccp_normalize_input is for the whole model"},
	} {
		assert.ErrorContains(t, CheckParams(map[string]any{"l2": 0.0, path: c.value}), c.want)
	}
}

func FuzzParseParams(f *testing.F) {
	for _, setting := range []string{"", "ccp_dropout=0.3", "level_2/ccp_gates=slot", "l2=", "=", "/=/", "l2=1;l2=2", "ccp_volume_loops=t"} {
		f.Add(setting)
	}
	f.Fuzz(func(t *testing.T, setting string) {
		params, err := ParseParams([]string{setting})
		if err == nil {
			require.Len(t, params, 1)
			_ = CheckParams(params) // whatever it says, it does not panic
		}
	})
}

// Where a parameter of a spec reaches.
func TestParamsReachTheirScope(t *testing.T) {
	params, err := ParseParams([]string{"level_2/ccp_dropout=0.3", "ccp_gates=slot", "level_1/ccp_gates=cluster"})
	require.NoError(t, err)
	store := Spec{Params: params}.NewStore(5)
	for path, want := range map[string]struct {
		dropout float64
		gates   string
	}{
		"/model/level_1": {0, "cluster"}, "/model/level_2": {0.3, "slot"}, "/model/level_2/batch_norm": {0.3, "slot"}, "/model/level_3": {0, "slot"},
		"/model": {0, "slot"}, "/model/fc_1": {0, "slot"},
	} {
		scope := store.Scope(path)
		assert.Equal(t, want.dropout, model.GetParamOr(scope, ccp.ParamDropout, 0.0), path)
		assert.Equal(t, want.gates, model.GetParamOr(scope, ccp.ParamGates, "level"), path)
		assert.Equal(t, int64(5), model.GetParamOr(scope, model.ParamInitialSeed, int64(0)), path)
	}
}
