// Package datasets loads labelled signals on one fixed graph.
//
// [Load] takes the name of a source, or the path of an .npz file, and returns a [Dataset]: the raw samples
// `[samples, nodes, channels]`, a label for each, the three splits, the affinity of the nodes and the mean and
// standard deviation with which the samples are normalised. [New] makes one of samples in memory. [Dataset.Batches] feeds a
// split to a GoMLX trainer.
//
// All sources are in this package, so that Load and Dataset need no import cycle, and so that a new source is one file and
// one line in the table of registry.go. Augmentations know nothing of data sets; they are in package augment.
package datasets
