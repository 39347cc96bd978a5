package cache

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/clusterpool/ccp/internal/files"
	"github.com/clusterpool/ccp/internal/messagetest"
)

func read(path string) (v []int, err error) { return v, files.ReadJSON(path, &v) }

func write(path string, v []int) error { return files.WriteJSON(path, v) }

func TestPath(t *testing.T) {
	base := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", base)
	t.Setenv("LocalAppData", base)
	path := Path("squares", ".json", 1, []int{2, 3})
	assert.Regexp(t, `^squares-[0-9a-f]{24}\.json$`, filepath.Base(path))
	assert.Equal(t, filepath.Join(base, "ccp"), filepath.Dir(path))
	assert.Equal(t, path, Path("squares", ".json", 1, []int{2, 3}))
	for _, other := range []string{Path("squares", ".json", 1, []int{2, 4}), Path("squares", ".json", 2, []int{2, 3}),
		Path("squares", ".json", 1), Path("cubes", ".json", 1, []int{2, 3})} {
		assert.NotEqual(t, path, other)
	}
	t.Setenv("XDG_CACHE_HOME", "")
	t.Setenv("LocalAppData", "")
	t.Setenv("HOME", "")
	assert.Empty(t, Path("squares", ".json"))
}

func TestGet(t *testing.T) {
	path := filepath.Join(t.TempDir(), "deep", "a.json")
	made := 0
	get := func(path string) (unkept error) {
		v, unkept, err := Get(path, read, func() ([]int, error) { made++; return []int{1, 4, 9}, nil }, write)
		require.NoError(t, err)
		assert.Equal(t, []int{1, 4, 9}, v)
		return unkept
	}
	require.NoError(t, get(path))
	require.NoError(t, get(path))
	assert.Equal(t, 1, made, "the second time it is there")
	require.NoError(t, os.WriteFile(path, []byte("[1, 4"), 0o644))
	require.NoError(t, get(path))
	require.NoError(t, get(path))
	assert.Equal(t, 2, made, "a damaged entry is made again, once")

	messagetest.Names(t, get(""), "cache directory … XDG_CACHE_HOME … LocalAppData")
	require.ErrorContains(t, get(filepath.Join(path, "below")), "a.json: ")
	assert.Equal(t, 4, made)

	failure := errors.New("cannot")
	_, unkept, err := Get(filepath.Join(t.TempDir(), "b"), read, func() ([]int, error) { return nil, failure }, write)
	require.ErrorIs(t, err, failure)
	require.NoError(t, unkept)
}
