package newsgroups

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// sample collects the blocks of a training.
func sample(t *testing.T, c skipGram, documents [][]int32, words int) (blocks []*block) {
	t.Helper()
	to := make(chan *block)
	go newSampler(c, documents, words).blocks(t.Context(), to)
	for b := range to {
		blocks = append(blocks, b)
	}
	return blocks
}

// TestPairs draws every pair of neighbours: with a window of 1 nothing is left to chance.
func TestPairs(t *testing.T) {
	c := small()
	c.Window, c.Epochs, c.LearningRate = 1, 2, 1
	blocks := sample(t, c, [][]int32{{0, 1, 1, 2}, {}, {3}, {2, 0}}, 4)
	require.Len(t, blocks, 1)
	b := blocks[0]
	assert.Equal(t, []any{1, 2, 1.0}, []any{b.steps, b.epoch, b.done})
	type pair struct {
		input, output int32
		rate          float32
	}
	got := map[pair]int{}
	for i, rate := range b.rate {
		if rate > 0 {
			got[pair{b.input[i], b.output[i], rate}]++
		}
	}
	// 7 words are read in an epoch: the first document begins at 0 and 7 of 14, the last at 5 and 12. A word does not
	// predict itself.
	want := map[pair]int{}
	for _, rate := range []float32{1, 0.5} {
		want[pair{0, 1, rate}], want[pair{1, 0, rate}], want[pair{1, 2, rate}], want[pair{2, 1, rate}] = 1, 1, 1, 1
	}
	for _, rate := range []float32{1 - 5./14, 1 - 12./14} {
		want[pair{2, 0, rate}], want[pair{0, 2, rate}] = 1, 1
	}
	assert.Equal(t, want, got)
	assert.Equal(t, 12, len(want))
}

// TestPairsFillBlocks: pairs go on into the next block, none is lost.
func TestPairsFillBlocks(t *testing.T) {
	c := small()
	c.Window, c.Epochs, c.Batch = 1, 1, 2
	document := make([]int32, 200)
	for i := range document {
		document[i] = int32(i % 2)
	}
	blocks := sample(t, c, [][]int32{document}, 2)
	var steps []int
	pairs := 0
	for _, b := range blocks {
		steps = append(steps, b.steps)
		for i, rate := range b.rate {
			if rate > 0 {
				require.Less(t, i, 2*b.steps, "a pair in a step that is not run")
				pairs++
			}
		}
	}
	assert.Equal(t, 398, pairs)
	assert.Equal(t, []int{64, 64, 64, 7}, steps)
}

func TestSubsampling(t *testing.T) {
	c := small()
	c.Subsample = 0.25 / 4
	s := newSampler(c, [][]int32{{0, 0, 0, 1}}, 3)
	assert.InDeltaSlice(t, []float64{0.288675, 0.5, 1}, s.keep, 1e-6, "√(t/f) with f of 3/4, 1/4, 0")
	c.Subsample = 0
	assert.Equal(t, []float64{1, 1, 1}, newSampler(c, [][]int32{{0, 0, 0, 1}}, 3).keep)
}

// TestNoise: 16 and 1 times seen, a word is drawn 8 and 1 times in 9; words that are not there never.
func TestNoise(t *testing.T) {
	document := make([]int32, 17)
	for i := range 16 {
		document[i] = 2
	}
	document[16] = 1
	s := newSampler(small(), [][]int32{document}, 4)
	count := make([]int, 4)
	for range 9000 {
		count[s.draw()]++
	}
	assert.Zero(t, count[0])
	assert.Zero(t, count[3])
	assert.InDelta(t, 8000, count[2], 150)
}

// A training that nobody wants any more ends: of its blocks only those come that were chosen before its end was seen.
func TestSamplerStops(t *testing.T) {
	corpus, words := topics(20, 500, 20)
	blocks := func(stop bool) (n int) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		to := make(chan *block)
		go newSampler(small(), corpus, len(words)).blocks(ctx, to)
		<-to
		if stop {
			cancel()
		}
		for range to {
			n++
		}
		return n
	}
	whole := blocks(false)
	require.Greater(t, whole, 40)
	assert.Less(t, blocks(true), whole/2)
}
