package ccp

import (
	"github.com/clusterpool/ccp/ccp/nn"
	"github.com/clusterpool/ccp/internal/ops"
	"github.com/clusterpool/ccp/internal/variables"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
)

// frozenGate returns a frozen level's gates as a table, in a program that only predicts; elsewhere nil. rank: its ranks,
// `[H·K, L]`.
func frozenGate(scope *model.Scope, rank *Node) *Node {
	dims := rank.Shape().Dimensions
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
	w, shift := ops.Folded(scope, g, dtype, nn.OptionsOf(scope).BatchNormEpsilon, filters, of, dims, func(i int) (to, filter int) {
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
