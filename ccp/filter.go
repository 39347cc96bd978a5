package ccp

import (
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/support/exceptions"
)

// Filter convolves the signal over each cluster's sorted, gated neighbourhood with one kernel shared by all clusters,
//
//	out[k,j] = b[j] + Σ_l Σ_i W[l,i,j] · gate[k,l] · signal[node(k,l), i],
//
// a one-dimensional convolution of width and stride L. signal: `[batch, N, C]`, neighbourhood: int32 `[K, L]`,
// gate: `[K, L]`, w: `[L, C, filters]`, b: `[filters]`. Result `[batch, K, filters]`.
func Filter(signal, neighbourhood, gate, w, b *Node) *Node {
	batch, channels := signal.Shape().Dim(0), signal.Shape().Dim(2)
	k, size := neighbourhood.Shape().Dim(0), neighbourhood.Shape().Dim(1)
	filters := w.Shape().Dim(2)
	if w.Shape().Dim(0) != size || w.Shape().Dim(1) != channels {
		exceptions.Panicf("kernel %s does not fit neighbourhoods of L=%d nodes with %d channels", w.Shape(), size, channels)
	}
	patches := Mul(gatherNodes(signal, Reshape(neighbourhood, k*size)), Reshape(gate, 1, k*size, 1))
	out := Dot(Reshape(patches, batch*k, size*channels), Reshape(w, size*channels, filters)).Product()
	return Add(Reshape(out, batch, k, filters), Reshape(b, 1, 1, filters))
}

// gatherNodes is signal[:, nodes, :]; its gradient adds up what each node gave. signal: `[batch, N, C]`, nodes: int32
// `[M]`, result `[batch, M, C]`.
func gatherNodes(signal, nodes *Node) *Node {
	batch, channels := signal.Shape().Dim(0), signal.Shape().Dim(2)
	indices := ExpandAxes(nodes, -1)
	return withGradient(
		func(xs []*Node) *Node {
			return BackendGather(xs[0], indices, 1, []int{0, 2}, []int{1}, []int{1}, []int{batch, 1, channels}, false)
		},
		func(v *Node) []*Node {
			return []*Node{BackendScatterSum(ZerosLike(signal), indices, v, 1, []int{0, 2}, []int{1}, []int{1}, false, false)}
		}, signal)
}
