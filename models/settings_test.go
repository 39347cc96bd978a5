package models

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/clusterpool/ccp/ccp"
	"github.com/clusterpool/ccp/internal/params"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// settings are those of values by path, unchecked.
func settings(values map[string]any) (s Settings) {
	for path, value := range values {
		s.keep(path, value)
	}
	return s
}

func TestNewSettings(t *testing.T) {
	for name, c := range map[string]struct {
		settings []string
		want     string
	}{
		"none":      {nil, "{}"},
		"float":     {[]string{"ccp_dropout=0.25"}, `{"ccp_dropout":0.25}`},
		"whole":     {[]string{"ccp_membership_rate=3"}, `{"ccp_membership_rate":3}`},
		"int":       {[]string{"ccp_candidates=4.0"}, `{"ccp_candidates":4}`},
		"exponent":  {[]string{"l2=1e-5"}, `{"l2":0.00001}`},
		"bool":      {[]string{"ccp_recompute=true"}, `{"ccp_recompute":true}`},
		"string":    {[]string{"ccp_gates=slot"}, `{"ccp_gates":"slot"}`},
		"plan":      {[]string{"ccp_hierarchy=prepared"}, `{"ccp_hierarchy":"prepared"}`},
		"a default": {[]string{"ccp_gates=level"}, `{"ccp_gates":"level"}`},
		"one level": {[]string{"level_2/ccp_dropout=0.3"}, `{"level_2/ccp_dropout":0.3}`},
		"several":   {[]string{"l2=0", "fc_1/readout_dropout=0", "ccp_padding=zeros"}, `{"l2":0,"fc_1/readout_dropout":0,"ccp_padding":"zeros"}`},
		"twice":     {[]string{"l2=1", "l2=2"}, `{"l2":2}`},
		"both":      {[]string{"l2=1", "level_1/l2=2"}, `{"l2":1,"level_1/l2":2}`},
	} {
		s, err := NewSettings(c.settings...)
		require.NoError(t, err, name)
		raw, err := json.Marshal(s)
		require.NoError(t, err, name)
		assert.JSONEq(t, c.want, string(raw), name)
		var read Settings
		require.NoError(t, json.Unmarshal(raw, &read), name)
		for _, part := range []string{"", "level_1", "level_2", "fc_1"} {
			assert.Equal(t, s.Of(part), read.Of(part), name)
		}
	}
	for setting, want := range map[string]string{
		"":                        `"" is not NAME=VALUE with a name out of batchnorm_epsilon, bayes_alpha, ccp_blocks`,
		"ccp_dropout":             `"ccp_dropout" is not NAME=VALUE`,
		"dropout=0.3":             `there is no option "dropout": `,
		"level_2/ccp_dropuot=0.3": `there is no option "level_2/ccp_dropuot": did you mean ccp_dropout? There are`,
		"ccp_dropout=much":        `ccp_dropout=much: it must be in [0, 1)`,
		"ccp_dropout=":            `ccp_dropout=: it must be in [0, 1)`,
		"ccp_recompute=5":         `ccp_recompute=5: it must be true or false`,
		"ccp_candidates=1.5":      `ccp_candidates=1.5: it must be a whole number from 0`,
		"l2=1;ccp_dropout=0.1":    `l2=1;ccp_dropout=0.1: it must be finite and not negative`,
	} {
		_, err := NewSettings("l2=0", setting)
		assert.ErrorContains(t, err, want, setting)
	}
}

// Settings of a checkpoint of an earlier version are read, unless an option is gone: the error says what to do.
func TestSettingsOfBefore(t *testing.T) {
	var s Settings
	require.NoError(t, json.Unmarshal([]byte(`{"ccp_hierarchy":"prepared","ccp_candidates":4,"level_1/batchnorm_epsilon":10000}`), &s))
	assert.Equal(t, ccp.Prepared, s.Of("").Hierarchy)
	assert.Equal(t, 4, s.Of("").Candidates)
	assert.InDelta(t, 1e4, s.Level(0).BatchNormEpsilon, 1e-9)
	for _, gone := range []string{"ccp_refresh", "ccp_level_blocks", "level_1/ccp_alpha_std"} {
		require.ErrorContains(t, json.Unmarshal([]byte(`{"`+gone+`":3}`), &s),
			gone+" is an option of another version of ccp: use that version, or train again")
	}
	require.NoError(t, json.Unmarshal([]byte(`{"ccp_blocks":1}`), &s), "a number is the input's")
	assert.Equal(t, "1", s.Of("").Blocks)
}

// A change in Go is the same as the text, and leaves copies as they are.
func TestSettingsWith(t *testing.T) {
	before, err := NewSettings("ccp_gates=slot", "level_2/ccp_dropout=0.3")
	require.NoError(t, err)
	after := before.With("", func(o *Options) { o.Hierarchy, o.L2 = ccp.Prepared, 0.5 }).With("level_1", func(o *Options) { o.Dropout = 0.1 })
	assert.Equal(t, ccp.Learned, before.Of("").Hierarchy)
	assert.Equal(t, ccp.Prepared, after.Of("level_2").Hierarchy)
	assert.Equal(t, []float64{0, 0.1, 0.3, 0}, []float64{after.Of("").Dropout, after.Level(0).Dropout, after.Level(1).Dropout, after.Level(2).Dropout})
	assert.Equal(t, "slot", after.Level(0).Gates)
	assert.Equal(t, before, before.For("ccp"))
	kept, err := json.Marshal(after.For("softmax"))
	require.NoError(t, err)
	assert.JSONEq(t, `{"l2":0.5}`, string(kept))
}

func TestSettingsCheck(t *testing.T) {
	require.NoError(t, Settings{}.Check())
	require.NoError(t, params.Check(params.Defaults[Options]()), "every default passes")
	for path, c := range map[string]struct {
		value any
		want  string
	}{
		"ccp_hierarchy":         {"frozen", "ccp_hierarchy=frozen: it must be one of learned, task-only, objective-only, prepared, random"},
		"ccp_gates":             {"node", "ccp_gates=node: it must be one of level, cluster, slot"},
		"ccp_padding":           {"ones", "ccp_padding=ones: it must be one of nodes, zeros"},
		"ccp_dropout":           {1.0, "ccp_dropout=1: it must be in [0, 1)"},
		"level_1/ccp_dropout":   {-0.1, "level_1/ccp_dropout=-0.1: it must be in [0, 1)"},
		"readout_dropout":       {math.NaN(), "readout_dropout=NaN: it must be in [0, 1)"},
		"ccp_membership_rate":   {0.0, "ccp_membership_rate=0: it must be positive and finite"},
		"batchnorm_epsilon":     {math.Inf(1), "batchnorm_epsilon=+Inf: it must be positive and finite"},
		"l2":                    {-1.0, "l2=-1: it must be finite and not negative"},
		"ccp_candidates":        {-1, "ccp_candidates=-1: it must be a whole number from 0"},
		"depth":                 {1.0, `there is no option "depth": there are batchnorm_epsilon,`},
		"level_1/ccp_hierarchy": {"random", `level_1/ccp_hierarchy: ccp_hierarchy is for the whole model; leave "level_1/" out`},
		"fc_1/ccp_hierarchies":  {2, "ccp_hierarchies is for the whole model"},
	} {
		assert.ErrorContains(t, settings(map[string]any{"l2": 0.0, path: c.value}).Check(), c.want)
	}
}

func FuzzSettings(f *testing.F) {
	for _, setting := range []string{"", "ccp_dropout=0.3", "level_2/ccp_gates=slot", "l2=", "=", "/=/", "l2=1;l2=2", "ccp_recompute=t"} {
		f.Add(setting)
	}
	f.Fuzz(func(t *testing.T, setting string) {
		s, err := NewSettings(setting)
		if err == nil {
			require.NoError(t, s.Check())
			_ = Spec{Model: "ccp", Settings: s}.Check() // whatever it says, it does not panic
		}
	})
}

// Where a parameter of a spec reaches.
func TestParamsReachTheirScope(t *testing.T) {
	s, err := NewSettings("level_2/ccp_dropout=0.3", "ccp_gates=slot", "level_1/ccp_gates=cluster")
	require.NoError(t, err)
	store := Spec{Settings: s}.NewStore(5)
	for path, want := range map[string]struct {
		dropout float64
		gates   string
	}{
		"/model/level_1": {0, "cluster"}, "/model/level_2": {0.3, "slot"}, "/model/level_2/batch_norm": {0.3, "slot"}, "/model/level_3": {0, "slot"},
		"/model": {0, "slot"}, "/model/fc_1": {0, "slot"},
	} {
		scope := store.Scope(path)
		assert.Equal(t, want.dropout, model.GetParamOr(scope, "ccp_dropout", 0.0), path)
		assert.Equal(t, want.gates, model.GetParamOr(scope, "ccp_gates", "level"), path)
		assert.Equal(t, int64(5), model.GetParamOr(scope, model.ParamInitialSeed, int64(0)), path)
	}
}
