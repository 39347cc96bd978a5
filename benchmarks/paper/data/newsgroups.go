package data

import (
	"context"
	"fmt"
	"math"

	"github.com/clusterpool/ccp/benchmarks/paper/data/internal/newsgroups"
	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/datasets/signal"
)

// newsOptions are the options of 20 Newsgroups.
type newsOptions struct {
	// TFIDF weights the words by their rarity among the training documents, and scales each document to length 1. The
	// default is each word's share of its document.
	TFIDF bool `param:"tfidf"`
}

var news = datasets.Source{
	Name: "20news",
	About: "messages to twenty newsgroups (20 Newsgroups, split by date), 18,846 in all: " +
		"shares of 10,000 words on the graph of their meanings",
	Needs:   "the folders " + newsgroups.Folders[0] + " and " + newsgroups.Folders[1] + " of 20news-bydate.tar.gz",
	Licence: "none stated by its collectors; cite K. Lang, NewsWeeder: Learning to filter netnews, 1995",
	Nodes:   newsgroups.Words, Channels: 1, Classes: newsgroups.Groups, // the number of samples depends on the vectors
	Files: []datasets.File{{URL: "http://qwone.com/~jason/20Newsgroups/20news-bydate.tar.gz", Name: "20news-bydate.tar.gz",
		Sum: "sha256:8f1b2514ca22a5ade8fbb9cfa5727df95fa587f4c87b786e15c759fa66d95610"}},
	Folder: "20news", Archive: true,
	Options: newsOptions{},
	Folders: []string{"20news"},
	Get:     "20news-bydate.tar.gz from the 20 Newsgroups page of J. Rennie",
	Place:   newsgroups.Find,
	Load: func(ctx context.Context, dirs []string, opts datasets.Options) (*datasets.Raw, error) {
		corpus, err := newsgroups.Load(ctx, dirs, newsgroups.Options{Backend: opts.Backend, Progress: opts.Progress})
		if err != nil {
			return nil, err
		}
		return ofCorpus(corpus, opts)
	},
}

// ofCorpus turns counts of words into signals as Defferrard, Bresson and Vandergheynst (2016) do. A raw value is the
// word's share of the counted words of its document. With newsOptions.TFIDF it is the word's tf-idf, and each document
// has length 1. An absent word stays 0, as Mean is 0. Std is the root mean square over Train.
//
// It departs from them in one point: validation samples are a part of the training documents, where they took the test.
func ofCorpus(c *newsgroups.Corpus, opts datasets.Options) (*datasets.Raw, error) {
	graph, err := affinity.New(len(c.Words), c.Edges)
	if err != nil {
		return nil, err
	}
	raw := &datasets.Raw{
		Info: signal.Info{Nodes: len(c.Words), Channels: 1, ClassNames: c.Groups, NodeNames: c.Words}, Signals: c.Counts,
		Finite: true,
		Labels: c.Labels, Graph: graph,
		Notes: c.Notes, Warnings: c.Warnings,
		Provenance: fmt.Sprintf("20 Newsgroups (K. Lang, 1995; split by date by J. Rennie), no licence stated, %s, "+
			"sha256 of the messages %s", c.Folder, c.Hash),
	}
	values := "each word's share of the document's words"
	if datasets.OptionsOf[newsOptions](opts.Own).TFIDF {
		c.Counts.TFIDF(raw.Nodes, c.Train)
		values = "tf-idf, each document scaled to length 1"
	} else {
		c.Counts.Shares()
	}
	raw.Notes = append(raw.Notes, "values: "+values, "graph: vectors learned from the training documents")
	splitTrainTest(raw, c.Train)
	raw.Scale = func(_ *datasets.Raw, train []int) (mean, std []float32) {
		squares := 0.0
		for _, i := range train {
			_, values := c.Counts.Row(i)
			for _, value := range values {
				squares += float64(value) * float64(value)
			}
		}
		return []float32{0}, []float32{float32(math.Sqrt(squares / float64(len(train)*len(c.Words))))}
	}
	return raw, nil
}
