package newsgroups

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/clusterpool/ccp/internal/loop"
)

// protocol holds the constants of the preparation.
type protocol struct {
	minLength  int // fewest words, counted or not, of a training document
	pictures   int // a training document with "ax" this many times is an encoded picture
	words      int // number of the commonest words that become nodes
	minKept    int // fewest occurrences of nodes' words in a document, training or test
	neighbours int // of each node in the graph
	minCount   int // fewest occurrences of a word whose vector is learned
	training   skipGram
}

// defferrard is the protocol of Defferrard, Bresson, Vandergheynst: Convolutional Neural Networks on Graphs with Fast
// Localized Spectral Filtering, 2016.
var defferrard = protocol{
	minLength: 20, pictures: 1_000, words: Words, minKept: 5, neighbours: 16, minCount: 5,
	training: skipGram{Dim: 100, Epochs: 10, Window: 5, Negatives: 5, Shared: 64, Batch: 1024, Subsample: 1e-4,
		LearningRate: 0.025, Seed: 1},
}

// pictureWord fills the lines of encoded pictures.
const pictureWord = "ax"

// prepareVersion must be raised if prepare changes: old results are then not used.
const prepareVersion = 2

// document is a message cut into words.
type document struct {
	words []int32 // numbers in the vocabulary
	label int32
}

// count returns the number of occurrences of some words.
func (d document) count(some func(word int32) bool) (n int) {
	for _, word := range d.words {
		if some(word) {
			n++
		}
	}
	return n
}

// preparation is the state of a corpus between two steps of the protocol.
type preparation struct {
	protocol
	vocabulary  vocabulary
	train, test []document
	counts      []int    // of each word of the vocabulary in train
	notes       []string // what each step left
}

// prepare carries out the protocol.
//
//  1. Strip headers, footers and quoted lines ([body]).
//  2. Cut messages into words of a to z. Digits and dollar signs are words, too ([cut]).
//  3. Count the words of two letters or more that are no stop words ([isCounted]).
//  4. Drop training documents of fewer than minLength words, counted or not. Drop encoded pictures.
//  5. Drop words without a vector. Then drop all but the commonest words.
//  6. Drop documents, test documents too, with fewer than minKept occurrences of the remaining words.
//
// It returns the counts of the words and the graph of the words.
func (p protocol) prepare(ctx context.Context, from *messages, opts Options) (*Prepared, error) {
	c := &preparation{protocol: p, notes: []string{" train   test   words  after"}}
	opts.Progress("cutting messages into words", 0)
	c.train = c.cut(from.train)
	different := len(c.vocabulary.Words)
	c.test = c.cut(from.test)
	c.counts = c.vocabulary.Count(wordsOf(c.train))
	c.note(different, "messages, stripped of headers, footers, quotes")
	c.note(len(c.counted()), "words of 2 letters or more, no stop words")
	c.drop(func(d document) bool { return len(d.words) < p.minLength },
		fmt.Sprintf("training documents of %d words or more", p.minLength))
	picture := int32(slices.Index(c.vocabulary.Words, pictureWord))
	c.drop(func(d document) bool { return d.count(func(word int32) bool { return word == picture }) >= p.pictures },
		"training documents that are no encoded pictures")

	vectors, err := c.vectors(ctx, opts)
	if err != nil {
		return nil, err
	}
	word := func(node int32) string { return c.vocabulary.Words[node] }
	nodes := slices.DeleteFunc(c.counted(), func(node int32) bool { return vectors[word(node)] == nil })
	c.note(len(nodes), "words that have a vector")
	slices.SortFunc(nodes, func(a, b int32) int {
		return cmp.Or(cmp.Compare(c.counts[b], c.counts[a]), cmp.Compare(word(a), word(b)))
	})
	nodes = nodes[:min(p.words, len(nodes))]
	c.note(len(nodes), fmt.Sprintf("the %d commonest words", p.words))

	out := &Prepared{}
	columns := slices.Repeat([]int32{-1}, len(c.vocabulary.Words)) // the node of each word
	for column, node := range nodes {
		columns[node] = int32(column)
		out.Words = append(out.Words, word(node))
	}
	opts.Progress("joining each word to its nearest", 0)
	graph, err := p.graph(out.Words, vectors)
	if err != nil {
		return nil, err
	}
	out.Edges = graph.EdgeList()
	poor := func(d document) bool {
		return d.count(func(word int32) bool { return columns[word] >= 0 }) < p.minKept
	}
	c.train, c.test = slices.DeleteFunc(c.train, poor), slices.DeleteFunc(c.test, poor)
	if len(c.train) == 0 || len(c.test) == 0 {
		return nil, errors.New("no documents are left, as none has enough of the words that have a vector; " + again)
	}
	c.note(len(nodes), fmt.Sprintf("documents of %d kept words or more", p.minKept))
	all := slices.Concat(c.train, c.test)
	for _, d := range all {
		out.Labels = append(out.Labels, d.label)
	}
	out.Counts, out.Train, out.Notes = Count(wordsOf(all), columns), len(c.train), c.notes
	return out, nil
}

// cut strips messages and cuts them into words, on all cores.
func (c *preparation) cut(messages []message) []document {
	words := make([][]string, len(messages))
	loop.Parallel(len(messages), func(i int) { words[i] = cut(body(messages[i].content)) })
	documents := make([]document, len(messages))
	for i, message := range messages {
		documents[i] = document{c.vocabulary.Number(words[i]), message.group}
	}
	return documents
}

// drop removes training documents, updates counts and notes the counted words that are left.
func (c *preparation) drop(odd func(document) bool, after string) {
	c.train = slices.DeleteFunc(c.train, odd)
	c.counts = c.vocabulary.Count(wordsOf(c.train))
	c.note(len(c.counted()), after)
}

// counted lists the words of the training documents that count in bags.
func (c *preparation) counted() (numbers []int32) {
	for number, count := range c.counts {
		if count > 0 && isCounted(c.vocabulary.Words[number]) {
			numbers = append(numbers, int32(number))
		}
	}
	return numbers
}

// note records the documents and the number of different words that a step left.
func (c *preparation) note(words int, after string) {
	c.notes = append(c.notes, fmt.Sprintf("%6d %6d %7d  %s", len(c.train), len(c.test), words, after))
}
