package params

import (
	"encoding"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/gomlx/gomlx/ml/model"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/clusterpool/ccp/internal/messagetest"
)

// steps is an encoding.TextUnmarshaler with a field's rules of its own: "1+2+3".
type steps []string

func (s *steps) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		return errors.New("want steps such as 1+2")
	}
	*s = strings.Split(string(text), "+")
	return nil
}

func (s steps) MarshalText() ([]byte, error) {
	if len(s) == 0 {
		return nil, errors.New("no steps")
	}
	return []byte(strings.Join(s, "+")), nil
}

var _ encoding.TextUnmarshaler = (*steps)(nil)

type inner struct {
	Rate  float64 `param:"t_rate" default:"0.5" rule:"share" models:"one"`
	Depth int     `param:"t_depth" default:"20" rule:"from 1"`
}

type options struct {
	Flag     bool    `param:"t_flag" default:"true"`
	Whole    int     `param:"t_whole" default:"3"`
	Free     float64 `param:"t_free" default:"1.5"`
	Finite   float64 `param:"t_finite" default:"0" rule:"finite"`
	Positive float64 `param:"t_positive" default:"1e-3" rule:"positive"`
	Percent  float64 `param:"t_percent" default:"2" rule:"percent"`
	Natural  float64 `param:"t_natural" default:"0" rule:"not negative"`
	From0    int     `param:"t_from0" default:"0" rule:"from 0"`
	From1    int     `param:"t_from1" default:"1" rule:"from 1"`
	Kind     string  `param:"t_kind" default:"b" rule:"one of a|b|c"`
	Text     string  `param:"t_text" default:"any"`
	Steps    steps   `param:"t_steps" default:"1+2"`
	inner    `models:"two three"`
	Ignored  int
}

func (o options) with(change func(*options)) options {
	change(&o)
	return o
}

var optionsType = reflect.TypeFor[options]()

func TestFields(t *testing.T) {
	var names []string
	for _, f := range Fields(optionsType) {
		names = append(names, f.Name)
	}
	assert.Equal(t, []string{"t_flag", "t_whole", "t_free", "t_finite", "t_positive", "t_percent", "t_natural", "t_from0",
		"t_from1", "t_kind", "t_text",
		"t_steps", "t_rate", "t_depth"}, names, "in the order of the struct, without fields that have no name")
	assert.Equal(t, Fields(optionsType), Fields(optionsType))

	assert.Empty(t, Find(Fields(optionsType), "t_flag").Models)
	assert.Equal(t, []string{"two", "three"}, Find(Fields(optionsType), "t_rate").Models,
		"the embedding's models are for all its fields")
	assert.Equal(t, []string{"one"}, Find(Fields(reflect.TypeFor[inner]()), "t_rate").Models, "alone it has its own")
	assert.Empty(t, Find(Fields(reflect.TypeFor[inner]()), "t_depth").Models)
	assert.Nil(t, Find(Fields(optionsType), "t_none"))
	assert.Nil(t, Find(Fields(optionsType), ""))
}

func TestDefaults(t *testing.T) {
	want := options{Flag: true, Whole: 3, Free: 1.5, Positive: 1e-3, Percent: 2, From1: 1, Kind: "b", Text: "any",
		Steps: steps{"1", "2"}, inner: inner{0.5, 20}}
	assert.Equal(t, want, Defaults[options]())
	require.NoError(t, Check(want))
	require.NoError(t, Check(&want))

	type wrong struct {
		Rate float64 `param:"t_rate" default:"2" rule:"share"`
	}
	messagetest.Panics(t, func() { Defaults[wrong]() }, "params.wrong … t_rate=2 … [0, 1)")
}

// TestSet: every kind of field and every rule, by values at the edges of what is right.
func TestSet(t *testing.T) {
	const whole, number = "a whole number", "a number"
	for _, c := range []struct {
		name  string
		right map[string]any // the value that a text gives
		wrong []string
		must  string
	}{
		{"t_flag", map[string]any{"true": true, "false": false, "1": true, "0": false, "T": true},
			[]string{"", "yes", "2", "on"}, "true or false"},
		{"t_whole", map[string]any{"4": 4, "4.0": 4, "-4": -4, "1e3": 1000, "0": 0},
			[]string{"", "4.5", "four", "inf", "-inf", "nan", "1e400", "1e300"}, whole},
		{"t_free", map[string]any{"4": 4.0, "-0.25": -0.25, "1e-300": 1e-300}, []string{"", "x", "1,5", "1e400"},
			number},
		{"t_finite", map[string]any{"0": 0.0, "-1e300": -1e300}, []string{"inf", "-inf", "nan", "x"},
			"a finite number"},
		{"t_positive", map[string]any{"1e-9": 1e-9, "7": 7.0}, []string{"0", "-1", "inf", "nan", "x"},
			"positive and finite"},
		{"t_natural", map[string]any{"0": 0.0, "0.1": 0.1}, []string{"-1e-9", "inf", "nan", ""},
			"finite and not negative"},
		{"t_percent", map[string]any{"0": 0.0, "100": 100.0}, []string{"-1", "100.1", "nan", "inf"},
			"a number in [0, 100], such as 2"},
		{"t_rate", map[string]any{"0": 0.0, "0.999": 0.999}, []string{"1", "-0.1", "nan", "inf", "half"}, "in [0, 1)"},
		{"t_from0", map[string]any{"0": 0, "1048575": 1<<20 - 1}, []string{"-1", "1048576", "0.5", "x"},
			"a whole number from 0"},
		{"t_from1", map[string]any{"1": 1, "1048575": 1<<20 - 1}, []string{"0", "-1", "1048576", ""},
			"a whole number from 1"},
		{"t_kind", map[string]any{"a": "a", "c": "c"}, []string{"", "d", "a|b", "A"}, "one of a, b, c"},
		{"t_text", map[string]any{"": "", "x = y": "x = y"}, nil, ""},
		{"t_steps", map[string]any{"3": "3", "3+4+5": "3+4+5"}, nil, ""},
	} {
		f := Find(Fields(optionsType), c.name)
		for text, want := range c.right {
			o := Defaults[options]()
			require.NoError(t, f.Set(&o, text), "%s=%s", c.name, text)
			assert.Equal(t, want, f.Value(o), "%s=%s", c.name, text)
			assert.Equal(t, want, f.Value(&o), "of a pointer, too")
			require.NoError(t, f.Set(&o, fmt.Sprint(f.Value(o))), "what Value gives can be set")
			assert.Equal(t, want, f.Value(o))
			require.NoError(t, Check(o))
			require.NoError(t, f.Set(&o, f.initial))
			assert.Equal(t, Defaults[options](), o, "no other field changes")
		}
		for _, text := range c.wrong {
			o := Defaults[options]()
			err := f.Set(&o, text)
			require.Error(t, err, "%s=%s", c.name, text)
			assert.True(t, strings.HasPrefix(err.Error(), c.name+"="), err)
			assert.Contains(t, err.Error(), ": it must be "+c.must)
		}
	}
	o := Defaults[options]()
	messagetest.Names(t, Find(Fields(optionsType), "t_steps").Set(&o, ""), "t_steps= … 1+2", "its own error")
	messagetest.Names(t, Find(Fields(optionsType), "t_rate").Set(&o, "1.5"), "t_rate=1.5 … [0, 1)")
	assert.Equal(t, "no steps", Find(Fields(optionsType), "t_steps").Value(options{}),
		"what cannot be text is its error")
}

// TestCheck: values that programs set are held to the same rules.
func TestCheck(t *testing.T) {
	for want, change := range map[string]func(o *options){
		"":                          func(*options) {},
		"t_free=+Inf … number":      func(o *options) { o.Free = math.Inf(1) },
		"t_free=-Inf … number":      func(o *options) { o.Free = math.Inf(-1) },
		"t_finite=NaN … finite":     func(o *options) { o.Finite = math.NaN() },
		"t_positive=0 … positive":   func(o *options) { o.Positive = 0 },
		"t_positive=NaN … positive": func(o *options) { o.Positive = math.NaN() },
		"t_natural=-1 … finite":     func(o *options) { o.Natural = -1 },
		"t_from0=-1 … whole":        func(o *options) { o.From0 = -1 },
		"t_from1=0 … whole":         func(o *options) { o.From1 = 0 },
		"t_kind= … one of a, b":     func(o *options) { o.Kind = "" },
		"t_rate=1 … [0, 1)":         func(o *options) { o.Rate = 1 },
		"t_from0=-2: it must be":    func(o *options) { o.From0, o.Depth = -2, 0 }, // the first of two
	} {
		err := Check(Defaults[options]().with(change))
		if want == "" {
			require.NoError(t, err)
			continue
		}
		messagetest.Names(t, err, want)
	}
	require.NoError(t, Check(Defaults[options]().with(func(o *options) {
		o.Whole, o.Free, o.Text, o.Steps = -1<<40,
			math.NaN(), "", nil
	})),
		"fields without a rule")
}

// TestRead: the nearest scope decides, whatever type its parameter has.
func TestRead(t *testing.T) {
	store := model.NewStore()
	root := store.RootScope()
	net := root.In("net")
	level := net.In("level_1")
	assert.Equal(t, Defaults[options](), Read[options](level), "nothing is set")

	root.SetParam("t_whole", 5)
	root.SetParam("t_rate", 0.25)
	root.SetParam("t_kind", "a")
	net.SetParam("t_rate", "0.75")       // a text, as a command line gives it
	net.SetParam("t_depth", int64(56))   // of another width
	net.SetParam("t_from1", float64(32)) // as JSON, and so a checkpoint, has numbers
	level.SetParam("t_flag", false)
	level.SetParam("t_kind", "c")
	level.SetParam("t_steps", "7+8")
	level.SetParam("t_free", 2) // a whole one
	level.SetParam("other", "of somebody else")

	want := Defaults[options]().with(func(o *options) { o.Whole, o.Rate, o.Kind = 5, 0.25, "a" })
	assert.Equal(t, want, Read[options](root))
	want = want.with(func(o *options) { o.Rate, o.Depth, o.From1 = 0.75, 56, 32 })
	assert.Equal(t, want, Read[options](net))
	assert.Equal(t, want, Read[options](net.In("level_2")), "a level without its own")
	want = want.with(func(o *options) { o.Flag, o.Kind, o.Steps, o.Free = false, "c", steps{"7", "8"}, 2 })
	assert.Equal(t, want, Read[options](level))
	assert.Equal(t, want, Read[options](level.In("deeper").In("still")))
}

func TestReadPanics(t *testing.T) {
	for want, value := range map[string]any{
		"/net … t_rate=1: … [0, 1)":                  1,
		"/net … t_rate=true … [0, 1)":                true,
		"/net … t_rate=often … [0, 1)":               "often",
		"/net … t_rate=[0.1 0.2] … [0, 1)":           []float64{0.1, 0.2},
		"/net … t_rate … [0, 1)":                     nil,
		"/net … t_rate=map[a:0.1] … [0, 1)":          map[string]float64{"a": 0.1},
		"/net … t_rate=NaN … [0, 1)":                 math.NaN(),
		"/net … t_rate=1e-400x … [0, 1)":             "1e-400x",
		"/net … t_rate=0.1 # rate … [0, 1)":          "0.1 # rate",
		"/net … t_rate=9.223372036854776e+18 … must": int64(math.MaxInt64),
	} {
		scope := model.NewStore().RootScope().In("net")
		scope.SetParam("t_rate", value)
		messagetest.Panics(t, func() { Read[options](scope) }, want)
	}
}

func FuzzSet(f *testing.F) {
	for _, text := range []string{"", "1", "4.0", "-3", "true", "inf", "1e400", "a", "1+2"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, field := range Fields(optionsType) {
			o := Defaults[options]()
			if err := field.Set(&o, text); err != nil {
				require.ErrorContains(t, err, field.Name+"=")
				continue
			}
			require.NoError(t, field.Check(o))
			again := Defaults[options]()
			require.NoError(t, field.Set(&again, fmt.Sprint(field.Value(o))))
			require.Equal(t, fmt.Sprint(field.Value(o)), fmt.Sprint(field.Value(again)))
		}
	})
}

func ExampleRead() {
	type filters struct {
		Length int     `param:"length" default:"5" rule:"from 1"`
		Rate   float64 `param:"rate" default:"0.5" rule:"share"`
	}
	scope := model.NewStore().RootScope()
	scope.SetParam("length", 9)
	fmt.Println(Read[filters](scope.In("level_1")))
	// Output: {9 0.5}
}

// A phase tag of an embedded struct holds for the options that have none of their own.
func TestPhaseAndAuto(t *testing.T) {
	type inside struct {
		Plain int `param:"p_plain"`
		Own   int `param:"p_own" phase:"building" auto:"yes"`
	}
	type outside struct {
		inside `phase:"network"`
		None   string `param:"p_none" auto:"a|b"`
	}
	got := map[string][]string{}
	for _, f := range Fields(reflect.TypeFor[outside]()) {
		got[f.Name] = []string{f.Phase, f.Auto}
	}
	assert.Equal(t, map[string][]string{"p_plain": {Network, ""}, "p_own": {Building, "yes"}, "p_none": {"", "a|b"}},
		got)
}
