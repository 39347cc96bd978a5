package ccp

import (
	"math"

	"github.com/clusterpool/ccp/ccp/nn"
	"github.com/clusterpool/ccp/internal/ops"
	"github.com/clusterpool/ccp/internal/variables"
	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/support/exceptions"
)

// The names of the variables for filters that do not pool, and of the scope of a stem.
const (
	aroundNodes   = "around"
	aroundPresent = "around_present"
	stemName      = "stem"
)

// Stem builds a level that does not pool, for a network's input. It filters the signal at every node's own
// neighbourhood, see Input, in the scope "stem" below scope. Residual blocks follow, see Blocks. signal: `[batch, N,
// C]`, result `[batch, N, filters]`. It panics without filters, without Around, and for another graph's signal.
func (p *Preparation) Stem(scope *model.Scope, signal *Node, filters, blocks int) *Node {
	g, n, stem := signal.Graph(), p.graph.N(), scope.In(stemName)
	if p.reach < 1 || filters < 1 || signal.Rank() != 3 || signal.Shape().Dim(1) != n {
		exceptions.Panicf("%s: a stem needs its preparation's Around, filters, and a signal [batch, %d, channels]; it has "+
			"%d neighbours, %d filters and %s", scope.Scope(), n, p.reach, filters, signal.Shape())
	}
	ops.Parameters(scope.Store(), g)
	nodes, present, err := p.Input(scope)
	if err != nil {
		panic(err)
	}
	tables, size := stem.At(variables.Tables), len(nodes)/n
	neighbourhood := ops.Indices(tables, g, "nodes", nodes, n, size)
	gate := ops.Constant(tables, g, "present", tensors.FromFlatDataAndDimensions(present, n, size))
	gate = ops.Rounded(gate, signal.DType())
	var by *Node // the slots that read each node, by which training computes gradients
	list := readers(nodes, present, n)
	if list != nil && scope.IsTraining(g) {
		by = ops.Indices(tables, g, "by", list, n, len(list)/n)
	}
	x := nn.ELU(filterNorm(stem, signal, neighbourhood, gate, by, filters))
	return nn.Dropout(stem, residual(scope, x, neighbourhood, gate, by, blocks), optionsOf(scope).Dropout)
}

// Blocks adds n residual blocks after the level, x ← ELU(x + norm(filter(ELU(norm(filter(x)))))) (He et al. 2016).
// Their filters read each cluster's own neighbourhood among the clusters, see Preparation.Around.
func (l *Layer) Blocks(n int) *Layer { l.blocks = n; return l }

// residual builds n residual blocks. x: `[batch, nodes, channels]`, same shape out.
func residual(scope *model.Scope, x, neighbourhood, gate, by *Node, n int) *Node {
	filters := x.Shape().Dim(2)
	for i := range n {
		scope := scope.In("block_%d", i+1)
		y := nn.ELU(filterNorm(scope.In("1"), x, neighbourhood, gate, by, filters))
		x = nn.ELU(Add(x, filterNorm(scope.In("2"), y, neighbourhood, gate, by, filters)))
	}
	return x
}

// filterNorm builds a Filter and its batch normalisation, in variables of scope. signal: `[batch, N, C]`,
// neighbourhood: int32 `[K, L]`, gate: `[K, L]`, by: what readers lists, or nil. Result `[batch, K, filters]`.
func filterNorm(scope *model.Scope, signal, neighbourhood, gate, by *Node, filters int) *Node {
	if y := folded(scope, signal, neighbourhood, gate, filters); y != nil {
		return y
	}
	size, channels := neighbourhood.Shape().Dim(1), signal.Shape().Dim(2)
	std := math.Sqrt(2 / float64(size*channels)) // He et al. 2015
	w, b := nn.Kernel(scope, signal, std, filters, size, channels), nn.Bias(scope, signal, filters)
	return nn.BatchNorm(scope, filterIn(nn.NarrowDType(scope, signal), signal, neighbourhood, gate, by, w), b)
}

// frozenGate returns a frozen level's gates as a table, in a program that only predicts; elsewhere nil. rank: its
// ranks, `[H·K, L]`.
func frozenGate(scope *model.Scope, rank *Node) *Node {
	dims := rank.Shape().Dimensions
	if rank.DType() != dtypes.Float32 { // the table would be less precise than the layer
		return nil
	}
	return ops.Derived(scope, rank.Graph(), "gate", func(layer *model.Scope) (*tensors.Tensor, error) {
		ranks, err := variables.Read[float32](layer, frozenRanks, dims...)
		if err != nil {
			return nil, err
		}
		gates, err := gatesOf(layer, ranks)
		if err != nil {
			return nil, err
		}
		return tensors.FromFlatDataAndDimensions(gates, dims...), nil
	})
}

// folded is filterNorm in a program that only predicts, see ops.Folded; elsewhere nil.
//
// If there are no more nodes than clusters, and the products of a node's channels are no more than what the filters
// gather, it multiplies each node with the kernel's slots first. Then it gathers and adds up the products. XLA gathers
// whole rows of filters so, and single numbers otherwise.
func folded(scope *model.Scope, signal, neighbourhood, gate *Node, filters int) *Node {
	g, dtype := signal.Graph(), nn.NarrowDType(scope, signal)
	batch, nodes, channels := signal.Shape().Dim(0), signal.Shape().Dim(1), signal.Shape().Dim(2)
	clusters, size := neighbourhood.Shape().Dim(0), neighbourhood.Shape().Dim(1)
	early := g.NumDevices() <= 1 && nodes <= clusters && nodes*filters <= clusters*channels
	of, dims := []int{filters, size, channels}, []int{size * channels, filters}
	if early {
		dims = []int{channels, size * filters}
	}
	epsilon := nn.OptionsOf(scope).BatchNormEpsilon
	w, shift := ops.Folded(scope, g, dtype, epsilon, filters, of, dims, func(i int) (to, filter int) {
		filter, tap := i/(size*channels), i%(size*channels)
		if early {
			return (tap%channels*size+tap/channels)*filters + filter, filter
		}
		return tap*filters + filter, filter
	})
	if w == nil || shift == nil {
		return nil
	}
	var y *Node
	if early {
		products := Reshape(ops.FoldedProduct(dtype, Reshape(signal, batch*nodes, channels), w), batch, nodes*size, filters)
		for slot := range size {
			column := func(x *Node) *Node { return Slice(x, AxisRange(), AxisRange(slot, slot+1)) }
			rows := pick(products, AddScalar(MulScalar(column(neighbourhood), size), slot))
			y = ops.Plus(y, Mul(rows.gather(products), Reshape(column(gate), 1, clusters, 1)))
		}
	} else {
		f := filtered{dtype, signal, gate, w, pick(signal, neighbourhood)}
		y = Reshape(ops.FoldedProduct(dtype, f.gated(), w), batch, clusters, filters)
	}
	return Add(y, Reshape(shift, 1, 1, filters))
}
