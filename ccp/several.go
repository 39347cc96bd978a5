package ccp

import (
	"github.com/clusterpool/ccp/internal/ops"
	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
)

// several says that n hierarchies are learned, each with memberships of its own. One is drawn: an int32 scalar, from 0.
type several struct {
	n     int
	drawn *Node
}

// The names of the hierarchy that a Freezer wants, and of several, among the parameters of a graph.
const (
	drawnKey   = "ccp_drawn"
	severalKey = "ccp_several"
)

// Several lets the layers below scope learn n hierarchies of one graph, which share all weights but U. U of a level is
// `[n·N, K]`. In training each step draws one hierarchy, by the seed, the scope and the global step alone. signal is the
// network's input.
//
// Freeze before you evaluate. Once a Freezer has frozen the hierarchies, a prediction is the mean over all, see
// Hierarchy.Affinity. Before that it is by the first hierarchy alone and far less accurate: 42 to 50% where the mean
// over eight reached 68.5%. So it is with an evaluation in GoMLX's loop; models.Classifier freezes in Update.
func Several(scope *model.Scope, signal *Node, n int) {
	g := signal.Graph()
	of := several{n, model.GetGraphParamOr[*Node](scope, g, drawnKey, nil)}
	if of.drawn == nil && n > 1 && scope.IsTraining(g) {
		of.drawn = draw(scope, signal, n)
	}
	scope.SetGraphParam(g, severalKey, of)
}

// severalOf returns what Several has said of scope; without it there is one hierarchy.
func severalOf(scope *model.Scope, g *Graph) several {
	return model.GetGraphParamOr(scope, g, severalKey, several{n: 1})
}

// draw draws one of n hierarchies, an int32 scalar.
func draw(scope *model.Scope, signal *Node, n int) *Node {
	return ConvertDType(MulScalar(ops.Uniform(scope, signal, "hierarchy"), float64(n)), dtypes.Int32)
}

// one reads the part of the hierarchy drawn, `[N, width]`, from the variable of all, `[n·N, width]`.
func (s several) one(all *Node) *Node {
	if s.n == 1 {
		return all
	}
	rows, width := all.Shape().Dim(0)/s.n, all.Shape().Dim(1)
	if s.drawn == nil {
		return Slice(all, AxisRange(0, rows))
	}
	return Reshape(Gather(Reshape(all, s.n, rows, width), Reshape(s.drawn, 1)), rows, width)
}
