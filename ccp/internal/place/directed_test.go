package place_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/ccp/internal/partition"
	"github.com/clusterpool/ccp/ccp/internal/place"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/floats"
)

func grid(t *testing.T, h, w, neighbours int) *affinity.Matrix {
	t.Helper()
	m, err := affinity.Grid(h, w, neighbours)
	require.NoError(t, err)
	return m
}

// pixels are the true positions of a grid's nodes.
func pixels(h, w int) (positions [][]float64) {
	for i := range h * w {
		positions = append(positions, []float64{float64(i / w), float64(i % w)})
	}
	return positions
}

func ones(n int) []float64 {
	all := make([]float64, n)
	floats.AddConst(1, all)
	return all
}

// relabelled is m with node i called to[i].
func relabelled(t *testing.T, m *affinity.Matrix, to []int) *affinity.Matrix {
	t.Helper()
	edges := m.EdgeList()
	for e, edge := range edges {
		edges[e].I, edges[e].J = to[edge.I], to[edge.J]
	}
	other, err := affinity.New(m.N(), edges)
	require.NoError(t, err)
	return other
}

// On both grids the 9 nodes nearest to an inner node are those of a 3x3 filter, and directed slots give each its
// place in it.
func TestDirectedStencil(t *testing.T) {
	const h, w = 12, 12
	for _, neighbours := range []int{4, 8} {
		m := grid(t, h, w, neighbours)
		positions := m.Positions(2)
		nearest, _ := m.Nearest(9)
		nodes, ranks, _ := place.Directed(nil, positions, positions, nearest, ones(len(nearest)), h*w, 9)
		assert.Equal(t, ones(len(nearest)), ranks)
		first := nodes[9*(w+1) : 9*(w+2)]
		for i := range int32(h * w) {
			assert.Equal(t, i, nodes[9*i], "a node's own slot is the first, at the border too")
			if row, column := i/w, i%w; row > 0 && row < h-1 && column > 0 && column < w-1 {
				for s := range int32(9) {
					assert.Equal(t, first[s]-(w+1), nodes[9*i+s]-i, "node %d, slot %d", i, s)
				}
			}
		}
	}
}

// On 2x2 blocks of a grid, directed slots are the taps of a 4x4 convolution of stride 2.
func TestDirectedConvolution(t *testing.T) {
	const side, size = 16, 16
	m := grid(t, side, side, 8)
	cluster := make([]int32, side*side)
	for i := range cluster {
		cluster[i] = int32(i/side/2*side/2 + i%side/2)
	}
	const k = side * side / 4
	nodes, ranks := partition.Neighbourhoods(m, cluster, k, size, rank)
	positions := m.Positions(2)
	centres := place.Centres(positions, cluster, k)
	directed, directedRanks, _ := place.Directed(nil, positions, centres, nodes, ranks, k, size)
	corner := func(c int) int32 { return int32(c/(side/2)*2*side + c%(side/2)*2) } // the first of its own nodes
	first := side/2 + 1
	for c := range k {
		of := map[int32]float64{}
		for s := range size {
			of[nodes[c*size+s]] = ranks[c*size+s]
		}
		row, column := c/(side/2), c%(side/2)
		inner := row > 0 && row < side/2-1 && column > 0 && column < side/2-1
		for s := range size {
			node, rank := directed[c*size+s], directedRanks[c*size+s]
			if inner {
				assert.Equal(t, directed[first*size+s]-corner(first), node-corner(c), "cluster %d, slot %d", c, s)
			}
			if rank > 0 {
				assert.Equal(t, of[node], rank, "each node keeps its rank")
				delete(of, node)
			} else {
				assert.Equal(t, nodes[c*size], node, "an empty slot holds the first of the neighbourhood")
			}
		}
		for node, rank := range of {
			assert.Zero(t, rank, "node %d of cluster %d is left out", node, c)
		}
	}
	at := pixels(side, side)
	assert.Less(t, place.Misfit(at, place.Centres(at, cluster, k), directed, directedRanks, k, size), 0.02)
}

// Names of nodes change nothing but the order of the slots.
func TestDirectedRelabelled(t *testing.T) {
	const h, w = 10, 14
	m := grid(t, h, w, 8)
	to := rand.New(rand.NewPCG(1, 2)).Perm(h * w)
	slots := func(m *affinity.Matrix) []int32 {
		positions := m.Positions(2)
		nearest, _ := m.Nearest(9)
		nodes, _, _ := place.Directed(nil, positions, positions, nearest, ones(len(nearest)), h*w, 9)
		return nodes
	}
	before, after := slots(m), slots(relabelled(t, m, to))
	slot := map[int32]int{} // of each slot before
	for i := range h * w {
		if row, column := i/w, i%w; row > 0 && row < h-1 && column > 0 && column < w-1 {
			for s := range 9 {
				for other, node := range after[9*to[i] : 9*to[i]+9] {
					if int(node) == to[before[9*i+s]] {
						if _, known := slot[int32(s)]; !known {
							slot[int32(s)] = other
						}
						assert.Equal(t, slot[int32(s)], other, "node %d, slot %d", i, s)
					}
				}
			}
		}
	}
	assert.Len(t, slot, 9)
}

// Three neighbourhoods on a line, worked out by hand: the second lacks its left node, the third is empty but for
// strangers.
func TestDirectedByHand(t *testing.T) {
	positions := [][]float64{{0}, {1}, {2}, {3}, {4}}
	centres := [][]float64{{1}, {3}, {4}}
	nodes := []int32{1, 2, 0, 4, 3, 0, 0, -1, 2}
	ranks := []float64{9, 8, 7, 6, 5, 0, 0, 3, 0}
	gotNodes, gotRanks, _ := place.Directed(nil, positions, centres, nodes, ranks, 3, 3)
	assert.Equal(t, []int32{1, 2, 0, 3, 4, 4, 0, 0, 0}, gotNodes)
	assert.Equal(t, []float64{9, 8, 7, 5, 6, 0, 0, 0, 0}, gotRanks)
	assert.Zero(t, place.Misfit(positions, centres, gotNodes, gotRanks, 3, 3))
	assert.Positive(t, place.Misfit(positions, centres, nodes, ranks, 3, 3))
	none, zero, _ := place.Directed(nil, positions, centres, make([]int32, 9), make([]float64, 9), 3, 3)
	assert.Equal(t, make([]int32, 9), none)
	assert.Equal(t, make([]float64, 9), zero)
	// From a template in another order the slots have that order.
	_, _, template := place.Directed(nil, positions, centres, nodes, ranks, 3, 3)
	assert.Equal(t, [][]float64{{0}, {1}, {-1}}, template)
	gotNodes, gotRanks, template = place.Directed([][]float64{{-1}, {0.1}, {1}}, positions, centres, nodes, ranks, 3, 3)
	assert.Equal(t, []int32{0, 1, 2, 4, 3, 4, 0, 0, 0}, gotNodes)
	assert.Equal(t, []float64{7, 9, 8, 0, 5, 6, 0, 0, 0}, gotRanks)
	assert.Equal(t, [][]float64{{-1}, {0}, {1}}, template)
}

// The unit of positions changes no slot, also where their squared distances would overflow or vanish.
func TestDirectedInAnyUnit(t *testing.T) {
	const h, w = 7, 9
	positions := pixels(h, w)
	nearest, _ := grid(t, h, w, 8).Nearest(9)
	want, _, slots := place.Directed(nil, positions, positions, nearest, ones(len(nearest)), h*w, 9)
	inUnit := func(points [][]float64, unit int) (scaled [][]float64) {
		for _, p := range points {
			scaled = append(scaled, nil)
			for _, v := range p {
				scaled[len(scaled)-1] = append(scaled[len(scaled)-1], math.Ldexp(v, unit))
			}
		}
		return scaled
	}
	for _, unit := range []int{1000, 700, 520, 500, 1, -1, -400, -500, -530, -700, -1000} {
		scaled := inUnit(positions, unit)
		got, _, template := place.Directed(nil, scaled, scaled, nearest, ones(len(nearest)), h*w, 9)
		assert.Equal(t, want, got, "2^%d", unit)
		assert.Equal(t, inUnit(slots, unit), template, "2^%d", unit)
	}
}

// The cheapest of all assignments, found by trying them.
func TestAssign(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 100 {
		n := 1 + rng.IntN(4)
		cost := make([][]float64, n)
		for i := range cost {
			cost[i] = make([]float64, n+1)
			for j := range cost[i] {
				cost[i][j] = float64(rng.IntN(10)) // with ties
			}
		}
		var cheapest func(row int, taken map[int]bool) float64
		cheapest = func(row int, taken map[int]bool) float64 {
			if row == n {
				return 0
			}
			least := math.Inf(1)
			for j, c := range cost[row] {
				if !taken[j] {
					taken[j] = true
					least = min(least, c+cheapest(row+1, taken))
					delete(taken, j)
				}
			}
			return least
		}
		total, taken := 0.0, map[int]bool{}
		for i, j := range place.Assign(cost) {
			total += cost[i][j]
			assert.False(t, taken[j])
			taken[j] = true
		}
		assert.Equal(t, cheapest(0, map[int]bool{}), total)
	}
	assert.Empty(t, place.Assign(nil))
}

// BenchmarkDirectedLevels reports the misfit of three levels of the 32x32 grid, annealed and cut, in order of rank
// and directed.
func BenchmarkDirectedLevels(b *testing.B) {
	for _, search := range []string{"annealed", "cut"} {
		b.Run(search, func(b *testing.B) {
			for b.Loop() {
				m, err := affinity.Grid(32, 32, 8)
				require.NoError(b, err)
				positions := m.Embed()
				var cutAt [][]float64
				if search == "cut" {
					cutAt = positions
				}
				levels := []partition.Size{{Clusters: 256, MaxSize: 16}, {Clusters: 64, MaxSize: 16}, {Clusters: 16, MaxSize: 16}}
				clusters, err := partition.SearchLevels(b.Context(), m, cutAt, levels, 0, nil)
				require.NoError(b, err)
				for i, level := range levels {
					k, size := level.Clusters, level.MaxSize
					centres := place.Centres(positions, clusters[i], k)
					nodes, ranks := partition.Neighbourhoods(m, clusters[i], k, size, rank)
					b.ReportMetric(place.Misfit(positions, centres, nodes, ranks, k, size), fmt.Sprintf("level-%d-by-rank", i+1))
					nodes, ranks, _ = place.Directed(nil, positions, centres, nodes, ranks, k, size)
					b.ReportMetric(place.Misfit(positions, centres, nodes, ranks, k, size), fmt.Sprintf("level-%d-directed", i+1))
					m, err = m.Coarsen(clusters[i], k)
					require.NoError(b, err)
					positions = centres
				}
			}
		})
	}
}

func BenchmarkDirected(b *testing.B) {
	m, err := affinity.Grid(100, 100, 8)
	require.NoError(b, err)
	positions := m.Positions(2)
	nearest, _ := m.Nearest(17)
	ranks := ones(len(nearest))
	for b.Loop() {
		place.Directed(nil, positions, positions, nearest, ranks, m.N(), 17)
	}
}

// rank doubles the links of members, as the layer's does.
func rank(membership, links float64) float64 { return (1 + membership) * links }
