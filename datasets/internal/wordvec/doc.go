// Package wordvec gives words vectors: trained on a corpus, or read from a file.
//
//   - [Train] learns them with skip-gram and negative sampling (Mikolov, Sutskever, Chen, Corrado, Dean: "Distributed
//     Representations of Words and Phrases and their Compositionality", 2013), as a GoMLX graph on XLA or pure Go;
//   - [Read] reads them from a file of word2vec (binary or text), fastText or GloVe, plain or gzipped, of any size.
package wordvec
