// Package ops holds operations on graphs that GoMLX lacks: products in bfloat16, gradients of our own, counter-based
// random numbers, and the variables and tables that layers keep. Package ccp/nn has what a network is made of.
package ops

import (
	. "github.com/gomlx/gomlx/core/graph"
)

// WithGradient returns forward(), a function of xs, with a gradient of our own. backward gets v, the gradient of the
// loss in the result. It returns the gradient in each of xs, or nil if there is none.
//
// GoMLX offers a custom gradient on an identity only. So the result is cut off from automatic differentiation. It
// passes through one identity that takes v down, and each input passes through another that hands out backward's
// result. A `Where` that never picks the inputs keeps them connected; XLA folds it away.
func WithGradient(forward func() *Node, backward func(v *Node) []*Node, xs ...*Node) *Node {
	g := xs[0].Graph()
	var gradients []*Node
	y := StopGradient(forward())
	var anchor *Node
	for i, x := range xs {
		x = IdentityWithCustomGradient(x, func(_, _ *Node) *Node { return gradients[i] })
		first := Reshape(Slice(Reshape(x, x.Shape().Size()), AxisElem(0)))
		anchor = Plus(anchor, first)
	}
	y = Where(Const(g, false), BroadcastToShape(anchor, y.Shape()), y)
	return IdentityWithCustomGradient(y, func(_, v *Node) *Node {
		gradients = backward(v)
		return v
	})
}

// Unstack gives the slices of x along its first axis. x: `[n, ...]`, results `[...]`. Their gradients are stacked.
// GoMLX would make a gradient of x's size for each and add them up, in a time that grows with the square of n.
func Unstack(x *Node) []*Node {
	slices := make([]*Node, x.Shape().Dim(0))
	gradients := make([]*Node, len(slices))
	whole := IdentityWithCustomGradient(x, func(_, _ *Node) *Node {
		for i, v := range gradients {
			if v == nil { // nothing depends on that slice
				gradients[i] = ZerosLike(slices[i])
			}
		}
		all := Stack(gradients, 0)
		clear(gradients) // for another gradient of the same graph
		return all
	})
	anchor := Reshape(Slice(Reshape(whole, x.Shape().Size()), AxisElem(0))) // as in WithGradient
	for i := range slices {
		y := StopGradient(Squeeze(SliceAxis(x, 0, AxisElem(i)), 0))
		y = Where(Const(x.Graph(), false), BroadcastToShape(anchor, y.Shape()), y)
		slices[i] = IdentityWithCustomGradient(y, func(_, v *Node) *Node {
			gradients[i] = v
			return v
		})
	}
	return slices
}
