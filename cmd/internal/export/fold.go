// Package export writes a trained classifier as an ONNX model or in C, for programs without ccp. docs/serving.md describes the file.
package export

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/clusterpool/ccp/ccp/hierarchy"
	"github.com/clusterpool/ccp/ccp/nn"
	"github.com/clusterpool/ccp/internal/loop"
	"github.com/clusterpool/ccp/internal/ops"
	"github.com/clusterpool/ccp/internal/variables"
	"github.com/clusterpool/ccp/models"
	"github.com/gomlx/gomlx/ml/model"
)

// Network is a trained classifier as constants: gates are computed, batch normalisation is folded. The
// input is x = (signal − Mean) / Std, `[nodes, channels]`. Then every level computes
//
//	x[k,j] ← ELU(Σ_l Σ_i Kernel[l,i,j] · Gates[k,l] · x[Nodes[k,l],i] + Bias[j])
//
// In the ELU, a level with a Skip also adds the input of the level before it. The convolutions of a stem and of blocks
// are levels, too, with a cluster for each node of their input. A level of K clusters in H hierarchies becomes one
// level of H·K clusters, the first hierarchy's clusters first.
//
// The last x, flattened for each hierarchy, goes through the dense layers, x ← ELU(x·Kernel + Bias). With a readout of all levels
// (models.Options.Readout) the means and maxima of all resolutions take its place. The last layer has no ELU and gives the logits
// of each hierarchy. Their mean over the hierarchies are the logits. The softmax of the logits gives the probabilities.
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
			if level.Nodes, level.Gates, err = c.Input(); err != nil {
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

// reads lists what the readout of levels takes over the nodes of a level's output: the mean and, of more than one node, the maximum,
// if the level is the last of its resolution.
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
	filters := l.Filters
	weights, offsets, err := ops.ReadKernel(scope, filters, filters, l.Neighbours, l.Channels)
	if err != nil {
		return err
	}
	rows := l.Neighbours * l.Channels
	kernel := make([]float64, len(weights))
	for i, w := range weights {
		kernel[i%rows*filters+i/rows] = float64(w)
	}
	l.Kernel, l.Bias, err = folded(scope, kernel, offsets, true)
	return cmp.Or(finite(scope.Scope()+": gate", l.Gates), err)
}

// foldDense folds a fully connected layer and, if it has one, its batch normalisation.
func foldDense(scope *model.Scope, in, out int, normalised bool) (d Dense, err error) {
	weights, offsets, err := ops.ReadKernel(scope, out, in, out)
	if err != nil {
		return d, err
	}
	d = Dense{In: in, Out: out}
	d.Kernel, d.Bias, err = folded(scope, loop.Convert[float64](weights), offsets, normalised)
	return d, err
}

// folded rounds a kernel `[in, out]` and its offsets `[out]`. If there is a batch normalisation, they first take it in:
// x·kernel + bias becomes what scale·(x·kernel + bias) + shift was.
func folded(scope *model.Scope, weights []float64, offsets []float32, normalised bool) (kernel, bias []float32, err error) {
	sums := loop.Convert[float64](offsets)
	if normalised {
		scale, shift, err := ops.ReadBatchNorm(scope, len(sums), nn.OptionsOf(scope).BatchNormEpsilon)
		if err != nil {
			return nil, nil, err
		}
		for i := range weights {
			weights[i] *= scale[i%len(scale)]
		}
		for j := range sums {
			sums[j] = sums[j]*scale[j] + shift[j]
		}
	}
	kernel, bias = loop.Convert[float32](weights), loop.Convert[float32](sums)
	return kernel, bias, cmp.Or(finite(scope.Scope()+": kernel", kernel), finite(scope.Scope()+": bias", bias))
}

func finite(what string, values []float32) error {
	for i, v := range values {
		if v := float64(v); math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("%s %d is %v; the training diverged or the checkpoint is damaged", what, i, v)
		}
	}
	return nil
}
