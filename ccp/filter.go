package ccp

import (
	"slices"

	"github.com/clusterpool/ccp/internal/ops"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/support/exceptions"
)

// Filter convolves the signal over each cluster's neighbourhood. The nodes of a neighbourhood are sorted, and each is
// multiplied by its gate. All clusters share the kernels w. The caller adds the bias:
//
//	out[k,j] = Σ_l Σ_i w[j,l,i] · gate[k,l] · signal[node(k,l), i]
//
// This is a one-dimensional convolution of width and stride L.
//
// The shapes are: signal `[batch, N, C]`, neighbourhood int32 `[K, L]`, gate `[K, L]`, w `[filters, L, C]`, result
// `[batch, K, filters]`.
//
// A gate may have any sign. A gate of exactly 0 counts as an empty slot: its gradient is 0.
//
// The gated neighbourhoods of the whole batch are the rows of one matrix. The product with the kernel and the
// gradients of kernel and gate use that matrix. The kernel has its filters first.
func Filter(signal, neighbourhood, gate, w *Node) *Node {
	return filterIn(signal.DType(), signal, neighbourhood, gate, nil, w)
}

// filterIn is Filter with its factors rounded to dtype, see nn.ParamDType. The gathered neighbourhoods, by
// far the largest part of what a step keeps, have that type; sums do not. by is what readers lists, or nil.
func filterIn(dtype dtypes.DType, signal, neighbourhood, gate, by, w *Node) *Node {
	size, filters, channels := neighbourhood.Shape().Dim(1), w.Shape().Dim(0), signal.Shape().Dim(2)
	if w.Shape().Dim(1) != size || w.Shape().Dim(2) != channels {
		exceptions.Panicf("kernel %s does not fit neighbourhoods of L=%d nodes with %d channels",
			w.Shape(), size, channels)
	}
	f := filtered{dtype, signal, gate, Reshape(w, filters, size*channels), pick(signal, neighbourhood)}
	var gated *Node
	forward := func() *Node {
		gated = f.gated()
		return Reshape(ops.Contract(dtype, gated, 1, f.kernel, 1), f.batch(), f.clusters(), filters)
	}
	backward := func(v *Node) []*Node {
		v = Reshape(ops.Apart(v), f.batch()*f.clusters(), filters) // it has two readers
		// The kernel's new value is written over the old one only if all that reads the old one is known to be done.
		dGated := ops.Contract(dtype, v, 1, f.kernel, 0)
		dKernel := OptimizationBarriers(Reshape(ops.TransposedProduct(dtype, v, gated), filters, size, channels), dGated)[0]
		if by != nil { // readers lists slots whose gate is 1 only, so that none is multiplied
			return []*Node{ops.Apart(f.nodes.sum(f.bySlot(dGated), by)), f.dGate(dGated, gated), dKernel}
		}
		dSlots := Mul(f.bySlot(dGated), f.scale()) // what each slot adds to the gradient of its node
		return []*Node{f.nodes.scatter(dSlots), f.dGate(dGated, gated), dKernel}
	}
	return ops.WithGradient(forward, backward, signal, gate, w)
}

// filtered holds some or all of a level's clusters, for Filter.
type filtered struct {
	dtype        dtypes.DType
	signal       *Node // [batch, N, C]
	gate, kernel *Node // [K, L], [filters, L·C]
	nodes        picked
}

func (f filtered) batch() int           { return f.signal.Shape().Dim(0) }
func (f filtered) channels() int        { return f.signal.Shape().Dim(2) }
func (f filtered) clusters() int        { return f.gate.Shape().Dim(0) }
func (f filtered) scale() *Node         { return Reshape(f.gate, 1, f.nodes.slots(), 1) }
func (f filtered) narrow(x *Node) *Node { return ops.Rounded(x, f.dtype) }

// gated computes the gathered neighbourhoods times their gates, `[batch·K, L·C]`. XLA's CPU compiler would compute the
// signal once for each time that a node is selected, and single numbers of a matrix instead of a node's channels.
func (f filtered) gated() *Node {
	x := Mul(f.nodes.gather(ops.Apart(f.narrow(f.signal))), f.narrow(f.scale()))
	return Reshape(ops.Apart(x), f.batch()*f.clusters(), f.gate.Shape().Dim(1)*f.channels())
}

// dGate computes the gradient of the gates, `[K, L]`. It takes Σ dGated·gated / gate for Σ dGated·signal: this needs
// no copy of the gathered signal. A gate of 0 has no gradient: there the layer's sigmoid has underflowed, or the slot
// is empty. The product is one of matrices: if gated had two shapes, XLA would keep both.
func (f filtered) dGate(dGated, gated *Node) *Node {
	d := ReduceSum(ReduceSum(f.bySlot(Mul(dGated, ops.Rounded(gated, f.signal.DType()))), 2), 0)
	flat := Reshape(f.gate, f.nodes.slots())
	some := NotEqual(flat, ZerosLike(flat))
	d = Where(some, Div(d, Where(some, flat, OnesLike(flat))), ZerosLike(flat))
	return Reshape(d, f.gate.Shape().Dimensions...)
}

// bySlot reshapes values of neighbourhoods, `[batch·K, L·C]`, to values of slots, `[batch, K·L, C]`.
func (f filtered) bySlot(x *Node) *Node { return Reshape(x, f.batch(), f.nodes.slots(), f.channels()) }

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
	sums := Zeros(v.Graph(), shapes.Make(v.DType(), p.batch, p.nodes, v.Shape().Dim(2)))
	if p.rows == nil {
		return BackendScatterSum(sums, p.at, v, 1, []int{0, 2}, []int{1}, []int{1}, false, false)
	}
	channels := v.Shape().Dim(2)
	flat, rows := Reshape(sums, p.batch*p.nodes, channels), Reshape(v, p.batch*p.slots(), channels)
	flat = BackendScatterSum(flat, p.rows, rows, 1, []int{1}, []int{0}, []int{0}, false, false)
	return Reshape(flat, p.batch, p.nodes, channels)
}

// sum is scatter if readers lists who reads each node: one pass on all cores, where scatter adds one row after another.
func (p picked) sum(v, by *Node) (sums *Node) {
	for i := range by.Shape().Dim(1) {
		at := Slice(by, AxisRange(), AxisElem(i))
		there := Reshape(ConvertDType(GreaterOrEqual(at, ZerosLike(at)), v.DType()), 1, p.nodes, 1)
		sums = ops.Plus(sums, Mul(picked{batch: p.batch, at: Max(at, ZerosLike(at))}.gather(v), there))
	}
	return sums
}

// readers lists the slots that read each of n nodes, `[n, most]`, ascending and then -1. Gates must be 1, or 0 for a
// slot that is left out. The result is nil if a node has so many that scatter is faster.
func readers(nodes []int32, gates []float32, n int) (by []int32) {
	lists, most := make([][]int32, n), 0
	for slot, node := range nodes {
		if gates[slot] != 0 {
			lists[node] = append(lists[node], int32(slot))
			most = max(most, len(lists[node]))
		}
	}
	for _, slots := range lists {
		by = append(append(by, slots...), slices.Repeat([]int32{-1}, most-len(slots))...)
	}
	if most > 2*len(nodes)/n {
		return nil
	}
	return by
}
