package ccp

import (
	. "github.com/gomlx/gomlx/core/graph"
)

// withGradient returns forward(xs) with a gradient of our own: backward is given v, the gradient of the loss with
// respect to the result, and returns the one with respect to each of xs.
//
// GoMLX offers a custom gradient only on an identity. So the result, cut off from automatic differentiation, passes
// through one identity that takes v down, and each input through another that hands out what backward made of it. A
// `Where` that never picks the inputs keeps them connected; XLA folds it away.
func withGradient(forward func(xs []*Node) *Node, backward func(v *Node) []*Node, xs ...*Node) *Node {
	g := xs[0].Graph()
	var gradients []*Node
	var anchor *Node
	for i, x := range xs {
		x = IdentityWithCustomGradient(x, func(_, _ *Node) *Node { return gradients[i] })
		first := Slice(Reshape(x, x.Shape().Size()), AxisElem(0))
		if anchor == nil {
			anchor = Reshape(first)
		} else {
			anchor = Add(anchor, Reshape(first))
		}
	}
	y := StopGradient(forward(xs))
	y = Where(Const(g, false), BroadcastToShape(anchor, y.Shape()), y)
	return IdentityWithCustomGradient(y, func(_, v *Node) *Node {
		gradients = backward(v)
		return v
	})
}
