package newsgroups

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"slices"
	"sort"

	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
)

// learnVectors learns a vector for each word from documents, whose entries are indices of words. It trains skip-gram
// with negative sampling (Mikolov, Sutskever, Chen, Corrado, Dean: "Distributed Representations of Words and Phrases
// and their Compositionality", 2013) by stochastic gradient descent, as a GoMLX graph. The vector of a word has to tell
// the words around it from noise words, which are drawn in proportion to count^0.75.
//
// It departs from the original program in three ways, which suit a matrix library:
//   - It adds up the gradients of a batch of pairs before it applies them.
//   - The pairs of a batch share config.Shared noise words, each weighted Negatives/Shared. The expected gradient is
//     the same.
//   - It shuffles the pairs of a block, and makes no pair of a word with itself, see sampler.blocks.
//
// A word that is in no document keeps its random first vector. progress may be nil. It receives the epoch (from 1), the
// share of the training that is done, and the mean loss of the pairs since the last call. The result depends on the
// arguments and the backend only. On a GPU the order of additions varies, and with it the last digits.
//
// It is an error if the documents have no words to pair, or if the training diverges; the error says what to change. If
// ctx ends first, the error wraps ctx.Err(). Errors of the backend are passed on.
func learnVectors(ctx context.Context, backend compute.Backend, documents [][]int32, words []string, config skipGram,
	progress func(epoch int, done, loss float64)) (_ *wordVectors, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("word vectors: %w", err)
		}
	}()
	if !slices.ContainsFunc(documents, func(document []int32) bool { return len(document) > 1 }) {
		return nil, fmt.Errorf("none of the %d documents has two words; training needs words that stand together",
			len(documents))
	}
	store := model.NewStore()
	defer store.Finalize()
	vectors, outputs, err := variables(store, config, len(words))
	if err != nil {
		return nil, err
	}
	train := func(scope *model.Scope, steps, input, output, rate, negative *graph.Node) *graph.Node {
		scope.SetTraining(steps.Graph(), true)
		newVectors, newOutputs, loss := runSteps(vectors.NodeValue(steps), outputs.NodeValue(steps), steps,
			batch{input, output, rate, negative}, config.Negatives)
		vectors.SetNodeValue(newVectors)
		outputs.SetNodeValue(newOutputs)
		return loss
	}
	exec, err := model.NewExec(backend, store, train)
	if err != nil {
		return nil, err
	}
	defer exec.Finalize()

	sampling, stop := context.WithCancel(ctx)
	blocks := make(chan *block, 2)
	go newSampler(config, documents, len(words)).blocks(sampling, blocks)
	defer func() {
		stop()
		for range blocks { // until the sampler has ended
		}
	}()
	trained := false
	for b := range blocks {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("stopped in epoch %d of %d: %w", b.epoch, config.Epochs, err)
		}
		loss, err := run(exec, b, config)
		if err != nil {
			return nil, err
		}
		trained = true
		if progress != nil {
			progress(b.epoch, b.done, loss)
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("stopped before its end: %w", err)
	}
	if !trained {
		return nil, errors.New("no two different words were left together; if the documents have them, raise subsample, " +
			"or set it to 0 to keep every word")
	}
	value, err := vectors.Value()
	if err != nil {
		return nil, err
	}
	values, err := tensors.CopyFlatData[float32](value)
	if err != nil {
		return nil, err
	}
	if slices.ContainsFunc(values, func(value float32) bool { return value-value != 0 }) { // infinite or NaN
		return nil, fmt.Errorf("training diverged: vectors are infinite or NaN; lower the learning rate, %v, or the "+
			"batch, %d", config.LearningRate, config.Batch)
	}
	return &wordVectors{Dim: config.Dim, Words: slices.Clone(words), Values: values}, nil
}

// variables makes the vectors of the words, uniform in ±1/(2·dim), and their output vectors, zero: both `[words, dim]`.
func variables(store *model.Store, config skipGram, words int) (vectors, outputs *model.Variable, err error) {
	random := rand.New(rand.NewPCG(config.Seed, 0))
	start := make([]float32, words*config.Dim)
	for i := range start {
		start[i] = (random.Float32() - 0.5) / float32(config.Dim)
	}
	first := tensors.FromFlatDataAndDimensions(start, words, config.Dim)
	vectors, err = store.CreateVariable("/vectors", first)
	if err != nil {
		return nil, nil, err
	}
	zeros := make([]float32, words*config.Dim)
	outputs, err = store.CreateVariable("/outputs", tensors.FromFlatDataAndDimensions(zeros, words, config.Dim))
	return vectors, outputs, err
}

// run runs the steps of a block and returns the mean loss of its pairs.
func run(exec *model.Exec, b *block, config skipGram) (float64, error) {
	matrix := func(values []int32) *tensors.Tensor {
		return tensors.FromFlatDataAndDimensions(values, blockSteps, len(values)/blockSteps)
	}
	arguments := []any{int32(b.steps), matrix(b.input), matrix(b.output),
		tensors.FromFlatDataAndDimensions(b.rate, blockSteps, config.Batch), matrix(b.negative)}
	out, err := exec.Call1(arguments...)
	for _, a := range arguments[1:] {
		a.(*tensors.Tensor).MustFinalizeAll()
	}
	if err != nil {
		return 0, err
	}
	defer out.MustFinalizeAll()
	return float64(tensors.ToScalar[float32](out)), nil
}

// skipGram holds the settings of learnVectors; all counts are at least 1. Equal settings give equal vectors on the same
// backend and corpus.
type skipGram struct {
	Dim          int     // values in a vector
	Epochs       int     // passes over the corpus
	Window       int     // largest distance of a pair; each word draws a distance from 1 to Window
	Negatives    int     // noise words of each pair
	Shared       int     // noise words drawn for a batch; see [learnVectors]
	Batch        int     // pairs in a step of gradient descent
	Subsample    float64 // t: a word of frequency f is kept with probability min(1, √(t/f)); 0 keeps all
	LearningRate float64 // at the start; it falls linearly to nearly 0
	Seed         uint64
}

// wordVectors are words, each with a vector.
type wordVectors struct {
	Dim    int       // values in a vector
	Words  []string  // no word twice
	Values []float32 // `[len(Words), Dim]`, row-major
}

// Row returns the vector of word i, `[Dim]`, as a view of Values.
func (v *wordVectors) Row(i int) []float32 { return v.Values[i*v.Dim : (i+1)*v.Dim : (i+1)*v.Dim] }

// blockSteps is the number of steps in one call of the backend, which copies the variables.
const blockSteps = 64

// minRate is the share of the learning rate at the end.
const minRate = 1e-4

// block is the input of blockSteps steps, fewer in the last block. Places without a pair have the rate 0.
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
	skipGram
	documents [][]int32
	tokens    int       // words of the corpus, repeated ones too
	keep      []float64 // by word: probability to be kept
	noise     []float64 // by word: sum of count^0.75 up to and with it
	random    *rand.Rand
}

// newSampler counts the words of the documents. From their frequencies follow the probability that a word is kept,
// Mikolov et al.'s sqrt(threshold / frequency), and the cumulated count^0.75 that noise words are drawn by.
func newSampler(c skipGram, documents [][]int32, words int) *sampler {
	// The second half of the seed separates this generator from the generator of the initial vectors.
	s := &sampler{skipGram: c, documents: documents, keep: make([]float64, words), noise: make([]float64, words),
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
		s.complete(b, pairs, epoch, float64(read)/float64(total))
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
			kept = s.subsample(document, kept[:0])
			read += len(document)
			for word, other := range s.pairs(kept) {
				b.input[pairs], b.output[pairs], b.rate[pairs] = word, other, rate
				pairs++
				if pairs == len(b.input) && !send(epoch+1) {
					return
				}
			}
		}
	}
	if pairs > 0 {
		send(s.Epochs)
	}
}

// complete shuffles the pairs of a block and notes where in the training they are.
func (s *sampler) complete(b *block, pairs, epoch int, done float64) {
	b.steps = (pairs + s.Batch - 1) / s.Batch
	b.epoch, b.done = epoch, done
	s.random.Shuffle(pairs, func(i, j int) {
		b.input[i], b.input[j] = b.input[j], b.input[i]
		b.output[i], b.output[j] = b.output[j], b.output[i]
		b.rate[i], b.rate[j] = b.rate[j], b.rate[i]
	})
}

// subsample appends the words of a document to kept, but leaves out frequent ones by lot.
func (s *sampler) subsample(document, kept []int32) []int32 {
	for _, word := range document {
		if s.keep[word] == 1 || s.random.Float64() < s.keep[word] {
			kept = append(kept, word)
		}
	}
	return kept
}

// pairs yields each word with each other word of a window around it, whose width is drawn for each word.
func (s *sampler) pairs(words []int32) iter.Seq2[int32, int32] {
	return func(yield func(word, other int32) bool) {
		for at, word := range words {
			window := 1 + s.random.IntN(s.Window)
			for other := max(0, at-window); other < min(len(words), at+window+1); other++ {
				if words[other] != word && !yield(word, words[other]) {
					return
				}
			}
		}
	}
}

// newBlock returns a block without pairs, with noise words drawn for all of its steps.
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
	word := sort.Search(len(s.noise), func(word int) bool { return s.noise[word] > at })
	return int32(min(word, len(s.noise)-1)) // rounding may lead past the last
}
