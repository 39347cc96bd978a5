package training

import (
	"encoding/json"
	"maps"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/clusterpool/ccp/ccp"
	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/datasets/recording"
	"github.com/clusterpool/ccp/datasets/signal"
	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/clusterpool/ccp/internal/messagetest"
	"github.com/clusterpool/ccp/internal/params"
	"github.com/clusterpool/ccp/models"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What is wrong in what is asked is said before any data is read.
func TestAskedCheck(t *testing.T) {
	for _, data := range []string{"digits", leaves, "ring.npz"} {
		_, err := Preview(Patch{"data": data})
		require.NoError(t, err, data)
	}
	for want, asked := range map[string]Patch{
		"epochs=-1: it must be auto, or a whole number from 1": {"epochs": -1},
		"steps=-1: it must be auto, or a whole number from 1": {"steps": -1,
			"epochs": 30},
		"steps=0: it must be auto, or a whole number from 1": {"steps": 0},
		"steps=29: there must be at least 1 in each of 30 epochs": {"steps": 29,
			"epochs": 30},
		"steps=9: the weights of model bayes are computed in one pass": {"steps": 9,
			"epochs": 1, "model": "bayes"},
		"dtype=float16: it must be auto, or one of float32, bfloat16; did you mean bfloat16?": {"dtype": "float16"},
		"keep=first: it must be one of best, last":                                            {"keep": "first"},
		"batch=1: batch normalisation needs at least 2 samples":                               {"batch": 1},
		"learning_rate=0: it must be positive and finite":                                     {"learning_rate": 0},
		"learning_rate=-1: it must be positive and finite":                                    {"learning_rate": -1.0},
		"learning_rate=NaN: it must be positive and " +
			"finite": {"learning_rate": math.NaN()},
		"learning_rate=+Inf: it must be positive and " +
			"finite": {"learning_rate": math.Inf(1)},
		"schedule=linear: it must be one of cosine, one-cycle, constant": {"schedule": "linear"},
		"average=1: it must be in [0, 1)":                                {"average": 1},
		"average=-0.1: it must be in [0, 1)":                             {"average": -0.1},
		"average=NaN: it must be in [0, 1)":                              {"average": math.NaN()},
		"validation=1: it must be in [0, 1)":                             {"validation": 1},
		"validation=-0.5: it must be in [0, 1)":                          {"validation": -0.5},
		"validation=NaN: it must be in [0, " +
			"1)": {"validation": math.NaN()},
		"split_seed=-1: it must be a whole number from 0": {"split_seed": -1},
		"fold=9/5: ":                   {"fold": "9/5"},
		"hidden=512,x: hidden layer 2": {"hidden": "512,x"},
		"levels=4: level 1: \"4\" is not CLUSTERSxFILTERS/L":                            {"levels": "4"},
		"seed=auto: only levels, hidden, ccp_slots, dtype, ":                            {"seed": Auto},
		`model: there is no "gnc"; did you mean gcn? There are bayes, ccp, chebyshev, `: {"model": "gnc"},
		`recipe: there is no "deep" for model fc on digits; there are default`: {"recipe": "deep",
			"model": "fc"},
		`there is no option "ccp_stam"; did you mean ccp_stem?`:               {"ccp_stam": 3},
		`there is no option "level_2/ccp_dropout"; did you mean ccp_dropout?`: {"level_2/ccp_dropout": 0.1},
		"levels=4x6/4:dropout=1: level 1: \"dropout=1\" is neither":           {"levels": "4x6/4:dropout=1"},
		`there is no option "epoch"; did you mean epochs?`:                    {"epoch": 3},
		"ccp_dropout=1: it must be in [0, 1)":                                 {"ccp_dropout": 1},
	} {
		_, err := Preview(asked)
		assert.ErrorContains(t, err, want)
		assert.ErrorIs(t, err, ErrSettings)
	}
}

// Settings that do not fit the data are found before a file is written, by a dry run too, and wrap ErrSettings.
func TestSettingsThatDoNotFit(t *testing.T) {
	backend := backendtest.Go(t)
	data := writeRing(t, 60)
	_, err := DryRun(t.Context(), backend, Patch{"data": data, "frames": 8}, Options{})
	require.ErrorIs(t, err, ErrSettings)
	messagetest.Option(t, err, "frames", 8, "ring.npz … no recordings … leave it out")
	d, err := datasets.Load(t.Context(), data, datasets.Options{})
	require.NoError(t, err)
	for want, asked := range map[string]Patch{
		"level 1 … 13 clusters … 12 nodes":              {"levels": "13x8/4,1x8/2"},
		"level 2 … 7 clusters … 6 nodes":                {"levels": "6x8/4,7x8/4,1x8/2"},
		"level 1 … L=99 … 12 nodes":                     {"levels": "6x8/99,1x8/2"},
		`transforms … "minirocket" … needs a series`:    {"transforms": "minirocket,values"},
		`transforms … "kernels" … minirocket`:           {"transforms": "kernels,values"},
		`transforms … "foo"`:                            {"transforms": "foo"},
		`ring.npz … side=lower … leave it out … leaves`: {"side": "lower"},
		`no option "epoch" … epochs`:                    {"epoch": 3},
	} {
		dir := filepath.Join(t.TempDir(), "run")
		o := Options{Dir: dir, Data: d}
		_, trained := Train(t.Context(), backend, asked, o)
		_, dry := DryRun(t.Context(), backend, asked, o)
		_, resolved := Resolve(asked, d)
		for _, err := range []error{trained, dry, resolved} {
			messagetest.Names(t, err, want)
			assert.ErrorIs(t, err, ErrSettings)
		}
		assert.NoDirExists(t, dir)
	}
}

// A checkpoint of an earlier version that holds an option which is gone loads, and predicts as it was trained. The
// option can be asked for with the one value that is left.
func TestCheckpointHoldsRemovedOption(t *testing.T) {
	backend, asked := backendtest.Go(t), ringConfig(writeRing(t, 60))
	asked["ccp_stem"], asked["ccp_blocks"], asked["epochs"], asked["ccp_hierarchy"] = 4, "1", 1, "prepared"
	p, err := draft(asked, nil)
	require.NoError(t, err)
	d, err := p.LoadData(t.Context(), backend, Options{})
	require.NoError(t, err)
	c, spec, d, err := p.resolve(d)
	require.NoError(t, err)
	c.Reach, spec.Options.Reach = 3, 3
	dir := t.TempDir()
	trained, err := c.trainAs(t.Context(), backend, d, d.Fingerprint(), spec, Options{Dir: dir})
	require.NoError(t, err)

	kept, err := ReadConfig(dir)
	require.NoError(t, err)
	assert.Equal(t, 3, kept.Reach)
	loaded, err := models.Load(dir, models.LoadOptions{Backend: backend})
	require.NoError(t, err)
	defer func() { assert.NoError(t, loaded.Close()) }()
	assert.Equal(t, 3, loaded.Spec.Options.Reach)
	again, err := Evaluate(loaded, d, d.Test, 16)
	require.NoError(t, err)
	assert.InDelta(t, trained.Test.Loss, again.Loss, 1e-6)

	asked["ccp_reach"] = 3
	_, err = Train(t.Context(), backend, asked, Options{Dir: dir})
	messagetest.Option(t, err, "ccp_reach", 3, "any more … 9 nodes")
	require.ErrorIs(t, err, ErrSettings)
	asked["ccp_reach"] = 9
	_, err = Preview(asked)
	require.NoError(t, err)
}

// The layers of a configuration: defaults, recipe, what is asked.
func TestKnown(t *testing.T) {
	known := func(asked Patch) Config {
		c, err := Preview(asked)
		require.NoError(t, err)
		return c
	}
	paper := known(Patch{"data": leaves, "recipe": PaperRecipe})
	assert.Equal(t, "best", paper.Keep)
	assert.Equal(t, 64, paper.Batch)
	assert.Equal(t, 1e-3, paper.LearningRate)
	assert.True(t, paper.Augment)
	usual, deep := known(Patch{"data": leaves}), known(Patch{"data": leaves, "recipe": "deep"})
	assert.Equal(t, []int{100, 16}, []int{usual.Batch, usual.Epochs}, "what the source changes")
	assert.Equal(t, []string{oneCycle, KeepLast}, []string{usual.Schedule, usual.Keep})
	assert.NotEqual(t, usual.Levels, deep.Levels)
	assert.Empty(t, deep.Hidden)
	learned := known(Patch{"data": leaves, "recipe": "deep", "ccp_hierarchy": "learned"})
	assert.Equal(t, []any{"searched", "directed", "1,1"},
		[]any{learned.Options.Start, learned.Options.Slots, learned.Options.Blocks})
	own := known(Patch{"data": "some/ring.npz"})
	assert.Equal(t, []string{oneCycle, KeepLast}, []string{own.Schedule, own.Keep})
	assert.Zero(t, own.Epochs+own.Steps+own.Batch, "they are by the samples")
	assert.Equal(t, 20, own.EpochCount())

	assert.Equal(t, ccp.Learned, known(Patch{"ccp_hierarchy": nil}).Options.Hierarchy, "nil takes the recipe's away")
	typed, text := known(Patch{"hidden": []int{8, 4}, "ccp_hierarchy": ccp.Random, "epochs": 3,
		"fold": datasets.Fold{Number: 2, Of: 5}}),
		known(Patch{"hidden": "8,4", "ccp_hierarchy": "random", "epochs": "3", "fold": "2/5"})
	assert.Equal(t, text, typed, "a value is of its type or a text")
}

// A recipe for prepared hierarchies leaves out what another plan cannot have. What is asked stays, and is an error.
func TestRecipeOfAnotherPlan(t *testing.T) {
	grid, err := affinity.Grid(32, 32, 8)
	require.NoError(t, err)
	d := &datasets.Dataset{Name: leaves, Info: signal.Info{Nodes: 1024, Channels: 3, ClassNames: []string{"a", "b"}},
		Affinity: grid, Train: make([]int, 1000)}
	for _, c := range []struct {
		asked         Patch
		search, slots string
		err           string
	}{
		{Patch{}, "cut", "directed", ""},
		{Patch{"ccp_hierarchy": "learned"}, "cut", "directed", ""},
		{Patch{"ccp_hierarchy": "learned", "ccp_slots": "rank"}, "cut", "rank", ""},
		{Patch{"ccp_hierarchy": "learned", "recipe": "paper"}, "anneal", "rank", ""},
		{Patch{"ccp_hierarchy": "random", "ccp_slots": "random"}, "anneal", "random", ""},
		{Patch{"ccp_hierarchy": "random", "ccp_start": "searched"}, "anneal", "rank",
			"ccp_start=searched: "},
	} {
		known, err := Preview(with(c.asked, "data", leaves))
		require.NoError(t, err)
		o := known.Options
		assert.Equal(t, []string{c.search, c.slots}, []string{o.Search, o.Slots}, "%v", c.asked)
		_, err = Resolve(c.asked, d)
		if c.err == "" {
			assert.NoError(t, err, "%v", c.asked)
		} else {
			assert.ErrorContains(t, err, c.err)
		}
	}
}

func with(a Patch, name string, value any) Patch {
	a = maps.Clone(a)
	a[name] = value
	return a
}

// A resolved configuration is whole, and asking for all of it gives it again. Its JSON does so, too.
func TestResolve(t *testing.T) {
	d, err := datasets.Load(t.Context(), writeRing(t, 200), datasets.Options{})
	require.NoError(t, err)
	c := resolved(t, Patch{"ccp_dropout": 0.25, "transforms": "none"}, d)
	assert.Equal(t, "ring.npz", c.Name)
	assert.Equal(t, "3x32/9,1x64/3", c.Levels.String())
	assert.Equal(t, Widths{64}, c.Hidden)
	assert.Equal(t, []int{16, 1200, 20}, []int{c.Batch, c.Steps, c.Epochs})
	o := c.Options
	assert.Equal(t, []any{16, 8, 0.25, "zeros", 1e-4}, []any{o.Stem, o.Hierarchies, o.Dropout, o.Padding, o.L2})
	for _, name := range []string{"l2", "ccp_reach", "readout_dropout", "ccp_stem", "shrunk", "seed"} {
		assert.Contains(t, c.Values(), name)
	}
	assert.NotContains(t, c.Values(), "segments", "another model's")

	again := resolved(t, c.Values(), d)
	assert.Equal(t, c.Values(), again.Values())
	raw, err := json.Marshal(c)
	require.NoError(t, err)
	var asked Patch
	require.NoError(t, json.Unmarshal(raw, &asked))
	assert.Equal(t, c.Values(), resolved(t, asked, d).Values(), "it is what can be asked")

	for name, want := range map[string]string{
		"levels":      "level 2: L=5 exceeds its 4 nodes",
		"ccp_padding": "ccp_padding=nothing: it must be one of nodes, zeros",
	} {
		_, err := Resolve(Patch{name: map[string]any{"levels": "4x6/4,1x8/5", "ccp_padding": "nothing"}[name]}, d)
		assert.ErrorContains(t, err, want)
	}
	d.Train = nil
	_, err = Resolve(nil, d)
	assert.EqualError(t, err, "data set ring.npz has no training samples")
}

func TestDefaultCheckpoint(t *testing.T) {
	for data, want := range map[string]string{"digits": "digits-ccp-1", "some/ring.npz": "ring-ccp-1",
		"RING.NPZ": "RING-ccp-1"} {
		c, err := Preview(Patch{"data": data})
		require.NoError(t, err)
		assert.Equal(t, filepath.Join("runs", want), c.DefaultCheckpoint())
	}
	c, err := Preview(Patch{"fold": "2/5"})
	require.NoError(t, err)
	assert.Equal(t, filepath.Join("runs", "digits-ccp-1-2of5"), c.DefaultCheckpoint())
}

// A run that an earlier version began is refused in one sentence.
func TestRunOfAnEarlierVersion(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, resultFile), []byte("{}"), 0o600))
	for _, text := range []string{`{"data":"leaves","split_seed":7,"model":"ccp","levels":"","hidden":null,
		"params":{"ccp_stem":-1},"epochs":100,"seed":1,"fold":"2/5"}`,
		`{"data":"leaves","model":"svm","levels":"","hidden":null,"seed":1}`} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, configFile), []byte(text), 0o600))
		_, err := ReadConfig(dir)
		want := filepath.Join(dir, configFile) + ": an earlier version of ccp began this run, or it was changed by " +
			"hand; train anew: "
		require.ErrorContains(t, err, want)
		require.ErrorContains(t, openRun(dir, Config{}, models.Metadata{}, nil, datasets.Fingerprint{}), want)
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, configFile),
		[]byte(`{"data":{"data":"digits","side":"upper"},"training":{"seed":1}}`), 0o600))
	_, err := ReadConfig(dir)
	messagetest.Names(t, err, "earlier version … train anew … digits … side=upper … leaves")
}

// A seed keeps all its digits on its way through config.json.
func TestLargeSeeds(t *testing.T) {
	d, err := datasets.Load(t.Context(), "digits", datasets.Options{})
	require.NoError(t, err)
	c, err := Resolve(Patch{"split_seed": uint64(20240101), "seed": int64(1<<62 + 1)}, d)
	require.NoError(t, err)
	spec, err := c.spec(d)
	require.NoError(t, err)
	dir := t.TempDir()
	require.NoError(t, openRun(dir, c, MetadataOf(spec, d), d.Affinity, d.Fingerprint()))
	read, err := ReadConfig(dir)
	require.NoError(t, err)
	assert.Equal(t, c.Values(), read.Values())
	assert.Equal(t, []any{uint64(20240101), int64(1<<62 + 1)}, []any{read.SplitSeed, read.Seed})
}

// A value that is taken away is left to the data.
func TestNothingAsked(t *testing.T) {
	d, err := datasets.Load(t.Context(), "digits", datasets.Options{})
	require.NoError(t, err)
	for _, name := range []string{"epochs", "steps", "batch"} {
		c, err := Resolve(Patch{name: nil}, d)
		require.NoError(t, err, name)
		assert.Positive(t, min(c.Epochs, c.Steps, c.Batch), name)
	}
}

func TestDataOptions(t *testing.T) {
	c, err := Preview(Patch{"data": leaves, "tfidf": true, "shrunk": 2, "knn": 3, "split_seed": 7})
	require.NoError(t, err)
	assert.Equal(t, datasets.Options{Seed: 7, Own: map[string]any{"tfidf": true}, KNN: 3, Augment: true},
		c.dataOptions(datasets.Options{Augment: true}))
}

func TestDiffer(t *testing.T) {
	of := func(asked Patch) map[string]any {
		c, err := Preview(asked)
		require.NoError(t, err)
		return c.Values()
	}
	a := of(Patch{"readout_dropout": 0.2})
	assert.Empty(t, differ(a, of(Patch{"readout_dropout": "0.2"})))
	assert.Equal(t, []string{"average was 0, is 0.9", "hidden was 64, is 3", "readout_dropout was 0.2, is 0.5",
		"seed was 1, is 2"},
		differ(a, of(Patch{"hidden": 3, "readout_dropout": 0.5, "average": 0.9, "seed": 2})))
}

// An ablation changes levels and data when all else is decided. Its options are a part of the configuration.
func TestAblation(t *testing.T) {
	d, err := datasets.Load(t.Context(), writeRing(t, 80), datasets.Options{})
	require.NoError(t, err)
	d.Coordinates = make([]float64, 24)
	whole, part := resolved(t, Patch{}, d), resolved(t, Patch{"shrunk": "4"}, d)
	assert.Equal(t, "3x32/9,1x64/3", whole.Levels.String())
	assert.Equal(t, "3x8/9,1x16/3", part.Levels.String())
	assert.Equal(t, Patch{"shrunk": 4}, part.More)
	assert.Equal(t, []string{"levels was 3x32/9,1x64/3, is 3x8/9,1x16/3", "shrunk was 1, is 4"},
		differ(whole.Values(), part.Values()))
	p, err := draft(Patch{"shrunk": 4}, d)
	require.NoError(t, err)
	_, _, other, err := p.resolve(d)
	require.NoError(t, err)
	assert.Nil(t, other.Coordinates)
	assert.Len(t, d.Coordinates, 24, "the data stays as it is")
	for want, asked := range map[string]Patch{"shrunk=0: it must be a whole number from 1": {"shrunk": 0},
		"nothing is left": {"shrunk": 99},
		`there is no option "shrunken"; did you mean shrunk?`: {"shrunken": 2}} {
		_, err = Resolve(asked, d)
		assert.ErrorContains(t, err, want)
		assert.ErrorIs(t, err, ErrSettings)
	}
	assert.Panics(t, func() { Register(shrunk{}, nil) }, "taken")
	assert.Panics(t, func() { Register(leafOptions{}, nil) }, "a data set has it")
}

// The options of a data set's source are a part of the configuration of its trainings, which no other data set has.
func TestSourceOptions(t *testing.T) {
	of := func(asked Patch) Config {
		c, err := Preview(asked)
		require.NoError(t, err)
		return c
	}
	a, b := of(Patch{"data": leaves}), of(Patch{"data": leaves, "side": "lower", "tfidf": "false"})
	assert.Equal(t, []any{"upper", true}, []any{a.Values()["side"], a.Values()["tfidf"]},
		"the default, and the recipe's")
	assert.Equal(t, Patch{"side": "lower"}, b.More)
	assert.Equal(t, []string{"side was upper, is lower", "tfidf was true, is false"}, differ(a.Values(), b.Values()))
	assert.Equal(t, map[string]any{"side": "lower"}, b.dataOptions(datasets.Options{}).Own)
	assert.NotContains(t, of(Patch{}).Values(), "side")
	_, err := Preview(Patch{"data": leaves, "side": "left"})
	require.ErrorIs(t, err, ErrSettings)
	require.ErrorContains(t, err, "side=left: it must be one of upper, lower")
	for _, data := range []string{"digits", writeRing(t, 40)} {
		_, err = Preview(Patch{"data": data, "side": "lower"})
		require.ErrorIs(t, err, ErrSettings)
		messagetest.Option(t, err, "side", "lower", filepath.Base(data)+" … no such option … leaves")
	}
}

// config.json holds the options of sources and ablations once, if they were given, and a run goes on with the same
// alone.
func TestMoreIsKept(t *testing.T) {
	backend, dir := backendtest.Go(t), t.TempDir()
	asked := Patch{"data": leaves, "model": "fc", "hidden": 4, "epochs": 1, "side": "lower", "shrunk": 3}
	trainIn(t, backend, asked, dir)
	kept, err := ReadConfig(dir)
	require.NoError(t, err)
	assert.Equal(t, Patch{"side": "lower", "tfidf": true, "shrunk": 3}, kept.More)
	raw, err := os.ReadFile(filepath.Join(dir, configFile))
	require.NoError(t, err)
	assert.Equal(t, 1, strings.Count(string(raw), `"side": "lower"`))
	assert.True(t, trainIn(t, backend, asked, dir).Resumed)
	for name, want := range map[string]string{"side": "side was lower, is upper", "shrunk": "shrunk was 3, is 1"} {
		_, err = Train(t.Context(), backend, with(asked, name, nil), Options{Dir: dir})
		require.ErrorContains(t, err, want)
	}
}

// Signals on a graph have directed slots, also those with gaps. Short recordings have slots by rank, and whoever asks
// has what is asked.
func TestSlotsSuitTheData(t *testing.T) {
	ring, err := datasets.Load(t.Context(), writeRing(t, 60), datasets.Options{})
	require.NoError(t, err)
	gaps, short := *ring, *ring
	gaps.Form = &recording.Form{Sensors: make([]string, ring.Nodes), Channels: 1, Frames: 1}
	short.Form = &recording.Form{Sensors: make([]string, ring.Nodes/2), Channels: 1, Frames: 2}
	for d, want := range map[*datasets.Dataset]string{ring: "directed", &gaps: "directed", &short: "rank"} {
		c, err := Resolve(Patch{}, d)
		require.NoError(t, err)
		assert.Equal(t, want, c.Slots)
	}
	c, err := Resolve(Patch{"ccp_slots": "rank"}, ring)
	require.NoError(t, err)
	assert.Equal(t, "rank", c.Slots)
}

// An option says by its tags what follows it and whether it can be left to the data. Options of data sets, networks
// and ablations, which are registered, need no tags for that.
func TestPhases(t *testing.T) {
	for phase, names := range map[string][]string{
		params.Loading:    {"fold", "frames", "knn", "side", "tfidf"},
		params.Transforms: {"transforms"},
		params.Network:    {"levels", "hidden", "dtype", "ccp_slots", "readout_dropout", "bayes_alpha", "shrunk"},
		params.Building:   {"ccp_stem", "ccp_blocks", "ccp_readout", "ccp_candidates"},
		params.Steps: {"average", "batch", "epochs", "label_smoothing", "learning_rate", "schedule", "steps",
			"weight_decay"},
		"": {"data", "seed", "split_seed", "validation", "keep", "model", "recipe", "augment"},
	} {
		for _, name := range names {
			assert.Equal(t, phase, phaseOf(name), name)
		}
	}
	assert.ElementsMatch(t, []string{"levels", "hidden", "epochs", "steps", "batch", "ccp_stem", "ccp_hierarchies",
		"transforms",
		"dtype", "augment", "ccp_blocks", "ccp_readout", "ccp_slots"}, autoNames())
}

// What is asked comes before the recipe, and where either leaves a value to the data, the data decides it.
func TestLayered(t *testing.T) {
	recipe := Patch{"a": 1, "b": 2, "c": Auto, "d": Auto, "epochs": 5, "steps": 100}
	for _, c := range []struct {
		why                 string
		asked, suited, want Patch
	}{
		{"nothing is asked", Patch{}, nil, Patch{"a": 1, "b": 2, "c": Auto, "d": Auto, "epochs": 5, "steps": 100}},
		{"asked before recipe", Patch{"a": 3, "d": 4}, Patch{"d": 9},
			Patch{"a": 3, "b": 2, "c": Auto, "d": 4, "epochs": 5, "steps": 100}},
		{"the data decides what is open", Patch{"a": Auto}, Patch{"a": 7, "b": 8, "c": 9, "e": 10},
			Patch{"a": 7, "b": 2, "c": 9, "d": Auto, "epochs": 5, "steps": 100}},
		{"nil takes away", Patch{"a": nil}, Patch{"a": 7},
			Patch{"b": 2, "c": Auto, "d": Auto, "epochs": 5, "steps": 100}},
		{"the length is one choice", Patch{"epochs": 6}, Patch{"steps": 50},
			Patch{"a": 1, "b": 2, "c": Auto, "d": Auto, "epochs": 6, "steps": 50}},
		{"there is always a length", Patch{"epochs": nil}, Patch{"epochs": 20},
			Patch{"a": 1, "b": 2, "c": Auto, "d": Auto, "epochs": 20,
				"steps": Auto}},
	} {
		assert.Equal(t, c.want, layered(recipe, c.asked, c.suited), c.why)
	}
	assert.Equal(t, 1, recipe["a"], "the sources stay as they are")
}
