package affinity

import (
	"fmt"
	"strings"
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
	s := Stats{Nodes: n, Loops: m.loops(), Edges: m.Edges(), Density: m.Density()}
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
	s.Neighbours, s.Degree = spread(counts), spread(m.Degrees())
	for _, size := range m.components() {
		s.Components++
		s.LargestComponent = max(s.LargestComponent, size)
	}
	return s
}

func spread(values []float64) Spread {
	if len(values) == 0 {
		return Spread{}
	}
	s := Spread{Min: values[0], Max: values[0]}
	for _, v := range values {
		s.Min, s.Max = min(s.Min, v), max(s.Max, v)
		s.Mean += v / float64(len(values))
	}
	return s
}

// components gives the number of nodes of each connected component, in the order of their lowest nodes.
func (m *Matrix) components() []int {
	var sizes []int
	seen := make([]bool, m.N())
	var open []int32
	for start := range seen {
		if seen[start] {
			continue
		}
		seen[start] = true
		open = append(open, int32(start))
		size := 0
		for ; len(open) > 0; size++ {
			node := open[len(open)-1]
			open = open[:len(open)-1]
			neighbours, _ := m.Row(int(node))
			for _, j := range neighbours {
				if !seen[j] {
					seen[j] = true
					open = append(open, j)
				}
			}
		}
		sizes = append(sizes, size)
	}
	return sizes
}

// String is the description in lines for people.
func (s Stats) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "nodes       %d\n", s.Nodes)
	fmt.Fprintf(&b, "edges       %d and %d self-loops\n", s.Edges, s.Loops)
	fmt.Fprintf(&b, "density     %.4g\n", s.Density)
	fmt.Fprintf(&b, "neighbours  %.0f to %.0f, mean %.4g\n", s.Neighbours.Min, s.Neighbours.Max, s.Neighbours.Mean)
	fmt.Fprintf(&b, "degree      %.4g to %.4g, mean %.4g\n", s.Degree.Min, s.Degree.Max, s.Degree.Mean)
	fmt.Fprintf(&b, "components  %d, the largest of %d nodes; %d isolated nodes\n", s.Components, s.LargestComponent, s.Isolated)
	return b.String()
}
