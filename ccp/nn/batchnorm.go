package nn

import (
	"github.com/clusterpool/ccp/internal/ops"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/model/initializer"
)

// momentum is the share of the running mean and variance that a training step keeps.
const momentum = 0.9

// BatchNorm normalises x + bias over all axes but the last (Ioffe and Szegedy 2015): y = scale · (x + bias − mean) /
// √(variance + ε) + offset.
//
// The shapes are: x `[..., channels]`, bias `[channels]` or nil for none, y as x.
//
// In training the mean and the (biased) variance come from the batch, with their gradients. The running ones follow
// them: running ← m·running + (1 − m)·batch. The first steps are plain averages, by m = min(momentum, 1 − 1/step).
// Otherwise the running ones are used. In training the batch's mean takes the bias out again: only the running mean
// ever sees it.
func BatchNorm(scope *model.Scope, x, bias *Node) *Node {
	scope = scope.In("batch_norm")
	g, dtype := x.Graph(), x.DType()
	channels := x.Shape().Dim(-1)
	shape := shapes.Make(dtype, channels)
	ones, zeros := scope.WithInitializer(initializer.One), scope.WithInitializer(initializer.Zero)
	scale := ones.VariableWithShape("scale", shape).SetTrainable(true).NodeValue(g)
	offset := zeros.VariableWithShape("offset", shape).SetTrainable(true).NodeValue(g)
	runningMean := zeros.VariableWithShape("mean", shape).SetTrainable(false)
	runningVariance := ones.VariableWithShape("variance", shape).SetTrainable(false)
	stepsVar := zeros.VariableWithShape("steps", shapes.Make(dtype)).SetTrainable(false)
	epsilon := OptionsOf(scope).BatchNormEpsilon
	if bias == nil {
		bias = Zeros(g, shape)
	}
	if !scope.IsTraining(g) {
		factor := Div(scale, Sqrt(AddScalar(runningVariance.NodeValue(g), epsilon)))
		shift := Add(offset, Mul(Sub(bias, runningMean.NodeValue(g)), factor))
		return Add(Mul(x, ExpandLeftToRank(factor, x.Rank())), ExpandLeftToRank(shift, x.Rank()))
	}
	flat := Reshape(x, x.Shape().Size()/channels, channels)
	mean := StopGradient(ReduceMean(flat, 0))
	variance := StopGradient(ReduceMean(Square(Sub(flat, ExpandAxes(mean, 0))), 0))
	steps := OnePlus(stepsVar.NodeValue(g))
	keep := Min(Scalar(g, dtype, momentum), OneMinus(Reciprocal(steps)))
	follow := func(running *model.Variable, batch *Node) {
		running.SetNodeValue(Add(Mul(keep, running.NodeValue(g)), Mul(OneMinus(keep), StopGradient(batch))))
	}
	follow(runningMean, Add(mean, bias))
	follow(runningVariance, variance)
	stepsVar.SetNodeValue(steps)
	inverse := Reciprocal(Sqrt(AddScalar(variance, epsilon)))
	return Reshape(normalize(flat, scale, offset, mean, inverse), x.Shape().Dimensions...)
}

// normalize computes scale·x̂ + offset with x̂ = (x − mean)·inverse, from the batch's own mean and inverse. x: `[M,
// channels]`, the others `[channels]`. Its gradient goes through the batch's statistics: dx = scale·inverse·(v −
// mean(v) − x̂·mean(v·x̂)).
func normalize(x, scale, offset, mean, inverse *Node) *Node {
	row := func(v *Node) *Node { return ExpandAxes(v, 0) }
	return ops.WithGradient(
		func() *Node {
			factor := Mul(scale, inverse)
			return Add(Mul(x, row(factor)), row(Sub(offset, Mul(mean, factor))))
		},
		func(v *Node) []*Node {
			centred := Sub(x, row(mean))
			sum, product := ReduceSum(v, 0), Mul(ReduceSum(Mul(v, centred), 0), inverse)
			m := float64(x.Shape().Dim(0))
			inner := Sub(Sub(v, row(DivScalar(sum, m))), Mul(centred, row(DivScalar(Mul(product, inverse), m))))
			return []*Node{Mul(inner, row(Mul(scale, inverse))), product, sum}
		}, x, scale, offset)
}
