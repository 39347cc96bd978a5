package ccp

import (
	"github.com/clusterpool/ccp/ccp/nn"
	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
)

// blocks is into how many parts filterAnew cuts the clusters. Twice as many save little more, since the signals remain; each takes
// time to compile.
const blocks = 8

// Block is how many clusters' neighbourhoods there are at a time at a level of that many with Options.Recompute.
func Block(clusters int) int { return (clusters + blocks - 1) / blocks }

// filterAnew is filterIn that keeps no gathered neighbourhoods for the backward pass but gathers them again. In both passes it has those
// of one block of clusters at a time: gathering all of them again would not do, since the most memory is needed while a level's
// neighbourhoods and their gradients are both there.
//
// Optimization barriers keep the compiler from taking the second gathering for the first, and from beginning with a block before the
// one before is done.
func filterAnew(dtype dtypes.DType, signal, neighbourhood, gate, w *Node) *Node {
	k := neighbourhood.Shape().Dim(0)
	n := min(k, blocks)
	clusters := func(i int) SliceAxisSpec { return AxisRange(i*k/n, (i+1)*k/n) }
	block := func(i int, neighbourhood *Node) filtered {
		return newFiltered(dtype, signal, neighbourhood, Slice(gate, clusters(i)), w)
	}
	forward := func() *Node {
		parts := make([]*Node, n)
		for i := range parts {
			nodes := Slice(neighbourhood, clusters(i))
			if i > 0 {
				after := OptimizationBarriers(nodes, parts[i-1])
				nodes, parts[i-1] = after[0], after[1]
			}
			f := block(i, nodes)
			parts[i] = f.product(f.gated())
		}
		return Concatenate(parts, 1)
	}
	backward := func(v *Node) []*Node {
		dSignal, dW, dGate := ZerosLike(signal), ZerosLike(w), make([]*Node, n)
		for i := range dGate {
			after := OptimizationBarriers(Slice(neighbourhood, clusters(i)), Slice(v, AxisRange(), clusters(i)), dSignal, dW)
			f, v := block(i, after[0]), after[1]
			gated, dGated := f.gated(), f.dGated(v)
			dGate[i] = f.dGate(dGated, gated)
			dSignal = f.nodes.scatterTo(after[2], f.dSlots(dGated))
			dW = Add(after[3], f.dKernel(v, gated))
		}
		return []*Node{dSignal, Concatenate(dGate, 0), dW}
	}
	return nn.WithGradient(forward, backward, signal, gate, w)
}
