package nn

import (
	. "github.com/gomlx/gomlx/core/graph"
)

// WithGradient returns forward(), a function of xs, with a gradient of our own: backward is given v, the gradient of the
// loss with respect to the result, and returns the one with respect to each of xs, or nil where xs has none.
//
// GoMLX offers a custom gradient only on an identity. So the result, cut off from automatic differentiation, passes
// through one identity that takes v down, and each input through another that hands out what backward made of it. A
// `Where` that never picks the inputs keeps them connected; XLA folds it away.
func WithGradient(forward func() *Node, backward func(v *Node) []*Node, xs ...*Node) *Node {
	g := xs[0].Graph()
	var gradients []*Node
	y := StopGradient(forward())
	var anchor *Node
	for i, x := range xs {
		x = IdentityWithCustomGradient(x, func(_, _ *Node) *Node { return gradients[i] })
		first := Reshape(Slice(Reshape(x, x.Shape().Size()), AxisElem(0)))
		if anchor == nil {
			anchor = first
		} else {
			anchor = Add(anchor, first)
		}
	}
	y = Where(Const(g, false), BroadcastToShape(anchor, y.Shape()), y)
	return IdentityWithCustomGradient(y, func(_, v *Node) *Node {
		gradients = backward(v)
		return v
	})
}
