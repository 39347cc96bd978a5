package datasets

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

	"github.com/clusterpool/ccp/datasets/wordvec"
	"github.com/clusterpool/ccp/internal/backend/backendtest"
)

// tinyProtocol suits tinyCorpus.
var tinyProtocol = protocol{
	minLength: 4, pictures: 3, words: 4, minKept: 2, neighbours: 2, minCount: 1,
	training: wordvec.Config{Dim: 4, Epochs: 1, Window: 2, Negatives: 1, Shared: 2, Batch: 4, LearningRate: 0.01},
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
	"vectors.txt":                      "red 1 0\nblue 0.8 0.6\nthe 1 2\nbike 0 2\nsky -0.6 0.8\nmoon 1 1\ncloud 0 0\nnum 0.6 0.8\n",
	"somewhere/else/entirely/file.txt": "",
}

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

func tinyOptions(dir string) Options {
	return Options{HoldOut: true, DataDir: dir, Vectors: filepath.Join(dir, "vectors.txt")}
}

func TestNewsgroups(t *testing.T) {
	dir := lay(t, tinyCorpus)
	d, err := loadCorpus(t.Context(), newsgroups, tinyOptions(dir), tinyProtocol)
	require.NoError(t, err)
	require.NoError(t, d.Validate())

	// Blue and red occur 4 times, bike, moon and sky 3 times, of which sky comes last in the alphabet; num has a vector,
	// star and dollar have none, and cloud's has no direction.
	assert.Equal(t, []string{"blue", "red", "bike", "moon"}, d.NodeNames)
	assert.Equal(t, []string{"a.bikes", "b.sky"}, d.ClassNames)
	assert.Equal(t, []int32{0, 0, 1, 0, 1}, d.Labels)
	assert.Equal(t, []int{3, 4}, d.Test)
	require.Len(t, d.Validation, 1)
	require.Len(t, d.Train, 2)
	assert.Equal(t, []string{
		" train   test   words  after",
		"     7      3      13  messages, stripped of headers, footers, quotes",
		"     7      3      10  words of 2 letters or more, no stop words",
		"     6      3      10  training documents of 4 words or more",
		"     5      3       9  training documents that are no encoded pictures",
		"     5      3       6  words that have a vector",
		"     5      3       4  the 4 commonest words",
		"     3      2       4  documents of 2 kept words or more",
		"values: each word's share of the document's words",
		"graph: vectors of " + filepath.Join(dir, "vectors.txt"),
	}, d.Notes)
	assert.Contains(t, d.Summary(), "preparation\n   train   test")
	assert.Contains(t, d.Provenance, dir)
	require.Len(t, d.Warnings, 1)
	assert.Contains(t, d.Warnings[0], "7 training and 3 test messages in 2 groups")

	row := make([]float32, 4)
	for i, want := range [][]float32{{1. / 6, 2. / 6, 3. / 6, 0}, {1. / 3, 2. / 3, 0, 0}, {1. / 3, 0, 0, 2. / 3}, {0, 0, 0.5, 0.5}, {0, 0, 0, 1}} {
		d.Signals.Read(i, row)
		assert.InDeltaSlice(t, want, row, 1e-6, "document %d", i)
	}

	// Cosines: blue-moon 0.990, blue-red 0.8, red-moon and bike-moon 0.707, blue-bike 0.6, red-bike 0.
	sigma := (0.2 + 2*(1-math.Sqrt(0.5)) + 0.4) / 4 // distances to the second neighbours
	assert.Equal(t, 5, d.Affinity.Edges())
	assert.InDelta(t, math.Exp(-0.2*0.2/sigma/sigma), d.Affinity.At(0, 1), 1e-6)
	assert.InDelta(t, math.Exp(-0.4*0.4/sigma/sigma), d.Affinity.At(2, 0), 1e-6)
	assert.Zero(t, d.Affinity.At(1, 2))
	assert.Zero(t, d.Affinity.At(3, 3))

	squares := 0.0
	for _, i := range d.Train {
		d.Sample(i, row)
		for _, value := range row {
			squares += float64(value * value)
		}
	}
	assert.InDelta(t, 1, squares/8, 1e-6, "mean square of the inputs")
	assert.Equal(t, []float32{0}, d.Mean)
}

func TestNewsgroupsOptions(t *testing.T) {
	dir := lay(t, tinyCorpus)
	opts := tinyOptions(dir)
	opts.TFIDF = true
	d, err := loadCorpus(t.Context(), newsgroups, opts, tinyProtocol)
	require.NoError(t, err)
	// Of the three training documents blue is in 3, red in 2, bike and moon in 1.
	blue, red, bike := 1.0, math.Log(4./3)+1, math.Log(2)+1
	row := make([]float32, 4)
	d.Signals.Read(0, row)
	length := math.Sqrt(blue*blue + 4*red*red + 9*bike*bike)
	assert.InDeltaSlice(t, []float64{blue / length, 2 * red / length, 3 * bike / length, 0}, row, 1e-6)
	assert.Contains(t, d.Notes[8], "tf-idf")

	// Lie the messages in a folder of their own, the answer is the same.
	inside := map[string]string{}
	for path, content := range tinyCorpus {
		inside[filepath.Join("20news", path)] = content
	}
	other := lay(t, inside)
	opts.DataDir = other
	again, err := loadCorpus(t.Context(), newsgroups, opts, tinyProtocol)
	require.NoError(t, err)
	assert.Equal(t, d.Signals, again.Signals)
	assert.Contains(t, again.Provenance, filepath.Join(other, "20news"))

	opts.Validation = 0.67
	fewer, err := loadCorpus(t.Context(), newsgroups, opts, tinyProtocol)
	require.NoError(t, err)
	assert.Len(t, fewer.Train, 2, "no class gives up its last document")

	wide := tinyProtocol
	wide.words = 10
	all, err := loadCorpus(t.Context(), newsgroups, tinyOptions(dir), wide)
	require.NoError(t, err)
	assert.Equal(t, []string{"blue", "red", "bike", "moon", "sky", "num"}, all.NodeNames)
	assert.Contains(t, all.Warnings[1], "only 6 words have a vector, the protocol keeps 10")
}

// TestNewsgroupsLearned learns the vectors, and learns them once.
func TestNewsgroupsLearned(t *testing.T) {
	dir := lay(t, tinyCorpus)
	opened, learning := 0, 0
	opts := Options{HoldOut: true, DataDir: dir,
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
	first, err := loadCorpus(t.Context(), newsgroups, opts, tinyProtocol)
	require.NoError(t, err)
	require.NoError(t, first.Validate())
	assert.Equal(t, []string{"blue", "red", "bike", "moon"}, first.NodeNames)
	assert.Contains(t, first.Notes[5], "9  words that have a vector", "every counted word that is there once")
	assert.Contains(t, first.Notes[9], "learned from the training documents")
	assert.Equal(t, 1, opened)
	assert.Positive(t, learning)

	opts.Backend = nil
	second, err := loadCorpus(t.Context(), newsgroups, opts, tinyProtocol)
	require.NoError(t, err)
	assert.Equal(t, first.Affinity, second.Affinity)

	wide := tinyProtocol
	wide.words = 5
	fromSameVectors, err := loadCorpus(t.Context(), newsgroups, opts, wide)
	require.NoError(t, err)
	assert.Equal(t, 5, fromSameVectors.Nodes)

	// A test document changes nothing that is learned; a training document does.
	require.NoError(t, os.WriteFile(filepath.Join(dir, newsgroupsFolders[1], "b.sky", "6"), []byte("\n\nmoon moon blue"), 0o644))
	third, err := loadCorpus(t.Context(), newsgroups, opts, tinyProtocol)
	require.NoError(t, err)
	assert.Len(t, third.Test, 3)
	require.NoError(t, os.WriteFile(filepath.Join(dir, newsgroupsFolders[0], "b.sky", "6"), []byte("\n\nmoon moon blue sky"), 0o644))
	_, err = loadCorpus(t.Context(), newsgroups, opts, tinyProtocol)
	assert.ErrorContains(t, err, "needs a backend")
	opts.Backend = func() (compute.Backend, error) { return nil, errors.New("no such backend") }
	_, err = loadCorpus(t.Context(), newsgroups, opts, tinyProtocol)
	assert.ErrorContains(t, err, "no such backend")
}

func TestNewsgroupsErrors(t *testing.T) {
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
		"no train": {without("20news-bydate-train"), []string{"looked for 20news-bydate-train in", "20news,", "J. Rennie", "--data-dir"}},
		"no test":  {without("20news-bydate-test"), []string{"20news-bydate-test"}},
		"group missing from test": {without("20news-bydate-test/b.sky"),
			[]string{"group b.sky is in 20news-bydate-train but not in 20news-bydate-test"}},
		"group missing from train": {without("20news-bydate-train/a.bikes"),
			[]string{"group a.bikes is in 20news-bydate-test but not in 20news-bydate-train"}},
		"empty group": {without("20news-bydate-test/b.sky/5"),
			[]string{filepath.Join("20news-bydate-test", "b.sky") + " holds no messages"}},
		"no groups":  {without("20news-bydate-test/b.sky", "20news-bydate-test/a.bikes"), []string{"20news-bydate-test holds no folders"}},
		"no vectors": {without("vectors.txt"), []string{"vectors.txt"}},
		"vectors are a folder": {func(dir string) error {
			return errors.Join(without("vectors.txt")(dir), os.Mkdir(filepath.Join(dir, "vectors.txt"), 0o755))
		}, []string{"vectors.txt is a folder"}},
		"few vectors": {func(dir string) error {
			return os.WriteFile(filepath.Join(dir, "vectors.txt"), []byte("red 1 0\nbike 0 1\n"), 0o644)
		}, []string{"only 2 words", "needs 3 or more"}},
		"nothing left to test": {func(dir string) error {
			return errors.Join(without("20news-bydate-test/a.bikes/5")(dir),
				os.WriteFile(filepath.Join(dir, "20news-bydate-test", "b.sky", "5"), []byte("no body"), 0o644))
		}, []string{"no documents are left"}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := lay(t, tinyCorpus)
			require.NoError(t, c.change(dir))
			_, err := loadCorpus(t.Context(), newsgroups, tinyOptions(dir), tinyProtocol)
			for _, want := range c.want {
				assert.ErrorContains(t, err, want)
			}
			assert.Equal(t, name[:3] == "no " && name != "no groups", errors.Is(err, fs.ErrNotExist))
		})
	}
}
