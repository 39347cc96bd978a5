// Package partition finds hard clusterings of a graph that maximise the method's objective
//
//	C = ½ Σ_k cohesion_k / volume_k
//
// where, for hard memberships, the cohesion of a cluster is twice the weight of the edges inside it and its volume the sum
// of its nodes' degrees: the normalised association that Graclus (Dhillon et al. 2007) maximises. The search is
// simulated annealing over moves of one node to a neighbouring cluster, and swaps of two nodes where a cluster is full.
// It works on the host and costs time linear in the edges for each sweep.
package partition

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/clusterpool/ccp/ccp/affinity"
)

// Options of Search.
type Options struct {
	// MaxSize is the most nodes that a cluster may hold; 0 is no limit. With the size of the neighbourhood as limit every
	// node can be selected by its own cluster.
	MaxSize int
	// Sweeps is how many times each node is tried (default 1000; for more than 10⁵ nodes 10⁸ tries in all, at least 100
	// sweeps).
	Sweeps int
	// Seed of the search, which is deterministic.
	Seed uint64
	// Progress, if set, is called now and then with the level under search, from 1, the share of it done and its C.
	Progress func(level int, done, objective float64)

	level int // for Progress
}

// Search clusters the nodes of m into exactly k clusters, none of them empty, and returns each node's cluster and C. Self-loops
// of m are left out. Errors: k not in 1..N, MaxSize·k < N, or ctx ended.
func Search(ctx context.Context, m *affinity.Matrix, k int, o Options) (cluster []int32, objective float64, err error) {
	n := m.N()
	if k < 1 || k > n {
		return nil, 0, fmt.Errorf("%d clusters of %d nodes: there must be from 1 to as many as nodes", k, n)
	}
	if o.level == 0 {
		o.level = 1
	}
	if o.MaxSize == 0 {
		o.MaxSize = n
	}
	if o.MaxSize*k < n {
		return nil, 0, fmt.Errorf("%d clusters of at most %d nodes cannot hold %d nodes", k, o.MaxSize, n)
	}
	if o.Sweeps == 0 {
		o.Sweeps = max(100, min(1000, 100_000_000/n))
	}
	s := newSearch(m.WithoutLoops(), k, o)
	if k > 1 {
		err = s.anneal(ctx)
	}
	return s.cluster, s.total(), err
}

// search is the state of an annealing: each cluster's association (twice its inner weight), volume and size.
type search struct {
	graph       *affinity.Matrix
	options     Options
	rng         *rand.Rand
	cluster     []int32
	degree      []float64
	association []float64
	volume      []float64
	size        []int
}

func newSearch(m *affinity.Matrix, k int, o Options) *search {
	cluster := make([]int32, m.N())
	for at, i := range breadthFirst(m) { // equal runs of an order in which neighbours are near
		cluster[i] = int32(at * k / m.N())
	}
	s := newState(m, k, cluster)
	s.options, s.rng = o, rand.New(rand.NewPCG(o.Seed, uint64(m.N())))
	return s
}

// newState takes stock of a clustering.
func newState(m *affinity.Matrix, k int, cluster []int32) *search {
	s := &search{graph: m, cluster: cluster, degree: m.Degrees(), association: make([]float64, k), volume: make([]float64, k), size: make([]int, k)}
	for i, c := range cluster {
		s.size[c]++
		s.volume[c] += s.degree[i]
		s.association[c] += s.links(i, c)
	}
	return s
}

// links is the weight of the edges from node i into cluster c.
func (s *search) links(i int, c int32) (sum float64) {
	neighbours, weights := s.graph.Row(i)
	for e, j := range neighbours {
		if s.cluster[j] == c {
			sum += weights[e]
		}
	}
	return sum
}

func ratio(association, volume float64) float64 {
	if volume <= 0 {
		return 0
	}
	return association / volume
}

// anneal tries random moves at temperatures that fall geometrically from about the worth of a cluster to a thousandth of it.
func (s *search) anneal(ctx context.Context) error {
	n := s.graph.N()
	const hot, cold = 0.1, 1e-4
	sweeps := s.options.Sweeps
	for sweep := range sweeps {
		temperature := hot * math.Pow(cold/hot, float64(sweep)/float64(sweeps))
		for range n {
			s.try(s.rng.IntN(n), temperature)
		}
		if sweep%16 == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
			if s.options.Progress != nil {
				s.options.Progress(s.options.level, float64(sweep)/float64(sweeps), s.total())
			}
		}
	}
	return nil
}

// try moves node i to the cluster of one of its neighbours, or swaps it with a node there if that is full, when that
// raises the objective, or lowers it by no more than chance allows at this temperature.
func (s *search) try(i int, temperature float64) {
	neighbours, _ := s.graph.Row(i)
	if len(neighbours) == 0 {
		return
	}
	j := int(neighbours[s.rng.IntN(len(neighbours))])
	a, b := s.cluster[i], s.cluster[j]
	if a == b {
		return
	}
	if s.size[b] < s.options.MaxSize {
		if s.size[a] > 1 {
			before := s.worth(a) + s.worth(b)
			s.move(i, b)
			if !s.accept(s.worth(a)+s.worth(b)-before, temperature) {
				s.move(i, a)
			}
		}
		return
	}
	// The node that goes back is a neighbour of i's old cluster if there is one at hand.
	back, _ := s.graph.Row(j)
	k := j
	if candidate := int(back[s.rng.IntN(len(back))]); s.cluster[candidate] == b {
		k = candidate
	}
	before := s.worth(a) + s.worth(b)
	s.move(i, b)
	s.move(k, a)
	if !s.accept(s.worth(a)+s.worth(b)-before, temperature) {
		s.move(k, b)
		s.move(i, a)
	}
}

func (s *search) worth(c int32) float64 { return ratio(s.association[c], s.volume[c]) }

func (s *search) accept(gain, temperature float64) bool {
	return gain >= 0 || s.rng.Float64() < math.Exp(gain/temperature)
}

// move puts node i into cluster b.
func (s *search) move(i int, b int32) {
	a := s.cluster[i]
	var inA, inB float64
	neighbours, weights := s.graph.Row(i)
	for e, j := range neighbours {
		switch s.cluster[j] {
		case a:
			inA += weights[e]
		case b:
			inB += weights[e]
		}
	}
	s.association[a] -= 2 * inA
	s.association[b] += 2 * inB
	s.volume[a] -= s.degree[i]
	s.volume[b] += s.degree[i]
	s.size[a]--
	s.size[b]++
	s.cluster[i] = b
}

// total is C.
func (s *search) total() (sum float64) {
	for c := range s.size {
		sum += ratio(s.association[c], s.volume[c]) / 2
	}
	return sum
}

// breadthFirst orders the nodes so that neighbours are near each other, component after component.
func breadthFirst(m *affinity.Matrix) []int {
	order, seen := make([]int, 0, m.N()), make([]bool, m.N())
	for start := range m.N() {
		if seen[start] {
			continue
		}
		seen[start] = true
		order = append(order, start)
		for at := len(order) - 1; at < len(order); at++ {
			neighbours, _ := m.Row(order[at])
			for _, j := range neighbours {
				if !seen[j] {
					seen[j] = true
					order = append(order, int(j))
				}
			}
		}
	}
	return order
}
