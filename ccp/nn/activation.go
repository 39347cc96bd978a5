package nn

import (
	. "github.com/gomlx/gomlx/core/graph"
)

// ELU is the exponential linear unit of Clevert et al. (2016): x where x > 0, exp(x) − 1 elsewhere. Any shape.
// The inner minimum keeps the gradient of the branch not taken finite.
func ELU(x *Node) *Node {
	return Where(IsPositive(x), x, MinusOne(Exp(MinScalar(x, 0.0))))
}
