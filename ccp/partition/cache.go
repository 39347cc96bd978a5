package partition

import (
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/internal/cache"
	"github.com/clusterpool/ccp/internal/files"
)

// searchVersion is raised when the search itself changes, so that old results are not taken for new ones.
const searchVersion = 1

// Cached is [Hierarchy] for default options, whose result is kept in the user's cache folder for later runs on the same
// graph. That it cannot be kept is no error. progress, which may be nil, is told of a search, but not of a result found.
func Cached(ctx context.Context, m *affinity.Matrix, levels []Level, progress func(level int, done, objective float64)) ([][]int32, error) {
	read := func(path string) (clusters [][]int32, err error) {
		if err = files.ReadJSON(path, &clusters); err == nil {
			err = check(clusters, m.N(), levels)
		}
		return clusters, err
	}
	search := func() ([][]int32, error) { return Hierarchy(ctx, m, levels, Options{Progress: progress}) }
	write := func(path string, clusters [][]int32) error {
		return files.Write(path, func(w io.Writer) error { return json.NewEncoder(w).Encode(clusters) })
	}
	clusters, _, err := cache.Get(cache.Path("hierarchy", ".json", searchVersion, m.Hash(), levels), read, search, write)
	return clusters, err
}

// check says what keeps clusters from being a hierarchy of a graph of n nodes.
func check(clusters [][]int32, n int, levels []Level) error {
	if len(clusters) != len(levels) {
		return fmt.Errorf("%d levels, not %d", len(clusters), len(levels))
	}
	for l, cluster := range clusters {
		if len(cluster) != n {
			return fmt.Errorf("level %d has %d nodes, not %d", l+1, len(cluster), n)
		}
		n = levels[l].Clusters
		for i, c := range cluster {
			if c < 0 || int(c) >= n {
				return fmt.Errorf("level %d: node %d is in cluster %d of %d", l+1, i, c, n)
			}
		}
	}
	return nil
}
