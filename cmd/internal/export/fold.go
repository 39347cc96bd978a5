// Package export writes a trained classifier as an ONNX model or in C, for programs without ccp. docs/serving.md
// describes the file.
package export

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/clusterpool/ccp/ccp/hierarchy"
	"github.com/clusterpool/ccp/ccp/nn"
	"github.com/clusterpool/ccp/internal/ops"
	"github.com/clusterpool/ccp/internal/variables"
	"github.com/clusterpool/ccp/models"
	"github.com/gomlx/gomlx/ml/model"
)

// Network is a trained classifier as constants, of which the ONNX model is written: gates are computed, batch
// normalisation is folded. The input is x = (signal − Mean) / Std, `[nodes, channels]`. Then every level computes
//
//	x[k,j] ← ELU(Σ_l Σ_i Kernel[l,i,j] · Gates[k,l] · x[Nodes[k,l],i] + Bias[j])
//
// In the ELU, a level with a Skip also adds the input of the level before it. The convolutions of a stem and of blocks
// are levels, too, with a cluster for each node of their input. A level of K clusters in H hierarchies becomes one
// level of H·K clusters, the first hierarchy's clusters first.
//
// The last x, flattened for each hierarchy, goes through the dense layers, x ← ELU(x·Kernel + Bias). With a readout of
// all levels (models.Options.Readout) the means and maxima of all resolutions take its place. The last layer has no ELU
// and gives the logits of each hierarchy. Their mean over the hierarchies are the logits. The softmax of the logits
// gives the probabilities.
type Network struct {
	models.Metadata
	Hierarchies int // H
	Levels      []Level
	Dense       []Dense
}

// Level is one level of convolutional cluster pooling; its arrays are row-major.
type Level struct {
	models.Layer           // with the K clusters of all hierarchies
	Nodes        []int32   // `[K, L]`: the neighbourhood of each cluster, in nodes of its input
	Gates        []float32 // `[K, L]`
	Kernel       []float32 // `[L·C, filters]`
	Bias         []float32 // `[filters]`
}

// Dense is a fully connected layer.
type Dense struct {
	In, Out int
	Kernel  []float32 // `[In, Out]`, row-major
	Bias    []float32 // `[Out]`
}

// Fold makes the constants of a classifier, in float64, and rounds them once. It fails, naming the variable, if one is
// missing, has another shape than the specification says, or holds a value that is not finite.
func Fold(c *models.Classifier) (*Network, error) {
	if c.Spec.Model != "ccp" {
		return nil, fmt.Errorf("a model %q cannot be exported; only ccp can", c.Spec.Model)
	}
	n := &Network{Metadata: c.Metadata, Hierarchies: c.Spec.Hierarchies()}
	var err error
	var levels []hierarchy.Levels // of each hierarchy
	for h := 0; h < n.Hierarchies && c.Spec.Clusters(); h++ {
		of, err := c.ClusterLevels(h)
		if err != nil {
			return nil, err
		}
		levels = append(levels, of)
	}
	width, read := c.Spec.Nodes*c.Spec.Channels, 0
	for _, layer := range c.Spec.Layers() {
		width = layer.Clusters * layer.Filters
		level := Level{Layer: layer}
		if layer.Of == 0 {
			level.Nodes, level.Gates, err = c.Input()
			if err != nil {
				return nil, err
			}
		} else {
			level.see(levels)
		}
		if err := level.fold(c.Store().Scope(variables.Network + layer.Part)); err != nil {
			return nil, err
		}
		n.Levels = append(n.Levels, level)
	}
	for i := range n.Levels {
		read += len(n.reads(i)) * n.Levels[i].Filters
	}
	if read > 0 {
		width = read
	}
	for i, out := range append(slices.Clone(c.Spec.Hidden), c.Spec.Classes()) {
		part, hidden := "classes", i < len(c.Spec.Hidden)
		if hidden {
			part = fmt.Sprintf("fc_%d", i+1)
		}
		dense, err := foldDense(c.Store().Scope(variables.Network+part), width, out, hidden)
		if err != nil {
			return nil, err
		}
		n.Dense = append(n.Dense, dense)
		width = out
	}
	return n, nil
}

// reads lists the ONNX operators by which the readout of levels takes what it needs of a level's output: the mean over
// the nodes and, of more than one node, the maximum, if the level is the last of its resolution.
func (n *Network) reads(level int) []string {
	l := n.Levels[level]
	switch {
	case n.Spec.Options.Readout != "levels" || level+1 < len(n.Levels) && !n.Levels[level+1].Pools:
		return nil
	case n.apart(l) == 1:
		return []string{"ReduceMean"}
	}
	return []string{"ReduceMean", "ReduceMax"}
}

// apart counts the nodes of a level's output in one hierarchy.
func (n *Network) apart(l Level) int {
	if l.Of == 0 {
		return l.Clusters
	}
	return l.Clusters / n.Hierarchies
}

// see gives the level the neighbourhoods and gates of all hierarchies.
func (l *Level) see(hierarchies []hierarchy.Levels) {
	for h, levels := range hierarchies {
		of := levels[l.Of-1]
		nodes, gates := of.Around, of.Present
		if l.Pools {
			nodes, gates = slices.Concat(of.Neighbourhoods...), slices.Concat(of.Gates...)
		}
		for _, node := range nodes {
			if l.Of > 1 || !l.Pools { // each hierarchy has nodes of its own
				node += int32(h * l.Inputs)
			}
			l.Nodes = append(l.Nodes, node)
		}
		l.Gates = append(l.Gates, gates...)
	}
	l.Clusters *= len(hierarchies)
}

// fold reads and folds the filter in scope and its batch normalisation.
func (l *Level) fold(scope *model.Scope) error {
	rows := l.Neighbours * l.Channels
	weights, bias, err := ops.ReadFolded(scope, nn.OptionsOf(scope).BatchNormEpsilon, l.Filters,
		[]int{l.Filters, l.Neighbours, l.Channels}, func(i int) int { return i / rows })
	if err != nil {
		return err
	}
	l.Kernel, l.Bias = make([]float32, len(weights)), bias
	for i, w := range weights {
		l.Kernel[i%rows*l.Filters+i/rows] = w
	}
	return cmp.Or(finite(scope, "gate", l.Gates), finite(scope, "kernel", l.Kernel), finite(scope, "bias", l.Bias))
}

// foldDense folds a fully connected layer and, if it has one, its batch normalisation.
func foldDense(scope *model.Scope, in, out int, normalised bool) (d Dense, err error) {
	d = Dense{In: in, Out: out}
	if normalised {
		d.Kernel, d.Bias, err = ops.ReadFolded(scope, nn.OptionsOf(scope).BatchNormEpsilon, out, []int{in, out},
			func(i int) int { return i % out })
	} else {
		d.Kernel, d.Bias, err = ops.ReadKernel(scope, out, in, out)
	}
	return d, cmp.Or(err, finite(scope, "kernel", d.Kernel), finite(scope, "bias", d.Bias))
}

func finite(scope *model.Scope, what string, values []float32) error {
	for i, v := range values {
		if v := float64(v); math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("%s: %s %d is %v; the training diverged or the checkpoint is damaged", scope.Scope(), what, i, v)
		}
	}
	return nil
}
