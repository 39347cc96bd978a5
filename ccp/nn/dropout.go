package nn

import (
	"math"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/support/exceptions"
)

// Dropout sets each value of x to zero with probability rate and divides the others by 1 − rate (Srivastava et al.
// 2014), in training only. The mask depends on the seed, the scope and the global step alone.
func Dropout(scope *model.Scope, x *Node, rate float64) *Node {
	if rate < 0 || rate >= 1 {
		exceptions.Panicf("dropout rate %g is outside [0, 1)", rate)
	}
	g := x.Graph()
	if rate == 0 || !scope.IsTraining(g) {
		return x
	}
	bits := randomBits(stepKey(scope, g, "dropout"), 0x6a09e667, x.Shape().Dimensions...)
	keep := GreaterOrEqual(bits, Const(g, uint32(math.Round(rate*(1<<32)))))
	// XLA's CPU compiler takes a square root for costly, and keeps a costly value that is used twice. It would
	// compute a cheap one anew for each time that a node is gathered, one number at a time.
	mask := StopGradient(Sqrt(ConvertDType(keep, x.DType())))
	return Mul(DivScalar(x, 1-rate), mask)
}
