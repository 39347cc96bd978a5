package nn

import (
	. "github.com/gomlx/gomlx/core/graph"
)

// ELU is the exponential linear unit of Clevert et al. (2016): x where x > 0, exp(x) − 1 elsewhere. Any shape. Its
// gradient is written in terms of its value, 1 or value + 1, so that nothing else need be kept.
func ELU(x *Node) *Node {
	var y *Node
	return WithGradient(
		func() *Node {
			y = Where(IsPositive(x), x, MinusOne(Exp(MinScalar(x, 0.0))))
			return y
		},
		func(v *Node) []*Node { return []*Node{Mul(v, Where(IsPositive(y), OnesLike(y), OnePlus(y)))} }, x)
}
