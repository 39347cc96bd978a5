package models

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestParseLevels(t *testing.T) {
	for text, want := range map[string][]Level{
		"1x1/1":                    {{1, 1, 1}},
		"256x256/16,64x384/16":     {{256, 256, 16}, {64, 384, 16}},
		" 4x6/4 ,\t1x8/3\n":        {{4, 6, 4}, {1, 8, 3}},
		"16777216x16777216/100000": {{1 << 24, 1 << 24, 100000}},
	} {
		levels, err := ParseLevels(text)
		require.NoError(t, err, text)
		assert.Equal(t, want, levels, text)
	}
	for text, want := range map[string]string{
		"":                         `level 1: "" is not CLUSTERSxFILTERS/L, such as 64x384/16`,
		"4x6/4,":                   `level 2: "" is not CLUSTERSxFILTERS/L`,
		"4x6":                      `level 1: "4x6" is not CLUSTERSxFILTERS/L`,
		"4/6x4":                    `level 1: "4/6x4" is not CLUSTERSxFILTERS/L`,
		"4x6/4;1x8/3":              `level 1: L is "4;1x8/3"`,
		"4X6/4":                    `level 1: "4X6/4" is not CLUSTERSxFILTERS/L`,
		"0x6/4":                    `level 1: clusters is "0" in "0x6/4"; it must be a whole number from 1 to 16777216`,
		"4x6/4,1x-8/3":             `level 2: filters is "-8"`,
		"4x6/16777217":             `level 1: L is "16777217"`,
		"4 x6/4":                   `level 1: clusters is "4 "`,
		"4x6.0/4":                  `level 1: filters is "6.0"`,
		"99999999999x6/4":          `level 1: clusters is "99999999999"`,
		"4x6/99999999999999999999": `level 1: L is`,
	} {
		_, err := ParseLevels(text)
		assert.ErrorContains(t, err, want, text)
	}
}

func FuzzParseLevels(f *testing.F) {
	for _, text := range []string{"", "1x1/1", "256x256/16,64x384/16", "4x6/4,", "x/", "+4x6/4", "4x6/4/4", "04x6/4"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		levels, err := ParseLevels(text)
		if err != nil {
			return
		}
		again, err := ParseLevels(Architecture{Levels: levels}.LevelsString())
		require.NoError(t, err)
		require.Equal(t, levels, again)
	})
}

func TestArchitectureCheck(t *testing.T) {
	level := func(k, f, l int) Level { return Level{Clusters: k, Filters: f, Neighbours: l} }
	for _, a := range []Architecture{
		{},
		{Levels: []Level{level(1, 1, 1)}},
		{Levels: []Level{level(30, 2, 12), level(5, 2, 30)}, Hidden: []int{1, 2}}, // more clusters than nodes is no error
	} {
		require.NoError(t, a.checkSizes(12))
	}
	for want, a := range map[string]Architecture{
		"level 1: L=13 exceeds its 12 nodes; lower L or raise the previous level's clusters": {Levels: []Level{level(4, 6, 13)}},
		"level 2: L=5 exceeds its 4 nodes; lower L or raise the previous level's clusters":   {Levels: []Level{level(4, 6, 4), level(1, 8, 5)}},
		"level 1: 0x6/4; clusters, filters and L must be at least 1":                         {Levels: []Level{level(0, 6, 4)}},
		"level 2: 1x0/4; clusters, filters and L must be at least 1":                         {Levels: []Level{level(4, 6, 4), level(1, 0, 4)}},
		"level 1: 4x6/-1; clusters, filters and L must be at least 1":                        {Levels: []Level{level(4, 6, -1)}},
		"hidden layer 2: its width is 0; it must be at least 1":                              {Hidden: []int{3, 0}},
	} {
		assert.EqualError(t, a.checkSizes(12), want)
	}
}

func TestPresets(t *testing.T) {
	for name, nodes := range map[string]int{"digits": 64, "mnist": 784, "fashion-mnist": 784, "cifar10": 1024, "20news": 10000, "ntu": 2000} {
		a := PresetOf("", name, DefaultRecipe, nodes)
		require.NoError(t, a.checkSizes(nodes), name)
		assert.NotEqual(t, DerivedLevels(nodes), a.Levels, name)
		assert.Equal(t, 1, a.Levels[len(a.Levels)-1].Clusters, name)
	}
	assert.Equal(t, "256x256/16,64x384/16,16x512/8,4x768/8,1x1024/4", PresetOf("", "cifar10", DefaultRecipe, 1024).LevelsString())
	assert.Equal(t, Architecture{DerivedLevels(9), []int{64}}, PresetOf("", "cifar10", DefaultRecipe, 9), "too small a graph for the paper's")
}

// The derived preset fits every graph and ends in a single cluster.
func TestPresetOfAnySize(t *testing.T) {
	for nodes := range 1100 {
		a := PresetOf("", "ring.npz", DefaultRecipe, nodes)
		last := a.Levels[len(a.Levels)-1]
		if nodes > 0 {
			require.NoError(t, a.checkSizes(nodes), "%d nodes", nodes)
			require.Equal(t, 1, last.Clusters, "%d nodes", nodes)
		}
	}
	assert.Equal(t, "1x32/1", PresetOf("", "", DefaultRecipe, 1).LevelsString())
	assert.Equal(t, "1x32/2", PresetOf("", "", DefaultRecipe, 2).LevelsString())
	assert.Equal(t, "2x32/5,1x64/2", PresetOf("", "", DefaultRecipe, 5).LevelsString())
	assert.Equal(t, "250x32/9,63x64/9,16x128/9,4x256/9,1x256/4", PresetOf("", "", DefaultRecipe, 1000).LevelsString())
}

func mustLevels(text string) []Level {
	levels, err := ParseLevels(text)
	if err != nil {
		panic(err)
	}
	return levels
}

// Every change of the recipes is written in words that a recipe has, and names models and options that there are.
func TestRecipes(t *testing.T) {
	var all []change
	for _, text := range [][]byte{recipes, registry["fc"].Recipes} {
		reader := json.NewDecoder(bytes.NewReader(text))
		reader.DisallowUnknownFields()
		var some []change
		require.NoError(t, reader.Decode(&some))
		all = append(all, some...)
	}
	for _, c := range all {
		assert.Subset(t, Names(), strings.Fields(c.Models))
		for _, page := range regexp.MustCompile(`docs/[\w./-]+\.md`).FindAllString(c.Why, -1) {
			assert.FileExists(t, "../"+page)
		}
		for path, value := range c.Set {
			if strings.Contains(path, "_dropout") && value != nil {
				require.NoError(t, (&Spec{Model: "ccp", Options: DefaultOptions()}).Put(path, value))
			}
		}
	}
	own := Recipe("ring.npz", "ccp", DefaultRecipe)
	assert.Equal(t, map[string]any{"levels": Auto, "hidden": "64", "epochs": Auto, "steps": Auto, "batch": Auto, "learning_rate": 2e-3,
		"schedule": "one-cycle", "keep": "last", "label_smoothing": 0.1, "readout_dropout": 0.3, "ccp_hierarchy": "prepared",
		"ccp_hierarchies": Auto, "ccp_padding": "zeros", "ccp_dropout": 0.1, "ccp_stem": Auto, "ccp_blocks": 1.0, "voices": Auto,
		"kernels": Auto}, own)
	assert.Zero(t, Recipe("ring.npz", "svm", DefaultRecipe)["label_smoothing"], "margins cannot be smoothed")
	paper := map[string]any{"levels": Auto, "hidden": "64", "epochs": Auto, "steps": Auto, "batch": 64.0, "learning_rate": 1e-3,
		"schedule": "cosine", "keep": "best"}
	assert.Equal(t, paper, Recipe("ring.npz", "ccp", PaperRecipe), "none of the options for own data")
	paper["levels"], paper["hidden"], paper["epochs"], paper["augment"] = Recipe("cifar10", "ccp", PaperRecipe)["levels"], "1024", 100.0, true
	assert.Equal(t, paper, Recipe("cifar10", "ccp", PaperRecipe))
	assert.Equal(t, []string{"default", "paper", "deep"}, RecipeNames("cifar10", "ccp"))
	assert.Equal(t, []string{"default", "paper"}, RecipeNames("cifar10", "fc"))
	deep, usual := Recipe("cifar10", "ccp", "deep"), Recipe("cifar10", "ccp", DefaultRecipe)
	assert.Equal(t, []any{"1,1,1,1", nil}, []any{deep["ccp_blocks"], usual["ccp_blocks"]})
	assert.NotEqual(t, deep["levels"], usual["levels"])
	bayes := Recipe("20news", "bayes", DefaultRecipe)
	assert.Equal(t, []any{1, 0.002}, []any{bayes["epochs"], bayes["bayes_alpha"]})
	assert.Equal(t, []any{nil, 0.3}, []any{Recipe("20news", "svm", DefaultRecipe)["input_dropout"], Recipe("20news", "gcn", DefaultRecipe)["input_dropout"]})
}
