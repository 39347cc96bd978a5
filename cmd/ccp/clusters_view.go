//go:build !lean

package main

import (
	"cmp"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/clusterpool/ccp/ccp/hierarchy"
	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/internal/picture"
	"github.com/clusterpool/ccp/internal/text"
	"github.com/clusterpool/ccp/models"
)

const (
	mostListed  = 32   // clusters of a level that are printed
	wordsListed = 8    // words of a cluster that are printed
	wordsFiled  = 30   // words of a cluster that are written
	leastFiled  = 0.01 // membership that is written, beside each node's largest
)

// clustersView is a classifier's hierarchy with what is needed to show it.
type clustersView struct {
	*models.Classifier
	levels hierarchy.Levels
	hard   hierarchy.Clusters      // of the levels
	inputs []hierarchy.Memberships // of the input nodes, by level
	data   *datasets.Dataset       // has the nodes' names, coordinates and grid
}

// clusterWords is a cluster with the names of its most central nodes.
type clusterWords struct {
	Level   int      `json:"level"`
	Cluster int      `json:"cluster"`
	Nodes   int      `json:"nodes"`
	Words   []string `json:"words"`
}

// viewClusters views the levels of a classifier's hierarchy. data is its data set. If data is nil, nodes have no names.
func viewClusters(c *models.Classifier, levels hierarchy.Levels, data *datasets.Dataset) *clustersView {
	data = cmp.Or(data, &datasets.Dataset{Info: c.Info})
	return &clustersView{c, levels, levels.Hard(), levels.Inputs(), data}
}

// listed returns the clusters of the levels that have few. The list is empty if nodes have no names, or lie on a grid.
func (v *clustersView) listed() []clusterWords {
	all := []clusterWords{}
	for i, level := range v.levels {
		if v.data.NodeNames == nil || v.data.Grid != nil || level.Clusters > mostListed || level.Clusters == 1 {
			continue
		}
		for k, nodes := range v.levels.Central(i+1, v.inputs[i], v.Graph) {
			if len(nodes) > 0 {
				all = append(all, clusterWords{i + 1, k, len(nodes), v.named(nodes, wordsListed)})
			}
		}
	}
	return all
}

// named returns the names of the first nodes of a list, or their numbers if they have no names.
func (v *clustersView) named(nodes []int32, most int) (names []string) {
	for _, i := range nodes[:min(most, len(nodes))] {
		names = append(names, cmp.Or(v.name(int(i)), strconv.Itoa(int(i))))
	}
	return names
}

// name returns a node's name, or "" if it has none.
func (v *clustersView) name(node int) string {
	if v.data.NodeNames == nil {
		return ""
	}
	return v.data.NodeNames[node]
}

// write makes the tables and pictures of all levels in a folder, and returns their paths.
func (v *clustersView) write(folder string) (paths []string, err error) {
	layout := picture.NewLayout(v.Graph, picture.Nodes{Grid: v.data.Grid, Series: v.data.Layout.Series(),
		Sensors: v.data.SensorNames, Parts: v.data.Parts, Coordinates: v.data.Coordinates, Names: v.data.NodeNames})
	width, height := layout.Size()
	for i, level := range v.levels {
		base := filepath.Join(folder, fmt.Sprintf("level_%d", i+1))
		for _, table := range []struct {
			name, heading string
			fill          func(i int, row func(cells ...any))
		}{
			{"_nodes.csv", "node,name,cluster,weight", v.nodes},
			{"_clusters.csv", "cluster,nodes,mass,central", v.clusters},
			{"_memberships.csv", "node,cluster,weight", v.memberships},
			{"_neighbourhoods.csv", "cluster,slot,node,rank,gate", v.neighbourhoods},
		} {
			paths = append(paths, base+table.name)
			fill := func(row func(cells ...any)) error { table.fill(i, row); return nil }
			if err := text.WriteCSV(base+table.name, strings.Split(table.heading, ","), fill); err != nil {
				return nil, err
			}
		}
		title := fmt.Sprintf("%s, level %d: %s", v.Data, i+1, text.Count(level.Clusters, "cluster"))
		drawn := layout.Clusters(title, v.hard.Path(i+1), level.Clusters, true)
		if err := picture.Save(drawn, width, height, base+".png", base+".svg"); err != nil {
			return nil, err
		}
		paths = append(paths, base+".png", base+".svg")
	}
	return paths, nil
}

// nodes lists the cluster of level i, from 0, that each input node belongs to.
func (v *clustersView) nodes(i int, row func(cells ...any)) {
	for node, k := range v.hard.Path(i + 1) {
		row(node, v.name(node), k, v.inputs[i].Weight(node, k))
	}
}

// clusters lists the clusters of level i with their most central nodes.
func (v *clustersView) clusters(i int, row func(cells ...any)) {
	mass := v.levels.Mass(i + 1)
	for k, nodes := range v.levels.Central(i+1, v.inputs[i], v.Graph) {
		row(k, len(nodes), float32(mass[k]), strings.Join(v.named(nodes, wordsFiled), " "))
	}
}

// memberships lists the memberships of level i's own nodes: those from leastFiled on, and each node's largest.
func (v *clustersView) memberships(i int, row func(cells ...any)) {
	m := v.levels[i].Memberships
	for node, largest := range m.Hard() {
		clusters, weights := m.Row(node)
		for s, k := range clusters {
			if k == largest || weights[s] >= leastFiled {
				row(node, k, weights[s])
			}
		}
	}
}

// neighbourhoods lists what each cluster's filter reads of level i's nodes.
func (v *clustersView) neighbourhoods(i int, row func(cells ...any)) {
	l := v.levels[i]
	for k, nodes := range l.Neighbourhoods {
		for slot, node := range nodes {
			row(k, slot, node, l.Ranks[k][slot], l.Gates[k][slot])
		}
	}
}
