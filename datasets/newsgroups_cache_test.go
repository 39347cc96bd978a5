package datasets

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/clusterpool/ccp/datasets/text"
	"github.com/clusterpool/ccp/datasets/wordvec"
	"github.com/clusterpool/ccp/internal/npz"
)

// reload loads the tiny corpus and says whether it was prepared anew.
func reload(t *testing.T, dir string) (d *Dataset, anew bool) {
	t.Helper()
	opts := tinyOptions(dir)
	opts.Progress = func(string, float64) { anew = true }
	d, err := loadCorpus(newsgroups, opts, tinyProtocol)
	require.NoError(t, err)
	require.NoError(t, d.Validate())
	return d, anew
}

// onlyCache is the one file of the cache directory.
func onlyCache(t *testing.T) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(os.Getenv("XDG_CACHE_HOME"), "ccp", "*"))
	require.NoError(t, err)
	require.Len(t, files, 1)
	return files[0]
}

func TestNewsgroupsCache(t *testing.T) {
	dir := lay(t, tinyCorpus)
	first, anew := reload(t, dir)
	assert.True(t, anew)
	second, anew := reload(t, dir)
	assert.False(t, anew, "the second start")
	assert.Equal(t, first, second)

	for name, change := range map[string]func(path string) error{
		"a message": func(string) error {
			return os.WriteFile(filepath.Join(dir, "20news-bydate-train", "b.sky", "2"), []byte("\n\nblue sky moon moon red"), 0o644)
		},
		"a new message": func(string) error {
			return os.WriteFile(filepath.Join(dir, "20news-bydate-train", "b.sky", "20"), nil, 0o644)
		},
		"a renamed message": func(string) error {
			return os.Rename(filepath.Join(dir, "20news-bydate-train", "b.sky", "3"), filepath.Join(dir, "20news-bydate-train", "b.sky", "0"))
		},
		"the time of the vectors": func(path string) error { return os.Chtimes(path, time.Time{}, time.Unix(1, 0)) },
		"the vectors": func(path string) error {
			return os.WriteFile(path, []byte(tinyCorpus["vectors.txt"]+"star 1 2\n"), 0o644)
		},
	} {
		require.NoError(t, change(filepath.Join(dir, "vectors.txt")))
		_, anew := reload(t, dir)
		assert.True(t, anew, name)
		_, anew = reload(t, dir)
		assert.False(t, anew, name)
	}
}

// TestNewsgroupsDamagedCache damages the cache: it is made again, with the same outcome.
func TestNewsgroupsDamagedCache(t *testing.T) {
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
	for name, array := range map[string]any{
		"document_starts": []int32{0, 1, 2}, "document_words": []int32{9}, "document_counts": []float64{1},
		"labels": []int32{0, 0, 1, 0, 2}, "words": []string{"blue"}, "indptr": []int64{0, 1}, "indices": []int32{-1},
		"data": []float64{1}, "steps": []int64{1, 2, 3},
	} {
		require.NoError(t, os.WriteFile(path, whole, 0o644))
		replaceArray(t, path, name, array)
		again, anew := reload(t, dir)
		assert.True(t, anew, name)
		assert.Equal(t, first, again, name)
	}
}

// replaceArray writes an archive again with another one-dimensional array of that name.
func replaceArray(t *testing.T, path, name string, data any) {
	t.Helper()
	file, err := npz.Open(path)
	require.NoError(t, err)
	defer file.Close()
	require.True(t, file.Has(name))
	var arrays []npz.Named
	for _, other := range file.Names() {
		a, err := file.Array(other)
		require.NoError(t, err)
		if other == name {
			a.Data = data
			a.Shape = []int{a.Len()}
		}
		arrays = append(arrays, npz.Named{Name: other, Array: a})
	}
	require.NoError(t, npz.Write(path, arrays))
}

// TestNewsgroupsNoCache has a cache directory that cannot be written.
func TestNewsgroupsNoCache(t *testing.T) {
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

func TestVectorsCache(t *testing.T) {
	path := filepath.Join(t.TempDir(), "vectors.npz")
	_, err := readVectors(path)
	require.ErrorIs(t, err, os.ErrNotExist)
	v := &wordvec.Vectors{Dim: 2, Words: []string{"a", "bcd", "ef"}, Values: []float32{1, 2, 3, 4, 5, 6}}
	require.NoError(t, writeVectors(path, v))
	again, err := readVectors(path)
	require.NoError(t, err)
	assert.Equal(t, v, again)

	replaceArray(t, path, "words", []string{"a", "bcd"})
	again, err = readVectors(path)
	require.NoError(t, err, "6 values suit 2 words: the caller compares the words")
	assert.Equal(t, 3, again.Dim)
	replaceArray(t, path, "words", []string{"a", "b", "c", "d"})
	_, err = readVectors(path)
	assert.ErrorContains(t, err, "6 values for 4 words")
	replaceArray(t, path, "words", []int32{1})
	_, err = readVectors(path)
	assert.ErrorContains(t, err, `array "words" has elements of type int32`)
}

// FuzzPrepared reads what may be a cache: what passes for one makes a data set that is valid but for its splits.
func FuzzPrepared(f *testing.F) {
	graph, err := tinyProtocol.graph([]string{"a", "b", "c"}, map[string][]float32{"a": {1, 0}, "b": {0, 1}, "c": {1, 1}})
	if err != nil {
		f.Fatal(err)
	}
	counts := text.Count([][]int32{{0, 1, 0}, {2, 2}, {1, 1}}, []int32{0, 1, 2})
	steps := make([]step, 7)
	steps[6] = step{2, 1, 3}
	path := filepath.Join(f.TempDir(), "cache.npz")
	good := &prepared{counts: counts, labels: []int32{0, 1, 1}, words: []string{"a", "b", "c"}, graph: graph, steps: steps}
	if err := good.write(path); err != nil {
		f.Fatal(err)
	}
	file, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	if _, err := readPrepared(path, 2, 7); err != nil {
		f.Fatal(err)
	}
	f.Add(file)
	f.Add([]byte("PK"))
	f.Fuzz(func(t *testing.T, file []byte) {
		path := filepath.Join(t.TempDir(), "cache.npz")
		require.NoError(t, os.WriteFile(path, file, 0o644))
		c, err := readPrepared(path, 2, 7)
		if err != nil {
			return
		}
		d := c.dataset(&corpus{groups: []string{"a", "b"}}, tinyProtocol, Options{})
		for _, check := range []func() error{d.checkShape, d.checkLabels, d.checkValues} {
			require.NoError(t, check())
		}
	})
}
