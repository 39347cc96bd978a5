package partition

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/internal/loop"
	"gonum.org/v1/gonum/floats"
)

const (
	clearlyLonger = 1.05 // times another side is one that is cut first
	climbs        = 50   // sweeps over the nodes, at most
)

// Cut clusters nodes by their positions, `[N, axes]`, into k <= N clusters. It cuts them across the longest side of
// their box into p runs of the same size, where p is the largest prime factor of k. It cuts each run likewise into
// k/p (recursive coordinate bisection, Berger and Bokhari 1987, for any k). The result is each node's cluster, from
// 0.
func Cut(positions [][]float64, k int) []int32 {
	cluster := make([]int32, len(positions))
	var cut func(nodes []int, k, first int)
	cut = func(nodes []int, k, first int) {
		if k == 1 {
			for _, i := range nodes {
				cluster[i] = int32(first)
			}
			return
		}
		axis, p := longest(positions, nodes), largestPrime(k)
		slices.SortStableFunc(nodes, func(i, j int) int { return cmp.Compare(positions[i][axis], positions[j][axis]) })
		for run := range p {
			cut(nodes[run*len(nodes)/p:(run+1)*len(nodes)/p], k/p, first+run*(k/p))
		}
	}
	cut(loop.Indices(len(positions)), k, 0)
	return cluster
}

// longest finds the axis along which nodes lie farthest apart. It takes the first if axes differ little.
func longest(positions [][]float64, nodes []int) (axis int) {
	along, side := make([]float64, len(nodes)), -1.0
	for a := range positions[0] {
		for at, i := range nodes {
			along[at] = positions[i][a]
		}
		if length := floats.Max(along) - floats.Min(along); length > side*clearlyLonger {
			side, axis = length, a
		}
	}
	return axis
}

// largestPrime finds the largest prime factor of k > 1.
func largestPrime(k int) (largest int) {
	for p := 2; k > 1; p++ {
		for k%p == 0 {
			largest, k = p, k/p
		}
	}
	return largest
}

// climb moves nodes to neighbouring clusters, of at most maxSize nodes, or swaps them, until a sweep no longer raises
// C. It returns C. It leaves out self-loops of m.
func climb(m *affinity.Matrix, cluster []int32, k, maxSize int) float64 {
	s := newSearch(m.WithoutLoops(), cluster, k)
	s.maxSize, s.rng = maxSize, rand.New(rand.NewPCG(0, uint64(m.N())))
	c := s.objective()
	for range climbs {
		for i := range m.N() {
			s.try(i, 0)
		}
		before := c
		c = s.objective()
		if c <= before {
			break
		}
	}
	return c
}
