package models

import (
	"slices"
	"strings"
)

// Recipe is what suits a data set and a model: how the network is trained, and its settings.
type Recipe struct {
	Epochs, Batch  int
	LearningRate   float64
	Average        float64 // decay of the moving average of the weights; 0 is none
	LabelSmoothing float64
	Augment, TFIDF bool // where the data set has it
	Settings       Settings
}

// recipe is a line of the table: what is known of a data set ("": of all) and of some models ("": of all).
type recipe struct {
	data, models string
	levels       string                       // the architecture's, see ParseLevels; "" is as above
	hidden       []int                        // nil is as above
	sizes        func(nodes int) Architecture // in place of both
	settings     string                       // NAME=VALUE, separated by spaces
	train        func(r *Recipe)
}

// recipes are the paper's architectures and training where it gives them (Adam from 1e-3), and our own for other data sets and
// models. A line for a model goes before one for a data set, and one for both before either.
//
// For 20NEWS they are those that did best in validation, see docs/data.md: one cluster whose neighbourhood is the whole graph, and
// batch norm that does not rescale, in place of the paper's levels. Models without levels get the counts that they were published on.
var recipes = []recipe{
	{train: func(r *Recipe) { r.Epochs, r.Batch, r.LearningRate = 30, 64, 1e-3 }},
	{models: "fc", hidden: []int{512, 128}},
	{models: "graph-cnn", sizes: graphCNNSizes},
	{models: "gat-average", sizes: gatAverageSizes},

	{data: "digits", levels: "32x64/9,8x128/8,1x256/8", hidden: []int{64}, settings: "readout_dropout=0.2", train: func(r *Recipe) { r.Epochs = 100 }},
	{data: "digits", models: "cnn resnet", train: func(r *Recipe) { r.Epochs = 30 }},

	{data: "cifar10", levels: "256x256/16,64x384/16,16x512/8,4x768/8,1x1024/4", hidden: []int{1024}, train: func(r *Recipe) { r.Epochs, r.Augment = 100, true }},
	{data: "cifar10", models: "fc", hidden: []int{4000, 1000, 4000}}, // Lin et al. (2015)

	{data: "20news", levels: "2048x128/16,512x192/16,128x256/8,32x384/8,4x512/8,1x512/4", hidden: []int{256}, settings: "input_dropout=0.3 readout_dropout=0.7",
		train: func(r *Recipe) { r.Epochs, r.Batch, r.Average, r.LabelSmoothing, r.TFIDF = 8, 100, 0.99, 0.1, true }},
	{data: "20news", models: "ccp", levels: "1x360/10000", hidden: []int{}, settings: "ccp_hierarchy=prepared level_1/batchnorm_epsilon=10000"},
	{data: "20news", models: "chebyshev gcn gat", settings: "level_1/batchnorm_epsilon=10000", // their first level must not be scaled up either
		train: func(r *Recipe) { r.Epochs, r.LabelSmoothing = 6, 0 }},
	{data: "20news", models: "fc softmax svm bayes", train: func(r *Recipe) {
		r.Epochs, r.Average, r.LabelSmoothing, r.TFIDF, r.Settings = 10, 0, 0, false, Settings{}
	}},
	{data: "20news", models: "fc", hidden: []int{2500, 500}, train: func(r *Recipe) { r.Epochs = 5 }}, // Defferrard et al. (2016)
	{data: "20news", models: "svm", train: func(r *Recipe) { r.LearningRate = 1e-4 }},
	{data: "20news", models: "bayes", settings: "bayes_alpha=0.002"},
	// Its time and memory are those of all nodes times the filters, and times the clusters, of every sample.
	{data: "20news", models: "graph-cnn", levels: "8x16/1,4x32/1", hidden: []int{256}},

	{data: "mnist", levels: "196x32/9,49x64/9,9x128/9,1x256/9", hidden: []int{128}, settings: "ccp_hierarchy=prepared", train: func(r *Recipe) { r.Epochs = 10 }},
	{data: "fashion-mnist", levels: "196x64/16,49x128/16,12x256/12,1x512/12", hidden: []int{128}, settings: "ccp_hierarchy=prepared", train: func(r *Recipe) { r.Epochs = 8 }},
	// An epoch is 14 steps only: with the usual rate learned memberships hardly leave their start, see docs/results.md.
	{data: "nw-ucla", levels: "200x96/16,50x192/16,12x256/8,1x512/12", hidden: []int{128}, settings: "ccp_hierarchy=prepared ccp_dropout=0.1 ccp_membership_rate=100",
		train: func(r *Recipe) { r.Epochs, r.Augment, r.Average = 150, true, 0.99 }},
	{data: "ntu", levels: "512x256/16,128x384/16,32x512/8,8x768/8,1x1024/8", hidden: []int{1024}, train: func(r *Recipe) { r.Augment = true }},
}

// graphCNNSizes is the authors' network for NCI1: a filter of 64 channels, 32 clusters, one of 32 channels, 8 clusters, a hidden
// layer of 256; with fewer clusters where there are few nodes.
func graphCNNSizes(nodes int) Architecture {
	clusters := func(k int) int { return min(k, (nodes+1)/2) }
	return Architecture{Levels: []Level{{clusters(32), 64, 1}, {clusters(8), 32, 1}}, Hidden: []int{256}}
}

// gatAverageSizes has three layers of 32, 64 and 128 filters; on a large graph, where their time and memory are those of a convolution
// on all nodes, two of 32. The average is classified without a hidden layer.
func gatAverageSizes(nodes int) (a Architecture) {
	filters := []int{32, 64, 128}
	if nodes > 4096 {
		filters = []int{32, 32}
	}
	for _, f := range filters {
		a.Levels = append(a.Levels, Level{Clusters: nodes, Filters: f, Neighbours: 1})
	}
	return a
}

// linesFor are the lines of the table for a data set and a model, the most general first.
func linesFor(data, name string) (lines []recipe) {
	for _, l := range recipes {
		if (l.data == "" || l.data == data) && (l.models == "" || slices.Contains(strings.Fields(l.models), name)) {
			lines = append(lines, l)
		}
	}
	slices.SortStableFunc(lines, func(a, b recipe) int { return a.detail() - b.detail() })
	return lines
}

// detail is how much a line asks for: of nothing, a data set, a model, both.
func (l recipe) detail() (detail int) {
	if l.data != "" {
		detail++
	}
	if l.models != "" {
		detail += 2
	}
	return detail
}

// RecipeFor is the recipe for a data set and a model. A model that is fitted has one epoch.
func RecipeFor(data, name string) (r Recipe) {
	for _, line := range linesFor(data, name) {
		if line.train != nil {
			line.train(&r)
		}
		for _, setting := range strings.Fields(line.settings) {
			if err := r.Settings.Set(setting); err != nil {
				panic(err) // cannot be, unless the table is wrong
			}
		}
	}
	if (Spec{Model: name}).Fitted() {
		r.Epochs, r.Average, r.Augment = 1, 0, false
	}
	r.Settings = r.Settings.For(name)
	return r
}

// PresetOf is the architecture of a model for a data set: that of the recipes, as far as the model has levels and hidden layers.
func PresetOf(name, data string, nodes int) Architecture {
	a, k := preset(name, data, nodes), registry[name]
	if !k.levels {
		a.Levels = nil
	}
	if !k.hidden {
		a.Hidden = nil
	}
	return a
}

// Preset is the architecture for a data set whatever the model: the paper's for cifar10, 20news and ntu, and one derived from the
// number of nodes for a data set without a recipe, or whose recipe does not fit the nodes. There each level has a quarter of its
// predecessor's nodes, twice its filters from 32 on (at most 256), and neighbourhoods of 9.
func Preset(data string, nodes int) Architecture { return preset("", data, nodes) }

func preset(name, data string, nodes int) Architecture {
	a := derived(nodes)
	for _, line := range linesFor(data, name) {
		next := a
		if line.sizes != nil {
			next = line.sizes(nodes)
		}
		if line.levels != "" {
			levels, err := ParseLevels(line.levels)
			if err != nil {
				panic(err) // cannot be, unless the table is wrong
			}
			next.Levels = levels
		}
		if line.hidden != nil {
			next.Hidden = line.hidden
		}
		if next.Check(nodes) == nil {
			a = next
		}
	}
	return a
}

// derived is the architecture for a graph of which nothing else is known, see Preset.
func derived(nodes int) Architecture {
	a := Architecture{Hidden: []int{64}}
	for filters := 32; ; filters = min(2*filters, 256) {
		clusters := (nodes + 3) / 4
		a.Levels = append(a.Levels, Level{Clusters: clusters, Filters: filters, Neighbours: min(9, nodes)})
		if clusters <= 1 {
			return a
		}
		nodes = clusters
	}
}
