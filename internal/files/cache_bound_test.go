package files

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What was longest unused goes first, a use counts as well as a write, and other results stay.
func TestBoundCacheDeletesWhatWasLongestUnused(t *testing.T) {
	base := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", base)
	t.Setenv("LocalAppData", base)
	var paths []string
	put := func(name string, i int) string {
		path := CachePath(name, ".json", i)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, writeNumbers(path, []int{1000 + i})) // six bytes or seven
		at := time.Unix(int64(1000+i), 0)
		require.NoError(t, os.Chtimes(path, at, at))
		return path
	}
	for i := range 4 {
		paths = append(paths, put("squares", i))
	}
	other := put("cubes", 0)
	info, err := os.Stat(paths[0])
	require.NoError(t, err)
	there := func() (found []string) {
		for i, path := range paths {
			if _, err := os.Stat(path); err == nil {
				found = append(found, fmt.Sprint(i))
			}
		}
		return found
	}
	BoundCache("squares", ".json", 4*info.Size())
	assert.Equal(t, []string{"0", "1", "2", "3"}, there())
	_, _, err = Cached(paths[0], readNumbers, nil, writeNumbers) // which uses the oldest
	require.NoError(t, err)
	BoundCache("squares", ".json", 2*info.Size())
	assert.Equal(t, []string{"0", "3"}, there())
	BoundCache("squares", ".json", 1)
	assert.Equal(t, []string{"0"}, there(), "the newest stays")
	assert.FileExists(t, other)
	BoundCache("none", ".json", 1)
}

func TestUncachedWorkIsNotKept(t *testing.T) {
	assert.True(t, MayCache(t.Context()))
	assert.False(t, MayCache(Uncached(t.Context())))
}
