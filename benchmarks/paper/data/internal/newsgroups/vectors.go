package newsgroups

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/internal/files"
	"github.com/clusterpool/ccp/internal/loop"
)

// trainVersion must be raised if the training of vectors changes: old vectors are then not used.
const trainVersion = 1

// vectors returns the vectors of words of the training documents. It drops vectors that are zero.
func (c *preparation) vectors(ctx context.Context, opts Options) (map[string][]float32, error) {
	vectors := opts.vectors
	if vectors == nil {
		learned, err := c.learn(ctx, opts)
		if err != nil {
			return nil, err
		}
		vectors = make(map[string][]float32, len(learned.Words))
		for i, word := range learned.Words {
			vectors[word] = learned.Row(i)
		}
	}
	usable := maps.Clone(vectors)
	maps.DeleteFunc(usable, func(_ string, row []float32) bool {
		return !slices.ContainsFunc(row, func(value float32) bool { return value != 0 })
	})
	return usable, nil
}

// learn learns vectors, or reads the vectors of an earlier start. It uses the training documents only, and their words
// that occur minCount times or more. Stop words and single letters are included.
func (c *preparation) learn(ctx context.Context, opts Options) (*wordVectors, error) {
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
	train := func() (*wordVectors, error) {
		if opts.Backend == nil {
			return nil, errors.New("word vectors have to be learned first, which needs a backend")
		}
		backend, err := opts.Backend()
		if err != nil {
			return nil, err
		}
		return learnVectors(ctx, backend, documents, names, c.training, func(_ int, done, _ float64) {
			opts.Progress("learning word vectors", done)
		})
	}
	// A failure to keep vectors needs no warning: the corpus is not kept either, and warns.
	v, _, err := files.Cached(files.CachePath("wordvec", ".gob.gz", trainVersion, names, digest.Sum(nil), c.training),
		readGob[*wordVectors], train, writeGob[*wordVectors])
	return v, err
}

// graph joins each word to the words whose vectors have the smallest cosine distance: see [affinity.KNN].
func (p protocol) graph(words []string, vectors map[string][]float32) (*affinity.Matrix, error) {
	if len(words) <= p.neighbours {
		return nil, fmt.Errorf("only %d words of the training messages have a vector, the graph needs %d or more; %s",
			len(words), p.neighbours+1, again)
	}
	dim := len(vectors[words[0]])
	points := make([]float64, 0, len(words)*dim)
	for _, word := range words {
		points = append(points, loop.Convert[float64](vectors[word])...)
	}
	return affinity.KNN(points, len(words), dim, p.neighbours, affinity.Cosine)
}

// writeGob writes a value to a file. The gzip format, here without compression, adds a checksum.
func writeGob[T any](path string, value T) error {
	return files.Write(path, func(w io.Writer) error {
		zipper, err := gzip.NewWriterLevel(w, gzip.NoCompression)
		if err != nil {
			return err
		}
		if err := gob.NewEncoder(zipper).Encode(value); err != nil {
			return err
		}
		return zipper.Close()
	})
}

// readGob reads a file of writeGob. It is an error if the file is damaged.
func readGob[T any](path string) (value T, err error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return value, err
	}
	unzipped, err := gzip.NewReader(bytes.NewReader(content))
	if err != nil {
		return value, err
	}
	content, err = io.ReadAll(unzipped)
	if err != nil { // checks the sum before anything is decoded
		return value, err
	}
	err = gob.NewDecoder(bytes.NewReader(content)).Decode(&value)
	return value, err
}
