package nn

import (
	"math"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
)

// Uniform draws from the uniform distribution on [0, 1): as many values as dims say, in x's type and graph. They depend on the
// seed, the scope, name and the global step alone, as Dropout's mask does.
func Uniform(scope *model.Scope, x *Node, name string, dims ...int) *Node {
	g := x.Graph()
	bits := randomBits(stepKey(scope, g, name), 0xbb67ae85, dims...)
	// 24 bits: those that a float32 holds exactly, so that rounding never gives 1.
	return MulScalar(ConvertDType(BitwiseShiftRightLogicalScalar(bits, uint32(8)), x.DType()), math.Pow(2, -24))
}
