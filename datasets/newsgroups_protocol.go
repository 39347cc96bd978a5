package datasets

import (
	"errors"
	"fmt"
	"slices"

	"github.com/clusterpool/ccp/datasets/text"
	"github.com/clusterpool/ccp/datasets/wordvec"
)

// protocol holds the constants by which messages become signals.
type protocol struct {
	minLength  int // fewest words, of whatever kind, of a training document
	pictures   int // as many times "ax" make a training document an encoded picture
	words      int // how many of the commonest words become nodes
	minKept    int // fewest occurrences of nodes' words in a document, training or test
	neighbours int // of each node in the graph
	minCount   int // fewest occurrences of a word that gets a vector where vectors are learned
	training   wordvec.Config
}

// newsgroupsProtocol is that of Defferrard, Bresson, Vandergheynst, Convolutional Neural Networks on Graphs with Fast
// Localized Spectral Filtering, 2016, with the 10,000 words of their paper.
var newsgroupsProtocol = protocol{
	minLength: 20, pictures: 1_000, words: 10_000, minKept: 5, neighbours: 16, minCount: 5, training: wordvec.Defaults(),
}

// pictureWord is the word that the lines of encoded pictures are full of.
const pictureWord = "ax"

// prepareVersion is raised when prepare changes, so that old results are not taken for new ones.
const prepareVersion = 1

// document is a message cut into words.
type document struct {
	words []int32 // numbers of the vocabulary
	label int32
}

// step is what a step of the protocol left.
type step struct {
	train, test, words int // documents, and different words of the training documents
}

// steps are the steps whose outcome is recorded, in their order.
func (p protocol) steps() []string {
	return []string{
		"messages, stripped of headers, footers, quotes",
		"words of 2 letters or more, no stop words",
		fmt.Sprintf("training documents of %d words or more", p.minLength),
		"training documents that are no encoded pictures",
		"words that have a vector",
		fmt.Sprintf("the %d commonest words", p.words),
		fmt.Sprintf("documents of %d kept words or more", p.minKept),
	}
}

// preparation is a corpus on its way through the protocol.
type preparation struct {
	protocol
	vocabulary  text.Vocabulary
	train, test []document
	counts      []int // how often each word of the vocabulary occurs in train
	recorded    []step
}

// prepare carries out the protocol:
//
//  1. strip headers, footers and quoted lines ([text.Body]);
//  2. cut into words of a to z; digits and dollar signs are words too ([text.Words]);
//  3. count the words of two letters or more that are no stop words ([text.IsCounted]);
//  4. drop training documents of fewer than minLength words, those of step 2, and encoded pictures;
//  5. drop words without a vector, then all but the commonest;
//  6. drop documents, test documents too, in which the words that are left occur fewer than minKept times.
//
// What is left are the counts, which the seventh step turns into shares, and the graph of the words.
func (p protocol) prepare(from *corpus, opts Options) (*prepared, error) {
	c := &preparation{protocol: p}
	opts.report("cutting messages into words", 0)
	c.train, c.test = c.cut(from.train), c.cut(from.test)
	c.count()
	different := 0
	for _, count := range c.counts {
		if count > 0 {
			different++
		}
	}
	c.record(different)
	c.record(len(c.counted()))

	c.train = filter(c.train, func(d document) bool { return len(d.words) >= p.minLength })
	c.count()
	c.record(len(c.counted()))
	picture := int32(slices.Index(c.vocabulary.Words, pictureWord))
	c.train = filter(c.train, func(d document) bool {
		times := 0
		for _, word := range d.words {
			if word == picture {
				times++
			}
		}
		return times < p.pictures
	})
	c.count()
	c.record(len(c.counted()))

	vectors, err := c.vectors(opts)
	if err != nil {
		return nil, err
	}
	nodes := filter(c.counted(), func(word int32) bool { return vectors[c.vocabulary.Words[word]] != nil })
	c.record(len(nodes))
	nodes = c.vocabulary.Commonest(nodes, c.counts, p.words)
	c.record(len(nodes))

	out := &prepared{}
	for _, word := range nodes {
		out.words = append(out.words, c.vocabulary.Words[word])
	}
	opts.report("joining each word to its nearest", 0)
	if out.graph, err = p.graph(out.words, vectors); err != nil {
		return nil, err
	}
	if err := c.bags(nodes, out); err != nil {
		return nil, err
	}
	c.record(len(nodes))
	out.steps = c.recorded
	return out, nil
}

// cut strips messages and cuts them into words, on all cores.
func (c *preparation) cut(messages []message) []document {
	words := make([][]string, len(messages))
	parallel(len(messages), func(i int) { words[i] = text.Words(text.Body(messages[i].content)) })
	documents := make([]document, len(messages))
	for i, message := range messages {
		documents[i] = document{c.vocabulary.Number(words[i]), message.group}
	}
	return documents
}

// count brings counts up to date.
func (c *preparation) count() { c.counts = c.vocabulary.Count(wordsOf(c.train)) }

// counted lists the words of the training documents that count in bags.
func (c *preparation) counted() []int32 {
	var numbers []int32
	for number, count := range c.counts {
		if count > 0 && text.IsCounted(c.vocabulary.Words[number]) {
			numbers = append(numbers, int32(number))
		}
	}
	return numbers
}

// record notes what is left: the documents, and the given number of different words.
func (c *preparation) record(words int) {
	c.recorded = append(c.recorded, step{len(c.train), len(c.test), words})
}

// bags drops the documents that hold too little of the nodes' words and counts the words of the others.
func (c *preparation) bags(nodes []int32, out *prepared) error {
	columns := make([]int32, len(c.vocabulary.Words))
	for number := range columns {
		columns[number] = -1
	}
	for column, number := range nodes {
		columns[number] = int32(column)
	}
	enough := func(d document) bool {
		kept := 0
		for _, number := range d.words {
			if columns[number] >= 0 {
				kept++
			}
		}
		return kept >= c.minKept
	}
	c.train, c.test = filter(c.train, enough), filter(c.test, enough)
	if len(c.train) == 0 || len(c.test) == 0 {
		return errors.New("no documents are left, as none has enough of the words that have a vector; " +
			"unpack the messages again, or take other vectors")
	}
	all := slices.Concat(c.train, c.test)
	out.counts = text.Count(wordsOf(all), columns)
	for _, d := range all {
		out.labels = append(out.labels, d.label)
	}
	out.train = len(c.train)
	return nil
}

// wordsOf lists the words of each document.
func wordsOf(documents []document) [][]int32 {
	lists := make([][]int32, len(documents))
	for i, d := range documents {
		lists[i] = d.words
	}
	return lists
}

// filter makes a list of the items that pass.
func filter[T any](items []T, passes func(T) bool) []T {
	var kept []T
	for _, item := range items {
		if passes(item) {
			kept = append(kept, item)
		}
	}
	return kept
}

// notes tells what each step left.
func (p protocol) notes(recorded []step) []string {
	lines := []string{" train   test   words  after"}
	for i, name := range p.steps() {
		lines = append(lines, fmt.Sprintf("%6d %6d %7d  %s", recorded[i].train, recorded[i].test, recorded[i].words, name))
	}
	return lines
}
