package partition

import (
	"context"
	"fmt"
	"slices"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/internal/cache"
	"github.com/clusterpool/ccp/internal/files"
)

// searchVersion is raised when the search itself changes: old results must not be taken for new ones.
const searchVersion = 2

// Cached is [Hierarchy] that keeps its result in the user's cache folder for later runs on the same graph. It returns
// a result that it cannot keep, without an error. It does not call progress for a result from the cache.
func Cached(ctx context.Context, m *affinity.Matrix, positions [][]float64, levels []Level, seed uint64,
	progress Progress) ([][]int32, error) {
	read := func(path string) (clusters [][]int32, err error) {
		if err = files.ReadJSON(path, &clusters); err == nil && !fits(clusters, m.N(), levels) {
			err = fmt.Errorf("%s: it is not a hierarchy of this graph", path)
		}
		return clusters, err
	}
	search := func() ([][]int32, error) { return Hierarchy(ctx, m, positions, levels, seed, progress) }
	write := func(path string, clusters [][]int32) error { return files.WriteJSON(path, clusters) }
	path := cache.Path("hierarchy", ".json", searchVersion, m.Hash(), positions, levels, seed)
	clusters, _, err := cache.Get(path, read, search, write)
	return clusters, err
}

// fits reports whether clusters are a hierarchy of a graph of n nodes.
func fits(clusters [][]int32, n int, levels []Level) bool {
	for l, cluster := range clusters {
		if l >= len(levels) || len(cluster) != n || slices.Min(cluster) < 0 ||
			int(slices.Max(cluster)) >= levels[l].Clusters {
			return false
		}
		n = levels[l].Clusters
	}
	return len(clusters) == len(levels)
}
