package benchmarks

import (
	"math"
	"strconv"
	"strings"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/models"
)

// latticeSide reads "lattice-N" as the side of a square of about N nodes.
func latticeSide(arch string) (side int, ok bool) {
	text, ok := strings.CutPrefix(arch, "lattice-")
	n, err := strconv.Atoi(text)
	return int(math.Sqrt(float64(n))), ok && err == nil && n >= 64
}

// lattice is a network on a square of nodes: levels of a quarter of their predecessor's nodes, 16 filters and neighbourhoods
// of 16, until one cluster can see all that is left.
func lattice(side int) models.Spec {
	spec := models.Spec{Nodes: side * side, Channels: 8, Classes: 4}
	nodes := spec.Nodes
	for ; nodes > 64; nodes = (nodes + 3) / 4 {
		spec.Levels = append(spec.Levels, models.Level{Clusters: (nodes + 3) / 4, Filters: 16, Neighbours: 16})
	}
	spec.Levels = append(spec.Levels, models.Level{Clusters: 1, Filters: 32, Neighbours: nodes})
	spec.Hidden = []int{32}
	return spec
}

// latticeGraph joins each node of a square to 16 others near it: 8 edges a node, but at the border.
func latticeGraph(side int) (*affinity.Matrix, error) {
	var edges []affinity.Edge
	for y := range side {
		for x := range side {
			for _, step := range [][2]int{{0, 1}, {1, 0}, {1, 1}, {1, -1}, {0, 2}, {2, 0}, {1, 2}, {2, 1}} {
				if toY, toX := y+step[0], x+step[1]; toY < side && toX >= 0 && toX < side {
					edges = append(edges, affinity.Edge{I: y*side + x, J: toY*side + toX, Weight: 1})
				}
			}
		}
	}
	return affinity.New(side*side, edges)
}
