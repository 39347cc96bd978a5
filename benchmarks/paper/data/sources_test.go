package data

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/clusterpool/ccp/benchmarks/paper/data/internal/images"
	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/internal/messagetest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestSources: every listed source has its place, and each place is whole.
func TestSources(t *testing.T) {
	sum := regexp.MustCompile(`^(sha256:[0-9a-f]{64}|md5:[0-9a-f]{32})$`)
	for _, info := range datasets.Names() {
		o, err := datasets.Named(info.Name)
		if info.Name == "PATH.npz" {
			messagetest.Names(t, err, ".npz … own")
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
	_, err := datasets.Named("imagenet")
	messagetest.Names(t, err, `"imagenet" … not known … digits, cifar10`)
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
		{"mnist", []string{"mnist/train-images-idx3-ubyte.gz", "mnist/train-labels.idx1-ubyte",
			"mnist/t10k-images-idx3-ubyte", "mnist/t10k-labels-idx1-ubyte"}, "mnist"},
		{"mnist", []string{"mnist/train-images-idx3-ubyte.gz", "mnist/train-labels.idx1-ubyte",
			"mnist/t10k-images-idx3-ubyte"}, ""},
		{"fashion-mnist", []string{"train-images-idx3-ubyte", "train-labels-idx1-ubyte", "t10k-images-idx3-ubyte",
			"t10k-labels-idx1-ubyte"}, ""},
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
			o, err := datasets.Named(c.name)
			require.NoError(t, err)
			assert.Equal(t, want, o.Find(dir))
		})
	}
}

// TestWithGet: only where files can be fetched and are missing does the error say how.
func TestWithGet(t *testing.T) {
	dir := t.TempDir()
	_, err := datasets.Load(t.Context(), "mnist", datasets.Options{HoldOut: true, DataDir: dir})
	require.ErrorIs(t, err, os.ErrNotExist)
	messagetest.Names(t, err, "ccp data get mnist … --data-dir "+dir)
	_, err = datasets.Load(t.Context(), "ntu", datasets.Options{HoldOut: true, DataDir: dir})
	require.ErrorIs(t, err, os.ErrNotExist)
	assert.NotContains(t, err.Error(), "data get")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "data_batch_1.bin"),
		make([]byte, cifarRecord*images.CIFARPerFile), 0o644))
	_, err = datasets.Load(t.Context(), "cifar10", datasets.Options{HoldOut: true, DataDir: dir})
	require.ErrorIs(t, err, os.ErrNotExist, "the second file")
	assert.NotContains(t, err.Error(), "data get", "it would say that they are there")
}

func TestAccepts(t *testing.T) {
	for _, c := range []struct {
		name string
		opts datasets.Options
		want string
	}{
		{"digits", datasets.Options{Own: map[string]any{"tfidf": true}},
			"digits … tfidf … option … 20news"},
		{"20news", datasets.Options{Own: map[string]any{"protocol": "cross-view"}},
			"20news … protocol … option … ntu, nw-ucla"},
		{"20news", datasets.Options{KNN: 8}, "20news … graph … fixed … knn"},
		{"nw-ucla", datasets.Options{Own: map[string]any{"protocol": "cross-eyed"}},
			"nw-ucla … protocol=cross-eyed … cross-view, cross-subject"},
	} {
		_, err := datasets.Load(t.Context(), c.name, c.opts)
		messagetest.Names(t, err, c.want)
	}
	// its files are all that is missing
	for _, own := range []map[string]any{nil, {"protocol": "cross-view"}, {"protocol": "cross-subject"}} {
		_, err := datasets.Load(t.Context(), "ntu", datasets.Options{Own: own, DataDir: t.TempDir()})
		require.ErrorIs(t, err, os.ErrNotExist)
	}
	_, err := datasets.Load(t.Context(), "20news",
		datasets.Options{Own: map[string]any{"tfidf": true}, DataDir: t.TempDir()})
	require.ErrorIs(t, err, os.ErrNotExist)
}

func Example() {
	place, err := datasets.Named("cifar10")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(place.Files[0].Name, place.Folder)
	// Output: cifar-10-binary.tar.gz cifar10
}
