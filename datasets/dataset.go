package datasets

import (
	"fmt"
	"math/rand/v2"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/datasets/augment"
	"github.com/clusterpool/ccp/datasets/skeleton"
	"github.com/clusterpool/ccp/internal/scale"
)

// Signals holds the raw samples, `[samples, nodes, channels]`, in the smallest form (bytes for images), and converts one sample
// at a time.
type Signals interface {
	// Len is the number of samples.
	Len() int
	// Read writes sample i to dst, `[nodes, channels]` row-major, in raw units. It is safe for concurrent use.
	Read(i int, dst []float32)
}

// Dataset is a set of labelled signals on one fixed graph.
type Dataset struct {
	// Name of the data set, at least 3 characters (GoMLX cuts shorter names badly).
	Name string
	// Nodes and Channels are the shape `[nodes, channels]` of a sample.
	Nodes, Channels int
	// Signals are the raw samples.
	Signals Signals
	// Labels holds a class, 0 to len(ClassNames)-1, for each sample.
	Labels []int32
	// Groups names what each sample belongs to, such as its subject or site, where samples of one are alike; nil if none. Splits that are
	// drawn do not part a group.
	Groups []string
	// Train, Validation and Test hold the indices of their samples. They do not overlap.
	Train, Validation, Test []int
	// Affinity is the raw graph over the nodes: symmetric, not negative, not normalised.
	Affinity *affinity.Matrix
	// Grid is {rows, columns} where the nodes are a grid, row by row: an image, or a skeleton's frames and joints; else nil.
	Grid []int
	// Parts are the columns of the grid in each part of a body; nil where the nodes are not a skeleton's.
	Parts [][]int
	// Bodies is how many bodies' x, y and z, three channels each, are a joint's first channels; 0 where none has places in space.
	Bodies int
	// Coordinates `[nodes, d]`, row-major, are the nodes' positions in pictures and for directed slots; nil where the data has none.
	Coordinates []float64
	// ClassNames names each class; its length is the number of classes.
	ClassNames []string
	// NodeNames names each node, such as its word; nil where nodes have no names.
	NodeNames []string
	// Mean and Std, one value for each channel, turn a raw value into an input: (raw - Mean) / Std.
	// They are taken over Train, unless the protocol of the data set fixes them. A constant channel has Std 1.
	Mean, Std []float32
	// Augment changes a normalised sample, `[nodes, channels]`, in place; nil for none. Used on training samples only.
	Augment func(rng *rand.Rand, sample []float32)
	// Moves is the same as Augment where that only moves an image's pixels, which a device can do, too; else nil.
	Moves *augment.CropAndFlip
	// Provenance says where the data came from, under which licence, and its checksum.
	Provenance string
	// Notes say how the samples were made, such as the counts after each step of a preparation, a line each.
	Notes []string
	// Warnings are the oddities found while loading that do not stop a training, one sentence each.
	Warnings []string
}

// Classes is the number of classes.
func (d *Dataset) Classes() int { return len(d.ClassNames) }

// Sample writes sample i, normalised by Mean and Std, to dst, `[nodes, channels]` row-major. It is safe for
// concurrent use.
func (d *Dataset) Sample(i int, dst []float32) {
	d.Signals.Read(i, dst)
	scale.Normalize(dst, dst, d.Mean, d.Std)
}

// splits lists the three splits with their names, in the order in which they are reported.
func (d *Dataset) splits() []namedSplit {
	return []namedSplit{{"train", d.Train}, {"validation", d.Validation}, {"test", d.Test}}
}

type namedSplit struct {
	name    string
	indices []int
}

// NodeName is the name of node i for people: its own, such as a word or "head@12", or else its place on the grid, or else its
// number.
func (d *Dataset) NodeName(i int) string {
	switch {
	case d.NodeNames != nil:
		return d.NodeNames[i]
	case d.Grid != nil:
		return fmt.Sprintf("row %d column %d", i/d.Grid[1], i%d.Grid[1])
	}
	return fmt.Sprintf("node %d", i)
}

// JointNames are the names of a skeleton's joints, in the order of the columns of Grid; nil where the nodes are not joints or
// have no names.
func (d *Dataset) JointNames() []string {
	if d.Parts == nil || d.NodeNames == nil {
		return nil
	}
	return skeleton.JointNames(d.NodeNames, d.Grid[1])
}
