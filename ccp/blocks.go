package ccp

import (
	"math"

	"github.com/clusterpool/ccp/ccp/nn"
	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
)

// The names of the variables for filters that do not pool, and of the scope of a stem.
const (
	aroundNodes   = "around"
	aroundPresent = "around_present"
	stemName      = "stem"
)

// Stem starts a level that does not pool, for a network's input: it filters the signal at every node's own
// neighbourhood, see Input. Its scope is "stem" below scope. signal: `[batch, N, C]`; Done gives `[batch, N,
// filters]` and no affinity.
func (p *Preparation) Stem(scope *model.Scope, signal *Node, filters int) *Layer {
	l := New(scope, signal, nil, signal.Shape().Dim(1), filters)
	l.input = p
	return l
}

// Blocks adds n residual blocks after the level, x ← ELU(x + norm(filter(ELU(norm(filter(x)))))) (He et al. 2016).
// Their filters see each cluster's own neighbourhood among the clusters. Only a prepared hierarchy has these, see
// Preparation.Around.
func (l *Layer) Blocks(n int) *Layer { l.blocks = n; return l }

// stem builds what Stem started.
func (l *Layer) stem() *Node {
	scope, g := l.scope.In(stemName), l.signal.Graph()
	var neighbourhood, gate *Node
	if scope.GetVariable(aroundNodes) != nil {
		neighbourhood, gate = frozen{nodes: l.clusters, side: 1}.around(scope, g)
	} else {
		nodes, present := l.input.Input()
		tables, size := scope.In(nn.TablesScope), len(nodes)/l.clusters
		neighbourhood = nn.Indices(tables, g, "nodes", nodes, l.clusters, size)
		gate = nn.Constant(tables, g, "present", tensors.FromFlatDataAndDimensions(present, l.clusters, size))
	}
	x := nn.ELU(filterNorm(scope, l.signal, neighbourhood, gate, l.filters, filterIn))
	return nn.Dropout(scope, residual(l.scope, x, neighbourhood, gate, l.blocks), l.options.Dropout)
}

// residual builds n residual blocks. x: `[batch, nodes, channels]`, same shape out.
func residual(scope *model.Scope, x, neighbourhood, gate *Node, n int) *Node {
	filters := x.Shape().Dim(2)
	for i := range n {
		scope := scope.In("block_%d", i+1)
		y := nn.ELU(filterNorm(scope.In("1"), x, neighbourhood, gate, filters, filterIn))
		x = nn.ELU(Add(x, filterNorm(scope.In("2"), y, neighbourhood, gate, filters, filterIn)))
	}
	return x
}

// filterNorm builds a Filter and its batch normalisation, in variables of scope. signal: `[batch, N, C]`,
// neighbourhood: int32 `[K, L]`, gate: `[K, L]`. filter is filterIn or filterAnew. Result `[batch, K, filters]`.
func filterNorm(scope *model.Scope, signal, neighbourhood, gate *Node, filters int,
	filter func(dtype dtypes.DType, signal, neighbourhood, gate, w *Node) *Node) *Node {
	if y := folded(scope, signal, neighbourhood, gate, filters); y != nil {
		return y
	}
	size, channels := neighbourhood.Shape().Dim(1), signal.Shape().Dim(2)
	std := math.Sqrt(2 / float64(size*channels)) // He et al. 2015
	w, b := nn.Kernel(scope, signal, std, filters, size, channels), nn.Bias(scope, signal, filters)
	return nn.BatchNorm(scope, filter(nn.NarrowDType(scope, signal), signal, neighbourhood, gate, w), b)
}
