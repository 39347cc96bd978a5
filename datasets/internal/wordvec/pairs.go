package wordvec

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
)

// blockSteps is the number of steps in one call of the backend, which copies the variables.
const blockSteps = 64

// minRate is the share of the learning rate at the end.
const minRate = 1e-4

// block is the input of blockSteps steps, fewer in the last block. Unused places are pairs of rate 0.
type block struct {
	steps         int
	input, output []int32   // `[blockSteps, batch]`
	rate          []float32 // `[blockSteps, batch]`
	negative      []int32   // `[blockSteps, shared]`
	epoch         int       // in which it ends, from 1
	done          float64   // part of the training that ends with it
}

// sampler draws the pairs of a corpus.
type sampler struct {
	Config
	documents [][]int32
	tokens    int       // words of the corpus, repeated ones too
	keep      []float64 // by word: probability to be kept
	noise     []float64 // by word: sum of count^0.75 up to and with it
	random    *rand.Rand
}

func newSampler(c Config, documents [][]int32, words int) *sampler {
	// The second half of the seed separates this generator from the generator of the initial vectors.
	s := &sampler{Config: c, documents: documents, keep: make([]float64, words), noise: make([]float64, words),
		random: rand.New(rand.NewPCG(c.Seed, 1))}
	counts := make([]float64, words)
	for _, document := range documents {
		for _, word := range document {
			counts[word]++
		}
		s.tokens += len(document)
	}
	sum := 0.0
	for word, count := range counts {
		s.keep[word] = 1
		if threshold := c.Subsample * float64(s.tokens); threshold > 0 && count > threshold {
			s.keep[word] = math.Sqrt(threshold / count)
		}
		sum += math.Pow(count, 0.75)
		s.noise[word] = sum
	}
	return s
}

// blocks sends the blocks of a whole training, until ctx ends. It reads the documents in order, but shuffles the pairs
// of a block. The pairs of one document have the same few words, and the sum of their gradients would be too long a
// step. For the same reason a word is never paired with itself: some documents repeat a word hundreds of times.
func (s *sampler) blocks(ctx context.Context, to chan<- *block) {
	defer close(to)
	b := s.newBlock()
	pairs, read, total := 0, 0, s.Epochs*s.tokens
	send := func(epoch int) bool {
		b.steps = (pairs + s.Batch - 1) / s.Batch
		b.epoch, b.done = epoch, float64(read)/float64(total)
		s.random.Shuffle(pairs, func(i, j int) {
			b.input[i], b.input[j] = b.input[j], b.input[i]
			b.output[i], b.output[j] = b.output[j], b.output[i]
			b.rate[i], b.rate[j] = b.rate[j], b.rate[i]
		})
		select {
		case to <- b:
		case <-ctx.Done():
			return false
		}
		b, pairs = s.newBlock(), 0
		return true
	}
	var kept []int32
	for epoch := range s.Epochs {
		for _, document := range s.documents {
			rate := float32(s.LearningRate * max(minRate, 1-float64(read)/float64(total)))
			kept = kept[:0]
			for _, word := range document {
				if s.keep[word] == 1 || s.random.Float64() < s.keep[word] {
					kept = append(kept, word)
				}
			}
			read += len(document)
			for at, word := range kept {
				window := 1 + s.random.IntN(s.Window)
				for other := max(0, at-window); other < min(len(kept), at+window+1); other++ {
					if kept[other] == word {
						continue
					}
					b.input[pairs], b.output[pairs], b.rate[pairs] = word, kept[other], rate
					if pairs++; pairs == len(b.input) && !send(epoch+1) {
						return
					}
				}
			}
		}
	}
	if pairs > 0 {
		send(s.Epochs)
	}
}

func (s *sampler) newBlock() *block {
	pairs := blockSteps * s.Batch
	b := &block{input: make([]int32, pairs), output: make([]int32, pairs), rate: make([]float32, pairs),
		negative: make([]int32, blockSteps*s.Shared)}
	for i := range b.negative {
		b.negative[i] = s.draw()
	}
	return b
}

// draw returns a noise word, with probability in proportion to its count^0.75.
func (s *sampler) draw() int32 {
	at := s.random.Float64() * s.noise[len(s.noise)-1]
	word, _ := slices.BinarySearchFunc(s.noise, at, func(sum, at float64) int {
		if sum <= at {
			return -1
		}
		return 1
	})
	return int32(min(word, len(s.noise)-1)) // rounding may lead past the last
}
