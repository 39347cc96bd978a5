package models

import (
	"context"
	"fmt"
	"math"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/ccp/nn"
	"github.com/clusterpool/ccp/models/internal/bayes"
	"github.com/clusterpool/ccp/models/internal/graphconv"
	"github.com/clusterpool/ccp/models/internal/grids"
	"github.com/clusterpool/ccp/models/internal/skeleton"
	"github.com/gomlx/compute"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
)

// ending makes logits `[batch, classes]` of a network's features `[batch, ...]`.
type ending func(scope *model.Scope, spec Spec, x *Node) *Node

// readout is the ending for the coarsest graph. For each hidden width it has dropout, dense, batch norm and ELU.
// Dropout and the class layer follow.
func readout(scope *model.Scope, spec Spec, x *Node) *Node {
	dropout := func(scope *model.Scope, x *Node) *Node {
		return nn.Dropout(scope, x, optionsOf(scope).ReadoutDropout)
	}
	x = flattened(x)
	for i, width := range spec.Hidden {
		scope := scope.In("fc_%d", i+1)
		x = nn.ELU(nn.DenseNorm(scope, dropout(scope, x), width, math.Sqrt2))
	}
	scope = scope.In("classes")
	return nn.Dense(scope, dropout(scope, x), spec.Classes, 1)
}

// classLayer is the ending without dropout.
func classLayer(scope *model.Scope, spec Spec, x *Node) *Node {
	return nn.Dense(scope.In("classes"), flattened(x), spec.Classes, 1)
}

// asItIs is the ending of a network whose features are the logits.
func asItIs(_ *model.Scope, _ Spec, x *Node) *Node { return x }

// flattened puts all values of a sample in one row. x: `[batch, ...]`, result `[batch, values]`.
func flattened(x *Node) *Node {
	batch := x.Shape().Dim(0)
	return Reshape(x, batch, x.Shape().Size()/batch)
}

// fullyConnected is a multilayer perceptron over all values of the signal: the readout with nothing before it.
func fullyConnected(scope *model.Scope, spec Spec, _ Topology, signal *Node) *Node {
	return readout(scope, spec, signal)
}

// linear is one dense layer over all values of the signal, x·W + b. Softmax regression and the linear support vector
// machine are this network under two losses. Naive Bayes counts its weights. The weights start at zero: the losses are
// convex, and values that the training samples never have must not count.
func linear(scope *model.Scope, spec Spec, _ Topology, signal *Node) *Node {
	return nn.Dense(scope.In("classes"), flattened(signal), spec.Classes, 0)
}

// fitBayes returns the weights of naive Bayes, see bayes.Fit.
func fitBayes(_ context.Context, _ compute.Backend, s Spec, _ *affinity.Matrix, samples Samples,
	mean, std []float32, _ int64) (variables, error) {
	w, b, err := bayes.Fit(samples, s.Nodes, s.Classes, s.Settings.Of("").BayesAlpha, mean, std)
	return variables{"classes/W": w, "classes/b": b}, err
}

// nominalCurves returns the nominal curve of each class, see skeleton.Nominal.
func nominalCurves(ctx context.Context, backend compute.Backend, s Spec, graph *affinity.Matrix, samples Samples,
	mean, std []float32, _ int64) (variables, error) {
	nominal, err := skeleton.Nominal(ctx, backend, bodyOf(s, graph), samples, mean, std)
	return variables{skeleton.NominalCurves: nominal}, err
}

// onGrid returns the network with such features and a class layer. features gets the signal as
// `[batch, rows, columns, channels]`. The edges of the graph are not used.
func onGrid(features func(scope *model.Scope, x *Node) *Node) Network {
	return func(scope *model.Scope, spec Spec, _ Topology, signal *Node) *Node {
		x := Reshape(signal, signal.Shape().Dim(0), spec.Grid[0], spec.Grid[1], spec.Channels)
		return classLayer(scope, spec, features(scope, x))
	}
}

// graphFeatures are the features of a graph's signal, `[batch, nodes, channels]`.
type graphFeatures func(scope *model.Scope, graph *affinity.Matrix, levels []graphconv.Level, signal *Node) *Node

// resNetDepth is the number of layers with weights of the residual network. Tests have fewer.
var resNetDepth = 20

// resNet has the authors' smallest depth for CIFAR-10.
func resNet(scope *model.Scope, x *Node) *Node {
	return grids.ResNet(scope, x, resNetDepth)
}

// onGraph returns the network with such features and the readout.
func onGraph(features graphFeatures) Network {
	return func(scope *model.Scope, spec Spec, graph Topology, signal *Node) *Node {
		var levels []graphconv.Level
		for _, l := range spec.Levels {
			levels = append(levels, graphconv.Level{Clusters: l.Clusters, Filters: l.Filters, Order: l.Neighbours})
		}
		return readout(scope, spec, features(scope, graph.Matrix, levels, signal))
	}
}

// onBody returns the network with such features and ending.
func onBody(features func(scope *model.Scope, b skeleton.Body, x *Node) *Node, end ending) Network {
	return func(scope *model.Scope, spec Spec, graph Topology, signal *Node) *Node {
		return end(scope, spec, features(scope, bodyOf(spec, graph.Matrix), signal))
	}
}

// partAwareLSTM is the part-aware LSTM with that number of segments.
func partAwareLSTM(segments int) Network {
	return onBody(func(scope *model.Scope, b skeleton.Body, x *Node) *Node {
		b.Segments = segments
		return skeleton.PartAwareLSTM(scope, b, x)
	}, readout)
}

// bodyOf returns the spec's recordings, on its graph, and the sizes of its network.
func bodyOf(s Spec, graph *affinity.Matrix) skeleton.Body {
	o := s.Settings.Of("")
	return skeleton.Body{Frames: s.Grid[0], Joints: s.Grid[1], Channels: s.Channels, Bodies: s.Bodies, Parts: s.Parts,
		Bones: skeleton.Bones(graph, s.Grid[1]), Classes: s.Classes, Segments: o.Segments, Units: o.Units,
		Dropout: s.Settings.Of("classes").ReadoutDropout}
}

// These are options that models lack. A network without a readout ends in a class layer.
var (
	noReadout   = []string{"readout_dropout"}
	linearLacks = []string{"readout_dropout", "batchnorm_epsilon"}
	lieLacks    = append([]string{"dtype"}, linearLacks...)
	bayesLacks  = append([]string{"input_dropout", "dtype", "l2"}, linearLacks...)
)

// checkShrinking returns an error if a level has more clusters than nodes, which pooling cannot make.
func checkShrinking(s Spec) error {
	nodes := s.Nodes
	for i, level := range s.Levels {
		if level.Clusters > nodes {
			return fmt.Errorf("level %d: %d clusters of %d nodes; model %s pools, so that there can be no more clusters "+
				"than nodes", i+1, level.Clusters, nodes, s.Model)
		}
		nodes = level.Clusters
	}
	return nil
}

// checkGrid returns an error if the nodes are no grid.
func checkGrid(s Spec) error {
	switch {
	case s.Grid == nil:
		return fmt.Errorf("model %s needs nodes on a grid, such as an image's pixels; this data has none", s.Model)
	case len(s.Grid) != 2 || s.Grid[0] < 1 || s.Grid[1] < 1 || s.Grid[0]*s.Grid[1] != s.Nodes:
		return fmt.Errorf("model %s: the grid is %v, which is not rows and columns of the %d nodes", s.Model, s.Grid, s.Nodes)
	}
	return nil
}

// checkBody returns an error if the nodes are no joints of a body in frame after frame.
func checkBody(s Spec) error {
	if s.Parts == nil {
		return fmt.Errorf("model %s needs recordings of a body's joints, frame by frame, such as nw-ucla's; "+
			"this data has no parts of a body; give own data an array parts, which the import of recordings writes", s.Model)
	}
	if err := checkGrid(s); err != nil {
		return err
	}
	for i, part := range s.Parts {
		if len(part) == 0 {
			return fmt.Errorf("model %s: part %d of the body has no joints", s.Model, i)
		}
		for _, joint := range part {
			if joint < 0 || joint >= s.Grid[1] {
				return fmt.Errorf("model %s: part %d of the body has joint %d; joints go from 0 to %d",
					s.Model, i, joint, s.Grid[1]-1)
			}
		}
	}
	return nil
}

// checkPlaces returns an error if the nodes are no joints of a body, or if their places in space are not known.
func checkPlaces(s Spec) error {
	if err := checkBody(s); err != nil {
		return err
	}
	if s.Bodies < 1 || s.Channels < 3*s.Bodies {
		return fmt.Errorf("model %s needs x, y and z of the joints; this data has %d channels, and x, y and z of %d bodies",
			s.Model, s.Channels, s.Bodies)
	}
	return nil
}
