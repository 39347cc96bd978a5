package data

import (
	"math"
	"testing"
	"time"

	"github.com/gomlx/compute"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/clusterpool/ccp/benchmarks/paper/data/internal/newsgroups"
	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/clusterpool/ccp/internal/messagetest"
	_ "github.com/clusterpool/ccp/models/baselines"
	"github.com/clusterpool/ccp/models/training"
)

// TestOfCorpus makes signals of the counts of three training and two test documents.
func TestOfCorpus(t *testing.T) {
	corpus := func() *newsgroups.Corpus {
		return &newsgroups.Corpus{Folder: "here", Groups: []string{"a.bikes", "b.sky"}, Hash: "abc",
			Warnings: []string{"one"},
			Prepared: newsgroups.Prepared{Labels: []int32{0, 0, 1, 0, 1}, Train: 3,
				Words: []string{"blue", "red", "bike", "moon"},
				Edges: []affinity.Edge{{I: 0, J: 1, Weight: 1}}, Notes: []string{"a note"},
				Counts: newsgroups.Count([][]int32{{0, 1, 1, 2, 2, 2}, {0, 1, 1}, {0, 3, 3}, {2, 3}, {3, 3}}, []int32{0, 1, 2, 3})}}
	}
	load := func(opts datasets.Options) *datasets.Dataset {
		raw, err := ofCorpus(corpus(), opts)
		require.NoError(t, err)
		raw.Name = "20news"
		split := *raw.Split
		if opts.HoldOut || opts.Validation > 0 {
			split = raw.HoldOut(split, opts.Validation, 0)
		}
		d, err := datasets.Make(raw, split)
		require.NoError(t, err)
		return d
	}
	d := load(datasets.Options{HoldOut: true})
	require.NoError(t, d.Validate())
	assert.Equal(t, []string{"blue", "red", "bike", "moon"}, d.NodeNames)
	assert.Equal(t, []string{"a.bikes", "b.sky"}, d.ClassNames)
	assert.Equal(t, []int{3, 4}, d.Test)
	require.Len(t, d.Validation, 1)
	require.Len(t, d.Train, 2)
	messagetest.EachNames(t, d.Notes, "a note", "values … word's share", "graph … vectors … training documents")
	messagetest.Names(t, d.Provenance, "sha256 … abc")
	assert.Equal(t, []string{"one"}, d.Raw.Warnings)
	row := make([]float32, 4)
	for i, want := range [][]float32{{1. / 6, 2. / 6, 3. / 6, 0}, {1. / 3, 2. / 3, 0, 0}, {1. / 3, 0, 0, 2. / 3},
		{0, 0, 0.5, 0.5}, {0, 0, 0, 1}} {
		d.Signals.Read(i, row)
		assert.InDeltaSlice(t, want, row, 1e-6, "document %d", i)
	}
	squares := 0.0
	for _, i := range d.Train {
		d.Sample(i, row)
		for _, value := range row {
			squares += float64(value * value)
		}
	}
	assert.InDelta(t, 1, squares/8, 1e-6, "mean square of the inputs")
	assert.Equal(t, []float32{0}, d.Mean)

	plain := load(datasets.Options{})
	later, err := datasets.Make(&plain.Raw, plain.Raw.HoldOut(plain.Split, 0, 0))
	require.NoError(t, err)
	assert.Equal(t, [][]int{d.Train, d.Validation}, [][]int{later.Train, later.Validation})
	assert.Equal(t, d.Std, later.Std)
	assert.NotEqual(t, plain.Std, later.Std)

	d = load(datasets.Options{Own: map[string]any{"tfidf": true}, Validation: 0.67})
	// Of the three training documents blue is in 3, red in 2, bike and moon in 1.
	blue, red, bike := 1.0, math.Log(4./3)+1, math.Log(2)+1
	d.Signals.Read(0, row)
	length := math.Sqrt(blue*blue + 4*red*red + 9*bike*bike)
	assert.InDeltaSlice(t, []float64{blue / length, 2 * red / length, 3 * bike / length, 0}, row, 1e-6)
	assert.Contains(t, d.Notes[1], "tf-idf")
	assert.Len(t, d.Train, 2, "no class gives up its last document")
}

// TestRealNewsgroupsLearned takes minutes where the vectors are not learned yet.
func TestRealNewsgroupsLearned(t *testing.T) {
	opts := datasets.Options{HoldOut: true, DataDir: realData(t, "20news")}
	if testing.Short() {
		t.Skip("learns word vectors")
	}
	began, doingBefore := time.Now(), ""
	opts.Backend = func() (compute.Backend, error) { return backendtest.XLA(t), nil }
	opts.Progress = func(doing string, done float64) {
		if doingBefore != doing {
			doingBefore = doing
			t.Log(doing, time.Since(began))
		}
	}
	d, err := datasets.Load(t.Context(), "20news", opts)
	require.NoError(t, err)
	t.Log(time.Since(began), d.Notes)
	messagetest.EachNames(t, d.Notes[:5],
		"train   test   words  after",
		"11314   7532   72942  messages",
		"11314   7532   72607  words … no stop words",
		"10181   7532   72412  training documents … 20 words",
		"10171   7532   70640  training documents … pictures")
	row := make([]float32, d.Nodes)
	for i := 0; i < d.Signals.Len(); i += 1000 {
		d.Signals.Read(i, row)
		sum := 0.0
		for _, value := range row {
			sum += float64(value)
		}
		assert.InDelta(t, 1, sum, 1e-4, "document %d", i)
	}
	assert.InDelta(t, 10_168, len(d.Train)+len(d.Validation), 20)
	assert.InDelta(t, 7_068, len(d.Test), 20)
	assert.Equal(t, 10_000, d.Nodes)
	assert.InDelta(t, 133_500, d.Affinity.Edges(), 5_000)
	assert.Empty(t, d.Warnings)
}

// TestRealNewsgroupsPlain: the closed form reaches its published accuracy, 68.5, within 1.5 points.
func TestRealNewsgroupsPlain(t *testing.T) {
	folder := realData(t, "20news")
	if testing.Short() {
		t.Skip("learns word vectors")
	}
	result, err := training.Train(t.Context(), backendtest.XLA(t), training.Patch{"data": "20news", "model": "bayes"},
		training.Options{Dir: t.TempDir(), DataDir: folder})
	require.NoError(t, err)
	assert.Greater(t, result.Test.Accuracy, 0.67)
}
