// Package removed knows the options and flags of earlier versions that are gone, so that who still gives one learns
// what to do instead.
//
// An option that is gone cannot be asked for, but with the value that all trainings have now. A checkpoint that was
// trained with another value holds it, and is loaded and predicts with it as before.
package removed

import (
	"maps"
	"slices"
)

// names holds what to do instead of each name: an option by its name, and a flag by its command without "ccp".
var names = map[string]string{
	"ccp_reach":               "filters between levels read 9 nodes: the node itself and the nearest by hops",
	"train --keep":            "give --set keep=best, or --set keep=last, which is the default",
	"data check --protocol":   "ccp train --dry-run --set protocol=… checks a data set in another protocol",
	"data check --split-seed": "ccp train --dry-run --set split_seed=… draws other splits",
	"data check --tfidf":      "ccp train --dry-run --set tfidf=… checks the words in another form",
	"data check --validation": "ccp train --dry-run --validation SHARE holds samples out",
	"serve --drain":           "clients have 5 s to send what they began and disconnect, when the server ends",
	"serve --poll":            "the server looks for a newer model every 5 s, and at once on SIGHUP",
}

// Instead returns what to do instead of an option, or of a flag such as "train --keep"; "" if it is not gone.
func Instead(name string) string { return names[name] }

// Names returns all names that are gone, in order.
func Names() []string { return slices.Sorted(maps.Keys(names)) }
