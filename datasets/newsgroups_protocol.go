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
	c.record(len(c.occurring(func(string) bool { return true })))
	c.record(len(c.counted()))
	c.drop(func(d document) bool { return len(d.words) < p.minLength })
	picture := int32(slices.Index(c.vocabulary.Words, pictureWord))
	c.drop(func(d document) bool {
		return holds(d, p.pictures, func(word int32) bool { return word == picture })
	})

	vectors, err := c.vectors(opts)
	if err != nil {
		return nil, err
	}
	nodes := slices.DeleteFunc(c.counted(), func(word int32) bool { return vectors[c.vocabulary.Words[word]] == nil })
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

// drop takes documents out of the training documents, brings counts up to date and records the words that count.
func (c *preparation) drop(odd func(document) bool) {
	c.train = slices.DeleteFunc(c.train, odd)
	c.count()
	c.record(len(c.counted()))
}

// holds says that some words occur `times` times or more in a document.
func holds(d document, times int, some func(word int32) bool) bool {
	found := 0
	for _, word := range d.words {
		if some(word) {
			found++
		}
	}
	return found >= times
}

// occurring lists the words of the training documents that are of some kind; counted those that count in bags.
func (c *preparation) occurring(kind func(string) bool) (numbers []int32) {
	for number, count := range c.counts {
		if count > 0 && kind(c.vocabulary.Words[number]) {
			numbers = append(numbers, int32(number))
		}
	}
	return numbers
}

func (c *preparation) counted() []int32 { return c.occurring(text.IsCounted) }

// record notes what is left: the documents, and the given number of different words.
func (c *preparation) record(words int) {
	c.recorded = append(c.recorded, step{len(c.train), len(c.test), words})
}

// bags drops the documents that hold too little of the nodes' words and counts the words of the others.
func (c *preparation) bags(nodes []int32, out *prepared) error {
	columns := slices.Repeat([]int32{-1}, len(c.vocabulary.Words))
	for column, number := range nodes {
		columns[number] = int32(column)
	}
	poor := func(d document) bool {
		return !holds(d, c.minKept, func(word int32) bool { return columns[word] >= 0 })
	}
	c.train, c.test = slices.DeleteFunc(c.train, poor), slices.DeleteFunc(c.test, poor)
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

// notes tells what each step left.
func (p protocol) notes(recorded []step) []string {
	lines := []string{" train   test   words  after"}
	for i, name := range p.steps() {
		lines = append(lines, fmt.Sprintf("%6d %6d %7d  %s", recorded[i].train, recorded[i].test, recorded[i].words, name))
	}
	return lines
}
