// Package models builds classifiers by name from a specification, and loads trained ones to classify with:
//
//	classifier, err := models.Load("runs/digits-ccp-1")
//	predictions, err := classifier.Classify(ctx, signals)
package models

import (
	"fmt"
	"strconv"
	"strings"
)

// Level is the size of one level: its clusters, filters per cluster, and L, the nodes of a neighbourhood.
type Level struct {
	Clusters   int `json:"clusters"`
	Filters    int `json:"filters"`
	Neighbours int `json:"neighbours"`
}

// Architecture is what is free in the paper's network: the levels, and the widths of the hidden fully connected layers
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
				return nil, fmt.Errorf("level %d: %s is %q in %q; it must be a whole number from 1 to %d", i+1, field.name, field.text, part, 1<<24)
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

// Check says whether the levels fit a graph of that many nodes: each neighbourhood must fit the level below it.
func (a Architecture) Check(nodes int) error {
	for i, l := range a.Levels {
		if min(l.Clusters, l.Filters, l.Neighbours) < 1 {
			return fmt.Errorf("level %d: %dx%d/%d; clusters, filters and L must be at least 1", i+1, l.Clusters, l.Filters, l.Neighbours)
		}
		if l.Neighbours > nodes {
			return fmt.Errorf("level %d: L=%d exceeds its %d nodes; lower L or raise the previous level's clusters", i+1, l.Neighbours, nodes)
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

// presets are the paper's table of architectures, and our own for the other data sets.
var presets = map[string]Architecture{
	"digits":        {mustLevels("32x64/9,8x128/8,1x256/8"), []int{64}},
	"mnist":         {mustLevels("196x32/9,49x64/9,9x128/9,1x256/9"), []int{128}},
	"fashion-mnist": {mustLevels("196x64/16,49x128/16,12x256/12,1x512/12"), []int{128}},
	"cifar10":       {mustLevels("256x256/16,64x384/16,16x512/8,4x768/8,1x1024/4"), []int{1024}},
	"20news":        {mustLevels("2048x128/16,512x192/16,128x256/8,32x384/8,4x512/8,1x512/4"), []int{256}},
	"nw-ucla":       {mustLevels("200x96/16,50x192/16,12x256/8,1x512/12"), []int{128}},
	"ntu":           {mustLevels("512x256/16,128x384/16,32x512/8,8x768/8,1x1024/8"), []int{1024}},
}

func mustLevels(text string) []Level {
	levels, err := ParseLevels(text)
	if err != nil {
		panic(err)
	}
	return levels
}

// PresetOf is the architecture of a model for a data set: Preset's, as far as the model has levels and hidden layers, unless it has
// its own.
func PresetOf(name, data string, nodes int) Architecture {
	k := registry[name]
	if k.preset != nil {
		return k.preset(data, nodes)
	}
	a := Preset(data, nodes)
	if !k.levels {
		a.Levels = nil
	}
	if !k.hidden {
		a.Hidden = nil
	}
	return a
}

// Preset is the architecture for a data set: the paper's for cifar10, 20news and ntu, and one derived from the number of
// nodes for a data set without a preset. There each level has a quarter of its predecessor's nodes, twice its filters
// from 32 on (at most 256), and neighbourhoods of 9.
func Preset(data string, nodes int) Architecture {
	if a, ok := presets[data]; ok && a.Check(nodes) == nil {
		return a
	}
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
