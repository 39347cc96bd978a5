package ccp

import (
	"github.com/clusterpool/ccp/ccp/nn"
	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
)

// several is an affinity on which n hierarchies are learned, each with memberships of its own. One is drawn: an int32
// scalar, from 0.
type several struct {
	Affinity
	n     int
	drawn *Node
}

// drawnKey names the hierarchy that a Freezer wants among the parameters of its graph.
const drawnKey = "ccp_drawn"

// Several lets the layers on the affinity a learn n hierarchies of one graph, which share all weights but U. U of a level
// is `[n·N, K]`. In training each step draws one hierarchy, by the seed, the scope and the global step alone. signal is
// the network's input.
//
// Freeze before you evaluate. Once a Freezer has frozen the hierarchies, a prediction is the mean over all, see
// Hierarchy.Affinity. Before that it is by the first hierarchy alone and far less accurate: 42 to 50% where the mean
// over eight reached 68.5%. So it is with an evaluation in GoMLX's loop; models.Classifier freezes in Update.
func Several(scope *model.Scope, a Affinity, signal *Node, n int) Affinity {
	g := signal.Graph()
	switch drawn := model.GetGraphParamOr[*Node](scope, g, drawnKey, nil); {
	case n == 1:
		return a
	case drawn != nil:
		return several{a, n, drawn}
	case scope.IsTraining(g):
		return several{a, n, draw(scope, signal, n)}
	default:
		return several{a, n, Const(g, int32(0))}
	}
}

// draw draws one of n hierarchies, an int32 scalar.
func draw(scope *model.Scope, signal *Node, n int) *Node {
	return ConvertDType(MulScalar(nn.Uniform(scope, signal, "hierarchy"), float64(n)), dtypes.Int32)
}

func (s several) cluster(l *Layer) Level {
	l.several = s
	level := s.Affinity.cluster(l)
	level.Coarse, level.hierarchies = several{level.Coarse, s.n, s.drawn}, s.n
	return level
}

// one reads the part of the hierarchy drawn, `[N, width]`, from the variable of all, `[n·N, width]`.
func (s several) one(all *Node) *Node {
	if s.n == 0 {
		return all
	}
	rows, width := all.Shape().Dim(0)/s.n, all.Shape().Dim(1)
	return Reshape(Gather(Reshape(all, s.n, rows, width), Reshape(s.drawn, 1)), rows, width)
}
