package training

import (
	"encoding/json"
	"math"
	"path/filepath"
	"testing"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/models"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestConfigCheck(t *testing.T) {
	for _, data := range []string{"digits", "cifar10", "20news", "ntu", "mnist", "fashion-mnist", "ring.npz"} {
		require.NoError(t, Defaults(data, "ccp").Check(), data)
	}
	for want, change := range map[string]func(c *Config){
		"epochs: -1; there must be at least 1, or 0 for":                                func(c *Config) { c.Epochs = -1 },
		"steps: -1; there must be at least 1":                                           func(c *Config) { c.Steps, c.Epochs = -1, 30 },
		"steps: 29 in 30 epochs; there must be at least 1 in each":                      func(c *Config) { c.Steps, c.Epochs = 29, 30 },
		"steps: 9; the weights of model bayes are computed in one pass":                 func(c *Config) { c.Steps, c.Epochs, c.Model = 9, 1, "bayes" },
		`keep: "first" is none of best, last`:                                           func(c *Config) { c.Keep = "first" },
		"patience: 3 epochs without a better validation, but the last weights are kept": func(c *Config) { c.Keep, c.Patience = KeepLast, 3 },
		"batch: 1; batch normalisation needs at least 2 samples":                        func(c *Config) { c.Batch = 1 },
		"learning rate: 0; it must be positive and finite":                              func(c *Config) { c.LearningRate = 0 },
		"learning rate: -1; it must be positive and finite":                             func(c *Config) { c.LearningRate = -1 },
		"learning rate: NaN; it must be positive and finite":                            func(c *Config) { c.LearningRate = math.NaN() },
		"learning rate: +Inf; it must be positive and finite":                           func(c *Config) { c.LearningRate = math.Inf(1) },
		`schedule: "linear" is none of cosine, one-cycle, constant`:                     func(c *Config) { c.Schedule = "linear" },
		"average: decay 1 is outside [0, 1)":                                            func(c *Config) { c.Average = 1 },
		"average: decay -0.1 is outside [0, 1)":                                         func(c *Config) { c.Average = -0.1 },
		"average: decay NaN is outside [0, 1)":                                          func(c *Config) { c.Average = math.NaN() },
		"patience: -1 epochs; it must not be negative":                                  func(c *Config) { c.Patience = -1 },
		"validation: share 1 is outside [0, 1)":                                         func(c *Config) { c.Validation = 1 },
		"validation: share -0.5 is outside [0, 1)":                                      func(c *Config) { c.Validation = -0.5 },
		"validation: share NaN is outside [0, 1)":                                       func(c *Config) { c.Validation = math.NaN() },
		"stretch: share 1.5 is outside [0, 1)":                                          func(c *Config) { c.Stretch = 1.5 },
		"stretch: 0.1; the weights of model bayes are computed in one pass":             func(c *Config) { *c = Defaults("digits", "bayes"); c.Stretch = 0.1 },
		`model: there is no "lenet"; there are bayes, c-cnn, ccp, `:                     func(c *Config) { c.Model = "lenet" },
	} {
		c := Defaults("digits", "ccp")
		change(&c)
		assert.ErrorContains(t, c.Check(), want)
	}
}

func TestDefaults(t *testing.T) {
	paper, err := Recipe("cifar10", "ccp", models.PaperRecipe)
	require.NoError(t, err)
	assert.Equal(t, "best", paper.Keep)
	assert.Equal(t, 64, paper.Batch)
	assert.Equal(t, 1e-3, paper.LearningRate)
	assert.True(t, paper.Augment)
	assert.Equal(t, 100, Defaults("20news", "ccp").Batch)
	usual := Defaults("cifar10", "ccp")
	assert.Equal(t, []string{oneCycle, KeepLast, ""}, []string{usual.Schedule, usual.Keep, usual.Levels}, "the levels are those of every recipe but deep")
	deep, err := Recipe("cifar10", "ccp", "deep")
	require.NoError(t, err)
	assert.NotEmpty(t, deep.Levels)
	assert.Equal(t, []int{}, deep.Hidden)
	_, err = Recipe("digits", "fc", "deep")
	assert.EqualError(t, err, `there is no recipe "deep" for model fc on digits; there are default, paper`)
	own := Defaults("some/ring.npz", "ccp")
	assert.Equal(t, []string{oneCycle, KeepLast}, []string{own.Schedule, own.Keep})
	assert.Zero(t, own.Epochs+own.Steps+own.Batch, "they are by the samples")
}

func TestDefaultCheckpoint(t *testing.T) {
	for data, want := range map[string]string{"digits": "digits-ccp-1", "some/ring.npz": "ring-ccp-1", "RING.NPZ": "RING-ccp-1"} {
		assert.Equal(t, filepath.Join("runs", want), Defaults(data, "ccp").DefaultCheckpoint())
	}
	c := Defaults("digits", "ccp")
	c.Fold = datasets.Fold{Number: 2, Of: 5}
	assert.Equal(t, filepath.Join("runs", "digits-ccp-1-2of5"), c.DefaultCheckpoint())
}

// TestDataOptions: a configuration of before there were these fields loads as ever, and is the same run.
func TestDataOptions(t *testing.T) {
	var old Config
	require.NoError(t, json.Unmarshal([]byte(`{"data":"cifar10","split_seed":7,"validation":0.2,"augment":true,"model":"ccp","levels":"","hidden":null,`+
		`"epochs":100,"batch":64,"learning_rate":0.001,"schedule":"cosine","seed":1}`), &old))
	now, err := Recipe("cifar10", "ccp", models.PaperRecipe)
	require.NoError(t, err)
	now.SplitSeed, now.Validation = 7, 0.2
	assert.Empty(t, differ(old, now))
	assert.Equal(t, datasets.Options{DataDir: "here", Seed: 7, Validation: 0.2, HoldOut: true}, old.dataOptions(datasets.Options{DataDir: "here"}))

	now.Fold = datasets.Fold{Number: 2, Of: 5}
	assert.Equal(t, []string{"fold was <nil>, is 2/5"}, differ(old, now))
	assert.Equal(t, now.Fold, now.dataOptions(datasets.Options{}).Fold)
	raw, err := json.Marshal(now)
	require.NoError(t, err)
	var back Config
	require.NoError(t, json.Unmarshal(raw, &back))
	assert.Equal(t, now, back)
	now.Fold = datasets.Fold{}
	now.Protocol, now.TFIDF, now.KNN = "cross-view", true, 3
	assert.Equal(t, datasets.Options{Seed: 7, Validation: 0.2, HoldOut: true, Protocol: "cross-view", TFIDF: true, KNN: 3, Augment: true},
		now.dataOptions(datasets.Options{Augment: true}))
	assert.Equal(t, []string{"knn was <nil>, is 3", "protocol was <nil>, is cross-view", "tfidf was <nil>, is true"},
		differ(old, now))
}

func TestDiffer(t *testing.T) {
	a := Defaults("digits", "ccp")
	assert.Empty(t, differ(a, Defaults("digits", "ccp")))
	a.Settings = settings(map[string]any{"readout_dropout": 0.2})
	b := a
	b.Data, b.Hidden, b.Settings, b.Average, b.Seed = "mnist", []int{3}, settings(map[string]any{"readout_dropout": 0.5}), 0.9, 2
	assert.Equal(t, []string{
		"data was digits, is mnist", "hidden was <nil>, is [3]", "params was map[readout_dropout:0.2], is map[readout_dropout:0.5]",
		"average was <nil>, is 0.9", "seed was 1, is 2"}, differ(a, b))
}

// A random graph has none of the data's geometry; the data itself stays as it is.
func TestRandomGraph(t *testing.T) {
	grid, err := affinity.Grid(4, 5, 8)
	require.NoError(t, err)
	d := &datasets.Dataset{Name: "grid", Nodes: 20, Affinity: grid, Coordinates: make([]float64, 40)}
	other, err := Config{RandomGraph: true, Seed: 1}.changed(d)
	require.NoError(t, err)
	assert.Equal(t, grid.Edges(), other.Affinity.Edges())
	assert.NotEqual(t, grid.Hash(), other.Affinity.Hash())
	assert.Nil(t, other.Coordinates)
	assert.Len(t, d.Coordinates, 40)
	same, err := Config{}.changed(d)
	require.NoError(t, err)
	assert.Same(t, d, same)
}
