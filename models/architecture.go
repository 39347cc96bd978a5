// Package models has networks by name, CCP and random kernels, and classifiers: it loads trained ones to classify with.
//
//	classifier, err := models.Load("runs/digits-ccp-1")
//	predictions, err := classifier.Classify(ctx, signals)
//
// Register adds a network of one's own. Package baselines registers those that CCP is compared with.
package models

import (
	"fmt"
	"strconv"
	"strings"
)

// Level is the size of one level: its clusters, the filters of each cluster, and L, the nodes of a neighbourhood.
type Level struct {
	Clusters   int `json:"clusters"`
	Filters    int `json:"filters"`
	Neighbours int `json:"neighbours"`
}

// Architecture is the free part of the paper's network: the levels, and the widths of the hidden fully connected layers
// between the last level and the class layer.
type Architecture struct {
	Levels []Level `json:"levels"`
	Hidden []int   `json:"hidden"`
}

// ParseLevels reads levels as the paper's table writes them, clusters x filters / L, separated by commas:
// "256x256/16,64x384/16,1x1024/4". The error names the level and what is wrong with it.
func ParseLevels(text string) ([]Level, error) {
	var levels []Level
	for i, part := range strings.Split(text, ",") {
		part = strings.TrimSpace(part)
		clusters, rest, ok1 := strings.Cut(part, "x")
		filters, size, ok2 := strings.Cut(rest, "/")
		if !ok1 || !ok2 {
			return nil, fmt.Errorf("level %d: %q is not CLUSTERSxFILTERS/L, such as 64x384/16", i+1, part)
		}
		var numbers [3]int
		for j, field := range []struct{ name, text string }{{"clusters", clusters}, {"filters", filters}, {"L", size}} {
			n, err := strconv.Atoi(field.text)
			if err != nil || n < 1 || n > 1<<24 {
				return nil, fmt.Errorf("level %d: %s is %q in %q; it must be a whole number from 1 to %d", i+1,
					field.name, field.text, part, 1<<24)
			}
			numbers[j] = n
		}
		levels = append(levels, Level{Clusters: numbers[0], Filters: numbers[1], Neighbours: numbers[2]})
	}
	return levels, nil
}

// LevelsString is the inverse of ParseLevels.
func (a Architecture) LevelsString() string {
	parts := make([]string, len(a.Levels))
	for i, l := range a.Levels {
		parts[i] = fmt.Sprintf("%dx%d/%d", l.Clusters, l.Filters, l.Neighbours)
	}
	return strings.Join(parts, ",")
}

// checkSizes returns an error if the levels do not fit a graph of so many nodes: each neighbourhood must fit the level below
// it.
func (a Architecture) checkSizes(nodes int) error {
	for i, l := range a.Levels {
		if min(l.Clusters, l.Filters, l.Neighbours) < 1 {
			return fmt.Errorf("level %d: %dx%d/%d; clusters, filters and L must be at least 1", i+1, l.Clusters,
				l.Filters, l.Neighbours)
		}
		if l.Neighbours > nodes {
			return fmt.Errorf("level %d: L=%d exceeds its %d nodes; lower L or raise the previous level's clusters",
				i+1, l.Neighbours, nodes)
		}
		nodes = l.Clusters
	}
	for i, width := range a.Hidden {
		if width < 1 {
			return fmt.Errorf("hidden layer %d: its width is %d; it must be at least 1", i+1, width)
		}
	}
	return nil
}

// DerivedLevels returns levels for a graph of which nothing else is known, see Network.Levels. Each level has a quarter
// of its predecessor's nodes, twice its filters, from 32 to at most 256, and neighbourhoods of 9.
func DerivedLevels(nodes int) (levels []Level) {
	for filters := 32; ; filters = min(2*filters, 256) {
		clusters := (nodes + 3) / 4
		levels = append(levels, Level{Clusters: clusters, Filters: filters, Neighbours: min(9, nodes)})
		if clusters <= 1 {
			return levels
		}
		nodes = clusters
	}
}
