package export

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/clusterpool/ccp/ccp"
	"github.com/clusterpool/ccp/ccp/hierarchy"
	"github.com/clusterpool/ccp/ccp/nn"
	"github.com/clusterpool/ccp/models"
	"github.com/gomlx/gomlx/ml/model"
)

// Fold makes the constants of a classifier, in float64, and rounds them once. It fails, naming the variable, if one is
// missing, has another shape than the specification says, or holds a value that is not finite.
func Fold(c *models.Classifier) (*Network, error) {
	if c.Spec.Model != "ccp" && c.Spec.Model != "kernels" {
		return nil, fmt.Errorf("a model %q cannot be exported; only ccp and kernels can", c.Spec.Model)
	}
	if c.Voices() != nil {
		return nil, fmt.Errorf("the answers are those of %s, which no ONNX file holds. Either ccp serve, or the Go package "+
			"models, gives them to other programs; or train the network alone into another folder, with --set voices=none "+
			"--checkpoint NEW, look at its test accuracy, and export that", c.AnsweredBy())
	}
	n := &Network{Metadata: c.Metadata, Hierarchies: c.Spec.Hierarchies(), Temperature: 1}
	if c.Calibration != nil {
		n.Temperature = c.Calibration.Temperature
	}
	var err error
	if n.Kernels, err = c.Kernels(); err != nil || c.Spec.Model == "kernels" {
		return n, err
	}
	nodes, channels, err := n.stem(c)
	if err != nil {
		return nil, err
	}
	var levels []hierarchy.Levels // of each hierarchy
	for h := range n.Hierarchies {
		if len(c.Spec.Levels) > 0 {
			of, err := c.ClusterLevels(h)
			if err != nil {
				return nil, err
			}
			levels = append(levels, of)
		}
	}
	for i, size := range c.Spec.Levels {
		level := Level{Level: size, Channels: channels}
		level.Clusters *= n.Hierarchies
		for h, of := range levels {
			for k, neighbourhood := range of[i].Neighbourhoods {
				for _, node := range neighbourhood {
					if i > 0 { // each hierarchy has nodes of its own
						node += int32(h * nodes)
					}
					level.Nodes = append(level.Nodes, node)
				}
				level.Gates = append(level.Gates, of[i].Gates[k]...)
			}
		}
		if err := level.fold(c.Store(), fmt.Sprintf("/model/level_%d", i+1)); err != nil {
			return nil, err
		}
		n.Levels = append(n.Levels, level)
		nodes, channels = size.Clusters, size.Filters
		if err := n.blocks(c, i, level); err != nil {
			return nil, err
		}
	}
	width := nodes * channels
	for i, out := range append(slices.Clone(c.Spec.Hidden), c.Spec.Classes()) {
		path := fmt.Sprintf("/model/fc_%d", i+1)
		if i == len(c.Spec.Hidden) {
			path = "/model/classes"
		}
		dense, err := foldDense(c.Store(), path, width, out, i < len(c.Spec.Hidden))
		if err != nil {
			return nil, err
		}
		n.Dense = append(n.Dense, dense)
		width = out
	}
	return n, nil
}

// stem folds what comes before the levels of pooling, and gives the shape of their input.
func (n *Network) stem(c *models.Classifier) (nodes, channels int, err error) {
	nodes, channels = c.Spec.Nodes, c.Spec.Channels
	paths, filters := c.Spec.Convolutions(0), c.Spec.Options.Stem
	if len(paths) == 0 {
		return nodes, channels, nil
	}
	around, present, err := c.Spec.ReadAround(c.Store(), c.Graph, 0, 0)
	if err != nil {
		return nodes, channels, err
	}
	size := models.Level{Clusters: nodes, Filters: filters, Neighbours: len(around) / nodes}
	level := Level{Level: size, Nodes: around, Gates: present}
	if err = n.convolutions(c, paths[:1], level, channels); err != nil {
		return nodes, channels, err
	}
	return nodes, filters, n.convolutions(c, paths[1:], level, filters)
}

// blocks folds the residual blocks after level i. Their clusters include all hierarchies.
func (n *Network) blocks(c *models.Classifier, i int, pooled Level) error {
	paths := c.Spec.Convolutions(i + 1)
	if len(paths) == 0 {
		return nil
	}
	clusters := c.Spec.Levels[i].Clusters
	level := Level{Level: pooled.Level}
	for h := range n.Hierarchies {
		around, present, err := c.Spec.ReadAround(c.Store(), c.Graph, i+1, h)
		if err != nil {
			return err
		}
		for _, k := range around { // each hierarchy has clusters of its own
			level.Nodes = append(level.Nodes, k+int32(h*clusters))
		}
		level.Gates = append(level.Gates, present...)
	}
	level.Neighbours = len(level.Nodes) / level.Clusters
	return n.convolutions(c, paths, level, pooled.Filters)
}

// convolutions folds filters that do not pool. In residual blocks, every second one ends a block.
func (n *Network) convolutions(c *models.Classifier, paths []string, level Level, channels int) error {
	for i, path := range paths {
		level.Channels, level.Skip = channels, i%2 == 1
		if err := level.fold(c.Store(), "/model/"+path); err != nil {
			return err
		}
		n.Levels = append(n.Levels, level)
	}
	return nil
}

// fold reads and folds the filter in the scope `path` and its batch normalisation.
func (l *Level) fold(store *model.Store, path string) error {
	scope, filters := store.Scope(path), l.Filters
	weights, offsets, err := ccp.Kept{Scope: scope}.Filter(filters, l.Neighbours, l.Channels)
	if err != nil {
		return err
	}
	scale, shift, err := nn.ReadBatchNorm(scope, filters)
	if err != nil {
		return err
	}
	rows := l.Neighbours * l.Channels
	kernel, bias := make([]float64, len(weights)), convert[float64](offsets)
	for i, w := range weights {
		kernel[i%rows*filters+i/rows] = float64(w)
	}
	absorb(kernel, bias, scale, shift)
	l.Kernel, l.Bias = convert[float32](kernel), convert[float32](bias)
	return cmp.Or(finite(path+": gate", l.Gates), finite(path+": kernel", l.Kernel), finite(path+": bias", l.Bias))
}

// foldDense folds a fully connected layer and, if it has one, its batch normalisation.
func foldDense(store *model.Store, path string, in, out int, normalised bool) (d Dense, err error) {
	weights, offsets, err := nn.ReadDense(store.Scope(path), in, out)
	if err != nil {
		return d, err
	}
	kernel, bias := convert[float64](weights), convert[float64](offsets)
	if normalised {
		scale, shift, err := nn.ReadBatchNorm(store.Scope(path), out)
		if err != nil {
			return d, err
		}
		absorb(kernel, bias, scale, shift)
	}
	d = Dense{in, out, convert[float32](kernel), convert[float32](bias)}
	return d, cmp.Or(finite(path+": kernel", d.Kernel), finite(path+": bias", d.Bias))
}

// absorb makes x·kernel + bias what scale·(x·kernel + bias) + shift was. kernel: `[in, out]`, the others `[out]`.
func absorb(kernel, bias, scale, shift []float64) {
	for i := range kernel {
		kernel[i] *= scale[i%len(scale)]
	}
	for j := range bias {
		bias[j] = bias[j]*scale[j] + shift[j]
	}
}

func convert[To, From float32 | float64](values []From) []To {
	all := make([]To, len(values))
	for i, v := range values {
		all[i] = To(v)
	}
	return all
}

func finite(what string, values []float32) error {
	for i, v := range values {
		if v := float64(v); math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("%s %d is %v; the training diverged or the checkpoint is damaged", what, i, v)
		}
	}
	return nil
}
