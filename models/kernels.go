package models

import (
	"context"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/ccp/nn"
	"github.com/clusterpool/ccp/models/internal/kernels"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
)

// kernelsWeight is the weight of the random kernels' probabilities in the mean with the network's, whose weight is 1.
const kernelsWeight = 3

// usualKernels is the number of features of random kernels, manyKernels that for many samples.
const (
	usualKernels = 10_000
	manyKernels  = 2_000
)

// kernelsPath is the scope of the random kernels in the network of clusterPooling.
const kernelsPath = "kernels"

// AutoKernels returns the number of features of random kernels that suits a model and a data set. Beside the network
// there are some if the graph is frames times sensors, with as many frames as a kernel has slots, or an image and the
// samples are few; else 0, since kernels are no better than the network. Memory grows with positions times features, so
// that signals of more than 512 positions get fewer features.
func AutoKernels(name string, graph *affinity.Matrix, grid []int, samples int) int {
	v := kernels.Outline(graph, grid, 1)
	series, many := v.Sensors > 0 && v.Positions >= kernels.Slots, samples > kernels.MostDual
	switch {
	case name != randomKernels && !series && (many || !v.Image()):
		return 0
	case many:
		return manyKernels
	}
	return max(manyKernels, usualKernels*512/max(512, v.Positions))
}

// kernelNetwork is the network of random kernels: their features and a class layer.
func kernelNetwork(scope *model.Scope, spec Spec, graph Topology, signal *Node) *Node {
	x := spec.view(graph.Matrix).Features(scope, signal, spec.kernels())
	return nn.Dense(scope.In("classes"), x, spec.Classes(), 1)
}

// Kernels are random kernels as constants, see Classifier.Kernels.
type Kernels = kernels.Constants

// Kernels returns the random kernels of a classifier as constants. It is nil if there are none. Errors name the
// variable.
func (c *Classifier) Kernels() (*Kernels, error) {
	if c.Spec.kernels() == 0 {
		return nil, nil
	}
	scope := c.store.Scope(networkPath)
	if c.Spec.Model != randomKernels {
		scope = scope.In(kernelsPath)
	}
	constants, err := c.Spec.view(c.Graph).Constants(scope, c.Spec.kernels(), c.Spec.Classes())
	constants.Weight = kernelsWeight
	return &constants, err
}

// KernelAccuracy returns the share of the training samples that the random kernels classify rightly, each left out. It
// is not known if the model has none, or before Precompute.
func (s Spec) KernelAccuracy(store *model.Store) (share float64, known bool) {
	path := networkScope + kernelsPath + model.ScopeSeparator + kernels.LeftOut
	if s.Model == randomKernels {
		path = networkScope + kernels.LeftOut
	}
	v := store.GetVariable(path)
	if v == nil {
		return 0, false
	}
	value, _ := v.MustValue().Value().(float32) // Precompute made it
	return float64(value), true
}

// view returns how random kernels see the spec's signals.
func (s Spec) view(graph *affinity.Matrix) *kernels.View {
	return kernels.See(graph, s.Grid, s.Channels)
}

// kernels returns the number of features of random kernels.
func (s Spec) kernels() int {
	n := s.Options.Kernels
	if n == 0 && !s.HasVoices() && s.Model == randomKernels {
		return usualKernels
	}
	return n
}

// fitKernels fits the random kernels, alone or beside the network.
func fitKernels(ctx context.Context, f Fitting) (map[string]*tensors.Tensor, error) {
	if f.Spec.kernels() == 0 {
		return nil, nil
	}
	fitted, err := kernels.Fit(ctx, f.Backend, kernels.Config{View: f.Spec.view(f.Graph), Classes: f.Spec.Classes(),
		Features: f.Spec.kernels(), Seed: uint64(f.Seed), Samples: f.Samples, Normalize: f.Spec.Normalize})
	if f.Spec.Model == randomKernels {
		return fitted, err
	}
	inside := map[string]*tensors.Tensor{}
	for path, value := range fitted {
		inside[kernelsPath+"/"+path] = value
	}
	return inside, err
}
