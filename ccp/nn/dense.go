package nn

import (
	"math"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
)

// Decay returns the weights w and adds λ·w to their gradient: the gradient of ½·λ·Σw², whose value is not worth a
// pass over all weights. Biases, gates, memberships and batch normalisation are not decayed.
func Decay(scope *model.Scope, w *Node) *Node {
	l2 := OptionsOf(scope).L2
	if l2 == 0 {
		return w
	}
	return IdentityWithCustomGradient(w, func(w, v *Node) *Node { return Add(v, MulScalar(w, l2)) })
}

// Dense is x·W + b, the product as LayerOptions.DType says. x: `[batch, in]`, result `[batch, out]`. W ~ N(0,
// gain²/in) is decayed; b starts at zero.
func Dense(scope *model.Scope, x *Node, out int, gain float64) *Node {
	product, b := Linear(scope, x, out, gain)
	return Add(product, ExpandAxes(b, 0))
}

// Linear gives x·W and b of a Dense layer separately, for BatchNorm to add the bias.
func Linear(scope *model.Scope, x *Node, out int, gain float64) (product, b *Node) {
	in := x.Shape().Dim(-1)
	return Product(scope, x, Kernel(scope, x, gain/math.Sqrt(float64(in)), in, out)), Bias(scope, x, out)
}

// Kernel returns the decayed weights W ~ N(0, std²) of scope, in x's type and graph.
func Kernel(scope *model.Scope, x *Node, std float64, dims ...int) *Node {
	return Decay(scope, NormalVariable(scope, kernelName, 0, std, x.DType(), dims...).NodeValue(x.Graph()))
}
