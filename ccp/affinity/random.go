package affinity

import (
	"fmt"
	"math/rand/v2"
)

// RandomConnected is a random connected graph of n nodes with exactly that many edges of weight 1, no self-loops: a
// spanning tree drawn uniformly (the first visits of a random walk over the complete graph: Aldous 1990, Broder 1989),
// then distinct edges drawn uniformly from the rest. The same seed gives the same graph.
//
// It is an error if no such graph exists: a connected one has at least n-1 edges, a simple one at most n(n-1)/2.
func RandomConnected(n, edges int, seed uint64) (*Matrix, error) {
	if err := checkNodes(n); err != nil {
		return nil, err
	}
	least, most := max(n-1, 0), n*(n-1)/2
	if edges < least || edges > most {
		return nil, fmt.Errorf("%d edges cannot join %d nodes; it takes from %d to %d", edges, n, least, most)
	}
	random := rand.New(rand.NewPCG(seed, 0))
	taken := make(map[[2]int]bool, edges)
	visited := make([]bool, n)
	for node, left := 0, least; left > 0; {
		visited[node] = true
		next := other(random, n, node)
		if !visited[next] {
			visited[next] = true
			taken[ordered(node, next)] = true
			left--
		}
		node = next
	}
	for len(taken) < edges {
		node := random.IntN(n)
		taken[ordered(node, other(random, n, node))] = true
	}
	list := make([]Edge, 0, edges)
	for pair := range taken {
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
