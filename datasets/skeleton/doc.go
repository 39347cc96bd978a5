// Package skeleton turns recordings of moving people into signals on one fixed graph.
//
// A [Layout] is a small table of the joints of a sensor. [ParseNTU] and [ParseNWUCLA] read a file into a [Recording]: the
// bodies, each with the frames in which it was seen. A [Preparation] picks the actors, looks at them from the body of the
// main one and resamples them to a fixed number of frames: a signal `[frames * joints, bodies * 3]`. A [Collection] does
// that to many files on all cores, and its [Signals] can be kept in a file for the next time.
//
// The package knows nothing of data sets, labels and splits.
package skeleton
