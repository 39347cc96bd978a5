package nn

import (
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/model/initializer"
)

const (
	// ParamBatchNormMomentum is the share of the running mean and variance that a training step keeps (float64, default 0.9).
	ParamBatchNormMomentum = "batchnorm_momentum"

	// ParamBatchNormEpsilon is added to the variance (float64, default 1e-5).
	ParamBatchNormEpsilon = "batchnorm_epsilon"
)

// BatchNorm is batch normalisation (Ioffe and Szegedy 2015) over all axes of x but the last.
//
//	y = scale · (x − mean) / √(variance + ε) + offset
//
// x: `[..., channels]`; same shape out. In training the mean and the (biased) variance are the batch's, with their
// gradients, and the running ones follow them: running ← m·running + (1 − m)·batch, with m = min(momentum, 1 − 1/step)
// so that the first steps are plain averages. Elsewhere the running ones are used.
func BatchNorm(scope *model.Scope, x *Node) *Node {
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
	epsilon := model.GetParamOr(scope, ParamBatchNormEpsilon, 1e-5)

	mean, variance := runningMean.NodeValue(g), runningVariance.NodeValue(g)
	if scope.IsTraining(g) {
		flat := Reshape(x, x.Shape().Size()/channels, channels)
		mean = ReduceMean(flat, 0)
		variance = ReduceMean(Square(Sub(flat, ExpandAxes(mean, 0))), 0)
		steps := OnePlus(stepsVar.NodeValue(g))
		keep := Min(Scalar(g, dtype, model.GetParamOr(scope, ParamBatchNormMomentum, 0.9)), OneMinus(Reciprocal(steps)))
		follow := func(running *model.Variable, batch *Node) {
			running.SetNodeValue(Add(Mul(keep, running.NodeValue(g)), Mul(OneMinus(keep), StopGradient(batch))))
		}
		follow(runningMean, mean)
		follow(runningVariance, variance)
		stepsVar.SetNodeValue(steps)
	}
	factor := Div(scale, Sqrt(AddScalar(variance, epsilon)))
	last := func(v *Node) *Node { return ExpandLeftToRank(v, x.Rank()) }
	return Add(Mul(x, last(factor)), last(Sub(offset, Mul(mean, factor))))
}
