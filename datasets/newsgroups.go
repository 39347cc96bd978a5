package datasets

import (
	"fmt"
	"math"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/datasets/text"
	"github.com/clusterpool/ccp/internal/cache"
)

// The published 20 Newsgroups set, its messages split by date.
const (
	newsgroupsTrain  = 11_314
	newsgroupsTest   = 7_532
	newsgroupsGroups = 20
)

var newsgroups = Info{
	Name: "20news",
	Description: "messages to twenty newsgroups (20 Newsgroups, split by date), 18,846 in all: " +
		"shares of 10,000 words on the graph of their meanings",
	Needs:   "the folders " + newsgroupsFolders[0] + " and " + newsgroupsFolders[1] + " of 20news-bydate.tar.gz",
	Licence: "none stated by its collectors; cite K. Lang, NewsWeeder: Learning to filter netnews, 1995",
	Nodes:   newsgroupsProtocol.words, Channels: 1, Classes: newsgroupsGroups, // the number of samples depends on the vectors
	Files: []File{{"http://qwone.com/~jason/20Newsgroups/20news-bydate.tar.gz", "20news-bydate.tar.gz",
		"sha256:8f1b2514ca22a5ade8fbb9cfa5727df95fa587f4c87b786e15c759fa66d95610"}},
	Folder: "20news", Unpacked: 100_000_000,
	text:    true,
	folders: []string{"20news"},
	get:     "20news-bydate.tar.gz from the 20 Newsgroups page of J. Rennie",
	find:    findNewsgroups,
	load:    loadNewsgroups,
}

// loadNewsgroups turns messages into signals on a graph of words by the protocol of Defferrard, Bresson and
// Vandergheynst (2016), see [protocol]. Departure: a stratified tenth of the training documents is held out for
// validation, which they did on the test documents.
//
// A raw value is the word's share of the counted words of its document, or with Options.TFIDF its tf-idf, each document
// scaled to length 1. The inverse document frequencies, like the vocabulary and learned vectors, come from all training
// documents, those held out for validation among them, and from no test document. Mean is 0, so that a word that is absent
// stays 0, and Std the root mean square over Train.
//
// What was prepared is kept in the user's cache directory, under the sha256 of all messages and of what else decides it;
// a file of word vectors counts by its path, size and time of change, as it may hold gigabytes.
func loadNewsgroups(info Info, opts Options) (*Dataset, error) {
	return loadCorpus(info, opts, newsgroupsProtocol)
}

// loadCorpus is loadNewsgroups for any constants of the protocol.
func loadCorpus(info Info, opts Options, p protocol) (*Dataset, error) {
	corpus, err := readCorpus(info, opts.DataDir)
	if err != nil {
		return nil, err
	}
	source, err := vectorSource(opts.Vectors)
	if err != nil {
		return nil, err
	}
	kept, unkept, err := cache.Get(cache.Path(info.Name, ".npz", prepareVersion, corpus.hash, p, source),
		func(path string) (*prepared, error) { return readPrepared(path, len(corpus.groups), len(p.steps())) },
		func() (*prepared, error) { return p.prepare(corpus, opts) },
		func(path string, c *prepared) error { return c.write(path) })
	if err != nil {
		return nil, err
	}
	d := kept.dataset(corpus, p, opts)
	if unkept != nil {
		d.warn("what was prepared could not be kept for the next start: %v", unkept)
	}
	if len(corpus.train) != newsgroupsTrain || len(corpus.test) != newsgroupsTest || len(corpus.groups) != newsgroupsGroups {
		d.warn("%d training and %d test messages in %d groups, the published set has %d, %d and %d: results may not compare",
			len(corpus.train), len(corpus.test), len(corpus.groups), newsgroupsTrain, newsgroupsTest, newsgroupsGroups)
	}
	if len(kept.words) < p.words {
		d.warn("only %d words have a vector, the protocol keeps %d", len(kept.words), p.words)
	}
	return d, nil
}

// prepared is a corpus after the protocol: what a cache holds.
type prepared struct {
	counts *text.Bags // training documents first
	labels []int32    // one a document
	train  int        // how many documents are training documents
	words  []string   // the name of each node
	graph  *affinity.Matrix
	steps  []step
}

// dataset makes the counts signals. It changes them.
func (c *prepared) dataset(from *corpus, p protocol, opts Options) *Dataset {
	d := &Dataset{
		Name: "20news", Nodes: len(c.words), Channels: 1,
		Signals: c.counts, Labels: c.labels, Affinity: c.graph, ClassNames: from.groups, NodeNames: c.words,
		Mean: []float32{0},
		Provenance: fmt.Sprintf("20 Newsgroups (K. Lang, 1995; split by date by J. Rennie), no licence stated, %s, "+
			"sha256 of the messages %s", from.folder, from.hash),
		Notes: p.notes(c.steps),
	}
	values, graph := "each word's share of the document's words", "vectors learned from the training documents"
	if opts.TFIDF {
		c.counts.TFIDF(d.Nodes, c.train)
		values = "tf-idf, each document scaled to length 1"
	} else {
		c.counts.Shares()
	}
	if opts.Vectors != "" {
		graph = "vectors of " + opts.Vectors
	}
	d.Notes = append(d.Notes, "values: "+values, "graph: "+graph)
	d.splitTrainTest(c.train, opts)
	squares := 0.0
	for _, i := range d.Train {
		_, values := c.counts.Row(i)
		for _, value := range values {
			squares += float64(value) * float64(value)
		}
	}
	d.Std = []float32{float32(math.Sqrt(squares / float64(len(d.Train)*d.Nodes)))}
	return d
}
