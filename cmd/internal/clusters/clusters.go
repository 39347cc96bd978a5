// Package clusters shows the hierarchy of a trained classifier: as words, tables and pictures.
package clusters

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/clusterpool/ccp/ccp/hierarchy"
	"github.com/clusterpool/ccp/cmd/internal/picture"
	"github.com/clusterpool/ccp/cmd/internal/text"
	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/internal/npz"
	"github.com/clusterpool/ccp/models"
)

const (
	mostListed  = 32  // clusters of a level that Words lists
	wordsListed = 8   // words of a cluster that Words lists
	wordsFiled  = 30  // and that are written
	mostLeaves  = 200 // clusters at the bottom of a tree: more could not be told apart
)

// View is a classifier's hierarchy with what is needed to show it.
type View struct {
	*models.Classifier
	Levels hierarchy.Levels
	// Data has the nodes' names and coordinates, and their grid where the checkpoint is older than grids; it can be nil.
	Data *datasets.Dataset
	// Least is the least membership that is written, beside each node's largest.
	Least float64

	inputs []hierarchy.Memberships // of the input nodes, by level
}

// Cluster is a cluster with the names of its most central nodes.
type Cluster struct {
	Level   int      `json:"level"`
	Cluster int      `json:"cluster"`
	Nodes   int      `json:"nodes"`
	Words   []string `json:"words"`
}

// Prepare computes what Words and Write need.
func (v *View) Prepare() {
	if v.inputs = v.Levels.Inputs(); v.Data == nil {
		v.Data = &datasets.Dataset{Grid: v.Spec.Grid, Parts: v.Spec.Parts}
	}
}

// Words lists the clusters of the levels that have few. There are none where nodes have no names, or lie on a grid.
func (v *View) Words() []Cluster {
	all := []Cluster{}
	if v.Data.NodeNames == nil || v.Data.Grid != nil {
		return all
	}
	for i, level := range v.Levels {
		if level.Clusters > mostListed || level.Clusters == 1 {
			continue
		}
		for k, nodes := range v.Levels.Central(i+1, v.inputs[i], v.Graph) {
			if len(nodes) > 0 {
				all = append(all, Cluster{i + 1, k, len(nodes), v.named(nodes, wordsListed)})
			}
		}
	}
	return all
}

// named are the names, or else the numbers, of the first nodes of a list.
func (v *View) named(nodes []int32, most int) (names []string) {
	for _, i := range nodes[:min(most, len(nodes))] {
		if v.Data.NodeNames != nil {
			names = append(names, v.Data.NodeNames[i])
		} else {
			names = append(names, strconv.Itoa(int(i)))
		}
	}
	return names
}

// Write makes the tables and pictures of all levels, and the tree, in a folder. It returns their paths.
func (v *View) Write(folder string) (files []string, err error) {
	layout := picture.NewLayout(v.Graph, v.Data.Grid, v.Data.Parts, v.Data.Coordinates, v.Data.NodeNames)
	width, height := layout.Size()
	at := func(name string) string {
		files = append(files, filepath.Join(folder, name))
		return files[len(files)-1]
	}
	for i := range v.Levels {
		level := fmt.Sprintf("level_%d", i+1)
		for _, table := range []struct {
			name, heading string
			fill          func(i int, row func(cells ...any))
		}{
			{"nodes", "node,name,cluster,weight", v.nodes},
			{"clusters", "cluster,nodes,mass,central", v.clusters},
			{"memberships", "node,cluster,weight", v.memberships},
			{"neighbourhoods", "cluster,place,node,rank,gate", v.neighbourhoods},
		} {
			err := text.WriteCSV(at(level+"_"+table.name+".csv"), strings.Split(table.heading, ","), func(row func(cells ...any)) error {
				table.fill(i, row)
				return nil
			})
			if err != nil {
				return nil, err
			}
		}
		k := v.Levels[i].Clusters
		drawn := layout.Clusters(fmt.Sprintf("%s, level %d: %s", v.Classifier.Data, i+1, text.Count(k, "cluster")), v.Levels.Path(i+1), k, true)
		if err := picture.Save(drawn, width, height, at(level+".png"), at(level+".svg")); err != nil {
			return nil, err
		}
	}
	err = v.tree().Save(at("tree.png"), at("tree.svg"))
	return files, err
}

// nodes lists the cluster of level i, from 0, that each input node belongs to.
func (v *View) nodes(i int, row func(cells ...any)) {
	for node, k := range v.Levels.Path(i + 1) {
		name := ""
		if v.Data.NodeNames != nil {
			name = v.Data.NodeNames[node]
		}
		row(node, name, k, v.inputs[i].Weight(node, k))
	}
}

// clusters lists the clusters of level i with their most central nodes.
func (v *View) clusters(i int, row func(cells ...any)) {
	mass := v.Levels.Mass(i + 1)
	for k, nodes := range v.Levels.Central(i+1, v.inputs[i], v.Graph) {
		row(k, len(nodes), float32(mass[k]), strings.Join(v.named(nodes, wordsFiled), " "))
	}
}

// memberships lists those of level i's own nodes from Least on, and each node's largest.
func (v *View) memberships(i int, row func(cells ...any)) {
	m := v.Levels[i].Memberships
	for node, largest := range m.Hard() {
		clusters, weights := m.Row(node)
		for s, k := range clusters {
			if k == largest || float64(weights[s]) >= v.Least {
				row(node, k, weights[s])
			}
		}
	}
}

// neighbourhoods lists what each cluster's filter sees of level i's nodes.
func (v *View) neighbourhoods(i int, row func(cells ...any)) {
	l := v.Levels[i]
	for k, nodes := range l.Neighbourhoods {
		for place, node := range nodes {
			row(k, place, node, l.Ranks[k][place], l.Gates[k][place])
		}
	}
}

// tree is the hierarchy from the first level on that has few enough clusters, all of them if none has.
func (v *View) tree() picture.Tree {
	first := max(0, slices.IndexFunc(v.Levels, func(l hierarchy.Level) bool { return l.Clusters <= mostLeaves }))
	tree := picture.Tree{Title: v.Classifier.Data + ", the hierarchy", First: first + 1, Used: make([]bool, v.Levels[first].Clusters)}
	for _, k := range v.Levels.Path(first + 1) {
		tree.Used[k] = true
	}
	for _, level := range v.Levels[first+1:] {
		tree.Parents = append(tree.Parents, level.Memberships.Hard())
	}
	return tree
}

// Spread maps the rows of an array, one for each cluster of a level, to the input nodes.
func Spread(levels hierarchy.Levels, level int, array *npz.Array) ([][]float64, error) {
	values, err := array.Float32s()
	if err != nil {
		return nil, err
	}
	if level >= 1 && level <= len(levels) && (len(array.Shape) == 0 || array.Shape[0] != levels[level-1].Clusters) {
		return nil, fmt.Errorf("the array has shape %v; level %d has %d clusters, a row of the array for each", array.Shape, level, levels[level-1].Clusters)
	}
	spread, err := levels.Spread(level, values)
	if err != nil {
		return nil, err
	}
	return slices.Collect(slices.Chunk(spread, len(spread)/levels[0].Memberships.Nodes())), nil
}
