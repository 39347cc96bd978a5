// Package partition finds hard clusterings of a graph that maximise the method's objective
// C = ½ Σ_k cohesion_k / volume_k.
//
// The cohesion of a cluster is twice the weight of the edges inside it, and its volume is the sum of its nodes'
// degrees: for hard memberships C is half the normalised association of Graclus (Dhillon et al. 2007). The search is
// simulated annealing: it moves one node to a neighbouring cluster, or swaps two nodes if a cluster is full. It runs
// on the host, in time linear in the edges for each sweep.
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
// node, and at most maxSize unless that is 0. The result is the same for the same arguments; another seed may find
// another clustering. Self-loops of m are left out. If progress is not nil, it gets the share of the search that is
// done, and C. Errors: k not in 1..N, maxSize·k < N, or ctx ended.
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
	// The start: all nodes in a row, component after component and breadth first, so that neighbours are near each
	// other, are cut into k runs. The lengths of two runs differ by one at most.
	for at, i := range slices.Concat(m.Components()...) {
		cluster[i] = int32(at * k / n)
	}
	s := newSearch(m, cluster, k)
	if k == 1 {
		return cluster, s.objective(), nil
	}
	s.maxSize, s.rng = maxSize, rand.New(rand.NewPCG(seed, uint64(n)))
	// The temperature falls geometrically. A change that lowers 2·C by as much as the temperature is kept with
	// probability 1/e. A cluster's part of 2·C is 1 at most.
	const hot, cold = 0.1, 1e-4
	sweeps := max(100, min(1000, 100_000_000/n)) // about 10⁸ tries, but from 100 to 1000 sweeps
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

// search is the state of an annealing.
type search struct {
	graph   *affinity.Matrix
	maxSize int
	rng     *rand.Rand
	cluster []int32   // of each node
	degree  []float64 // of each node
	totals  []totals  // of each cluster
}

// totals of a cluster: its cohesion is twice the weight of the edges inside it, its volume the sum of its nodes'
// degrees.
type totals struct {
	cohesion, volume float64
	size             int
}

// ratio is the share of the cluster's volume that lies inside it, from 0 to 1: its part of 2·C.
func (t totals) ratio() float64 {
	if t.volume <= 0 {
		return 0
	}
	return t.cohesion / t.volume
}

func newSearch(m *affinity.Matrix, cluster []int32, k int) *search {
	s := &search{graph: m, cluster: cluster, degree: m.Degrees(), totals: make([]totals, k)}
	for i, c := range cluster {
		inside, _ := s.links(i, c, c)
		s.totals[c].size++
		s.totals[c].volume += s.degree[i]
		s.totals[c].cohesion += inside
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

// try moves node i to the cluster of one of its neighbours, drawn at random, or swaps it with a node there if that
// cluster is full. It keeps a change that does not lower the objective, and another one with a probability that falls
// with the loss and rises with the temperature. It never empties a cluster.
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
	back := j // the node that goes from b to a in a swap: one neighbour of j, drawn at random, if it is in b; else j
	if full {
		candidates, _ := s.graph.Row(j)
		if candidate := int(candidates[s.rng.IntN(len(candidates))]); s.cluster[candidate] == b {
			back = candidate
		}
	}
	before := s.totals[a].ratio() + s.totals[b].ratio()
	s.move(i, b)
	if full {
		s.move(back, a)
	}
	gain := s.totals[a].ratio() + s.totals[b].ratio() - before
	if gain >= 0 || s.rng.Float64() < math.Exp(gain/temperature) {
		return
	}
	if full {
		s.move(back, b)
	}
	s.move(i, a)
}

// move puts node i into cluster b, which it must not be in already, and updates the totals of both clusters.
func (s *search) move(i int, b int32) {
	a := s.cluster[i]
	inA, inB := s.links(i, a, b)
	from, to := &s.totals[a], &s.totals[b]
	from.cohesion -= 2 * inA
	to.cohesion += 2 * inB
	from.volume -= s.degree[i]
	to.volume += s.degree[i]
	from.size--
	to.size++
	s.cluster[i] = b
}

// objective is C, half the sum of the clusters' ratios.
func (s *search) objective() (sum float64) {
	for _, t := range s.totals {
		sum += t.ratio() / 2
	}
	return sum
}
