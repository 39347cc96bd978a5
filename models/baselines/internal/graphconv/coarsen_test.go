package graphconv

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func build(t testing.TB, n int, edges ...affinity.Edge) *affinity.Matrix {
	t.Helper()
	a, err := affinity.New(n, edges)
	require.NoError(t, err)
	return a
}

// clustersAt gives the node of Levels[level] that each node of the graph given is in.
func clustersAt(t *Tree, level int) []int32 {
	at := make([]int32, t.Levels[level].N())
	for i := range at {
		at[i] = int32(i)
	}
	for h := level - 1; h >= 0; h-- {
		below := make([]int32, t.Levels[h].N())
		for k, pair := range t.Pairs[h] {
			for _, i := range pair {
				if i >= 0 {
					below[i] = at[k]
				}
			}
		}
		at = below
	}
	clusters := make([]int32, len(at))
	for place, i := range t.Order {
		clusters[i] = at[place]
	}
	return clusters
}

// By hand: the ends of a path of 4 nodes have degree 1, and come first: 0 takes 1, 3 takes 2.
func TestPathOfFour(t *testing.T) {
	path := build(t, 4, affinity.Edge{I: 0, J: 1, Weight: 1}, affinity.Edge{I: 1, J: 2, Weight: 1},
		affinity.Edge{I: 2, J: 3, Weight: 1})
	assert.Equal(t, []int32{0, 0, 1, 1}, match(path, path.Degrees()))
	assert.InDelta(t, 2.0/3, normalizedCut(path, []int32{0, 0, 1, 1}), 1e-15, "one edge of three leaves either pair")
	tree, err := Coarsen(path, 2)
	require.NoError(t, err)
	assert.Equal(t, []int32{0, 1, 2, 3}, tree.Order)
	assert.Equal(t, [][][2]int32{{{0, 1}, {2, 3}}, {{0, 1}}}, tree.Pairs)
	assert.Equal(t, []float64{0, 1, 1, 0}, tree.Levels[1].Dense())
	assert.Equal(t, []float64{0}, tree.Levels[2].Dense())
}

// Nodes that stay alone are moved with the node that they are merged into: 0 and 3 are one node after the second
// halving here.
func TestFakes(t *testing.T) {
	path := build(t, 4, affinity.Edge{I: 0, J: 1, Weight: 1}, affinity.Edge{I: 1, J: 2, Weight: 10},
		affinity.Edge{I: 2, J: 3, Weight: 1})
	assert.Equal(t, []int32{0, 1, 1, 2}, match(path, []float64{9, 2, 2, 9}), "1 is visited first")
	tree, err := arrange([]*affinity.Matrix{path, build(t, 3), build(t, 2)},
		[][][2]int32{{{0, -1}, {1, 2}, {3, -1}}, {{0, 2}, {1, -1}}})
	require.NoError(t, err)
	assert.Equal(t, []int32{0, 3, 1, 2}, tree.Order)
	assert.Equal(t, [][][2]int32{{{0, -1}, {1, -1}, {2, 3}}, {{0, 1}, {2, -1}}}, tree.Pairs)
	assert.Equal(t, 10.0, tree.Levels[0].At(2, 3))
	assert.Equal(t, 1.0, tree.Levels[0].At(0, 2))
}

// Of equal gains the lower index wins; a heavy edge wins over a light one; a small volume over a large one.
func TestMatchGain(t *testing.T) {
	edge := func(i, j int, w float64) affinity.Edge { return affinity.Edge{I: i, J: j, Weight: w} }
	triangle := build(t, 3, edge(0, 1, 1), edge(1, 2, 1), edge(0, 2, 1))
	assert.Equal(t, []int32{0, 0, 1}, match(triangle, []float64{2, 2, 2}))
	assert.Equal(t, []int32{0, 1, 0}, match(triangle, []float64{2, 3, 2}), "0 prefers the smaller volume")
	assert.Equal(t, []int32{0, 1, 1}, match(build(t, 3, edge(0, 1, 1), edge(1, 2, 2), edge(0, 2, 1)), []float64{2, 1, 2}))
	assert.Equal(t, []int32{0, 0, 1, 1, 2}, match(build(t, 5), make([]float64, 5)),
		"nodes without neighbours pair in order")
	assert.Empty(t, match(build(t, 0), nil))
}

// normalizedCut is Σ_k cut_k / volume_k = Σ_k (1 − cohesion_k / volume_k), over the clusters that have edges.
func normalizedCut(a *affinity.Matrix, clusters []int32) float64 {
	used, degrees := map[int32]bool{}, a.Degrees()
	for i, k := range clusters {
		if degrees[i] > 0 {
			used[k] = true
		}
	}
	return float64(len(used)) - 2*a.Objective(clusters, len(clusters))
}

// The clusters and normalised cuts of every level are those of testdata/make.py, an implementation on dense matrices.
func TestReference(t *testing.T) {
	data, err := os.ReadFile("testdata/reference.json")
	require.NoError(t, err)
	var cases []struct {
		Name   string
		Nodes  int
		Edges  [][3]float64
		Levels []struct {
			Clusters []int32
			Cut      float64
		}
	}
	require.NoError(t, json.Unmarshal(data, &cases))
	require.Len(t, cases, 9)
	for _, c := range cases {
		edges := make([]affinity.Edge, len(c.Edges))
		for i, e := range c.Edges {
			edges[i] = affinity.Edge{I: int(e[0]), J: int(e[1]), Weight: e[2]}
		}
		a := build(t, c.Nodes, edges...)
		tree, err := Coarsen(a, len(c.Levels))
		require.NoError(t, err, c.Name)
		checkTree(t, tree, a.WithoutLoops())
		for i, level := range c.Levels {
			clusters := clustersAt(tree, i+1)
			assert.InDelta(t, level.Cut, normalizedCut(a, clusters), 1e-12, "%s, halving %d", c.Name, i+1)
			assert.Equal(t, renumbered(level.Clusters), renumbered(clusters), "%s, halving %d", c.Name, i+1)
		}
	}
}

// renumbered gives clusters numbers in the order of their first nodes.
func renumbered(clusters []int32) []int32 {
	numbers, out := map[int32]int32{}, make([]int32, len(clusters))
	for i, k := range clusters {
		if _, known := numbers[k]; !known {
			numbers[k] = int32(len(numbers))
		}
		out[i] = numbers[k]
	}
	return out
}

// checkTree asserts what holds of every tree: all nodes once, pairs that follow each other, levels that are the sums of
// the level below without what is inside a pair.
func checkTree(t *testing.T, tree *Tree, a *affinity.Matrix) {
	t.Helper()
	n := a.N()
	sorted := slices.Sorted(slices.Values(tree.Order))
	require.Len(t, sorted, n)
	for i, node := range sorted {
		require.EqualValues(t, i, node, "each node once")
	}
	for i, at := range tree.Order {
		for j, other := range tree.Order {
			require.Equal(t, a.At(int(at), int(other)), tree.Levels[0].At(i, j))
		}
	}
	for h, pairs := range tree.Pairs {
		fine, coarse := tree.Levels[h], tree.Levels[h+1]
		require.Len(t, pairs, coarse.N())
		next := int32(0)
		inside := 0.0
		for _, pair := range pairs {
			require.Equal(t, next, pair[0])
			next++
			if pair[1] >= 0 {
				require.Equal(t, next, pair[1])
				inside += fine.At(int(pair[0]), int(pair[1]))
				next++
			}
		}
		require.EqualValues(t, fine.N(), next)
		for k := range pairs {
			require.Zero(t, coarse.At(k, k))
			for l := range pairs {
				if k == l {
					continue
				}
				sum := 0.0
				for _, i := range pairs[k] {
					for _, j := range pairs[l] {
						if i >= 0 && j >= 0 {
							sum += fine.At(int(i), int(j))
						}
					}
				}
				require.InDelta(t, sum, coarse.At(k, l), 1e-9)
			}
		}
		require.InDelta(t, total(fine)-2*inside, total(coarse), 1e-9, "weights are conserved")
	}
}

func total(a *affinity.Matrix) (sum float64) {
	for _, d := range a.Degrees() {
		sum += d
	}
	return sum
}

func TestDegenerate(t *testing.T) {
	for _, n := range []int{0, 1, 2, 3} {
		for _, halvings := range []int{0, 1, 5} {
			tree, err := Coarsen(build(t, n), halvings)
			require.NoError(t, err)
			require.Len(t, tree.Levels, halvings+1)
			checkTree(t, tree, build(t, n))
		}
	}
	var heavy []affinity.Edge // all edges between two pairs: their sum overflows
	for i := range 4 {
		for j := range i {
			heavy = append(heavy, affinity.Edge{I: i, J: j, Weight: math.MaxFloat64 / 3.5})
		}
	}
	_, err := Coarsen(build(t, 4, heavy...), 1)
	assert.ErrorContains(t, err, "coarsening, halving 1: edge 0 (0-1): weight +Inf must be finite")
}

// The path 0-3-1-4-2: its ends take their neighbours, and node 1 stays alone, twice.
func ExampleCoarsen() {
	path, err := affinity.New(5, []affinity.Edge{{I: 0, J: 3, Weight: 1}, {I: 3, J: 1, Weight: 1}, {I: 1, J: 4, Weight: 1},
		{I: 4, J: 2, Weight: 1}})
	if err != nil {
		panic(err)
	}
	tree, err := Coarsen(path, 2)
	if err != nil {
		panic(err)
	}
	fmt.Println("order", tree.Order)
	for h, pairs := range tree.Pairs {
		fmt.Println("halving", h+1, pairs)
	}
	fmt.Println("coarsest", tree.Levels[2].EdgeList())
	// Output:
	// order [0 3 1 2 4]
	// halving 1 [[0 1] [2 -1] [3 4]]
	// halving 2 [[0 1] [2 -1]]
	// coarsest [{0 1 1}]
}
