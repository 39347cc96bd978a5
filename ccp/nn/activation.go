package nn

import (
	. "github.com/gomlx/gomlx/core/graph"
)

// ELU computes the exponential linear unit of Clevert et al. (2016): x if x > 0, else exp(x) − 1. Any shape. Its
// gradient follows from its value, 1 or value + 1, and needs nothing else.
func ELU(x *Node) *Node {
	var y *Node
	return WithGradient(
		func() *Node {
			y = Where(IsPositive(x), x, MinusOne(Exp(MinScalar(x, 0.0))))
			return y
		},
		func(v *Node) []*Node { return []*Node{Mul(v, Where(IsPositive(y), OnesLike(y), OnePlus(y)))} }, x)
}
