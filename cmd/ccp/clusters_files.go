package main

import (
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/clusterpool/ccp/cmd/internal/picture"
	"github.com/clusterpool/ccp/internal/files"
	"github.com/clusterpool/ccp/internal/npz"
	"github.com/clusterpool/ccp/models"
	"github.com/spf13/cobra"
)

const (
	mostListed  = 32 // clusters of a level whose words are printed
	wordsListed = 8  // words of a cluster that are printed
	wordsFiled  = 30 // and that are written
)

// words are the most central nodes' names of each cluster of the levels that have few clusters.
func (v hierarchyView) words() []clusterWords {
	all := []clusterWords{}
	if v.names == nil || v.grid != nil {
		return all
	}
	for i, level := range v.levels {
		if level.Clusters > mostListed || level.Clusters == 1 {
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

// named are the names, or else the numbers, of the first nodes of a list.
func (v hierarchyView) named(nodes []int32, most int) (names []string) {
	for _, i := range nodes[:min(most, len(nodes))] {
		if v.names != nil {
			names = append(names, v.names[i])
		} else {
			names = append(names, fmt.Sprint(i))
		}
	}
	return names
}

// write makes all files in the folder, and returns their paths.
func (v hierarchyView) write(folder string) (paths []string, err error) {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, err
	}
	layout := picture.NewLayout(v.Graph, v.grid, v.parts, v.places, v.names)
	width, height := layout.Size()
	for i := range v.levels {
		at := func(name string) string {
			path := filepath.Join(folder, fmt.Sprintf("level_%d%s", i+1, name))
			paths = append(paths, path)
			return path
		}
		for _, table := range []struct {
			name string
			rows [][]string
		}{
			{"_nodes.csv", v.nodeRows(i)}, {"_clusters.csv", v.clusterRows(i)},
			{"_memberships.csv", v.membershipRows(i)}, {"_neighbourhoods.csv", neighbourhoodRows(v.levels[i])},
		} {
			if err := files.WriteCSV(at(table.name), table.rows); err != nil {
				return nil, err
			}
		}
		k := v.levels[i].Clusters
		drawn := layout.Clusters(fmt.Sprintf("%s, level %d: %s", v.Data, i+1, count(k, "cluster")), v.levels.Path(i+1), k, true)
		if err := picture.Save(drawn, width, height, at(".png"), at(".svg")); err != nil {
			return nil, err
		}
	}
	tree := v.tree()
	drawn := []string{filepath.Join(folder, "tree.png"), filepath.Join(folder, "tree.svg")}
	return append(paths, drawn...), tree.Save(drawn...)
}

// mostLeaves is how many clusters stand at the bottom of a tree at most: more could not be told apart.
const mostLeaves = 200

// tree is the hierarchy from the first level on that has few enough clusters, all of them if none has.
func (v hierarchyView) tree() picture.Tree {
	first := max(0, slices.IndexFunc(v.levels, func(l models.ClusterLevel) bool { return l.Clusters <= mostLeaves }))
	tree := picture.Tree{Title: v.Data + ", the hierarchy", First: first + 1, Used: make([]bool, v.levels[first].Clusters)}
	for _, k := range v.levels.Path(first + 1) {
		tree.Used[k] = true
	}
	for _, level := range v.levels[first+1:] {
		tree.Parents = append(tree.Parents, level.Memberships.Hard())
	}
	return tree
}

func (v hierarchyView) nodeRows(i int) [][]string {
	rows := [][]string{{"node", "name", "cluster", "weight"}}
	for node, k := range v.levels.Path(i + 1) {
		name := ""
		if v.names != nil {
			name = v.names[node]
		}
		rows = append(rows, []string{strconv.Itoa(node), name, fmt.Sprint(k), decimal(v.inputs[i].Weight(node, k))})
	}
	return rows
}

func (v hierarchyView) clusterRows(i int) [][]string {
	rows, mass := [][]string{{"cluster", "nodes", "mass", "central"}}, v.levels.Mass(i+1)
	for k, nodes := range v.levels.Central(i+1, v.inputs[i], v.Graph) {
		rows = append(rows, []string{strconv.Itoa(k), strconv.Itoa(len(nodes)), decimal(float32(mass[k])), strings.Join(v.named(nodes, wordsFiled), " ")})
	}
	return rows
}

// membershipRows lists the memberships of level i's own nodes from v.least on, and each node's largest.
func (v hierarchyView) membershipRows(i int) [][]string {
	rows := [][]string{{"node", "cluster", "weight"}}
	m := v.levels[i].Memberships
	for node, largest := range m.Hard() {
		clusters, weights := m.Row(node)
		for s, k := range clusters {
			if k == largest || float64(weights[s]) >= v.least {
				rows = append(rows, []string{strconv.Itoa(node), fmt.Sprint(k), decimal(weights[s])})
			}
		}
	}
	return rows
}

func neighbourhoodRows(l models.ClusterLevel) [][]string {
	rows := [][]string{{"cluster", "place", "node", "rank", "gate"}}
	for k, nodes := range l.Neighbourhoods {
		for place, node := range nodes {
			rows = append(rows, []string{strconv.Itoa(k), strconv.Itoa(place), fmt.Sprint(node), decimal(l.Ranks[k][place]), decimal(l.Gates[k][place])})
		}
	}
	return rows
}

func decimal(v float32) string { return strconv.FormatFloat(float64(v), 'g', 6, 32) }

// spread prints what the values in a file, of a level's clusters, are at the input nodes.
func (s *shared) spread(cmd *cobra.Command, levels models.ClusterLevels, level int, path string) error {
	array, err := npz.ReadNPYFile(path)
	if err != nil {
		return inFile(path, err)
	}
	floats, err := array.Floats()
	if err != nil {
		return inFile(path, err)
	}
	values := make([]float32, len(floats))
	for i, v := range floats {
		values[i] = float32(v)
	}
	if level >= 1 && level <= len(levels) && (len(array.Shape) == 0 || array.Shape[0] != levels[level-1].Clusters) {
		return fmt.Errorf("%s: the array has shape %v; level %d has %d clusters, a row of the array for each", path, array.Shape, level, levels[level-1].Clusters)
	}
	spread, err := levels.Spread(level, values)
	if err != nil {
		return inFile(path, err)
	}
	nodes := slices.Collect(slices.Chunk(spread, len(spread)/levels[0].Memberships.Nodes()))
	if s.json {
		return printJSON(cmd.OutOrStdout(), nodes)
	}
	header := []string{"node"}
	for channel := range nodes[0] {
		header = append(header, fmt.Sprintf("value_%d", channel))
	}
	w := csv.NewWriter(cmd.OutOrStdout())
	rows := [][]string{header}
	for i, values := range nodes {
		row := []string{strconv.Itoa(i)}
		for _, value := range values {
			row = append(row, strconv.FormatFloat(value, 'g', 9, 64))
		}
		rows = append(rows, row)
	}
	return w.WriteAll(rows)
}
