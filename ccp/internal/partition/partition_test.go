package partition_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/ccp/internal/partition"
	"github.com/clusterpool/ccp/internal/files"
	"github.com/clusterpool/ccp/internal/messagetest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func grid(t *testing.T, h, w int) *affinity.Matrix {
	t.Helper()
	m, err := affinity.Grid(h, w, 8)
	require.NoError(t, err)
	return m
}

// objective is C by its definition, from scratch.
func objective(m *affinity.Matrix, cluster []int32, k int) (sum float64) {
	cohesion, volume := make([]float64, k), make([]float64, k)
	for i := range m.N() {
		neighbours, weights := m.Row(i)
		for e, j := range neighbours {
			if int(j) == i {
				continue
			}
			volume[cluster[i]] += weights[e]
			if cluster[i] == cluster[j] {
				cohesion[cluster[i]] += weights[e]
			}
		}
	}
	for c := range k {
		if volume[c] > 0 {
			sum += cohesion[c] / volume[c] / 2
		}
	}
	return sum
}

func sizes(cluster []int32, k int) []int {
	n := make([]int, k)
	for _, c := range cluster {
		n[c]++
	}
	return n
}

// Two triangles joined by an edge: the best two clusters are the triangles, C = ½(6/7 + 6/7).
func TestTwoTriangles(t *testing.T) {
	m, err := affinity.New(6, []affinity.Edge{{I: 0, J: 1, Weight: 1}, {I: 1, J: 2, Weight: 1}, {I: 0, J: 2, Weight: 1},
		{I: 2, J: 3, Weight: 1},
		{I: 3, J: 4, Weight: 1}, {I: 4, J: 5, Weight: 1}, {I: 3, J: 5, Weight: 1}})
	require.NoError(t, err)
	cluster, c, err := partition.Search(context.Background(), m, 2, 0, 0, nil)
	require.NoError(t, err)
	assert.Equal(t, []int32{cluster[0], cluster[0], cluster[0], cluster[5], cluster[5], cluster[5]}, cluster)
	assert.InDelta(t, 6.0/7, c, 1e-12)
}

// On the 32x32 grid the search comes within 1% of perfect 2x2 blocks, which reach C = 73.0 over the five levels.
func TestGridReachesBlocks(t *testing.T) {
	m := grid(t, 32, 32)
	levels := []partition.Size{{Clusters: 256, MaxSize: 16}, {Clusters: 64, MaxSize: 16}, {Clusters: 16, MaxSize: 8},
		{Clusters: 4, MaxSize: 8}, {Clusters: 1, MaxSize: 4}}
	clusters, err := partition.SearchLevels(context.Background(), m, nil, levels, 0, nil)
	require.NoError(t, err)
	sum := 0.0
	for i, level := range levels {
		c := m.Objective(clusters[i], level.Clusters)
		assert.InDelta(t, objective(m, clusters[i], level.Clusters), c, 1e-9, "level %d", i+1)
		for c, n := range sizes(clusters[i], level.Clusters) {
			require.Positive(t, n, "level %d, cluster %d", i+1, c)
			if level.MaxSize*level.Clusters >= m.N() {
				require.LessOrEqual(t, n, level.MaxSize, "level %d, cluster %d", i+1, c)
			}
		}
		sum += c
		m, err = m.Coarsen(clusters[i], level.Clusters)
		require.NoError(t, err)
	}
	assert.Greater(t, sum, 70.0)
}

func TestSearchIsDeterministic(t *testing.T) {
	m := grid(t, 8, 8)
	search := func() []int32 {
		cluster, _, err := partition.Search(context.Background(), m, 16, 4, 0, nil)
		require.NoError(t, err)
		assert.Equal(t, []int{4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4}, sizes(cluster, 16), "full clusters swap")
		return cluster
	}
	assert.Equal(t, search(), search())
}

func TestDegenerateSizes(t *testing.T) {
	for _, c := range []struct{ n, k int }{{1, 1}, {5, 1}, {5, 5}, {5, 2}} {
		t.Run(fmt.Sprintf("%d nodes in %d", c.n, c.k), func(t *testing.T) {
			m, err := affinity.New(c.n, nil) // no edges at all
			require.NoError(t, err)
			cluster, value, err := partition.Search(context.Background(), m, c.k, 0, 0, nil)
			require.NoError(t, err)
			assert.Zero(t, value)
			for _, n := range sizes(cluster, c.k) {
				assert.Positive(t, n)
			}
		})
	}
	cluster, c, err := partition.Search(context.Background(), grid(t, 3, 3), 1, 0, 0, nil)
	require.NoError(t, err)
	assert.Equal(t, make([]int32, 9), cluster)
	assert.Equal(t, 0.5, c)
}

func TestSearchErrors(t *testing.T) {
	m := grid(t, 2, 2)
	for want, f := range map[string]func() error{
		"5 clusters … 4 nodes … from 1": func() error {
			_, _, err := partition.Search(context.Background(), m, 5, 0, 0, nil)
			return err
		},
		"0 clusters of 4 nodes": func() error {
			_, _, err := partition.Search(context.Background(), m, 0, 0, 0, nil)
			return err
		},
		"2 clusters … at most 1 … 4": func() error {
			_, _, err := partition.Search(context.Background(), m, 2, 1, 0, nil)
			return err
		},
	} {
		messagetest.Names(t, f(), want)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := partition.SearchLevels(ctx, grid(t, 8, 8), nil, []partition.Size{{Clusters: 16, MaxSize: 4}}, 0, nil)
	assert.ErrorIs(t, err, context.Canceled)
}

// The coarse affinity is the layer's: sums of links between clusters, normalised with the diagonal counted.
func TestCoarsen(t *testing.T) {
	m, err := affinity.New(4, []affinity.Edge{{I: 0, J: 1, Weight: 2}, {I: 1, J: 2, Weight: 1}, {I: 2, J: 3, Weight: 4},
		{I: 3, J: 3, Weight: 9}})
	require.NoError(t, err)
	coarse, err := m.Coarsen([]int32{0, 0, 1, 1}, 2)
	require.NoError(t, err)
	assert.InDelta(t, 4.0/5, coarse.At(0, 0), 1e-12) // P = [[4, 1], [1, 8]], row sums 5 and 9
	assert.InDelta(t, 1/6.708203932499369, coarse.At(0, 1), 1e-12)
	assert.InDelta(t, 8.0/9, coarse.At(1, 1), 1e-12)
}

// Cached searches once for each graph and levels, and again where what is kept is damaged.
func TestCached(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", dir)
	m, levels := grid(t, 4, 4), []partition.Size{{Clusters: 4, MaxSize: 4}, {Clusters: 1, MaxSize: 4}}
	cached := func(m *affinity.Matrix, levels []partition.Size) (clusters [][]int32, searched bool) {
		clusters, err := partition.Cached(t.Context(), m, nil, levels, 0, func(int, float64, float64) { searched = true })
		require.NoError(t, err)
		return clusters, searched
	}
	clusters, searched := cached(m, levels)
	assert.True(t, searched)
	got, searched := cached(m, levels)
	assert.False(t, searched)
	assert.Equal(t, clusters, got)
	passing := false // what is not worth keeping is neither kept nor looked for
	got, err := partition.Cached(files.Uncached(t.Context()), m, nil, levels, 0,
		func(int, float64, float64) { passing = true })
	require.NoError(t, err)
	assert.True(t, passing)
	assert.Equal(t, clusters, got)
	_, err = partition.Cached(files.Uncached(t.Context()), grid(t, 4, 5), nil, levels, 0, nil)
	require.NoError(t, err)
	paths, err := filepath.Glob(filepath.Join(dir, "ccp", "*"))
	require.NoError(t, err)
	require.Len(t, paths, 1)
	for _, bad := range []string{"", "[[0]]", "[[0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,4],[0,0,0,0]]",
		"[[0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0],[0,0,0]]"} {
		require.NoError(t, os.WriteFile(paths[0], []byte(bad), 0o644))
		got, searched := cached(m, levels)
		assert.True(t, searched, "%q", bad)
		assert.Equal(t, clusters, got, "%q", bad)
		_, searched = cached(m, levels)
		assert.False(t, searched, "%q", bad)
	}
	_, searched = cached(grid(t, 4, 5), levels)
	assert.True(t, searched)
	_, searched = cached(m, levels[:1])
	assert.True(t, searched)

	t.Setenv("XDG_CACHE_HOME", "")
	t.Setenv("HOME", "")
	got, searched = cached(m, levels)
	assert.True(t, searched, "nowhere to keep it")
	assert.Equal(t, clusters, got)
}

// A grid of 4x4 in four clusters of four: the 2x2 blocks.
func ExampleSearch() {
	m, err := affinity.Grid(4, 4, 8)
	if err != nil {
		panic(err)
	}
	_, c, err := partition.Search(context.Background(), m, 4, 4, 0, nil)
	if err != nil {
		panic(err)
	}
	fmt.Printf("C = %.3f\n", c)
	// Output: C = 1.143
}

// BenchmarkSearch reports C of the 32x32 grid's five levels; perfect blocks reach 73.0.
func BenchmarkSearch(b *testing.B) {
	for b.Loop() {
		m, err := affinity.Grid(32, 32, 8)
		require.NoError(b, err)
		levels := []partition.Size{{Clusters: 256, MaxSize: 16}, {Clusters: 64, MaxSize: 16},
			{Clusters: 16, MaxSize: 8}, {Clusters: 4, MaxSize: 8}, {Clusters: 1, MaxSize: 4}}
		clusters, err := partition.SearchLevels(context.Background(), m, nil, levels, 0, nil)
		require.NoError(b, err)
		sum := 0.0
		for i, level := range levels {
			sum += m.Objective(clusters[i], level.Clusters)
			m, err = m.Coarsen(clusters[i], level.Clusters)
			require.NoError(b, err)
		}
		b.ReportMetric(sum, "C")
	}
}

// Other seeds find other clusterings that are about as good; one seed finds the same again.
func TestSeedsFindOtherClusterings(t *testing.T) {
	m := grid(t, 9, 11) // an even one has a single best clustering, 2x2 blocks, which all seeds find
	search := func(seed uint64) ([]int32, float64) {
		cluster, c, err := partition.Search(context.Background(), m, 20, 9, seed, nil)
		require.NoError(t, err)
		return cluster, c
	}
	first, best := search(0)
	again, _ := search(0)
	assert.Equal(t, first, again)
	together := func(cluster []int32) (pairs [][2]int) { // whatever the clusters are numbered
		for i := range cluster {
			for j := range i {
				if cluster[i] == cluster[j] {
					pairs = append(pairs, [2]int{j, i})
				}
			}
		}
		return pairs
	}
	for seed := range uint64(6) {
		other, c := search(seed)
		assert.InEpsilon(t, best, c, 0.05, "seed %d", seed)
		assert.InDelta(t, objective(m, other, 20), c, 1e-9)
		if seed > 0 {
			assert.False(t, slices.Equal(together(first), together(other)), "seed %d", seed)
		}
	}
}
