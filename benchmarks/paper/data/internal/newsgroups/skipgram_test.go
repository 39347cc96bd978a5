package newsgroups

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gomlx/compute"
	_ "github.com/gomlx/compute/gobackend"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/clusterpool/ccp/internal/messagetest"
)

// topics is a corpus of two topics, each with n/2 words: those with even indices and those with odd ones. A document is
// about one of them.
func topics(n, documents, length int) (corpus [][]int32, words []string) {
	random := rand.New(rand.NewPCG(5, 0))
	for i := range documents {
		document := make([]int32, length)
		for j := range document {
			document[j] = int32(2*random.IntN(n/2) + i%2)
		}
		corpus = append(corpus, document)
	}
	for i := range n {
		words = append(words, fmt.Sprintf("%s%d", []string{"even", "odd"}[i%2], i))
	}
	return corpus, words
}

// small are settings for such a corpus.
func small() skipGram {
	return skipGram{Dim: 8, Epochs: 3, Window: 3, Negatives: 5, Shared: 16, Batch: 32, LearningRate: 0.1, Seed: 1}
}

func TestTrainFindsTopics(t *testing.T) {
	corpus, words := topics(40, 400, 20)
	backendtest.Run(t, func(t *testing.T, backend compute.Backend) {
		var done, losses []float64
		v, err := learnVectors(t.Context(), backend, corpus, words, small(), func(epoch int, part, loss float64) {
			assert.True(t, epoch >= 1 && epoch <= 3, "epoch %d", epoch)
			done, losses = append(done, part), append(losses, loss)
		})
		require.NoError(t, err)
		require.Equal(t, words, v.Words)
		require.Len(t, v.Values, 40*8)
		for i, word := range words {
			for _, other := range nearest(v, i, 10) {
				assert.Equal(t, i%2 == 1, other[:3] == "odd", "%s is near %s", word, other)
			}
		}
		assert.IsIncreasing(t, done)
		assert.Equal(t, 1.0, done[len(done)-1])
		assert.Less(t, losses[0], 6*math.Ln2, "that of a pair and 5 noise words, all undecided")
		assert.Less(t, losses[len(losses)-1], losses[0]-0.2)
	})
}

func TestTrainIsDeterministic(t *testing.T) {
	corpus, words := topics(20, 50, 20)
	backendtest.Run(t, func(t *testing.T, backend compute.Backend) {
		train := func(seed uint64) []float32 {
			c := small()
			c.Seed, c.Subsample = seed, 0.02
			v, err := learnVectors(t.Context(), backend, corpus, words, c, nil)
			require.NoError(t, err)
			return v.Values
		}
		first := train(1)
		assert.Equal(t, first, train(1))
		assert.NotEqual(t, first, train(2))
	})
}

func TestTrainStops(t *testing.T) {
	corpus, words := topics(20, 500, 20)
	backend := backendtest.Go(t)
	c := small()
	c.Epochs = 1_000_000
	ctx, cancel := context.WithCancel(t.Context())
	calls := 0
	_, err := learnVectors(ctx, backend, corpus, words, c, func(int, float64, float64) {
		calls++
		if calls == 2 {
			cancel()
		}
	})
	assert.ErrorIs(t, err, context.Canceled)
	assert.Equal(t, 2, calls)
	_, err = learnVectors(ctx, backend, corpus, words, c, func(int, float64, float64) { t.Error("trained") })
	assert.ErrorIs(t, err, context.Canceled)
}

func TestTrainErrors(t *testing.T) {
	set := func(change func(*skipGram)) skipGram {
		c := small()
		change(&c)
		return c
	}
	two := [][]int32{{0, 1}}
	for name, c := range map[string]struct {
		documents [][]int32
		config    skipGram
		want      string
	}{
		"no documents":    {nil, small(), "none of the 0 documents"},
		"empty documents": {[][]int32{{}, {1}}, small(), "none of the 2 documents"},
		"only one word":   {[][]int32{{1, 1, 1}}, small(), "no two … words … together"},
		"all subsampled":  {two, set(func(c *skipGram) { c.Subsample = 1e-30 }), "raise subsample"},
		"learning rate high": {[][]int32{{0, 1, 0, 1}}, set(func(c *skipGram) { c.LearningRate = 1e39 }),
			"lower the learning rate, 1e+39"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := learnVectors(t.Context(), backendtest.Go(t), c.documents, []string{"a", "b"}, c.config, nil)
			messagetest.Names(t, err, c.want)
			assert.ErrorContains(t, err, "word vectors: ")
		})
	}
}
