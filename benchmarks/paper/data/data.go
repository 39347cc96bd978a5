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
	// in the order of a listing
	for _, source := range []datasets.Source{cifar10, mnist, fashionMNIST, news, ntu, nwucla} {
		source.Recipes = recipes
		datasets.Register(source)
	}
}
