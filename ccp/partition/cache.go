package partition

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/clusterpool/ccp/ccp/affinity"
)

// searchVersion is raised when the search itself changes, so that old results are not taken for new ones.
const searchVersion = 1

// CachePath is the file in which the result of a search is kept for later runs, named by all that decides it. It is ""
// where the user has no cache directory.
func CachePath(m *affinity.Matrix, levels []Level) string {
	base, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	name := sha256.Sum256(fmt.Appendf(nil, "%d %s %v", searchVersion, m.Hash(), levels))
	return filepath.Join(base, "ccp", fmt.Sprintf("hierarchy-%x.json", name[:12]))
}

// ReadCache returns what WriteCache wrote for a graph of n nodes, or an error if there is nothing usable.
func ReadCache(path string, n int, levels []Level) ([][]int32, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var clusters [][]int32
	if err := json.Unmarshal(raw, &clusters); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if len(clusters) != len(levels) {
		return nil, fmt.Errorf("%s: %d levels, not %d", path, len(clusters), len(levels))
	}
	for l, cluster := range clusters {
		if len(cluster) != n {
			return nil, fmt.Errorf("%s: level %d has %d nodes, not %d", path, l+1, len(cluster), n)
		}
		n = levels[l].Clusters
		for i, c := range cluster {
			if c < 0 || int(c) >= n {
				return nil, fmt.Errorf("%s: level %d: node %d is in cluster %d of %d", path, l+1, i, c, n)
			}
		}
	}
	return clusters, nil
}

// WriteCache keeps clusters at path, all or nothing. Having no cache is no error.
func WriteCache(path string, clusters [][]int32) error {
	if path == "" {
		return nil
	}
	raw, err := json.Marshal(clusters)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil
	}
	work, err := os.CreateTemp(filepath.Dir(path), ".hierarchy-*")
	if err != nil {
		return nil
	}
	defer os.Remove(work.Name()) // of no effect once renamed
	_, err = work.Write(raw)
	if closeErr := work.Close(); err != nil || closeErr != nil {
		return nil
	}
	return os.Rename(work.Name(), path)
}
