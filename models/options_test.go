package models

import (
	"encoding/json"
	"github.com/clusterpool/ccp/datasets/signal"
	"math"
	"strings"
	"testing"

	"github.com/clusterpool/ccp/ccp"
	"github.com/clusterpool/ccp/internal/params"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// settings are options with values by path, unchecked.
func settings(values Patch) Options {
	o := DefaultOptions()
	for path, value := range values {
		if f := params.Find(optionFields, path); f != nil {
			_ = o.put(f, value)
		} else {
			o.Own = Patch{path: value}
		}
	}
	return o
}

func TestPut(t *testing.T) {
	for path, c := range map[string]struct {
		text string
		want any
	}{
		"ccp_dropout":         {"0.25", 0.25},
		"ccp_membership_rate": {"3", 3.0},
		"ccp_candidates":      {"4.0", 4},
		"l2":                  {"1e-5", 1e-5},
		"ccp_padding":         {"zeros", "zeros"},
		"ccp_hierarchy":       {"prepared", "prepared"},
	} {
		s := Spec{Model: "ccp", Options: DefaultOptions()}
		require.NoError(t, s.Put(path, c.text), path)
		assert.Equal(t, c.want, s.Values()[path], path)
		raw, err := json.Marshal(s)
		require.NoError(t, err, path)
		var read Spec
		require.NoError(t, json.Unmarshal(raw, &read), path)
		assert.Equal(t, s.Options, read.Options, path)
		assert.Equal(t, c.want, read.Values()[path], path)
	}
	for setting, want := range map[string]string{
		"":                        `there is no option "": there are batchnorm_epsilon, bayes_alpha, ccp_blocks`,
		"dropout=0.3":             `there is no option "dropout": `,
		"ccp_dropuot=0.3":         `there is no option "ccp_dropuot": did you mean ccp_dropout? There are`,
		"level_2/ccp_dropout=0.3": `there is no option "level_2/ccp_dropout": `,
		"ccp_dropout=much":        `ccp_dropout=much: it must be in [0, 1)`,
		"ccp_dropout=":            `ccp_dropout=: it must be in [0, 1)`,
		"ccp_candidates=1.5":      `ccp_candidates=1.5: it must be a whole number from 0`,
		"l2=1;ccp_dropout=0.1":    `l2=1;ccp_dropout=0.1: it must be finite and not negative`,
	} {
		path, value, _ := strings.Cut(setting, "=")
		assert.ErrorContains(t, (&Spec{Model: "ccp", Options: DefaultOptions()}).Put(path, value), want, setting)
	}
}

// Options that a checkpoint lacks have their defaults. One that is gone is an error that says what to do.
func TestOptionsOfBefore(t *testing.T) {
	var s Spec
	of := func(params string) error { return json.Unmarshal([]byte(`{"model":"ccp","options":{`+params+`}}`), &s) }
	require.NoError(t, of(`"ccp_hierarchy":"prepared","ccp_candidates":4`))
	assert.Equal(t, ccp.Prepared, s.Options.Hierarchy)
	assert.Equal(t, 4, s.Options.Candidates)
	for _, gone := range []string{"ccp_refresh", "ccp_level_blocks", "level_1/ccp_dropout"} {
		require.ErrorContains(t, of(`"`+gone+`":3`), gone+" is an option of another version of ccp: use that "+
			"version, or train again")
	}
	require.NoError(t, of(`"ccp_blocks":1`), "a number is the input's")
	assert.Equal(t, "1", s.Options.Blocks)
}

// A copy of a spec stays as it is, and a level may have some values of its own.
func TestOptionsOfCopies(t *testing.T) {
	before := Spec{Model: "ccp", Options: DefaultOptions()}
	after := before
	require.NoError(t, after.Put("ccp_dropout", 0.1))
	assert.Equal(t, []float64{0, 0.1}, []float64{before.Options.Dropout, after.Options.Dropout})
	assert.NotContains(t, Spec{Model: "softmax", Options: DefaultOptions()}.Values(), "ccp_dropout")

	after.Levels = []Level{{Clusters: 4, Candidates: 2, BatchNormEpsilon: 10}, {Clusters: 2}, {Clusters: 4}}
	require.NoError(t, after.Put("ccp_candidates", 3))
	assert.Equal(t, []int{2, 0, 3}, []int{after.candidates(0), after.candidates(1), after.candidates(2)},
		"of 2 clusters 3 are all")
}

func TestCheckOptions(t *testing.T) {
	good := Spec{Model: "ccp", Levels: mustLevels("4x4/4,1x4/4"), Hidden: []int{8},
		Info: signal.Info{Nodes: 12, Channels: 1, ClassNames: make([]string, 2)}}
	good.Options = DefaultOptions()
	require.NoError(t, good.Check())
	zero := good
	zero.Options = Options{}
	require.ErrorContains(t, zero.Check(), "the spec has no options; begin with DefaultOptions")
	for path, c := range map[string]struct {
		value any
		want  string
	}{
		"ccp_hierarchy": {"frozen", "ccp_hierarchy=frozen: it must be one of learned, task-only, " +
			"objective-only, prepared, random"},
		"ccp_padding":         {"ones", "ccp_padding=ones: it must be one of nodes, zeros"},
		"ccp_dropout":         {1.0, "ccp_dropout=1: it must be in [0, 1)"},
		"readout_dropout":     {math.NaN(), "readout_dropout=NaN: it must be in [0, 1)"},
		"ccp_membership_rate": {0.0, "ccp_membership_rate=0: it must be positive and finite"},
		"batchnorm_epsilon":   {math.Inf(1), "batchnorm_epsilon=+Inf: it must be positive and finite"},
		"l2":                  {-1.0, "l2=-1: it must be finite and not negative"},
		"ccp_candidates":      {-1, "ccp_candidates=-1: it must be a whole number from 0"},
		"depth":               {1.0, `there is no option "depth": there are batchnorm_epsilon,`},
	} {
		s := good
		s.Options = settings(Patch{"l2": 0.0, path: c.value})
		assert.ErrorContains(t, s.Check(), c.want)
	}
}

func FuzzPut(f *testing.F) {
	for _, setting := range []string{"", "ccp_dropout=0.3", "ccp_padding=zeros", "l2=", "=", "/=/", "l2=1;l2=2",
		"tfidf=t"} {
		f.Add(setting)
	}
	f.Fuzz(func(t *testing.T, setting string) {
		path, value, _ := strings.Cut(setting, "=")
		s := Spec{Model: "ccp", Info: signal.Info{Nodes: 12, ClassNames: make([]string, 2)}, Options: DefaultOptions()}
		if err := s.Put(path, value); err == nil {
			require.NoError(t, s.Put(path, s.Values()[path]))
			_ = s.Check() // whatever it says, it does not panic
		}
	})
}

// Where a parameter of a spec reaches.
func TestParamsReachTheirScope(t *testing.T) {
	levels := []Level{{BatchNormEpsilon: 10}, {Candidates: 2}, {}}
	store := Spec{Model: "ccp", Levels: levels, Options: settings(Patch{"ccp_padding": "zeros"})}.NewStore(5)
	for path, want := range map[string]struct {
		epsilon    float64
		candidates int
	}{
		"/model/level_1": {10, 0}, "/model/level_1/batch_norm": {10, 0}, "/model/level_2": {1e-5, 2},
		"/model/level_3": {1e-5, 0},
		"/model":         {1e-5, 0}, "/model/fc_1": {1e-5, 0},
	} {
		scope := store.Scope(path)
		assert.Equal(t, want.epsilon, model.GetParamOr(scope, "batchnorm_epsilon", 0.0), path)
		assert.Equal(t, want.candidates, model.GetParamOr(scope, "ccp_candidates", 0), path)
		assert.Equal(t, "zeros", model.GetParamOr(scope, "ccp_padding", "nodes"), path)
		assert.Equal(t, int64(5), model.GetParamOr(scope, model.ParamInitialSeed, int64(0)), path)
	}
}
