// Package models has networks by name: CCP and the ridge classifier on transforms. It loads a trained one as a
// classifier.
//
//	classifier, err := models.Load("runs/digits-ccp-1", models.LoadOptions{})
//	measured, err := recording.New(names, rows) // of datasets/recording; a row for each time point
//	predictions, err := classifier.ClassifyRecording(ctx, measured)
//	predictions, err = classifier.Classify(ctx, signals)                                           // on a graph
//
// Register adds a network of one's own. Package baselines registers those that CCP is compared with.
package models

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/clusterpool/ccp/internal/params"
	"github.com/gomlx/gomlx/ml/model"
)

// Level is one level of a network: its clusters, the filters of each cluster, and L, the nodes of a neighbourhood.
type Level struct {
	Clusters   int `json:"clusters"`
	Filters    int `json:"filters"`
	Neighbours int `json:"neighbours"`
	// Candidates and BatchNormEpsilon take the place of the network's options of these names; 0: they do not.
	Candidates       int     `json:"candidates,omitempty"`
	BatchNormEpsilon float64 `json:"batchnorm_epsilon,omitempty"`
}

// checkSizes returns an error if the levels do not fit a graph of so many nodes: each neighbourhood must fit the
// level below it, and a search finds no more clusters than nodes.
func checkSizes(s Spec, nodes int) error {
	for i, l := range s.Levels {
		if min(l.Clusters, l.Filters, l.Neighbours) < 1 {
			return fmt.Errorf("level %d: %dx%d/%d; clusters, filters and L must be at least 1", i+1, l.Clusters,
				l.Filters, l.Neighbours)
		}
		if l.Candidates < 0 || !(l.BatchNormEpsilon >= 0) {
			return fmt.Errorf("level %d: candidates %d, batchnorm_epsilon %g; neither can be below 0", i+1,
				l.Candidates, l.BatchNormEpsilon)
		}
		if l.Neighbours > nodes {
			return fmt.Errorf("level %d: L=%d exceeds its %d nodes; lower L or raise the previous level's clusters",
				i+1, l.Neighbours, nodes)
		}
		if l.Clusters > nodes && searches(s) {
			return fmt.Errorf("level %d: %d clusters of %d nodes; a search finds at most as many as nodes: lower them",
				i+1, l.Clusters, nodes)
		}
		nodes = l.Clusters
	}
	for i, width := range s.Hidden {
		if width < 1 {
			return fmt.Errorf("hidden layer %d: its width is %d; it must be at least 1", i+1, width)
		}
	}
	return nil
}

// derivedLevels returns levels for a graph of which nothing else is known, see Network.Levels. Each level has a
// quarter of its predecessor's nodes, twice its filters, from 32 to at most 256, and neighbourhoods of 9.
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

// Filters that do not pool come at the resolutions of a network. Resolution 0 is the input, with a stem and residual
// blocks. Resolution i, from 1, is the clusters of level i, with residual blocks.

// blocks reads Options.Blocks for a network of so many levels: the numbers of residual blocks at the input and, as far
// as they are given, after each level.
func (o Options) blocks(levels int) (counts []int, err error) {
	for _, part := range strings.Split(o.Blocks, ",") {
		number, err := strconv.Atoi(strings.TrimSpace(part))
		if err != nil || number < 0 {
			return nil, params.Errorf("ccp_blocks", o.Blocks, "it must be whole numbers from 0, the input's and those of "+
				"the levels, such as 1 or 0,1,1")
		}
		counts = append(counts, number)
	}
	if len(counts) > levels+1 {
		return nil, params.Errorf("ccp_blocks", o.Blocks, "it has numbers for the input and %d levels; the network has "+
			"%d", len(counts)-1, levels)
	}
	return counts, nil
}

// blocks counts the residual blocks at a resolution. There are none at the input without a stem, and none after a
// level of one cluster, which has no neighbours. It panics if Check refuses the option.
func (s Spec) blocks(resolution int) int {
	counts, err := s.Options.blocks(len(s.Levels))
	if err != nil {
		panic(err)
	}
	inputWithoutStem := resolution == 0 && s.Options.Stem < 1
	oneCluster := resolution > 0 && s.nodesAt(resolution) == 1
	if inputWithoutStem || oneCluster || resolution >= len(counts) {
		return 0
	}
	return counts[resolution]
}

// nodesAt counts the nodes at a resolution.
func (s Spec) nodesAt(resolution int) int {
	if resolution == 0 {
		return s.Nodes
	}
	return s.Levels[resolution-1].Clusters
}

// Layer is a filter of the network. It pools, as a level does, or sees the nodes around each node, as those of the
// stem and of residual blocks do.
type Layer struct {
	Level                    // the clusters and filters of its output, and L
	Part             string  // its scope in the network, such as stem, level_1 or level_1/block_1/2
	Of               int     // the level that it is part of, from 1, or 0 before all levels
	Inputs, Channels int     // the shape of its input: nodes and channels
	Products         float64 // multiply-adds for one signal
	Candidates       int     // the clusters that a node may belong to; 0: all
	Pools, Skip      bool    // Skip: it ends a residual block
}

// Layers lists the network's filters in order. It panics if Check refuses the option of blocks.
func (s Spec) Layers() (layers []Layer) {
	nodes, channels := s.Nodes, s.Channels
	add := func(l Layer) {
		l.Inputs, l.Channels = nodes, channels
		l.Products = float64(l.Clusters*l.Neighbours) * float64(channels*l.Filters)
		layers = append(layers, l)
		nodes, channels = l.Clusters, l.Filters
	}
	around := func(filters int) Level {
		return Level{Clusters: nodes, Filters: filters, Neighbours: min(s.Options.Reach, nodes)}
	}
	blocks := func(of int, prefix string) {
		for i := range 2 * s.blocks(of) {
			part := fmt.Sprintf("%sblock_%d/%d", prefix, i/2+1, i%2+1)
			add(Layer{Level: around(channels), Part: part, Of: of, Skip: i%2 == 1})
		}
	}
	if s.Options.Stem > 0 {
		add(Layer{Level: around(s.Options.Stem), Part: "stem"})
	}
	blocks(0, "")
	for i, l := range s.Levels {
		add(Layer{Level: l, Part: levelName(i), Of: i + 1, Candidates: s.candidates(i), Pools: true})
		blocks(i+1, levelName(i)+model.ScopeSeparator)
	}
	return layers
}
