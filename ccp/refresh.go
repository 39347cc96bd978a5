package ccp

import (
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
)

// reuseKey marks a graph whose layers do not select.
const reuseKey = "ccp_reuse_selection"

// ReuseSelection makes the layers that are then built into g, a graph for training, take the neighbourhoods that the last
// step of another graph has left, where ParamRefresh is more than 1: so that a training can alternate between two
// graphs, one that selects and one that does not. A condition inside one graph cannot do it: go-xla v0.4.2 fails on
// reductions there.
func ReuseSelection(scope *model.Scope, g *Graph) { scope.SetGraphParam(g, reuseKey, true) }

// choose is Select or, see ReuseSelection, its last result, which is kept in a variable. rank: `[N, K]`, result int32
// `[K, size]`.
func (l *Layer) choose(rank *Node, size int) *Node {
	g, k := rank.Graph(), rank.Shape().Dim(1)
	if l.refresh == 1 || !l.scope.IsTraining(g) {
		return Select(rank, size)
	}
	kept := l.scope.VariableWithValue("selected", tensors.FromFlatDataAndDimensions(make([]int32, k*size), k, size)).SetTrainable(false)
	if model.GetGraphParamOr(l.scope, g, reuseKey, false) {
		return kept.NodeValue(g)
	}
	chosen := Select(rank, size)
	kept.SetNodeValue(chosen)
	return chosen
}
