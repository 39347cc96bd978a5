package ccp

import (
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
)

// picked holds the nodes that a filter reads, the same ones in every sample of a batch.
type picked struct {
	batch, nodes int
	at           *Node // int32 [slots, 1]
	rows         *Node // int32 [batch·slots, 1], see pick; nil: each sample is read by itself
}

// pick prepares to read and write the nodes of neighbourhood, `[K, L]`, in a signal `[batch, N, C]`. Its slots are
// the K·L in order.
//
// On one device node n of sample b is row b·N + n of the flat signal, which is the fastest way there. If devices
// share the batch, this would hide from the compiler that each device reads its own samples only. Every device would
// then hold, and compute with, the neighbourhoods of the whole batch.
func pick(signal, neighbourhood *Node) picked {
	g, slots := signal.Graph(), neighbourhood.Shape().Size()
	p := picked{batch: signal.Shape().Dim(0), nodes: signal.Shape().Dim(1), at: Reshape(neighbourhood, slots, 1)}
	if g.NumDevices() <= 1 {
		rows := MulScalar(Iota(g, shapes.Make(dtypes.Int32, p.batch, slots), 0), p.nodes)
		p.rows = Reshape(Add(rows, Reshape(neighbourhood, 1, slots)), p.batch*slots, 1)
	}
	return p
}

func (p picked) slots() int { return p.at.Shape().Dim(0) }

// gather reads a signal `[batch, N, C]` at the nodes, result `[batch, slots, C]`.
func (p picked) gather(signal *Node) *Node {
	channels := signal.Shape().Dim(2)
	if p.rows == nil {
		return BackendGather(signal, p.at, 1, []int{0, 2}, []int{1}, []int{1}, []int{p.batch, 1, channels}, false)
	}
	return Reshape(Gather(Reshape(signal, p.batch*p.nodes, channels), p.rows), p.batch, p.slots(), channels)
}

// scatter adds up the slots' values for each node: the gradient of gather. v: `[batch, slots, C]`, result `[batch, N,
// C]`.
func (p picked) scatter(v *Node) *Node {
	return p.scatterTo(Zeros(v.Graph(), shapes.Make(v.DType(), p.batch, p.nodes, v.Shape().Dim(2))), v)
}

// scatterTo adds the result of scatter to sums, `[batch, N, C]`.
func (p picked) scatterTo(sums, v *Node) *Node {
	if p.rows == nil {
		return BackendScatterSum(sums, p.at, v, 1, []int{0, 2}, []int{1}, []int{1}, false, false)
	}
	channels := v.Shape().Dim(2)
	flat, rows := Reshape(sums, p.batch*p.nodes, channels), Reshape(v, p.batch*p.slots(), channels)
	flat = BackendScatterSum(flat, p.rows, rows, 1, []int{1}, []int{0}, []int{0}, false, false)
	return Reshape(flat, p.batch, p.nodes, channels)
}
