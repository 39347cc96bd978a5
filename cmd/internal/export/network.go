// Package export turns a trained classifier into constants, and writes them for programs that know nothing of ccp: as an
// ONNX model, or as an .npz of numpy arrays. docs/export.md describes both files.
package export

import (
	"fmt"

	"github.com/clusterpool/ccp/models"
)

// Network is a trained classifier as constants: gates are computed, batch normalisation is folded. With
// x = (signal − Mean) / Std, `[nodes, channels]`, every level makes
//
//	x[k,j] ← ELU(Σ_l Σ_i Kernel[l,i,j] · Gates[k,l] · x[Nodes[k,l],i] + Bias[j]) · Scale[j] + Shift[j].
//
// What is left, flattened, goes through the dense layers, x ← ELU(x·Kernel + Bias); the last of them, without the ELU,
// gives the logits, whose softmax are the probabilities.
type Network struct {
	Data            string   // the name of the data set
	ClassNames      []string // of each class
	Nodes, Channels int      // of a signal
	Mean, Std       []float32
	Levels          []Level
	Dense           []Dense
}

// Level is one level of convolutional cluster pooling; its arrays are row-major.
type Level struct {
	models.Level           // K clusters, filters, L neighbours
	Channels     int       // C, of the signal that it gets
	Nodes        []int32   // `[K, L]`: the neighbourhood of each cluster, in nodes of the signal that it gets
	Gates        []float32 // `[K, L]`
	Kernel       []float32 // `[L·C, filters]`
	Bias         []float32 // `[filters]`
	Scale, Shift []float32 // `[filters]`; nil where the batch normalisation comes before the ELU: Kernel and Bias hold it then
}

// Dense is a fully connected layer.
type Dense struct {
	In, Out int
	Kernel  []float32 // `[In, Out]`, row-major
	Bias    []float32 // `[Out]`
}

// Fold makes the constants of a classifier, in float64, and rounds them once. It is an error, naming the variable, if one
// is absent, has not the shape that the specification gives it, or holds what is no number.
func Fold(c *models.Classifier) (*Network, error) {
	if c.Spec.Model != "ccp" {
		return nil, fmt.Errorf("a model %q cannot be exported; only ccp can", c.Spec.Model)
	}
	if len(c.ClassNames) != c.Spec.Classes || len(c.Mean) != c.Spec.Channels || len(c.Std) != c.Spec.Channels {
		return nil, fmt.Errorf("%d class names, %d means and %d deviations do not fit a model of %d classes and %d channels; the checkpoint is damaged",
			len(c.ClassNames), len(c.Mean), len(c.Std), c.Spec.Classes, c.Spec.Channels)
	}
	f := &folder{store: c.Store()}
	n := &Network{Data: c.Data, ClassNames: c.ClassNames, Nodes: c.Spec.Nodes, Channels: c.Spec.Channels, Mean: c.Mean, Std: c.Std}
	nodes, channels := n.Nodes, n.Channels
	for i, level := range c.Spec.Levels {
		n.Levels = append(n.Levels, f.level(fmt.Sprintf("/model/level_%d", i+1), level, nodes, channels))
		nodes, channels = level.Clusters, level.Filters
	}
	width := nodes * channels
	for i, hidden := range c.Spec.Hidden {
		n.Dense = append(n.Dense, f.hidden(fmt.Sprintf("/model/fc_%d", i+1), width, hidden))
		width = hidden
	}
	n.Dense = append(n.Dense, f.classes("/model/classes", width, c.Spec.Classes))
	return n, f.err
}

// Classes is the number of classes.
func (n *Network) Classes() int { return n.Dense[len(n.Dense)-1].Out }
