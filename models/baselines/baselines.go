// Package baselines registers the networks that CCP is compared with on data of any kind, each by models.Register.
// Import it for its effect:
//
//	import _ "github.com/clusterpool/ccp/models/baselines"
//
// It uses what a network of one's own can use: each file is an example.
package baselines

import _ "embed" // the recipes

// recipes are those of all networks here, in the form of models/training/recipes.json.
//
//go:embed recipes.json
var recipes []byte
