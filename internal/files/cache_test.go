package files

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/clusterpool/ccp/internal/messagetest"
)

func readNumbers(path string) (v []int, err error) { return v, ReadJSON(path, &v) }

func writeNumbers(path string, v []int) error { return WriteJSON(path, v) }

func TestCachePath(t *testing.T) {
	base := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", base)
	t.Setenv("LocalAppData", base)
	path := CachePath("squares", ".json", 1, []int{2, 3})
	assert.Regexp(t, `^squares-[0-9a-f]{24}\.json$`, filepath.Base(path))
	assert.Equal(t, filepath.Join(base, "ccp"), filepath.Dir(path))
	assert.Equal(t, path, CachePath("squares", ".json", 1, []int{2, 3}))
	for _, other := range []string{
		CachePath("squares", ".json", 1, []int{2, 4}), CachePath("squares", ".json", 2, []int{2, 3}),
		CachePath("squares", ".json", 1), CachePath("cubes", ".json", 1, []int{2, 3})} {
		assert.NotEqual(t, path, other)
	}
	t.Setenv("XDG_CACHE_HOME", "")
	t.Setenv("LocalAppData", "")
	t.Setenv("HOME", "")
	assert.Empty(t, CachePath("squares", ".json"))
}

func TestCached(t *testing.T) {
	path := filepath.Join(t.TempDir(), "deep", "a.json")
	made := 0
	get := func(path string) (unkept error) {
		squares := func() ([]int, error) { made++; return []int{1, 4, 9}, nil }
		v, unkept, err := Cached(path, readNumbers, squares, writeNumbers)
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
	fail := func() ([]int, error) { return nil, failure }
	_, unkept, err := Cached(filepath.Join(t.TempDir(), "b"), readNumbers, fail, writeNumbers)
	require.ErrorIs(t, err, failure)
	require.NoError(t, unkept)
}
