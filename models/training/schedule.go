package training

import (
	"math"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/train/optimizer"
)

// schedule returns the learning rate of the next step, a float32. With one cycle it rises from zero over the first
// quarter of the steps. Then it falls to zero along half a cosine. Without a schedule it is always the same.
//
// GoMLX's cosineschedule has the number of steps in the program. Here a variable has it, so that one program serves a
// network's trial and its training.
func schedule(scope *model.Scope, g *Graph, c Config, steps int) *Node {
	rise := 0
	switch c.Schedule {
	case oneCycle:
		rise = steps / 4
	case "cosine":
	default:
		return Scalar(g, dtypes.Float32, c.LearningRate)
	}
	values := []float32{float32(rise), float32(1 / float64(max(1, rise))), float32(1 / float64(steps-rise))}
	variables := scope.Store().Scope(model.JoinPath(optimizer.Scope, "schedule"))
	lengths := variables.VariableWithValue("lengths", values).SetTrainable(false).NodeValue(g)
	length := func(i int) *Node { return Reshape(Slice(lengths, AxisElem(i))) }
	step := ConvertDType(optimizer.GetGlobalStepVar(scope).NodeValue(g), dtypes.Float32)
	fallen := Mul(Sub(step, length(0)), length(2)) // the share of the fall
	fall := MulScalar(OnePlus(Cos(MulScalar(fallen, math.Pi))), 0.5)
	return MulScalar(Where(IsNegative(fallen), Mul(step, length(1)), fall), c.LearningRate)
}
