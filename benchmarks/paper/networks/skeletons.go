package networks

import (
	"context"
	"fmt"

	"github.com/clusterpool/ccp/benchmarks/paper/networks/internal/skeleton"
	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/models"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
)

// segmented are the options of recurrent networks.
type segmented struct {
	// Segments is the number of equal segments that a recording is divided into. A recurrent network of a body reads
	// one frame of each segment. A recording of fewer frames has a segment for each.
	Segments int `param:"segments" default:"20" rule:"from 1"`
}

// cells are the options of recurrent networks whose size is free.
type cells struct {
	segmented
	// Units is the number of units of the layers, of each joint or part.
	Units int `param:"units" default:"64" rule:"from 1"`
}

func init() {
	models.Register("tcn", models.Network{Recipes: recipes, About: "temporal convolution network (Kim and Reiter 2017)",
		Build: onBody(skeleton.TemporalConvolution).classes, Check: checkBody, Lacks: []string{"readout_dropout"}})
	models.Register("p-lstm", models.Network{Recipes: recipes, About: "part-aware LSTM (Shahroudy et al. 2016)",
		Build: partAwareLSTM(8), Check: checkBody})
	models.Register("lie-group", models.Network{Recipes: recipes,
		About: "how bones lie to each other, as curves in a Lie group, and a linear SVM (Vemulapalli et al. 2014)",
		Build: onBody(skeleton.LieGroup), Check: withBones(2, checkPositions), Fit: nominalCurves,
		Loss:  models.Spec{Model: "svm"}.Network().Loss,
		Lacks: []string{"dtype", "readout_dropout", "batchnorm_epsilon"}})
	models.Register("hbrnn-l",
		models.Network{Recipes: recipes, About: "hierarchical recurrent network of a body's parts (Du et al. 2015)",
			Build: onBody(skeleton.HierarchicalRNN).readout, Check: checkBody, Options: segmented{}})
	models.Register("st-lstm",
		models.Network{Recipes: recipes, About: "LSTM over joints and time with trust gates (Liu et al. 2016)",
			Build: onBody(skeleton.SpatioTemporalLSTM), Check: withBones(1, checkBody), Options: cells{}})
	models.Register("stgc",
		models.Network{Recipes: recipes, About: "recursive graph filters over a skeleton, Deep STGC_K (Li et al. 2018)",
			Build: onBody(skeleton.RecursiveFilters).readout, Check: withBones(1, checkBody), Options: cells{}})
	models.Register("tgcnn", models.Network{Recipes: recipes,
		About: "convolution on the product of a memory and a skeleton (T. Zhang et al. 2018)",
		Build: onBody(skeleton.TensorGraphCNN).readout, Check: withBones(1, checkBody), Options: cells{}})
	models.Register("c-cnn", models.Network{Recipes: recipes,
		About: "clips of a body in cylindrical coordinates, a CNN and several tasks (Ke et al. 2017)",
		Build: onBody(skeleton.ClipCNN), Check: checkPositions})
}

// onBody returns the features of recordings of a body.
func onBody(of func(scope *model.Scope, b skeleton.Body, x *Node) *Node) network {
	return func(scope *model.Scope, spec models.Spec, graph models.Topology, signal *Node) *Node {
		return of(scope, bodyOf(spec, graph.Matrix), signal)
	}
}

// partAwareLSTM is the part-aware LSTM with that number of segments.
func partAwareLSTM(segments int) network {
	return onBody(func(scope *model.Scope, b skeleton.Body, x *Node) *Node {
		b.Segments = segments
		return skeleton.PartAwareLSTM(scope, b, x)
	}).readout
}

// bodyOf returns the spec's recordings, on its graph, and the sizes of its network.
func bodyOf(s models.Spec, graph *affinity.Matrix) skeleton.Body {
	o := models.OptionsOf[cells](s.Options)
	return skeleton.Body{Frames: s.Grid[0], Joints: s.Grid[1], Channels: s.Channels, Bodies: s.Bodies, Parts: s.Parts,
		Bones: skeleton.Bones(graph, s.Grid[1]), Classes: s.Classes(), Segments: o.Segments, Units: o.Units,
		Dropout: s.Options.ReadoutDropout}
}

// nominalCurves returns the nominal curve of each class, see skeleton.Nominal.
func nominalCurves(ctx context.Context, f models.Fitting) (map[string]*tensors.Tensor, error) {
	nominal, err := skeleton.Nominal(ctx, f.Backend, bodyOf(f.Spec, f.Graph), f.Samples, f.Spec.Normalize)
	return map[string]*tensors.Tensor{skeleton.NominalCurves: nominal}, err
}

// checkBody returns an error if the nodes are no joints of a body in frame after frame.
func checkBody(s models.Spec, graph *affinity.Matrix) error {
	if s.Parts == nil {
		return fmt.Errorf("model %s needs recordings of a body's joints, frame by frame, such as nw-ucla's; "+
			"this data has no parts of a body; give own data an array parts, which the import of recordings writes", s.Model)
	}
	if err := checkGrid(s, graph); err != nil {
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

// checkPositions returns an error if the nodes are no joints of a body, or if their positions in space are not known.
func checkPositions(s models.Spec, graph *affinity.Matrix) error {
	if err := checkBody(s, graph); err != nil {
		return err
	}
	if s.Bodies < 1 || s.Channels < 3*s.Bodies {
		return fmt.Errorf("model %s needs x, y and z of the joints; this data has %d channels, and x, y and z of %d bodies",
			s.Model, s.Channels, s.Bodies)
	}
	return nil
}

// withBones is a check that also wants so many bones in the first frame.
func withBones(least int, check func(models.Spec, *affinity.Matrix) error) func(models.Spec, *affinity.Matrix) error {
	return func(s models.Spec, graph *affinity.Matrix) error {
		err := check(s, graph)
		if err != nil || graph == nil {
			return err
		}
		if n := len(skeleton.Bones(graph, s.Grid[1])); n < least {
			return fmt.Errorf("model %s needs the bones of a skeleton; the graph has %d edges between the %d joints of the "+
				"first frame", s.Model, n, s.Grid[1])
		}
		return nil
	}
}
