package training

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/models"
)

// The names of recipes. Some data sets have further ones.
const (
	// DefaultRecipe is what did best here, see docs/defaults.md.
	DefaultRecipe = "default"
	// PaperRecipe is the paper's network and way of training for its data sets. Other data sets keep their own
	// levels.
	PaperRecipe = "paper"
)

// Auto is the value that leaves a number to what suits the data.
const Auto = "auto"

// recipes lists changes to a training's configuration, in the order in which they apply. A change is for one data set
// or for all, for some models or for all, and for one recipe or for all: what all recipes have is the paper's way of
// training (Adam from 1e-3) and its architectures. A null takes away what an earlier change sets.
//
//go:embed recipes.json
var recipes []byte

// change is one entry of recipes.json.
type change struct {
	Data, Models, Recipe string
	Set                  map[string]any
	Why                  string
}

// changes returns the changes for a data set and a model, in the order in which they apply, so that a later one takes
// the place of an earlier one: the general ones, those of the data set's source for any model, those of the network,
// and those of the source for this model.
func changes(data, name string) (all []change) {
	source, _ := datasets.Named(data) // a file, or data in memory, has none
	ofSource := parsed(source.Recipes, data)
	forAny := func(c change) bool { return c.Models == "" }
	forSome := func(c change) bool { return c.Models != "" }
	inOrder := slices.Concat(parsed(recipes, "all data sets"), keeping(ofSource, forAny),
		parsed(registered(name).Recipes, name), keeping(ofSource, forSome))
	return keeping(inOrder, func(c change) bool {
		return (c.Data == "" || c.Data == data) && (c.Models == "" || slices.Contains(strings.Fields(c.Models), name))
	})
}

// parsed returns the changes of a text, which is a part of the program; nil is none. of says whose they are.
func parsed(text []byte, of string) (list []change) {
	if text == nil {
		return nil
	}
	if err := json.Unmarshal(text, &list); err != nil {
		panic(fmt.Sprintf("training: recipes of %q: %v", of, err))
	}
	return list
}

// keeping returns the changes for which keep is true.
func keeping(list []change, keep func(c change) bool) (kept []change) {
	for _, c := range list {
		if keep(c) {
			kept = append(kept, c)
		}
	}
	return kept
}

// RecipeNames lists the recipes for a model on some data sets.
func RecipeNames(name string, data ...string) []string {
	names := []string{DefaultRecipe, PaperRecipe}
	for _, set := range data {
		for _, c := range changes(set, name) {
			if c.Recipe != "" && !slices.Contains(names, c.Recipe) {
				names = append(names, c.Recipe)
			}
		}
	}
	return names
}

// recipeOf returns what suits a data set and a model: values by the names of a training's settings and of the model's
// options. A value that depends on the size of the data is Auto. The result has no options that the model lacks.
func recipeOf(data, name, recipe string) map[string]any {
	r := map[string]any{}
	for _, c := range changes(data, name) {
		if c.Recipe == "" || c.Recipe == recipe {
			overlay(r, c.Set)
		}
	}
	switch n := registered(name); {
	case n.Fitted: // in one pass
		overlay(r, map[string]any{"epochs": 1, "label_smoothing": 0, "average": 0, "augment": false})
	case n.Loss != nil: // which need not know how labels are smoothed
		r["label_smoothing"] = 0
	}
	options, own := optionNames(), models.Spec{Model: name, Options: models.DefaultOptions()}.Values()
	maps.DeleteFunc(r, func(name string, _ any) bool { return own[name] == nil && slices.Contains(options, name) })
	return r
}

// overlay changes values as a patch says. A nil in the patch takes a value away. The length of a training is one
// choice: if the patch sets the epochs alone, or the steps alone, the other number follows from the data.
func overlay(values, patch map[string]any) {
	_, epochs := patch["epochs"]
	_, steps := patch["steps"]
	if epochs && !steps {
		values["steps"] = Auto
	} else if steps && !epochs {
		values["epochs"] = Auto
	}
	for path, value := range patch {
		if value == nil {
			delete(values, path)
		} else {
			values[path] = value
		}
	}
}

// PresetOf returns the levels and hidden layers of a model for a data set, if the model has them. The name "" stands
// for any model with both. It tries the recipe, then the data set's for any model, then the model's for any data set,
// and skips one whose levels need more nodes.
func PresetOf(name, data, recipe string, nodes int) (levels Levels, hidden Widths) {
	n := registered(cmp.Or(name, "ccp"))
	for _, of := range [][3]string{{data, name, recipe}, {data, "", DefaultRecipe}, {"", name, DefaultRecipe}} {
		var err error
		levels, hidden, err = presetIn(recipeOf(of[0], of[1], of[2]), n, nodes)
		if err != nil {
			panic(fmt.Sprintf("training: recipes of %q: %v", name, err)) // they are part of the program
		}
		if levels.fit(nodes) {
			break
		}
	}
	return levels, hidden
}

// presetIn returns the levels and hidden layers that a recipe has for a network.
func presetIn(recipe map[string]any, n models.Network, nodes int) (levels Levels, hidden Widths, err error) {
	if n.Levels != nil {
		if recipe["levels"] == Auto {
			levels = n.Levels(nodes)
		} else {
			err = levels.UnmarshalText([]byte(fmt.Sprint(recipe["levels"])))
		}
	}
	if n.Hidden && err == nil {
		err = hidden.UnmarshalText([]byte(fmt.Sprint(recipe["hidden"])))
	}
	return levels, hidden, err
}

// registered returns how a model was registered with package models.
func registered(name string) models.Network { return models.Spec{Model: name}.Network() }
