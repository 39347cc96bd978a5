package affinity

import (
	"fmt"
	"math/rand/v2"
)

// Grid returns the graph of an image of height x width pixels. A pixel is joined to 4 neighbours (left, right, up,
// down), or to 8 (the diagonals, too), with weight 1. Pixel (row, column) is node row*width + column.
func Grid(height, width, neighbours int) (*Matrix, error) {
	if height < 1 || width < 1 || height > maxNodes/width {
		return nil, fmt.Errorf("grid of %d x %d; each side is at least 1, the product at most %d", height, width, maxNodes)
	}
	if neighbours != 4 && neighbours != 8 {
		return nil, fmt.Errorf("grid with %d neighbours; a pixel has 4 or 8", neighbours)
	}
	// Half of the neighbours: the others are the same edges from the other end.
	steps := [][2]int{{0, 1}, {1, 0}, {1, 1}, {1, -1}}[:neighbours/2]
	edges := make([]Edge, 0, height*width*len(steps))
	for row := range height {
		for column := range width {
			for _, step := range steps {
				r, c := row+step[0], column+step[1]
				if r < height && c >= 0 && c < width {
					edges = append(edges, Edge{row*width + column, r*width + c, 1})
				}
			}
		}
	}
	return New(height*width, edges)
}

// SpaceTime returns the graph of a skeleton that moves. Node frame*joints + joint is a joint in a frame. Each bone
// joins its two joints in every frame, and each joint is joined to itself in the next frame. All weights are 1.
func SpaceTime(bones [][2]int, joints, frames int) (*Matrix, error) {
	if joints < 1 || frames < 1 || joints > maxNodes/frames {
		return nil, fmt.Errorf("skeleton of %d joints over %d frames; each is at least 1, the product at most %d",
			joints, frames, maxNodes)
	}
	for k, bone := range bones {
		if bone[0] == bone[1] || min(bone[0], bone[1]) < 0 || max(bone[0], bone[1]) >= joints {
			return nil, fmt.Errorf("bone %d joins %d and %d; it takes two of the %d joints, which count from 0",
				k, bone[0], bone[1], joints)
		}
	}
	var edges []Edge
	for frame := range frames {
		first := frame * joints
		for _, bone := range bones {
			edges = append(edges, Edge{first + bone[0], first + bone[1], 1})
		}
		if frame+1 < frames {
			for joint := range joints {
				edges = append(edges, Edge{first + joint, first + joints + joint, 1})
			}
		}
	}
	return New(joints*frames, edges)
}

// RandomConnected returns a random connected graph of n nodes with the given number of edges of weight 1, and no
// self-loops. It draws a spanning tree uniformly: the first visits of a random walk over the complete graph (Aldous
// 1990, Broder 1989). Then it draws distinct edges uniformly from the rest. The same seed gives the same graph.
//
// It is an error if no such graph exists: a connected graph has at least n-1 edges, and at most n(n-1)/2.
func RandomConnected(n, edges int, seed uint64) (*Matrix, error) {
	if err := checkNodes(n); err != nil {
		return nil, err
	}
	least, most := max(n-1, 0), n*(n-1)/2
	if edges < least || edges > most {
		return nil, fmt.Errorf("%d edges cannot join %d nodes; it takes from %d to %d", edges, n, least, most)
	}
	random := rand.New(rand.NewPCG(seed, 0))
	joined := make(map[[2]int]bool, edges) // pairs of nodes, the lower one first
	visited := make([]bool, n)
	if n > 0 { // a graph may have no nodes
		visited[0] = true
	}
	for node, unvisited := 0, least; unvisited > 0; {
		next := other(random, n, node)
		if !visited[next] {
			visited[next] = true
			joined[ordered(node, next)] = true
			unvisited--
		}
		node = next
	}
	for len(joined) < edges {
		node := random.IntN(n)
		joined[ordered(node, other(random, n, node))] = true
	}
	list := make([]Edge, 0, edges)
	for pair := range joined {
		list = append(list, Edge{pair[0], pair[1], 1})
	}
	return New(n, list) // Sorts: the order in which the map gave them does not matter.
}

// other draws one of the n nodes but not this one.
func other(random *rand.Rand, n, node int) int {
	next := random.IntN(n - 1)
	if next >= node {
		next++
	}
	return next
}

func ordered(i, j int) [2]int { return [2]int{min(i, j), max(i, j)} }
