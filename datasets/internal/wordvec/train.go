// Package wordvec learns vectors of words from a corpus with skip-gram and negative sampling (Mikolov, Sutskever, Chen,
// Corrado, Dean: "Distributed Representations of Words and Phrases and their Compositionality", 2013). The training is
// a GoMLX graph, on XLA or pure Go.
package wordvec

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
)

// Train learns a vector for each word from documents, whose entries are indices of words. It trains skip-gram with
// negative sampling by stochastic gradient descent. The vector of a word has to tell the words around it from noise
// words, which are drawn in proportion to count^0.75.
//
// It departs from the original program in three ways, which suit a matrix library:
//   - It adds up the gradients of a batch of pairs before it applies them.
//   - The pairs of a batch share config.Shared noise words, each weighted Negatives/Shared. The expected gradient is
//     the same.
//   - It shuffles pairs that follow each other closely, and pairs no word with itself.
//
// A word that is in no document keeps its random first vector. progress may be nil. It receives the epoch (from 1), the
// share of the training that is done, and the mean loss of the pairs since the last call. The result depends on the
// arguments and the backend only. On a GPU the order of additions varies, and with it the last digits.
//
// Errors say what the documents lack. If ctx ends first, the error wraps ctx.Err().
func Train(ctx context.Context, backend compute.Backend, documents [][]int32, words []string, config Config,
	progress func(epoch int, done, loss float64)) (_ *Vectors, err error) {
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
	steps := func(_ *model.Scope, steps, input, output, rate, negative *graph.Node) *graph.Node {
		newVectors, newOutputs, loss := loop(vectors.NodeValue(steps), outputs.NodeValue(steps), steps,
			batch{input, output, rate, negative}, config.Negatives)
		vectors.SetNodeValue(newVectors)
		outputs.SetNodeValue(newOutputs)
		return loss
	}
	exec, err := model.NewExec(backend, store, steps)
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
		if trained = true; progress != nil {
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
	if slices.ContainsFunc(values, func(value float32) bool { return !finite(float64(value)) }) {
		return nil, fmt.Errorf("training diverged: vectors are infinite or NaN; lower the learning rate, %v, or the "+
			"batch, %d",
			config.LearningRate, config.Batch)
	}
	return &Vectors{Dim: config.Dim, Words: slices.Clone(words), Values: values}, nil
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// variables makes the vectors of the words, uniform in ±1/(2·dim), and their output vectors, zero: both `[words, dim]`.
func variables(store *model.Store, config Config, words int) (vectors, outputs *model.Variable, err error) {
	random := rand.New(rand.NewPCG(config.Seed, 0))
	start := make([]float32, words*config.Dim)
	for i := range start {
		start[i] = (random.Float32() - 0.5) / float32(config.Dim)
	}
	first := tensors.FromFlatDataAndDimensions(start, words, config.Dim)
	if vectors, err = store.CreateVariable("/vectors", first); err != nil {
		return nil, nil, err
	}
	zeros := make([]float32, words*config.Dim)
	outputs, err = store.CreateVariable("/outputs", tensors.FromFlatDataAndDimensions(zeros, words, config.Dim))
	return vectors, outputs, err
}

// run runs the steps of a block and returns the mean loss of its pairs.
func run(exec *model.Exec, b *block, config Config) (float64, error) {
	matrix := func(values []int32) *tensors.Tensor {
		return tensors.FromFlatDataAndDimensions(values, blockSteps, len(values)/blockSteps)
	}
	out, err := exec.Call1(int32(b.steps), matrix(b.input), matrix(b.output),
		tensors.FromFlatDataAndDimensions(b.rate, blockSteps, config.Batch), matrix(b.negative))
	if err != nil {
		return 0, err
	}
	return float64(tensors.ToScalar[float32](out)), nil
}

// Config holds the settings of Train; all counts are at least 1. Equal settings give equal vectors on the same backend
// and corpus.
type Config struct {
	Dim          int     // values in a vector
	Epochs       int     // passes over the corpus
	Window       int     // largest distance of a pair; each word draws a distance from 1 to Window
	Negatives    int     // noise words of each pair
	Shared       int     // noise words drawn for a batch; see [Train]
	Batch        int     // pairs in a step of gradient descent
	Subsample    float64 // t: a word of frequency f is kept with probability min(1, √(t/f)); 0 keeps all
	LearningRate float64 // at the start; it falls linearly to nearly 0
	Seed         uint64
}

// Defaults returns settings that suit corpora of some million words, such as 20NEWS.
func Defaults() Config {
	return Config{Dim: 100, Epochs: 10, Window: 5, Negatives: 5, Shared: 64, Batch: 1024, Subsample: 1e-4,
		LearningRate: 0.025, Seed: 1}
}

// Vectors are words, each with a vector.
type Vectors struct {
	Dim    int       // values in a vector
	Words  []string  // no word twice
	Values []float32 // `[len(Words), Dim]`, row-major
}

// Row returns the vector of word i, `[Dim]`, as a view of Values.
func (v *Vectors) Row(i int) []float32 { return v.Values[i*v.Dim : (i+1)*v.Dim : (i+1)*v.Dim] }
