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

// Fold makes the constants of a classifier, in float64, and rounds them once. It fails, naming the variable, if one is
// missing, has another shape than the specification says, or holds a value that is not finite.
func Fold(c *models.Classifier) (*Network, error) {
	if c.Spec.Model != "ccp" && c.Spec.Model != "transforms" {
		return nil, fmt.Errorf("a model %q cannot be exported; only ccp can", c.Spec.Model)
	}
	n := &Network{Metadata: c.Metadata, Hierarchies: c.Spec.Hierarchies(), Temperature: 1}
	if c.Calibration != nil {
		n.Temperature = c.Calibration.Temperature
	}
	var err error
	if by := c.PredictedBy(); by != models.ByNetwork {
		return nil, fmt.Errorf("the predictions are those of %s, which no ONNX file holds. Either ccp serve, or the Go package "+
			"models, gives them to other programs; or train the network alone into another folder, with --set transforms=none "+
			"--checkpoint NEW, look at its test accuracy, and export that", by)
	}
	var levels []hierarchy.Levels // of each hierarchy
	for h := 0; h < n.Hierarchies && c.Spec.Clusters(); h++ {
		of, err := c.ClusterLevels(h)
		if err != nil {
			return nil, err
		}
		levels = append(levels, of)
	}
	width := c.Spec.Nodes * c.Spec.Channels
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
	path, filters := scope.Scope(), l.Filters
	weights, offsets, err := ops.ReadKernel(scope, filters, filters, l.Neighbours, l.Channels)
	if err != nil {
		return err
	}
	scale, shift, err := ops.ReadBatchNorm(scope, filters, nn.OptionsOf(scope).BatchNormEpsilon)
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
func foldDense(scope *model.Scope, in, out int, normalised bool) (d Dense, err error) {
	weights, offsets, err := ops.ReadDense(scope, in, out)
	if err != nil {
		return d, err
	}
	kernel, bias := convert[float64](weights), convert[float64](offsets)
	if normalised {
		scale, shift, err := ops.ReadBatchNorm(scope, out, nn.OptionsOf(scope).BatchNormEpsilon)
		if err != nil {
			return d, err
		}
		absorb(kernel, bias, scale, shift)
	}
	d = Dense{in, out, convert[float32](kernel), convert[float32](bias)}
	path := scope.Scope()
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
