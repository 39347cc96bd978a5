package datasets

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/gomlx/compute"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/clusterpool/ccp/internal/backend/backendtest"
)

// TestRealNewsgroups checks the counts that others find who follow the protocol with GloVe's 400,000 words.
func TestRealNewsgroups(t *testing.T) {
	opts := Options{HoldOut: true, DataDir: realData(t, "20news")}
	opts.Vectors = filepath.Join(opts.DataDir, "glove", "glove.6B.50d.txt")
	if _, err := os.Stat(opts.Vectors); err != nil {
		t.Skip(err)
	}
	for _, start := range []string{"first", "second"} {
		began := time.Now()
		d, err := Load(t.Context(), "20news", opts)
		require.NoError(t, err)
		t.Log(start, time.Since(began))
		assert.Equal(t, []string{
			" train   test   words  after",
			" 11314   7532   72942  messages, stripped of headers, footers, quotes",
			" 11314   7532   72607  words of 2 letters or more, no stop words",
			" 10181   7532   72412  training documents of 20 words or more",
			" 10171   7532   70640  training documents that are no encoded pictures",
			" 10171   7532   47047  words that have a vector",
			" 10171   7532   10000  the 10000 commonest words",
			" 10168   7072   10000  documents of 5 kept words or more",
		}, d.Notes[:8])
		assert.Equal(t, []int{9152, 1016, 7072}, []int{len(d.Train), len(d.Validation), len(d.Test)})
		assert.Equal(t, []int{10_000, 1, 20}, []int{d.Nodes, d.Channels, d.Classes()})
		assert.InDelta(t, 119_685, d.Affinity.Edges(), 5, "equally near words may fall either way")
		assert.Equal(t, "num", d.NodeNames[0])
		assert.Empty(t, d.Warnings)
		row := make([]float32, d.Nodes)
		for i := 0; i < d.Signals.Len(); i += 1000 {
			d.Signals.Read(i, row)
			sum := 0.0
			for _, value := range row {
				sum += float64(value)
			}
			assert.InDelta(t, 1, sum, 1e-4, "document %d", i)
		}
	}
}

// TestRealNewsgroupsLearned takes minutes where the vectors are not learned yet.
func TestRealNewsgroupsLearned(t *testing.T) {
	opts := Options{HoldOut: true, DataDir: realData(t, "20news")}
	if testing.Short() {
		t.Skip("learns word vectors")
	}
	began, told := time.Now(), ""
	opts.Backend = func() (compute.Backend, error) { return backendtest.XLA(t), nil }
	opts.Progress = func(doing string, done float64) {
		if told != doing {
			told = doing
			t.Log(doing, time.Since(began))
		}
	}
	d, err := Load(t.Context(), "20news", opts)
	require.NoError(t, err)
	t.Log(time.Since(began), "\n", d.Summary())
	assert.InDelta(t, 10_168, len(d.Train)+len(d.Validation), 20)
	assert.InDelta(t, 7_068, len(d.Test), 20)
	assert.Equal(t, 10_000, d.Nodes)
	assert.InDelta(t, 133_500, d.Affinity.Edges(), 5_000)
	assert.Empty(t, d.Warnings)
}
