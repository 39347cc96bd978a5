package data

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/datasets/signal"
	"github.com/clusterpool/ccp/models"
	_ "github.com/clusterpool/ccp/models/baselines"
	"github.com/clusterpool/ccp/models/training"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var here = []datasets.Source{cifar10, mnist, fashionMNIST, news, ntu, nwucla}

// preview returns what is known of a configuration before the data is read.
func preview(t *testing.T, data, model, recipe string, more ...training.Patch) training.Config {
	t.Helper()
	asked := training.Patch{"data": data, "model": model, "recipe": recipe}
	for _, m := range more {
		maps.Copy(asked, m)
	}
	c, err := training.Preview(asked)
	require.NoError(t, err, "%s %s %s", data, model, recipe)
	return c
}

// changes are entries of a file of recipes.
type changes []struct {
	Data, Models, Recipe string
	Set                  map[string]any
	Why                  string
}

func readRecipes(t *testing.T, raw []byte) (all changes) {
	t.Helper()
	reader := json.NewDecoder(bytes.NewReader(raw))
	reader.DisallowUnknownFields()
	require.NoError(t, reader.Decode(&all))
	return all
}

// Every change is written in words that a recipe has, and names data sets and models that there are. The changes of the
// default recipe take back all that it has for data of one's own: these data sets begin with the paper's training.
func TestRecipes(t *testing.T) {
	known := map[string]bool{"": true}
	for _, s := range here {
		known[s.Name] = true
	}
	back := map[string]any{}
	for _, c := range readRecipes(t, recipes) {
		assert.Contains(t, known, c.Data)
		assert.Subset(t, models.Names(), strings.Fields(c.Models))
		for _, page := range regexp.MustCompile(`docs/[\w./-]+\.md`).FindAllString(c.Why, -1) {
			assert.FileExists(t, "../../../"+page)
		}
		if c.Data == "" {
			assert.Equal(t, "default", c.Recipe)
			maps.Copy(back, c.Set)
		}
	}
	raw, err := os.ReadFile("../../../models/training/recipes.json")
	require.NoError(t, err)
	usual, changed := map[string]any{}, map[string]any{}
	for _, c := range readRecipes(t, raw) {
		if c.Data == "" && c.Recipe == "default" {
			maps.Copy(changed, c.Set)
		} else if c.Data == "" && c.Models == "" {
			maps.Copy(usual, c.Set)
		}
	}
	for name := range changed {
		assert.Contains(t, back, name)
		assert.Equal(t, usual[name], back[name], name)
	}
	assert.Len(t, back, len(changed))
}

func TestPresets(t *testing.T) {
	for _, s := range here {
		levels, _ := training.PresetOf("", s.Name, training.DefaultRecipe, s.Nodes)
		spec := models.Spec{Model: "ccp", Levels: levels, Options: models.DefaultOptions(),
			Info: signal.Info{Nodes: s.Nodes, Channels: 1, ClassNames: []string{"a", "b"}}}
		require.NoError(t, spec.Check(), s.Name)
		assert.NotEqual(t, spec.Network().Levels(s.Nodes), levels, s.Name)
		assert.Equal(t, 1, levels[len(levels)-1].Clusters, s.Name)
	}
	levels, _ := training.PresetOf("", "cifar10", training.DefaultRecipe, 1024)
	assert.Equal(t, "256x256/16,64x384/16,16x512/8,4x768/8,1x1024/4", levels.String())
	levels, hidden := training.PresetOf("", "cifar10", training.DefaultRecipe, 9)
	assert.Equal(t, []any{training.Levels(models.Spec{Model: "ccp"}.Network().Levels(9)), training.Widths{64}},
		[]any{levels, hidden}, "too small a graph for the paper's")
	_, hidden = training.PresetOf("fc", "20news", training.DefaultRecipe, 64)
	assert.Equal(t, training.Widths{2500, 500}, hidden)
}

// The paper's training of its network on CIFAR-10 has nothing of ours; the default and the deep recipe have.
func TestRecipesOfCIFAR10(t *testing.T) {
	paper, usual, deep := preview(t, "cifar10", "ccp", training.PaperRecipe),
		preview(t, "cifar10", "ccp", training.DefaultRecipe), preview(t, "cifar10", "ccp", "deep")
	assert.Equal(t, []any{"best", 64, 1e-3, "cosine", true, 100},
		[]any{paper.Keep, paper.Batch, paper.LearningRate, paper.Schedule, paper.Augment, paper.Epochs})
	assert.Equal(t, models.DefaultOptions(), paper.Options)
	assert.Equal(t, training.Widths{1024}, paper.Hidden)
	assert.Equal(t, []string{"one-cycle", training.KeepLast}, []string{usual.Schedule, usual.Keep})
	assert.NotEqual(t, usual.Levels, deep.Levels)
	assert.Equal(t, []string{"1,1,1,1", "0"}, []string{deep.Options.Blocks, usual.Options.Blocks})
	assert.Empty(t, deep.Hidden)
	learned := preview(t, "cifar10", "ccp", "deep", training.Patch{"ccp_hierarchy": "learned"})
	assert.Equal(t, []any{"searched", "directed", "1,1,1,1"},
		[]any{learned.Options.Start, learned.Options.Slots, learned.Options.Blocks})
	assert.Equal(t, []string{"default", "paper", "deep"}, training.RecipeNames("ccp", "cifar10"))
	assert.Equal(t, []string{"default", "paper"}, training.RecipeNames("fc", "cifar10"))
}

// The recipe for prepared hierarchies leaves out what another plan cannot have.
func TestRecipeOfAnotherPlan(t *testing.T) {
	grid, err := affinity.Grid(32, 32, 8)
	require.NoError(t, err)
	d := &datasets.Dataset{Name: "cifar10", Info: signal.Info{Nodes: 1024, Channels: 3, ClassNames: []string{"a", "b"}},
		Affinity: grid, Train: make([]int, 1000)}
	for _, c := range []struct {
		asked         training.Patch
		search, slots string
	}{
		{training.Patch{}, "cut", "directed"},
		{training.Patch{"ccp_hierarchy": "learned"}, "cut", "directed"},
		{training.Patch{"ccp_hierarchy": "learned", "ccp_slots": "rank"}, "cut", "rank"},
		{training.Patch{"ccp_hierarchy": "learned", "recipe": "paper"}, "anneal", "rank"},
		{training.Patch{"ccp_hierarchy": "random", "ccp_slots": "random"}, "anneal", "random"},
	} {
		o := preview(t, "cifar10", "ccp", training.DefaultRecipe, c.asked).Options
		assert.Equal(t, []string{c.search, c.slots}, []string{o.Search, o.Slots}, "%v", c.asked)
		_, err := training.Resolve(c.asked, d)
		assert.NoError(t, err, "%v", c.asked)
	}
}

// The settings for documents are on counts for the models that were published so; a fitted model has one epoch.
func TestDefaultsOfPlainModels(t *testing.T) {
	plain := []string{"fc", "softmax", "svm", "bayes"}
	configOf := func(data, model string) training.Config { return preview(t, data, model, training.DefaultRecipe) }
	for _, name := range plain {
		c := configOf("20news", name)
		assert.Equal(t, false, c.Values()["tfidf"], name)
		assert.Zero(t, c.LabelSmoothing, name)
		assert.Zero(t, c.InputDropout, name)
	}
	assert.Equal(t, training.Patch{"tfidf": true}, configOf("20news", "ccp").More)
	assert.Equal(t, 100, configOf("20news", "ccp").Batch)
	assert.InDelta(t, 0.3, configOf("20news", "gcn").InputDropout, 0)
	assert.InDelta(t, 0.002, configOf("20news", "bayes").Values()["bayes_alpha"], 0)
	for _, s := range here {
		for _, name := range models.Names() {
			assert.Equal(t, slices.Contains([]string{"bayes", "transforms"}, name), configOf(s.Name, name).Epochs == 1)
		}
	}
}
