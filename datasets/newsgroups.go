package datasets

import (
	"context"
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
// validation, where they used the test documents.
//
// A raw value is the word's share of the counted words of its document, or with Options.TFIDF its tf-idf, each document
// scaled to length 1. The vocabulary, learned vectors and inverse document frequencies come from all training documents,
// including those held out for validation, and from no test document. Mean is 0, so that an absent word stays 0, and Std
// the root mean square over Train.
//
// The prepared corpus is kept in the user's cache directory. Its key holds the sha256 of all messages and everything else
// that decides it; a file of word vectors, which may have gigabytes, counts by its path, size and modification time.
func loadNewsgroups(ctx context.Context, info Info, opts Options) (*Dataset, error) {
	return loadCorpus(ctx, info, opts, newsgroupsProtocol)
}

// loadCorpus is loadNewsgroups for any constants of the protocol.
func loadCorpus(ctx context.Context, info Info, opts Options, p protocol) (*Dataset, error) {
	corpus, err := readCorpus(info, opts.DataDir)
	if err != nil {
		return nil, err
	}
	source, err := vectorSource(opts.Vectors)
	if err != nil {
		return nil, err
	}
	c, unkept, err := cache.Get(cache.Path(info.Name, ".gob.gz", prepareVersion, corpus.hash, p, source),
		readGob[*prepared], func() (*prepared, error) { return p.prepare(ctx, corpus, opts) }, writeGob[*prepared])
	if err != nil {
		return nil, err
	}
	d := &Dataset{
		Name: info.Name, Nodes: len(c.Words), Channels: 1,
		Signals: c.Counts, Labels: c.Labels, ClassNames: corpus.groups, NodeNames: c.Words, Mean: []float32{0},
		Provenance: fmt.Sprintf("20 Newsgroups (K. Lang, 1995; split by date by J. Rennie), no licence stated, %s, "+
			"sha256 of the messages %s", corpus.folder, corpus.hash),
		Notes: c.Notes,
	}
	if d.Affinity, err = affinity.New(d.Nodes, c.Edges); err != nil {
		return nil, err
	}
	values, graph := "each word's share of the document's words", "vectors learned from the training documents"
	if opts.TFIDF {
		c.Counts.TFIDF(d.Nodes, c.Train)
		values = "tf-idf, each document scaled to length 1"
	} else {
		c.Counts.Shares()
	}
	if opts.Vectors != "" {
		graph = "vectors of " + opts.Vectors
	}
	d.Notes = append(d.Notes, "values: "+values, "graph: "+graph)
	d.splitTrainTest(c.Train, opts)
	squares := 0.0
	for _, i := range d.Train {
		_, values := c.Counts.Row(i)
		for _, value := range values {
			squares += float64(value) * float64(value)
		}
	}
	d.Std = []float32{float32(math.Sqrt(squares / float64(len(d.Train)*d.Nodes)))}
	if unkept != nil {
		d.warn("the prepared corpus could not be kept for the next start: %v", unkept)
	}
	if len(corpus.train) != newsgroupsTrain || len(corpus.test) != newsgroupsTest || len(corpus.groups) != newsgroupsGroups {
		d.warn("%d training and %d test messages in %d groups, the published set has %d, %d and %d: results may not compare",
			len(corpus.train), len(corpus.test), len(corpus.groups), newsgroupsTrain, newsgroupsTest, newsgroupsGroups)
	}
	if d.Nodes < p.words {
		d.warn("only %d words have a vector, the protocol keeps %d", d.Nodes, p.words)
	}
	return d, nil
}

// prepared is a corpus after the protocol, as the cache holds it.
type prepared struct {
	Counts *text.Bags // training documents first
	Labels []int32    // one for each document
	Train  int        // number of training documents
	Words  []string   // the names of the nodes
	Edges  []affinity.Edge
	Notes  []string // what each step of the protocol left
}
