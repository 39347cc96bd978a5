// Package data registers the data sets of the paper and its follow-ups: images, skeletons and newsgroups.
package data

import (
	_ "embed" // the recipes

	"github.com/clusterpool/ccp/datasets"
)

// recipes are those of all data sets here, in the form of models/training/recipes.json.
//
//go:embed recipes.json
var recipes []byte

func init() {
	for _, source := range []datasets.Source{cifar10, mnist, fashionMNIST, news, ntu, nwucla} { // in the order of a listing
		source.Recipes = recipes
		datasets.Register(source)
	}
}
