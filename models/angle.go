package models

import (
	"math"

	"github.com/clusterpool/ccp/ccp/nn"
	. "github.com/gomlx/gomlx/core/graph"
)

// radius is the distance of the points (x, y) from the origin, whose gradient at the origin is 0. Any shape.
func radius(x, y *Node) *Node {
	square := Add(Square(x), Square(y))
	apart := IsPositive(square)
	return Where(apart, Sqrt(Where(apart, square, OnesLike(square))), ZerosLike(square))
}

// angle is that of the points (x, y), from −π to π. At the origin it is 0, and so is its gradient. Any shape.
//
// GoMLX's arc tangent has neither a gradient nor a place in the pure Go backend. θ + sin(angle − θ) is nearer to the angle than θ, by its
// third power, so that three steps from a straight line through the arc cosine are exact.
func angle(y, x *Node) *Node {
	r := StopGradient(radius(x, y))
	apart := IsPositive(r)
	r = Where(apart, r, OnesLike(r))
	return nn.WithGradient(
		func() *Node {
			cos, sin := Where(apart, Div(x, r), OnesLike(x)), Div(y, r)
			theta := MulScalar(OneMinus(cos), math.Pi/2)
			theta = Where(IsNegative(sin), Neg(theta), theta)
			for range 3 {
				theta = Add(theta, Sub(Mul(sin, Cos(theta)), Mul(cos, Sin(theta))))
			}
			return theta
		},
		func(v *Node) []*Node {
			v = Where(apart, Div(v, Square(r)), ZerosLike(v))
			return []*Node{Mul(v, x), Neg(Mul(v, y))}
		}, y, x)
}
