package datasets

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/datasets/wordvec"
	"github.com/clusterpool/ccp/internal/cache"
)

// trainVersion is raised when the training of vectors changes, so that old ones are not used.
const trainVersion = 1

// vectorSource identifies a file of vectors in a cache's key; it is "" where they are learned.
func vectorSource(path string) (string, error) {
	if path == "" {
		return "", nil
	}
	absolute, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	info, err := os.Stat(path)
	if err == nil && info.IsDir() {
		err = fmt.Errorf("%s is a folder; name the file in it", path)
	}
	if err != nil {
		return "", fmt.Errorf("word vectors: %w", err)
	}
	return fmt.Sprint(absolute, info.Size(), info.ModTime().UnixNano()), nil
}

// vectors reads or learns vectors for words of the training documents. It drops vectors that are zero or not finite.
func (c *preparation) vectors(ctx context.Context, opts Options) (map[string][]float32, error) {
	var v *wordvec.Vectors
	var err error
	if opts.Vectors == "" {
		v, err = c.learn(ctx, opts)
	} else {
		opts.report("reading word vectors", 0)
		want := map[string]bool{}
		for _, word := range c.counted() {
			want[c.vocabulary.Words[word]] = true
		}
		v, err = wordvec.Read(opts.Vectors, want)
	}
	if err != nil {
		return nil, err
	}
	vectors := map[string][]float32{}
	for i, word := range v.Words {
		row := v.Row(i)
		if slices.ContainsFunc(row, func(value float32) bool { return value != 0 }) &&
			!slices.ContainsFunc(row, func(value float32) bool { return !finite(float64(value)) }) {
			vectors[word] = row
		}
	}
	return vectors, nil
}

// learn learns vectors, or takes those of an earlier start. It uses the words that occur minCount times or more in the
// training documents, including stop words and single letters, and no test document.
func (c *preparation) learn(ctx context.Context, opts Options) (*wordvec.Vectors, error) {
	var names []string
	number := make([]int32, len(c.vocabulary.Words))
	for word, count := range c.counts {
		number[word] = -1
		if count >= c.minCount {
			number[word] = int32(len(names))
			names = append(names, c.vocabulary.Words[word])
		}
	}
	documents := wordsOf(c.train)
	digest := sha256.New()
	for i, document := range documents {
		documents[i] = nil
		for _, word := range document {
			if number[word] >= 0 {
				documents[i] = append(documents[i], number[word])
			}
		}
		fmt.Fprintln(digest, len(documents[i]))
		if err := binary.Write(digest, binary.LittleEndian, documents[i]); err != nil {
			return nil, err
		}
	}
	train := func() (*wordvec.Vectors, error) {
		if opts.Backend == nil {
			return nil, errors.New("word vectors have to be learned first, which needs a backend; give one, or a file of vectors")
		}
		backend, err := opts.Backend()
		if err != nil {
			return nil, err
		}
		return wordvec.Train(ctx, backend, documents, names, c.training, func(_ int, done, _ float64) {
			opts.report("learning word vectors", done)
		})
	}
	// A failure to keep vectors goes without a warning: that of the corpus prepared from them warns.
	v, _, err := cache.Get(cache.Path("wordvec", ".gob.gz", trainVersion, names, digest.Sum(nil), c.training),
		readGob[*wordvec.Vectors], train, writeGob[*wordvec.Vectors])
	return v, err
}

// graph joins each word to those whose vectors have the smallest cosine distance: see [affinity.KNN].
func (p protocol) graph(words []string, vectors map[string][]float32) (*affinity.Matrix, error) {
	if len(words) <= p.neighbours {
		return nil, fmt.Errorf("only %d words of the training messages have a vector, the graph needs %d or more; "+
			"unpack the messages again, or take other vectors", len(words), p.neighbours+1)
	}
	dim := len(vectors[words[0]])
	points := make([]float64, 0, len(words)*dim)
	for _, word := range words {
		for _, value := range vectors[word] {
			points = append(points, float64(value))
		}
	}
	return affinity.KNN(points, len(words), dim, p.neighbours, affinity.Cosine)
}
