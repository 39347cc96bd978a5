package newsgroups

import (
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/gomlx/compute"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/clusterpool/ccp/internal/messagetest"
)

// tinyProtocol suits tinyCorpus.
var tinyProtocol = protocol{
	minLength: 4, pictures: 3, words: 4, minKept: 2, neighbours: 2, minCount: 1,
	training: skipGram{Dim: 4, Epochs: 1, Window: 2, Negatives: 1, Shared: 2, Batch: 4, LearningRate: 0.01},
}

// tinyCorpus are messages by path; what becomes of each is beside it.
var tinyCorpus = map[string]string{
	"20news-bydate-train/a.bikes/1":    "From: x\n\nRed bike, red bike and a blue bike",  // blue 1, red 2, bike 3
	"20news-bydate-train/a.bikes/10":   "From: x\n\nax ax ax bike",                       // a picture
	"20news-bydate-train/a.bikes/2":    "From: x\n\n> A quoted moon\nThe bike",           // 2 words
	"20news-bydate-train/a.bikes/3":    "From: x\n\nred blue red sky",                    // blue 1, red 2
	"20news-bydate-train/b.sky/1":      "From: x\n\nblue sky, $5 star cloud\n\n--\nMoon", // 1 kept word
	"20news-bydate-train/b.sky/2":      "From: x\n\nblue sky moon moon",                  // blue 1, moon 2
	"20news-bydate-train/b.sky/3":      "From: x\n\nstar cloud the moon",                 // 1 kept word
	"20news-bydate-train/b.sky/.hide":  "From: x\n\nno message",
	"20news-bydate-test/a.bikes/5":     "From: x\n\nbike moon", // bike 1, moon 1
	"20news-bydate-test/a.bikes/6":     "From: x\n\nbike",      // 1 kept word
	"20news-bydate-test/b.sky/5":       "From: x\n\nmoon moon unseen",
	"20news-bydate-test/README":        "no group",
	"somewhere/else/entirely/file.txt": "",
}

// tinyVectors stand for learned ones; cloud has no direction.
var tinyVectors = map[string][]float32{"red": {1, 0}, "blue": {0.8, 0.6}, "the": {1, 2}, "bike": {0, 2},
	"sky":  {-0.6, 0.8},
	"moon": {1, 1}, "cloud": {0, 0}, "num": {0.6, 0.8}}

// quiet is a progress that nobody watches.
func quiet(string, float64) {}

// lay writes files to a new folder, and gives the test a cache directory of its own.
func lay(t *testing.T, files map[string]string) (dir string) {
	t.Helper()
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	dir = t.TempDir()
	for path, content := range files {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, path)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, path), []byte(content), 0o644))
	}
	return dir
}

// tiny loads the messages in a folder with tinyVectors.
func tiny(t *testing.T, dir string) (*Corpus, error) {
	return tinyProtocol.load(t.Context(), []string{filepath.Join(dir, "20news"), dir},
		Options{vectors: tinyVectors, Progress: quiet})
}

func TestCorpus(t *testing.T) {
	dir := lay(t, tinyCorpus)
	c, err := tiny(t, dir)
	require.NoError(t, err)

	// Blue and red occur 4 times, bike, moon and sky 3 times, of which sky comes last in the alphabet; num has a vector,
	// star and dollar have none, and cloud's has no direction.
	assert.Equal(t, []string{"blue", "red", "bike", "moon"}, c.Words)
	assert.Equal(t, []string{"a.bikes", "b.sky"}, c.Groups)
	assert.Equal(t, []int32{0, 0, 1, 0, 1}, c.Labels)
	assert.Equal(t, 3, c.Train)
	messagetest.EachNames(t, c.Notes,
		"train   test   words  after",
		"7      3      13  messages",
		"7      3      10  words … no stop words",
		"6      3      10  training documents … 4 words",
		"5      3       9  training documents … pictures",
		"5      3       6  words … vector",
		"5      3       4 … commonest",
		"3      2       4  documents … 2 kept words")
	assert.Equal(t, dir, c.Folder)
	require.Len(t, c.Warnings, 1)
	messagetest.Names(t, c.Warnings[0], "7 training … 3 test … 2 groups")

	row := make([]float32, 4)
	for i, want := range [][]float32{{1, 2, 3, 0}, {1, 2, 0, 0}, {1, 0, 0, 2}, {0, 0, 1, 1}, {0, 0, 0, 2}} {
		c.Counts.Read(i, row)
		assert.Equal(t, want, row, "document %d", i)
	}

	// Cosines: blue-moon 0.990, blue-red 0.8, red-moon and bike-moon 0.707, blue-bike 0.6, red-bike 0.
	graph, err := affinity.New(len(c.Words), c.Edges)
	require.NoError(t, err)
	sigma := (0.2 + 2*(1-math.Sqrt(0.5)) + 0.4) / 4 // distances to the second neighbours
	assert.Equal(t, 5, graph.Edges())
	assert.InDelta(t, math.Exp(-0.2*0.2/sigma/sigma), graph.At(0, 1), 1e-6)
	assert.InDelta(t, math.Exp(-0.4*0.4/sigma/sigma), graph.At(2, 0), 1e-6)
	assert.Zero(t, graph.At(1, 2))
	assert.Zero(t, graph.At(3, 3))
}

func TestCorpusElsewhere(t *testing.T) {
	dir := lay(t, tinyCorpus)
	c, err := tiny(t, dir)
	require.NoError(t, err)
	inside := map[string]string{}
	for path, content := range tinyCorpus {
		inside[filepath.Join("20news", path)] = content
	}
	other := lay(t, inside)
	again, err := tiny(t, other)
	require.NoError(t, err)
	assert.Equal(t, c.Prepared, again.Prepared)
	assert.Equal(t, filepath.Join(other, "20news"), again.Folder)

	wide := tinyProtocol
	wide.words = 10
	all, err := wide.load(t.Context(), []string{dir}, Options{vectors: tinyVectors, Progress: quiet})
	require.NoError(t, err)
	assert.Equal(t, []string{"blue", "red", "bike", "moon", "sky", "num"}, all.Words)
	messagetest.Names(t, all.Warnings[1], "6 words … vector … 10")
}

// TestLearned learns the vectors, and learns them once.
func TestLearned(t *testing.T) {
	dir := lay(t, tinyCorpus)
	opened, learning := 0, 0
	opts := Options{
		Backend: func() (compute.Backend, error) {
			opened++
			return backendtest.Go(t), nil
		},
		Progress: func(doing string, done float64) {
			if doing == "learning word vectors" {
				learning++
			}
			assert.True(t, done >= 0 && done <= 1, "%s: %g", doing, done)
		}}
	first, err := tinyProtocol.load(t.Context(), []string{dir}, opts)
	require.NoError(t, err)
	assert.Equal(t, []string{"blue", "red", "bike", "moon"}, first.Words)
	messagetest.Names(t, first.Notes[5], "9  words … vector", "every counted word that is there once")
	assert.Equal(t, 1, opened)
	assert.Positive(t, learning)

	opts.Backend = nil
	second, err := tinyProtocol.load(t.Context(), []string{dir}, opts)
	require.NoError(t, err)
	assert.Equal(t, first.Edges, second.Edges)

	wide := tinyProtocol
	wide.words = 5
	fromSameVectors, err := wide.load(t.Context(), []string{dir}, opts)
	require.NoError(t, err)
	assert.Len(t, fromSameVectors.Words, 5)

	// A test document changes nothing that is learned; a training document does.
	require.NoError(t, os.WriteFile(filepath.Join(dir, Folders[1], "b.sky", "6"), []byte("\n\nmoon moon blue"), 0o644))
	third, err := tinyProtocol.load(t.Context(), []string{dir}, opts)
	require.NoError(t, err)
	assert.Len(t, third.Labels[third.Train:], 3)
	require.NoError(t, os.WriteFile(filepath.Join(dir, Folders[0], "b.sky", "6"), []byte("\n\nmoon moon blue sky"), 0o644))
	_, err = tinyProtocol.load(t.Context(), []string{dir}, opts)
	assert.ErrorContains(t, err, "needs a backend")
	opts.Backend = func() (compute.Backend, error) { return nil, errors.New("no such backend") }
	_, err = tinyProtocol.load(t.Context(), []string{dir}, opts)
	assert.ErrorContains(t, err, "no such backend")
}

func TestErrors(t *testing.T) {
	without := func(paths ...string) func(string) error {
		return func(dir string) error {
			for _, path := range paths {
				if err := os.RemoveAll(filepath.Join(dir, path)); err != nil {
					return err
				}
			}
			return nil
		}
	}
	for name, c := range map[string]struct {
		change func(dir string) error
		want   []string
	}{
		"no train": {without("20news-bydate-train"), []string{"20news-bydate-train", "20news,"}},
		"no test":  {without("20news-bydate-test"), []string{"20news-bydate-test"}},
		"group missing from test": {without("20news-bydate-test/b.sky"),
			[]string{"b.sky … 20news-bydate-train … none in 20news-bydate-test"}},
		"group missing from train": {without("20news-bydate-train/a.bikes"),
			[]string{"a.bikes … 20news-bydate-test … none in 20news-bydate-train"}},
		"empty group": {without("20news-bydate-test/b.sky/5"),
			[]string{"b.sky … 20news-bydate-train … none in 20news-bydate-test"}},
		"no groups": {without("20news-bydate-test/b.sky", "20news-bydate-test/a.bikes"),
			[]string{"20news-bydate-test … no folders"}},
		"nothing left to test": {func(dir string) error {
			return errors.Join(without("20news-bydate-test/a.bikes/5")(dir),
				os.WriteFile(filepath.Join(dir, "20news-bydate-test", "b.sky", "5"), []byte("no body"), 0o644))
		}, []string{"no documents are left"}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := lay(t, tinyCorpus)
			require.NoError(t, c.change(dir))
			_, err := tiny(t, dir)
			for _, want := range c.want {
				messagetest.Names(t, err, want)
			}
			assert.Equal(t, name[:3] == "no " && name != "no groups", errors.Is(err, fs.ErrNotExist))
		})
	}
}

func TestFewVectors(t *testing.T) {
	dir := lay(t, tinyCorpus)
	few := map[string][]float32{"red": {1, 0}, "bike": {0, 1}}
	_, err := tinyProtocol.load(t.Context(), []string{dir}, Options{vectors: few, Progress: quiet})
	assert.ErrorContains(t, err, "only 2 words")
	assert.ErrorContains(t, err, "needs 3 or more")
}
