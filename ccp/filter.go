package ccp

import (
	"github.com/clusterpool/ccp/ccp/nn"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/support/exceptions"
)

// Filter convolves the signal over each cluster's sorted, gated neighbourhood with one kernel shared by all clusters,
//
//	out[k,j] = Σ_l Σ_i w[j,l,i] · gate[k,l] · signal[node(k,l), i],
//
// a one-dimensional convolution of width and stride L; the bias is the caller's to add. signal: `[batch, N, C]`,
// neighbourhood: int32 `[K, L]`, gate: `[K, L]`, w: `[filters, L, C]`. Result `[batch, K, filters]`.
//
// The gated neighbourhoods of the whole batch are laid out as the rows of one matrix, once; that matrix serves the product
// with the kernel and both of its gradients. The kernel has its filters first, and its gradient is computed from a
// transposed copy of the small factor, because XLA's CPU products are a quarter slower along the first axis of the
// large one.
func Filter(signal, neighbourhood, gate, w *Node) *Node {
	batch, n, channels := signal.Shape().Dim(0), signal.Shape().Dim(1), signal.Shape().Dim(2)
	k, size := neighbourhood.Shape().Dim(0), neighbourhood.Shape().Dim(1)
	filters := w.Shape().Dim(0)
	if w.Shape().Dim(1) != size || w.Shape().Dim(2) != channels {
		exceptions.Panicf("kernel %s does not fit neighbourhoods of L=%d nodes with %d channels", w.Shape(), size, channels)
	}
	g, slots, width := signal.Graph(), k*size, size*channels
	// Sample b's node n is row b·N + n of the flat signal.
	rows := MulScalar(Iota(g, shapes.Make(dtypes.Int32, batch, slots), 0), n)
	rows = Reshape(Add(rows, Reshape(neighbourhood, 1, slots)), batch*slots, 1)
	scale := Reshape(gate, 1, slots, 1)
	kernel := Reshape(w, filters, width)

	var gated *Node // [batch·K, L·C]
	forward := func() *Node {
		gathered := Reshape(Gather(Reshape(signal, batch*n, channels), rows), batch, slots, channels)
		gated = Reshape(Mul(gathered, opaque(scale, signal)), batch*k, width)
		return Reshape(Dot(gated, kernel).General([]int{1}, nil, []int{1}, nil), batch, k, filters)
	}
	backward := func(v *Node) []*Node {
		v = Reshape(v, batch*k, filters)
		dGated := Reshape(Dot(v, kernel).Product(), batch, slots, channels)
		dW := Dot(OptimizationBarrier(TransposeAllDims(v, 1, 0)), gated).Product()
		// Σ dGated·signal is Σ dGated·gated / gate: the signal as gathered need not be kept. σ may underflow to zero.
		dGate := ReduceSum(ReduceSum(Mul(dGated, Reshape(gated, batch, slots, channels)), 2), 0)
		flat := Reshape(gate, slots)
		some := IsPositive(flat)
		dGate = Where(some, Div(dGate, Where(some, flat, OnesLike(flat))), ZerosLike(flat))
		updates := Reshape(Mul(dGated, scale), batch*slots, channels)
		dSignal := BackendScatterSum(Zeros(g, shapes.Make(signal.DType(), batch*n, channels)), rows, updates, 1, []int{1}, []int{0}, []int{0}, false, false)
		return []*Node{Reshape(dSignal, batch, n, channels), Reshape(dGate, k, size), Reshape(dW, filters, size, channels)}
	}
	return nn.WithGradient(forward, backward, signal, gate, w)
}

// opaque is value, by way of a value of the signal that the compiler cannot see through. XLA's CPU compiler would move the
// ELU that makes a signal into the gather that follows, and so compute its exponential anew for each time that a node is
// selected; an exponential of which something else is used as well it leaves where it is.
func opaque(value, signal *Node) *Node {
	first := Reshape(Slice(Reshape(signal, signal.Shape().Size()), AxisElem(0)))
	never := GreaterThan(first, Infinity(signal.Graph(), signal.DType(), 1))
	return Where(never, ZerosLike(value), value)
}
