package ccp

import (
	"github.com/clusterpool/ccp/ccp/nn"
	"github.com/gomlx/compute/dtypes"
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
	return filterIn(signal.DType(), signal, neighbourhood, gate, w)
}

// filterIn is Filter with what is multiplied rounded to dtype, see nn.ParamDType. The gathered neighbourhoods, by far the largest of
// what a step keeps, are of that type; sums are not.
func filterIn(dtype dtypes.DType, signal, neighbourhood, gate, w *Node) *Node {
	batch, channels := signal.Shape().Dim(0), signal.Shape().Dim(2)
	k, size := neighbourhood.Shape().Dim(0), neighbourhood.Shape().Dim(1)
	filters := w.Shape().Dim(0)
	if w.Shape().Dim(1) != size || w.Shape().Dim(2) != channels {
		exceptions.Panicf("kernel %s does not fit neighbourhoods of L=%d nodes with %d channels", w.Shape(), size, channels)
	}
	slots, width := k*size, size*channels
	nodes := pick(signal, neighbourhood)
	scale := Reshape(gate, 1, slots, 1)
	kernel := Reshape(w, filters, width)
	full := func(x *Node) *Node { return nn.Rounded(x, signal.DType()) }
	narrow := func(x *Node) *Node { return nn.Rounded(x, dtype) }

	var gated *Node // [batch·K, L·C]
	forward := func() *Node {
		gated = Reshape(Mul(nodes.gather(narrow(signal)), narrow(opaque(scale, signal))), batch*k, width)
		return Reshape(nn.Contract(dtype, gated, 1, kernel, 1), batch, k, filters)
	}
	backward := func(v *Node) []*Node {
		v = Reshape(v, batch*k, filters)
		dGated := full(Reshape(Dot(narrow(v), narrow(kernel)).Product(), batch, slots, channels))
		dW := nn.Contract(dtype, OptimizationBarrier(TransposeAllDims(v, 1, 0)), 1, gated, 0)
		// Σ dGated·signal is Σ dGated·gated / gate: the signal as gathered need not be kept. σ may underflow to zero.
		dGate := ReduceSum(ReduceSum(Mul(dGated, full(Reshape(gated, batch, slots, channels))), 2), 0)
		flat := Reshape(gate, slots)
		some := IsPositive(flat)
		dGate = Where(some, Div(dGate, Where(some, flat, OnesLike(flat))), ZerosLike(flat))
		return []*Node{nodes.scatter(Mul(dGated, scale)), Reshape(dGate, k, size), Reshape(dW, filters, size, channels)}
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
