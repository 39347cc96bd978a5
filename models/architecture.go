// Package models has networks by name: CCP and the ridge classifier on transforms. It loads a trained one as a classifier.
//
//	classifier, err := models.Load("runs/digits-ccp-1", models.LoadOptions{})
//	measured, err := recording.New(names, rows) // of datasets/recording; a row for each time point
//	predictions, err := classifier.ClassifyRecording(ctx, measured)
//	predictions, err = classifier.Classify(ctx, signals)                                           // on a graph
//
// Register adds a network of one's own. Package baselines registers those that CCP is compared with.
package models

import "fmt"

// Level is one level of a network: its clusters, the filters of each cluster, and L, the nodes of a neighbourhood.
type Level struct {
	Clusters   int `json:"clusters"`
	Filters    int `json:"filters"`
	Neighbours int `json:"neighbours"`
	// Candidates and BatchNormEpsilon take the place of the network's options of these names; 0: they do not.
	Candidates       int     `json:"candidates,omitempty"`
	BatchNormEpsilon float64 `json:"batchnorm_epsilon,omitempty"`
}

// checkSizes returns an error if the levels do not fit a graph of so many nodes: each neighbourhood must fit the level below
// it, and a search finds no more clusters than nodes.
func checkSizes(s Spec, nodes int) error {
	for i, l := range s.Levels {
		if min(l.Clusters, l.Filters, l.Neighbours) < 1 {
			return fmt.Errorf("level %d: %dx%d/%d; clusters, filters and L must be at least 1", i+1, l.Clusters,
				l.Filters, l.Neighbours)
		}
		if l.Candidates < 0 || !(l.BatchNormEpsilon >= 0) {
			return fmt.Errorf("level %d: candidates %d, batchnorm_epsilon %g; neither can be below 0", i+1, l.Candidates, l.BatchNormEpsilon)
		}
		if l.Neighbours > nodes {
			return fmt.Errorf("level %d: L=%d exceeds its %d nodes; lower L or raise the previous level's clusters",
				i+1, l.Neighbours, nodes)
		}
		if l.Clusters > nodes && searches(s) {
			return fmt.Errorf("level %d: %d clusters of %d nodes; a search finds at most as many as nodes: lower them", i+1,
				l.Clusters, nodes)
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

// derivedLevels returns levels for a graph of which nothing else is known, see Network.Levels. Each level has a quarter
// of its predecessor's nodes, twice its filters, from 32 to at most 256, and neighbourhoods of 9.
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
