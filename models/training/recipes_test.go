package training

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/clusterpool/ccp/datasets/signal"
	"github.com/clusterpool/ccp/models"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestPresets(t *testing.T) {
	for name, nodes := range map[string]int{"digits": 64, leaves: 1024} {
		levels, _ := PresetOf("", name, DefaultRecipe, nodes)
		require.NoError(t, checkSizes(levels, nodes), name)
		assert.NotEqual(t, derived(nodes), levels, name)
		assert.Equal(t, 1, levels[len(levels)-1].Clusters, name)
	}
	assert.Equal(t, "256x256/16,64x384/16,1x1024/4", textOf(leaves, 1024))
	levels, hidden := PresetOf("", leaves, DefaultRecipe, 9)
	assert.Equal(t, []any{derived(9), Widths{64}}, []any{levels, hidden}, "too small a graph for the source's")
}

func derived(nodes int) Levels { return registered("ccp").Levels(nodes) }

// textOf is the levels that any model has on a data set.
func textOf(data string, nodes int) string {
	levels, _ := PresetOf("", data, DefaultRecipe, nodes)
	return levels.String()
}

// The derived preset fits every graph and ends in a single cluster.
func TestPresetOfAnySize(t *testing.T) {
	for nodes := range 1100 {
		levels, _ := PresetOf("", "ring.npz", DefaultRecipe, nodes)
		last := levels[len(levels)-1]
		if nodes > 0 {
			require.NoError(t, checkSizes(levels, nodes), "%d nodes", nodes)
			require.Equal(t, 1, last.Clusters, "%d nodes", nodes)
		}
	}
	assert.Equal(t, "1x32/1", textOf("", 1))
	assert.Equal(t, "1x32/2", textOf("", 2))
	assert.Equal(t, "2x32/5,1x64/2", textOf("", 5))
	assert.Equal(t, "250x32/9,63x64/9,16x128/9,4x256/9,1x256/4", textOf("", 1000))
}

// Every change of the recipes is written in words that a recipe has, and names models and options that there are.
func TestRecipes(t *testing.T) {
	var all []change
	for _, text := range [][]byte{recipes, registered("fc").Recipes} {
		reader := json.NewDecoder(bytes.NewReader(text))
		reader.DisallowUnknownFields()
		var some []change
		require.NoError(t, reader.Decode(&some))
		all = append(all, some...)
	}
	for _, c := range all {
		assert.Subset(t, models.Names(), strings.Fields(c.Models))
		for _, page := range regexp.MustCompile(`docs/[\w./-]+\.md`).FindAllString(c.Why, -1) {
			assert.FileExists(t, "../../"+page)
		}
		for path, value := range c.Set {
			if strings.Contains(path, "_dropout") && value != nil {
				require.NoError(t, (&models.Spec{Model: "ccp", Options: models.DefaultOptions()}).Put(path, value))
			}
		}
	}
	own := recipeOf("ring.npz", "ccp", DefaultRecipe)
	assert.Equal(t, map[string]any{"levels": Auto, "hidden": "64", "epochs": Auto, "steps": Auto, "batch": Auto,
		"learning_rate": 2e-3,
		"schedule":      "one-cycle", "keep": "last", "label_smoothing": 0.1, "readout_dropout": 0.3,
		"ccp_hierarchy":   "prepared",
		"ccp_hierarchies": Auto, "ccp_padding": "zeros", "ccp_dropout": 0.1, "ccp_stem": Auto, "ccp_blocks": Auto,
		"ccp_readout": Auto, "ccp_slots": Auto, "augment": Auto, "transforms": Auto}, own)
	assert.Zero(t, recipeOf("ring.npz", "svm", DefaultRecipe)["label_smoothing"], "margins cannot be smoothed")
	paper := map[string]any{"levels": Auto, "hidden": "64", "epochs": Auto, "steps": Auto, "batch": 64.0,
		"learning_rate": 1e-3,
		"schedule":      "cosine", "keep": "best"}
	assert.Equal(t, paper, recipeOf("ring.npz", "ccp", PaperRecipe), "none of the options for own data")
	paper["levels"], paper["hidden"], paper["epochs"],
		paper["augment"] = recipeOf(leaves, "ccp", PaperRecipe)["levels"], "1024", 100.0, true
	paper["tfidf"], paper["input_dropout"] = true, 0.3
	assert.Equal(t, paper, recipeOf(leaves, "ccp", PaperRecipe))
	assert.Equal(t, []string{"default", "paper", "deep"}, RecipeNames("ccp", leaves))
	assert.Equal(t, []string{"default", "paper"}, RecipeNames("fc", leaves))
	deep, usual := recipeOf(leaves, "ccp", "deep"), recipeOf(leaves, "ccp", DefaultRecipe)
	assert.Equal(t, []any{"1,1", nil}, []any{deep["ccp_blocks"], usual["ccp_blocks"]})
	assert.NotEqual(t, deep["levels"], usual["levels"])
	bayes := recipeOf(leaves, "bayes", DefaultRecipe)
	assert.Equal(t, []any{1, 0.002}, []any{bayes["epochs"], bayes["bayes_alpha"]})
	assert.Equal(t, []any{nil, 0.3}, []any{recipeOf(leaves, "svm", DefaultRecipe)["input_dropout"],
		recipeOf(leaves, "gcn", DefaultRecipe)["input_dropout"]})
	assert.Equal(t, []any{"512,128", "2500,500"},
		[]any{recipeOf("ring.npz", "fc", DefaultRecipe)["hidden"], recipeOf(leaves, "fc", DefaultRecipe)["hidden"]},
		"a network's own settings count more than a source's for any network, and less than those for this network")
}

// checkSizes returns what is wrong with levels for a graph of so many nodes.
func checkSizes(levels Levels, nodes int) error {
	info := signal.Info{Nodes: nodes, Channels: 1, ClassNames: []string{"a", "b"}}
	return models.Spec{Model: "ccp", Levels: levels, Info: info, Options: models.DefaultOptions()}.Check()
}
