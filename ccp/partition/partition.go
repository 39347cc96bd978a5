// Package partition finds hard clusterings of a graph that maximise the method's objective C = ½ Σ_k cohesion_k /
// volume_k.
//
// For hard memberships C is the normalised association of Graclus (Dhillon et al. 2007). The cohesion of a cluster is
// twice the weight of the edges inside it, and its volume is the sum of its nodes' degrees. The search is simulated
// annealing: it moves one node to a neighbouring cluster, or swaps two nodes if a cluster is full. It runs on the
// host, in time linear in the edges for each sweep.
package partition

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/clusterpool/ccp/ccp/affinity"
)

// Search clusters the nodes of m into k clusters, and returns each node's cluster and C. A cluster has at least one
// node, and at most maxSize unless that is 0. Another seed leads to another clustering of nearly the same C. The
// result is the same for the same arguments. Self-loops of m are left out. If progress is not nil, it gets the share
// of the search that is done, and C. Errors: k not in 1..N, maxSize·k < N, or ctx ended.
func Search(ctx context.Context, m *affinity.Matrix, k, maxSize int, seed uint64,
	progress func(done, objective float64)) ([]int32, float64, error) {
	n := m.N()
	if k < 1 || k > n {
		return nil, 0, fmt.Errorf("%d clusters of %d nodes: there must be from 1 to as many as nodes", k, n)
	}
	if maxSize == 0 {
		maxSize = n
	}
	if maxSize*k < n {
		return nil, 0, fmt.Errorf("%d clusters of at most %d nodes cannot hold %d nodes", k, maxSize, n)
	}
	m = m.WithoutLoops()
	cluster := make([]int32, n)
	for at, i := range slices.Concat(m.Components()...) { // equal runs of an order in which neighbours are near
		cluster[i] = int32(at * k / n)
	}
	s := newSearch(m, cluster, k)
	if k == 1 {
		return cluster, s.objective(), nil
	}
	s.maxSize, s.rng = maxSize, rand.New(rand.NewPCG(seed, uint64(n)))
	// Temperatures fall geometrically, from the objective of a cluster to a thousandth.
	const hot, cold = 0.1, 1e-4
	sweeps := max(100, min(1000, 100_000_000/n))
	for sweep := range sweeps {
		temperature := hot * math.Pow(cold/hot, float64(sweep)/float64(sweeps))
		for range n {
			s.try(s.rng.IntN(n), temperature)
		}
		if sweep%16 == 0 {
			if err := ctx.Err(); err != nil {
				return nil, 0, err
			}
			if progress != nil {
				progress(float64(sweep)/float64(sweeps), s.objective())
			}
		}
	}
	return cluster, s.objective(), nil
}

// Objective is C of a hard clustering of m into k clusters.
func Objective(m *affinity.Matrix, cluster []int32, k int) float64 {
	return newSearch(m.WithoutLoops(), cluster, k).objective()
}

// search is the state of an annealing.
type search struct {
	graph   *affinity.Matrix
	maxSize int
	rng     *rand.Rand
	cluster []int32   // of each node
	degree  []float64 // of each node
	totals  []totals  // of each cluster
}

// totals of a cluster: its association is twice the weight of the edges inside it, its volume the sum of its nodes'
// degrees.
type totals struct {
	association, volume float64
	size                int
}

// objective is the cluster's part of 2·C.
func (t totals) objective() float64 {
	if t.volume <= 0 {
		return 0
	}
	return t.association / t.volume
}

func newSearch(m *affinity.Matrix, cluster []int32, k int) *search {
	s := &search{graph: m, cluster: cluster, degree: m.Degrees(), totals: make([]totals, k)}
	for i, c := range cluster {
		inside, _ := s.links(i, c, c)
		s.totals[c].size++
		s.totals[c].volume += s.degree[i]
		s.totals[c].association += inside
	}
	return s
}

// links sums the weights of the edges from node i into clusters a and b.
func (s *search) links(i int, a, b int32) (toA, toB float64) {
	neighbours, weights := s.graph.Row(i)
	for e, j := range neighbours {
		switch s.cluster[j] {
		case a:
			toA += weights[e]
		case b:
			toB += weights[e]
		}
	}
	return toA, toB
}

// try moves node i to the cluster of one of its neighbours, or swaps it with a node there if that cluster is full. It
// keeps a change that raises the objective, or lowers it by no more than chance allows at this temperature.
func (s *search) try(i int, temperature float64) {
	neighbours, _ := s.graph.Row(i)
	if len(neighbours) == 0 {
		return
	}
	j := int(neighbours[s.rng.IntN(len(neighbours))])
	a, b := s.cluster[i], s.cluster[j]
	full := s.totals[b].size >= s.maxSize
	if a == b || !full && s.totals[a].size == 1 {
		return
	}
	if full { // The node that goes back is a neighbour of i's old cluster if there is one at hand.
		back, _ := s.graph.Row(j)
		if candidate := int(back[s.rng.IntN(len(back))]); s.cluster[candidate] == b {
			j = candidate
		}
	}
	before := s.totals[a].objective() + s.totals[b].objective()
	s.move(i, b)
	if full {
		s.move(j, a)
	}
	gain := s.totals[a].objective() + s.totals[b].objective() - before
	if gain >= 0 || s.rng.Float64() < math.Exp(gain/temperature) {
		return
	}
	if full {
		s.move(j, b)
	}
	s.move(i, a)
}

// move puts node i into cluster b.
func (s *search) move(i int, b int32) {
	a := s.cluster[i]
	inA, inB := s.links(i, a, b)
	from, to := &s.totals[a], &s.totals[b]
	from.association -= 2 * inA
	to.association += 2 * inB
	from.volume -= s.degree[i]
	to.volume += s.degree[i]
	from.size--
	to.size++
	s.cluster[i] = b
}

// objective is C.
func (s *search) objective() (sum float64) {
	for _, t := range s.totals {
		sum += t.objective() / 2
	}
	return sum
}
