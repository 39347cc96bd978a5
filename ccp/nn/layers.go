// Package nn holds the few ordinary parts that every network here has: ELU, batch normalisation, dropout, dense
// layers and weight decay.
//
// GoMLX has its own versions of most of them. These must train alike on XLA and on the pure Go backend, with the same
// numbers. An interrupted run must go on as if it had never stopped. GoMLX's batch normalisation either needs an
// operation that the pure Go backend lacks, or stops the gradient through the batch's mean and variance.
package nn

import (
	"math"

	"github.com/clusterpool/ccp/internal/ops"
	"github.com/clusterpool/ccp/internal/params"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/model/initializer"
	"github.com/gomlx/gomlx/support/exceptions"
)

// The hyperparameters of all layers with weights, read at the layer's scope.
const (
	// ParamDType is the type that filters, dense layers and convolutions multiply in, "float32" or BFloat16. Factors are
	// rounded to it, and products are added up in float32. Everything else stays in float32: variables, memberships,
	// ranks, objectives, gates, batch normalisation, activations between layers, the loss and all gradients of weights.
	// The default is "float32".
	ParamDType = "dtype"
	// ParamL2 is the weight decay λ of filters and dense layers: the loss gains ½·λ·Σw². The default is 0.0001.
	ParamL2 = "l2"
	// ParamBatchNormEpsilon is added to the variance. The default is 1e-05.
	ParamBatchNormEpsilon = "batchnorm_epsilon"
	// BFloat16 is the value of ParamDType that halves the memory and the work of products, on hardware that has them.
	BFloat16 = "bfloat16"
)

// LayerOptions holds the values of a layer's hyperparameters, see ParamDType and those after it.
type LayerOptions struct {
	DType            string  `param:"dtype" default:"float32" rule:"one of float32|bfloat16" auto:"yes"`
	L2               float64 `param:"l2" default:"0.0001" rule:"not negative"`
	BatchNormEpsilon float64 `param:"batchnorm_epsilon" default:"0.00001" rule:"positive"`
}

// OptionsOf reads the options of the layer in scope.
func OptionsOf(scope *model.Scope) LayerOptions { return params.Read[LayerOptions](scope) }

// Decay returns the weights w and adds λ·w to their gradient: the gradient of ½·λ·Σw², whose value is not worth a
// pass over all weights. Biases, gates, memberships and batch normalisation are not decayed.
func Decay(scope *model.Scope, w *Node) *Node {
	l2 := OptionsOf(scope).L2
	if l2 == 0 {
		return w
	}
	return IdentityWithCustomGradient(w, func(w, v *Node) *Node { return Add(v, MulScalar(w, l2)) })
}

// Dense is x·W + b, the product as ParamDType says. x: `[batch, in]`, result `[batch, out]`. W ~ N(0,
// gain²/in) is decayed; b starts at zero.
func Dense(scope *model.Scope, x *Node, out int, gain float64) *Node {
	product, b := Linear(scope, x, out, gain)
	return Add(product, ExpandAxes(b, 0))
}

// DenseNorm is Dense and BatchNorm. In a program that only predicts they are one product, see ops.Folded.
func DenseNorm(scope *model.Scope, x *Node, out int, gain float64) *Node {
	in, dtype := x.Shape().Dim(-1), NarrowDType(scope, x)
	w, shift := ops.Folded(scope, x.Graph(), dtype, OptionsOf(scope).BatchNormEpsilon, out, []int{in, out}, []int{in, out},
		func(i int) (to, output int) { return i, i % out })
	if w != nil && shift != nil {
		return Add(ops.FoldedProduct(dtype, x, w), ExpandAxes(shift, 0))
	}
	product, bias := Linear(scope, x, out, gain)
	return BatchNorm(scope, product, bias)
}

// Linear gives x·W and b of a Dense layer separately, for BatchNorm to add the bias.
func Linear(scope *model.Scope, x *Node, out int, gain float64) (product, b *Node) {
	if x.Rank() != 2 {
		exceptions.Panicf("%s: a dense layer takes [batch, in], not %s; reshape it before", scope.Scope(), x.Shape())
	}
	in := x.Shape().Dim(-1)
	return Product(scope, x, Kernel(scope, x, gain/math.Sqrt(float64(in)), in, out)), Bias(scope, x, out)
}

// Bias is the trained variable b of scope, n values in x's type and graph, zero at first.
func Bias(scope *model.Scope, x *Node, n int) *Node {
	b := scope.WithInitializer(initializer.Zero).VariableWithShape("b", shapes.Make(x.DType(), n))
	return b.SetTrainable(true).NodeValue(x.Graph())
}

// Kernel returns the decayed weights W ~ N(0, std²) of scope, in x's type and graph.
func Kernel(scope *model.Scope, x *Node, std float64, dims ...int) *Node {
	return Decay(scope, ops.NormalVariable(scope, ops.Kernel, 0, std, x.DType(), dims...).NodeValue(x.Graph()))
}

// NarrowDType is the type to multiply x in, see ParamDType. It is x's own but for float32.
func NarrowDType(scope *model.Scope, x *Node) dtypes.DType {
	if x.DType() == dtypes.Float32 && OptionsOf(scope).DType == BFloat16 {
		return dtypes.BFloat16
	}
	return x.DType()
}

// Product computes x·w. In it and in its gradients, factors are rounded to the type that ParamDType names; sums and
// results stay in x's type.
//
// x: `[rows, in]`, w: `[in, out]`, result: `[rows, out]`.
func Product(scope *model.Scope, x, w *Node) *Node {
	dtype := NarrowDType(scope, x)
	if dtype == x.DType() {
		return Dot(x, w).Product()
	}
	return ops.WithGradient(
		func() *Node { return ops.Contract(dtype, x, 1, w, 0) },
		func(v *Node) []*Node {
			return []*Node{
				ops.Contract(dtype, v, 1, w, 1),    // v·wᵀ
				ops.TransposedProduct(dtype, x, v)} // xᵀ·v
		}, x, w)
}

// ELU computes the exponential linear unit of Clevert et al. (2016): x if x > 0, else exp(x) − 1. Any shape, |x| below
// 1e19. Its gradient follows from its value, 1 or value + 1, and needs nothing else.
//
// It ends in the square root of (ELU + 1)². XLA's CPU compiler takes a root for costly and, if it is used twice,
// computes it once. It would compute a cheaper ending, and the batch normalisation before it, anew for each node that a
// gather reads.
func ELU(x *Node) *Node {
	var y *Node
	return ops.WithGradient(
		func() *Node {
			y = MinusOne(Sqrt(Where(IsPositive(x), Square(OnePlus(x)), Exp(MulScalar(MinScalar(x, 0.0), 2)))))
			return y
		},
		func(v *Node) []*Node { return []*Node{Mul(v, Where(IsPositive(y), OnesLike(y), OnePlus(y)))} }, x)
}

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
	bits := ops.StepBits(scope, g, "dropout", 0x6a09e667, x.Shape().Dimensions...)
	keep := GreaterOrEqual(bits, Const(g, uint32(math.Round(rate*(1<<32)))))
	mask := ops.Apart(StopGradient(ConvertDType(keep, x.DType()))) // its bits are not drawn again for the gradient
	return Mul(DivScalar(x, 1-rate), mask)
}

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
