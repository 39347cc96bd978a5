package partition

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/ccp/internal/place"
	"github.com/clusterpool/ccp/internal/files"
)

// Size is the size of a level to search: the number of clusters, and the most nodes that one may hold.
type Size struct{ Clusters, MaxSize int }

// Progress is called with the level that is searched, from 1, the share of its search that is done, and its C.
type Progress func(level int, done, objective float64)

// SearchLevels searches a clustering of m for each level in turn, each on the coarse graph of the level before. If a
// level's clusters cannot hold its nodes within MaxSize, it has no such limit. seed is Search's.
//
// If there are positions, `[N, axes]`, a level also tries Cut, with moves of single nodes while they raise C. It
// takes this clustering if its C is greater than Search's. On a grid whose sides the levels halve, all clusters are
// then blocks of one shape, which maximises C there. The next level's positions are the clusters' means.
//
// progress may be nil.
func SearchLevels(ctx context.Context, m *affinity.Matrix, positions [][]float64, levels []Size, seed uint64,
	progress Progress) (clusters [][]int32, err error) {
	for i, level := range levels {
		if level.MaxSize*level.Clusters < m.N() {
			level.MaxSize = 0
		}
		tell := func(done, objective float64) {
			if progress != nil {
				progress(i+1, done, objective)
			}
		}
		cluster, c, err := Search(ctx, m, level.Clusters, level.MaxSize, seed, tell)
		if err == nil && positions != nil {
			if cut := Cut(positions, level.Clusters); climb(m, cut, level.Clusters, cmp.Or(level.MaxSize, m.N())) > c {
				cluster = cut
			}
			positions = place.Centres(positions, cluster, level.Clusters)
		}
		if err == nil {
			m, err = m.Coarsen(cluster, level.Clusters)
		}
		if err != nil {
			return nil, fmt.Errorf("level %d: %w", i+1, err)
		}
		clusters = append(clusters, cluster)
	}
	return clusters, nil
}

// searchVersion is raised when the search itself changes: old results must not be taken for new ones.
const searchVersion = 2

// The names of results in the user's cache folder.
const cacheName, cacheEnding = "hierarchy", ".json"

// mostKept is how many bytes of results are kept in the user's cache folder. A hierarchy of 1,000 nodes has 5 kB.
const mostKept = 200 << 20

// Cached is [SearchLevels] that keeps its result in the user's cache folder for later runs on the same graph, unless
// ctx is [files.Uncached]. Of more than 200 MB those go that were longest unused. It returns a result that it cannot
// keep, without an error. It does not call progress for a result from the cache.
func Cached(ctx context.Context, m *affinity.Matrix, positions [][]float64, levels []Size, seed uint64,
	progress Progress) ([][]int32, error) {
	search := func() ([][]int32, error) { return SearchLevels(ctx, m, positions, levels, seed, progress) }
	if !files.MayCache(ctx) {
		return search()
	}
	read := func(path string) (clusters [][]int32, err error) {
		err = files.ReadJSON(path, &clusters)
		if err == nil && !fits(clusters, m.N(), levels) {
			err = fmt.Errorf("%s: it is not a hierarchy of this graph", path)
		}
		return clusters, err
	}
	write := func(path string, clusters [][]int32) error {
		err := files.WriteJSON(path, clusters)
		files.BoundCache(cacheName, cacheEnding, mostKept)
		return err
	}
	path := files.CachePath(cacheName, cacheEnding, searchVersion, m.Hash(), positions, levels, seed)
	clusters, _, err := files.Cached(path, read, search, write)
	return clusters, err
}

// fits reports whether clusters are a hierarchy of a graph of n nodes.
func fits(clusters [][]int32, n int, levels []Size) bool {
	for l, cluster := range clusters {
		if l >= len(levels) || len(cluster) != n || slices.Min(cluster) < 0 ||
			int(slices.Max(cluster)) >= levels[l].Clusters {
			return false
		}
		n = levels[l].Clusters
	}
	return len(clusters) == len(levels)
}
