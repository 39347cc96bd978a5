package datasets

import (
	"archive/zip"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestSources: every listed source has its place, and each place is whole.
func TestSources(t *testing.T) {
	sum := regexp.MustCompile(`^(sha256:[0-9a-f]{64}|md5:[0-9a-f]{32})$`)
	for _, info := range Names() {
		o, err := Named(info.Name)
		if info.Name == ownFile.Name {
			assert.ErrorContains(t, err, "an .npz file is your own")
			continue
		}
		require.NoError(t, err)
		assert.Equal(t, info.Name, o.Name)
		assert.Empty(t, o.Find(t.TempDir()), "nothing is in an empty folder")
		seen := map[string]bool{}
		for _, file := range o.Files {
			assert.Regexp(t, sum, file.Sum)
			assert.True(t, strings.HasSuffix(file.URL, "/"+file.Name), file.URL)
			assert.False(t, seen[file.Name+file.Sum], file.Name)
			seen[file.Name+file.Sum] = true
		}
		if info.Name != "digits" {
			assert.NotEqual(t, len(o.Files) > 0, o.Ask != "", "fetch it or ask for it")
			assert.NotEmpty(t, o.Folder)
		}
		assert.False(t, o.Archive && len(o.Files) != 1, "one archive")
	}
	_, err := Named("imagenet")
	assert.ErrorContains(t, err, `data set "imagenet" is not known; there are digits, cifar10,`)
}

// TestFind: files count as there where, and only where, the loaders look.
func TestFind(t *testing.T) {
	for _, c := range []struct {
		name  string
		files []string
		want  string
	}{
		{"cifar10", []string{"cifar10/cifar-10-batches-bin/data_batch_1.bin"}, "cifar10/cifar-10-batches-bin"},
		{"cifar10", []string{"data_batch_1.bin"}, "."},
		{"mnist", []string{"mnist/train-images-idx3-ubyte.gz", "mnist/train-labels.idx1-ubyte", "mnist/t10k-images-idx3-ubyte", "mnist/t10k-labels-idx1-ubyte"}, "mnist"},
		{"mnist", []string{"mnist/train-images-idx3-ubyte.gz", "mnist/train-labels.idx1-ubyte", "mnist/t10k-images-idx3-ubyte"}, ""},
		{"fashion-mnist", []string{"train-images-idx3-ubyte", "train-labels-idx1-ubyte", "t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte"}, ""},
		{"20news", []string{"20news/20news-bydate-train/a/1", "20news/20news-bydate-test/a/2"}, "20news"},
		{"20news", []string{"20news-bydate-train/a/1", "20news-bydate-test/a/2"}, "."},
		{"20news", []string{"20news/20news-bydate-train/a/1"}, ""},
		{"ntu", []string{"ntu/S001C001P001R001A001.skeleton"}, "ntu"},
		{"nw-ucla", []string{"nw-ucla/a01_s01_e00_v01.json"}, "nw-ucla"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			for _, name := range c.files {
				require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
				require.NoError(t, os.WriteFile(filepath.Join(dir, name), nil, 0o644))
			}
			want := ""
			if c.want != "" {
				want = filepath.Join(dir, c.want)
			}
			o, err := Named(c.name)
			require.NoError(t, err)
			assert.Equal(t, want, o.Find(dir))
		})
	}
}

// TestWithGet: only where files can be fetched and are missing does the error say how.
func TestWithGet(t *testing.T) {
	dir := t.TempDir()
	_, err := Load(t.Context(), "mnist", Options{HoldOut: true, DataDir: dir})
	require.ErrorIs(t, err, os.ErrNotExist)
	assert.ErrorContains(t, err, "; or have it fetched: ccp data get mnist --data-dir "+dir)
	_, err = Load(t.Context(), "ntu", Options{HoldOut: true, DataDir: dir})
	require.ErrorIs(t, err, os.ErrNotExist)
	assert.NotContains(t, err.Error(), "data get")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "data_batch_1.bin"), make([]byte, cifarRecord*cifarPerFile), 0o644))
	_, err = Load(t.Context(), "cifar10", Options{HoldOut: true, DataDir: dir})
	require.ErrorIs(t, err, os.ErrNotExist, "the second file")
	assert.NotContains(t, err.Error(), "data get", "it would say that they are there")
	_, err = Load(t.Context(), filepath.Join(dir, "mine.npz"), Options{HoldOut: true})
	assert.ErrorContains(t, err, "mine.npz: no such file or directory; check the path, or write the file with numpy.savez")
}

func TestAccepts(t *testing.T) {
	archive := filepath.Join(t.TempDir(), "mine.npz")
	file, err := os.Create(archive)
	require.NoError(t, err)
	require.NoError(t, zip.NewWriter(file).Close())
	require.NoError(t, file.Close())
	for _, c := range []struct {
		name string
		opts Options
		want string
	}{
		{"digits", Options{TFIDF: true}, "digits: it has no words to weigh; leave tfidf out (it is for 20news)"},
		{"20news", Options{Protocol: "cross-view"}, "20news: there is one protocol only; leave protocol out (it is for ntu, nw-ucla)"},
		{"20news", Options{KNN: 8}, "20news: its graph is fixed; leave knn out"},
		{"nw-ucla", Options{Protocol: "cross-eyed"}, `nw-ucla: there is no protocol "cross-eyed"; there are cross-view, cross-subject`},
		{archive, Options{TFIDF: true}, "mine.npz: it has no words to weigh"},
		{archive, Options{Protocol: "cross-view"}, "mine.npz: there is one protocol only"},
	} {
		_, err := Load(t.Context(), c.name, c.opts)
		assert.ErrorContains(t, err, c.want)
		if c.name == archive {
			_, err = CheckNPZ(c.name, c.opts)
			assert.ErrorContains(t, err, c.want)
		}
	}
	for _, protocol := range []string{"", "cross-view", "cross-subject"} {
		require.NoError(t, ntu.accepts(Options{Protocol: protocol}))
	}
	require.NoError(t, news.accepts(Options{TFIDF: true}))
	require.NoError(t, Info{Name: "a.NPZ"}.accepts(Options{KNN: 3}))
}

func ExampleNamed() {
	place, err := Named("cifar10")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(place.Files[0].Name, place.Folder)
	// Output: cifar-10-binary.tar.gz cifar10
}
