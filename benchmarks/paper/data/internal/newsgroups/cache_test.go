package newsgroups

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// reload loads the tiny corpus and says whether it was prepared anew.
func reload(t *testing.T, dir string) (c *Corpus, anew bool) {
	t.Helper()
	opts := Options{vectors: tinyVectors, Progress: func(string, float64) { anew = true }}
	c, err := tinyProtocol.load(t.Context(), []string{dir}, opts)
	require.NoError(t, err)
	return c, anew
}

// onlyCache is the one file of the cache directory.
func onlyCache(t *testing.T) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(os.Getenv("XDG_CACHE_HOME"), "ccp", "*"))
	require.NoError(t, err)
	require.Len(t, files, 1)
	return files[0]
}

func TestCache(t *testing.T) {
	dir := lay(t, tinyCorpus)
	first, anew := reload(t, dir)
	assert.True(t, anew)
	second, anew := reload(t, dir)
	assert.False(t, anew, "the second start")
	assert.Equal(t, first, second)

	for name, change := range map[string]func() error{
		"a message": func() error {
			return os.WriteFile(filepath.Join(dir, "20news-bydate-train", "b.sky", "2"),
				[]byte("\n\nblue sky moon moon red"), 0o644)
		},
		"a new message": func() error {
			return os.WriteFile(filepath.Join(dir, "20news-bydate-train", "b.sky", "20"), nil, 0o644)
		},
		"a renamed message": func() error {
			return os.Rename(filepath.Join(dir, "20news-bydate-train", "b.sky", "3"),
				filepath.Join(dir, "20news-bydate-train", "b.sky", "0"))
		},
	} {
		require.NoError(t, change())
		_, anew := reload(t, dir)
		assert.True(t, anew, name)
		_, anew = reload(t, dir)
		assert.False(t, anew, name)
	}
}

// TestDamagedCache damages the cache: it is made again, with the same outcome.
func TestDamagedCache(t *testing.T) {
	dir := lay(t, tinyCorpus)
	first, _ := reload(t, dir)
	path := onlyCache(t)
	whole, err := os.ReadFile(path)
	require.NoError(t, err)

	damages := map[string][]byte{"empty": {}, "cut off": whole[:len(whole)/2], "no archive": bytes.Repeat([]byte{7}, 1000)}
	middle := bytes.Clone(whole)
	middle[60] ^= 0xff
	damages["a byte of an array"] = middle
	for name, content := range damages {
		require.NoError(t, os.WriteFile(path, content, 0o644))
		again, anew := reload(t, dir)
		assert.True(t, anew, name)
		assert.Equal(t, first, again, name)
	}
}

// TestNoCache has a cache directory that cannot be written.
func TestNoCache(t *testing.T) {
	dir := lay(t, tinyCorpus)
	blocked := filepath.Join(dir, "blocked")
	require.NoError(t, os.WriteFile(blocked, nil, 0o644))
	t.Setenv("XDG_CACHE_HOME", blocked)
	d, anew := reload(t, dir)
	assert.True(t, anew)
	assert.Contains(t, d.Warnings[0], "could not be kept")
	assert.Contains(t, d.Warnings[0], "blocked")

	t.Setenv("XDG_CACHE_HOME", "")
	t.Setenv("HOME", "")
	d, anew = reload(t, dir)
	assert.True(t, anew)
	assert.Contains(t, d.Warnings[0], "no cache directory")
}

// FuzzReadGob reads anything; it gives an error or a value.
func FuzzReadGob(f *testing.F) {
	path := filepath.Join(f.TempDir(), "value.gob.gz")
	v := &wordVectors{Dim: 2, Words: []string{"a", "bcd", "ef"}, Values: []float32{1, 2, 3, 4, 5, 6}}
	require.NoError(f, writeGob(path, v))
	again, err := readGob[*wordVectors](path)
	require.NoError(f, err)
	require.Equal(f, v, again)
	file, err := os.ReadFile(path)
	require.NoError(f, err)
	_, err = readGob[*wordVectors](path + "absent")
	require.ErrorIs(f, err, os.ErrNotExist)
	f.Add(file)
	f.Add([]byte("\x1f\x8b"))
	f.Fuzz(func(t *testing.T, file []byte) {
		path := filepath.Join(t.TempDir(), "value.gob.gz")
		require.NoError(t, os.WriteFile(path, file, 0o644))
		if v, err := readGob[*wordVectors](path); err == nil {
			require.NotNil(t, v)
		}
	})
}
