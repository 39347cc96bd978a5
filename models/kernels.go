package models

import (
	"context"
	"fmt"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/ccp/nn"
	"github.com/clusterpool/ccp/models/internal/kernels"
	"github.com/clusterpool/ccp/models/internal/transforms"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
)

// kernelsWeight is the weight of the random kernels' probabilities in the mean with the network's, whose weight is 1.
const kernelsWeight = 3

// kernelNetwork is the network of random kernels: their features and a class layer.
func kernelNetwork(scope *model.Scope, spec Spec, graph Topology, signal *Node) *Node {
	x := spec.view(graph.Matrix).Features(scope, signal, spec.kernels())
	return nn.Dense(scope.In("classes"), x, spec.Classes(), 1)
}

// Kernels are fitted random kernels as constants, for programs without ccp. Arrays are row-major. x is the normalised
// signal with a row of zeros below. At each dilation,
//
//	response[p, k] = Σ_j Kernel[j, k] · x[Nodes[p]]_j
//	share[pool, q, k] = Σ_p Weights[pool][p, k] · (response[p, k] > Thresholds[q, k])
//
// The logits are features · W + B. The features are the shares and, with Signal, the signal's values behind them.
type Kernels struct {
	Dilations []struct { // of P positions and K kernels
		Nodes      []int32     // `[P, nodes of all slots]` that a response reads; the number of all nodes stands for the zeros
		Kernel     []float32   // `[values of these nodes, K]`
		Thresholds []float32   // `[thresholds, K]`
		Weights    [][]float32 // `[P, K]` for each pool
	}
	Signal   bool
	W, B     []float32 // `[features, classes]`, `[classes]`
	Weight   float32   // of the probabilities in the mean with the network's, whose weight is 1
	Accuracy float64   // on held-out training samples
}

// Kernels returns the random kernels of a classifier. It is nil if there are none. It is an error if the transforms predict,
// which are no constants. Other errors name the variable.
func (c *Classifier) Kernels() (*Kernels, error) {
	if c.ridge.Load() != nil {
		return nil, fmt.Errorf("the predictions are those of %s, which no ONNX file holds. Either ccp serve, or the Go package "+
			"models, gives them to other programs; or train the network alone into another folder, with --set transforms=none "+
			"--checkpoint NEW, look at its test accuracy, and export that", c.PredictedBy())
	}
	if c.Spec.kernels() == 0 {
		return nil, nil
	}
	scope := c.store.Scope(networkPath)
	if c.Spec.Model != randomKernels {
		scope = scope.In(kernels.Beside)
	}
	constants, err := c.Spec.view(c.Graph).Constants(scope, c.Spec.kernels(), c.Spec.Classes())
	constants.Weight = kernelsWeight
	constants.Accuracy, _ = kernels.Accuracy(c.store)
	return (*Kernels)(&constants), err
}

// view returns how random kernels read the spec's signals.
func (s Spec) view(graph *affinity.Matrix) *kernels.View {
	return kernels.NewView(graph, s.Grid, s.Channels)
}

// kernels returns the number of features of random kernels.
func (s Spec) kernels() int {
	n := s.Options.Kernels
	if n == 0 && s.Options.Transforms == transforms.None && s.Model == randomKernels {
		return kernels.Usual
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
		inside[kernels.Beside+"/"+path] = value
	}
	return inside, err
}
