// Package datasets loads labelled signals on one fixed graph.
//
// A source brings [Raw] samples with a label for each. A [Split] says which of them are to train on, to validate by and to
// test on. [Make] makes a [Dataset] of both: with what is learned from the training samples, such as the mean and the standard
// deviation that normalise samples. Another fold, a hold-out or a trial is the same call with another split.
//
// [Load] takes the name of a source, or the path of an .npz file, and does all of this. [New] makes a data set of samples in
// memory. [Dataset.Batches] feeds a split to a GoMLX trainer.
//
// The digits are embedded. [Register] adds a source: what it is, where it is published, and how its files are read.
package datasets

import (
	"fmt"

	"github.com/clusterpool/ccp/ccp/affinity"
)

// Dataset is a set of labelled signals on one fixed graph: raw samples, how they are split, and what [Make] has learned from
// the training samples: Mean, Std and Form, and its own fields. Make does not look at these: to keep other values when
// validation samples are held out, change Scale, Graph and Coordinates of Raw.
type Dataset struct {
	Raw
	Split
	// Affinity is the raw graph over the nodes: symmetric, not negative, not normalised.
	Affinity *affinity.Matrix
	// Coordinates `[nodes, d]`, row-major, are the nodes' positions in pictures and for directed slots; nil if there
	// are none.
	Coordinates []float64
	// Notes and Warnings are those of Raw, and what Make has found.
	Notes, Warnings []string
}

// Sample writes sample i, normalised by Mean and Std, to dst, `[nodes, channels]` row-major. It is safe for
// concurrent use.
func (d *Dataset) Sample(i int, dst []float32) {
	d.Signals.Read(i, dst)
	d.Normalize(dst, dst)
}

// NodeName returns the name of node i for people, such as a word or "head@12". A node without a name is called by its
// place on the grid, or else by its number.
func (d *Dataset) NodeName(i int) string {
	switch {
	case d.NodeNames != nil:
		return d.NodeNames[i]
	case d.Grid != nil:
		return fmt.Sprintf("row %d column %d", i/d.Grid[1], i%d.Grid[1])
	}
	return fmt.Sprintf("node %d", i)
}
