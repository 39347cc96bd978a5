package models

import (
	_ "embed"
	"encoding/json"
	"slices"
	"strings"
)

// Recipe is what suits a data set and a model: the network's size, how it is trained, and its settings.
type Recipe struct {
	Levels         string   `json:"levels"` // as ParseLevels reads them; "" are derived from the number of nodes
	Hidden         []int    `json:"hidden"`
	Epochs         int      `json:"epochs"` // 0: by the number of samples, as for Batch
	Batch          int      `json:"batch"`
	LearningRate   float64  `json:"learning_rate"`
	Schedule       string   `json:"schedule"`
	Keep           string   `json:"keep"`    // the weights of the "best" epoch in validation or the "last" ones
	Average        float64  `json:"average"` // decay of the moving average of the weights; 0 is none
	LabelSmoothing float64  `json:"label_smoothing"`
	Augment        bool     `json:"augment"` // where the data set has it
	TFIDF          bool     `json:"tfidf"`   // where the data set has it
	Settings       Settings `json:"settings"`
}

// The names of recipes. Some data sets have further ones.
const (
	// DefaultRecipe is what did best here, see docs/defaults.md.
	DefaultRecipe = "default"
	// PaperRecipe is the paper's network and way of training for its data sets, and that way for others, which keep levels of their own.
	PaperRecipe = "paper"
)

// recipes is a list of changes to a Recipe, each for a data set (none: all), or all except some, some models (none: all), and the recipe of
// one name (none: all): later ones win. Those for all recipes hold the paper's architectures and training where it gives them
// (Adam from 1e-3), and our own for other data sets and models. Models without levels get the counts that they were published on.
//
//go:embed recipes.json
var recipes []byte

// change is one of the recipes.
type change struct {
	raw                          json.RawMessage
	Data, Except, Models, Recipe string
}

// changes are those for a data set and a model.
func changes(data, name string) (all []change) {
	var raw []json.RawMessage
	mustRead(recipes, &raw)
	for _, r := range raw {
		of := change{raw: r}
		mustRead(r, &of)
		if (of.Data == "" || of.Data == data) && !slices.Contains(strings.Fields(of.Except), data) && (of.Models == "" || slices.Contains(strings.Fields(of.Models), name)) {
			all = append(all, of)
		}
	}
	return all
}

func mustRead(raw []byte, into any) {
	if err := json.Unmarshal(raw, into); err != nil {
		panic("models/recipes.json: " + err.Error()) // cannot be, unless the file is wrong
	}
}

// RecipeNames lists the recipes that there are for a data set and a model.
func RecipeNames(data, name string) []string {
	names := []string{DefaultRecipe, PaperRecipe}
	for _, c := range changes(data, name) {
		if c.Recipe != "" && !slices.Contains(names, c.Recipe) {
			names = append(names, c.Recipe)
		}
	}
	return names
}

// RecipeFor is the recipe of that name for a data set and a model.
func RecipeFor(data, name, recipe string) (r Recipe) {
	for _, c := range changes(data, name) {
		if c.Recipe == "" || c.Recipe == recipe {
			mustRead(c.raw, &r)
		}
	}
	r.Settings = r.Settings.For(name)
	return r
}

// Preset is the architecture for a data set whatever the model, see PresetOf: the paper's for cifar10, 20news and ntu.
func Preset(data string, nodes int) Architecture { return PresetOf("", data, nodes) }

// PresetOf is the architecture of a model for a data set, as far as the model has levels and hidden layers: that of the recipe, or
// where this does not fit the nodes the data set's for any model, or the model's for any data set.
func PresetOf(name, data string, nodes int) (a Architecture) {
	k, known := registry[name]
	for _, r := range []Recipe{RecipeFor(data, name, DefaultRecipe), RecipeFor(data, "", DefaultRecipe), RecipeFor("", name, DefaultRecipe)} {
		a = Architecture{Hidden: r.Hidden}
		switch {
		case known && !k.levels:
		case r.Levels != "":
			var err error
			if a.Levels, err = ParseLevels(r.Levels); err != nil {
				panic("models/recipes.json: " + err.Error()) // cannot be, unless the file is wrong
			}
		case k.sizes != nil:
			a.Levels = k.sizes(nodes)
		default:
			a.Levels = derivedLevels(nodes)
		}
		if known && !k.hidden {
			a.Hidden = nil
		}
		if a.Check(nodes) == nil {
			break
		}
	}
	return a
}

// derivedLevels are those for a graph of which nothing else is known. Each has a quarter of its predecessor's nodes, twice its
// filters from 32 on (at most 256), and neighbourhoods of 9.
func derivedLevels(nodes int) (levels []Level) {
	for filters := 32; ; filters = min(2*filters, 256) {
		clusters := (nodes + 3) / 4
		levels = append(levels, Level{Clusters: clusters, Filters: filters, Neighbours: min(9, nodes)})
		if clusters <= 1 {
			return levels
		}
		nodes = clusters
	}
}

// graphCNNLevels are those of the authors' network for NCI1: a filter of 64 channels, 32 clusters, one of 32 channels, 8 clusters;
// with fewer clusters where there are few nodes.
func graphCNNLevels(nodes int) []Level {
	clusters := func(k int) int { return min(k, (nodes+1)/2) }
	return []Level{{clusters(32), 64, 1}, {clusters(8), 32, 1}}
}

// gatAverageLevels are three of 32, 64 and 128 filters; on a large graph, where their time and memory are those of a convolution on
// all nodes, two of 32. The average is classified without a hidden layer.
func gatAverageLevels(nodes int) (levels []Level) {
	filters := []int{32, 64, 128}
	if nodes > 4096 {
		filters = []int{32, 32}
	}
	for _, f := range filters {
		levels = append(levels, Level{Clusters: nodes, Filters: f, Neighbours: 1})
	}
	return levels
}
