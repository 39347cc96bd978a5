package affinity

import (
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
)

// Spread is the smallest, mean and largest of some numbers; all are 0 if there are none.
type Spread struct {
	Min  float64 `json:"min"`
	Mean float64 `json:"mean"`
	Max  float64 `json:"max"`
}

// Stats describes a graph.
type Stats struct {
	Nodes            int     `json:"nodes"`
	Edges            int     `json:"edges"`             // Undirected, without self-loops.
	Loops            int     `json:"loops"`             // Self-loops.
	Density          float64 `json:"density"`           // Entries / N².
	Neighbours       Spread  `json:"neighbours"`        // How many other nodes a node is joined to.
	Degree           Spread  `json:"degree"`            // The sum of the weights of those edges.
	Components       int     `json:"components"`        // Connected components; an isolated node is one.
	LargestComponent int     `json:"largest_component"` // Its number of nodes.
	Isolated         int     `json:"isolated"`          // Nodes without neighbours.
}

// Stats computes the description.
func (m *Matrix) Stats() Stats {
	n := m.N()
	s := Stats{Nodes: n, Loops: m.loops(), Edges: m.Edges(), Density: m.Density(), Degree: spread(m.Degrees())}
	counts := make([]float64, n)
	for i := range n {
		neighbours, _ := m.Row(i)
		counts[i] = float64(len(neighbours))
		if m.At(i, i) != 0 {
			counts[i]--
		}
		if counts[i] == 0 {
			s.Isolated++
		}
	}
	for _, component := range m.Components() {
		s.Components++
		s.LargestComponent = max(s.LargestComponent, len(component))
	}
	s.Neighbours = spread(counts)
	return s
}

// Components lists the nodes of each connected component, in the order of their first nodes. A node comes after the
// nodes that are fewer hops away from the component's first.
func (m *Matrix) Components() (components [][]int32) {
	far := slices.Repeat([]int32{-1}, m.N())
	for first := range far {
		if far[first] < 0 {
			components = append(components, m.Walk(int32(first), far))
		}
	}
	return components
}

// Walk goes from a node along the edges to all nodes that it can reach, breadth first. It returns these nodes in the
// order of the walk: nodes with fewer hops come first. It writes the hops of each node to far, `[N]`. It does not enter
// nodes whose far is not negative: with the far of earlier walks, it stays out of their components.
func (m *Matrix) Walk(from int32, far []int32) (reached []int32) {
	far[from] = 0
	reached = []int32{from}
	for at := 0; at < len(reached); at++ {
		neighbours, _ := m.Row(int(reached[at]))
		for _, j := range neighbours {
			if far[j] < 0 {
				far[j] = far[reached[at]] + 1
				reached = append(reached, j)
			}
		}
	}
	return reached
}

func spread(values []float64) Spread {
	if len(values) == 0 {
		return Spread{}
	}
	return Spread{floats.Min(values), stat.Mean(values, nil), floats.Max(values)}
}
