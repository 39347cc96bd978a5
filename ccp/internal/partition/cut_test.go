package partition_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/ccp/internal/partition"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// On grids whose sides the levels halve, every cluster is a block of 2x2, by the graph alone. Annealing finds less on a
// large one.
func TestCutTilesGrids(t *testing.T) {
	for _, size := range []struct {
		height, width int
		levels        []partition.Size
	}{
		{32, 32, []partition.Size{{Clusters: 256, MaxSize: 16}, {Clusters: 64, MaxSize: 16}, {Clusters: 16, MaxSize: 8},
			{Clusters: 4, MaxSize: 8}}},
		{16, 8, []partition.Size{{Clusters: 32, MaxSize: 9}, {Clusters: 8, MaxSize: 9}}},
		{12, 24, []partition.Size{{Clusters: 72, MaxSize: 9}, {Clusters: 18, MaxSize: 9}}},
	} {
		m := grid(t, size.height, size.width)
		clusters, err := partition.SearchLevels(t.Context(), m, m.Embed(), size.levels, 0, nil)
		require.NoError(t, err)
		_, annealed, err := partition.Search(t.Context(), m, size.levels[0].Clusters, size.levels[0].MaxSize, 0, nil)
		require.NoError(t, err)
		c := m.Objective(clusters[0], size.levels[0].Clusters)
		assert.GreaterOrEqual(t, c+1e-9, annealed)
		if m.N() == 1024 {
			assert.Greater(t, c, annealed+0.1)
		}
		of := make([]int, m.N()) // the cluster of each pixel
		for i := range of {
			of[i] = i
		}
		for l, cluster := range clusters {
			side, block := 2<<l, map[[2]int]int{}
			for i := range of {
				of[i] = int(cluster[of[i]])
				at := [2]int{i / size.width / side, i % size.width / side}
				if c, known := block[at]; known {
					require.Equal(t, c, of[i], "%dx%d, level %d, block %v", size.height, size.width, l+1, at)
				}
				block[at] = of[i]
			}
			assert.Len(t, block, size.levels[l].Clusters)
		}
		again, err := partition.SearchLevels(t.Context(), m, m.Embed(), size.levels, 0, nil)
		require.NoError(t, err)
		assert.Equal(t, clusters, again)
	}
}

// Of any graph the clusters are as many as asked, none is empty, and none larger than allowed; C is at least that of
// the cuts and of annealing.
func TestCutOfAnyGraph(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{1, 2, 7, 30, 101} {
		var edges []affinity.Edge
		for i := 1; i < n; i++ {
			edges = append(edges, affinity.Edge{I: rng.IntN(i), J: i, Weight: 1 + rng.Float64()})
		}
		for range 2 * n {
			if i, j := rng.IntN(n), rng.IntN(n); i < j &&
				!slices.ContainsFunc(edges, func(e affinity.Edge) bool { return e.I == i && e.J == j }) {
				edges = append(edges, affinity.Edge{I: i, J: j, Weight: rng.Float64()})
			}
		}
		m, err := affinity.New(n, edges)
		require.NoError(t, err)
		positions := m.Embed()
		for k := 1; k <= n; k += 1 + n/9 {
			most := (n+k-1)/k + 1
			clusters, err := partition.SearchLevels(t.Context(), m, positions,
				[]partition.Size{{Clusters: k, MaxSize: most}, {Clusters: 1}}, 0, nil)
			require.NoError(t, err)
			require.Len(t, clusters, 2)
			found := sizes(clusters[0], k)
			assert.Positive(t, slices.Min(found), "%d nodes, %d clusters", n, k)
			assert.LessOrEqual(t, slices.Max(found), most, "%d nodes, %d clusters", n, k)
			_, annealed, err := partition.Search(t.Context(), m, k, most, 0, nil)
			require.NoError(t, err)
			assert.GreaterOrEqual(t, m.Objective(clusters[0], k)+1e-9,
				max(annealed, m.Objective(partition.Cut(positions, k), k)))
		}
	}
}

// Cuts go across the longest side, into as many runs as the largest prime factor says.
func TestCut(t *testing.T) {
	line := [][]float64{{3}, {0}, {1}, {5}, {4}, {2}}
	assert.Equal(t, []int32{1, 0, 0, 2, 2, 1}, partition.Cut(line, 3))
	wide := [][]float64{{0, 0}, {0, 1}, {4, 0}, {4, 1}, {8, 0}, {8, 1}}
	assert.Equal(t, []int32{0, 0, 1, 1, 2, 2}, partition.Cut(wide, 3))
	assert.Equal(t, []int32{0, 1, 2, 3, 4, 5}, partition.Cut(wide, 6))
}
