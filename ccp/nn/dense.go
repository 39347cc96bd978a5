package nn

import (
	"math"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
)

// Decay returns the weights w and adds λ·w to their gradient: the gradient of ½·λ·Σw², whose value is not worth a pass over all
// weights. Biases, gates, memberships and batch normalisation are not decayed.
func Decay(scope *model.Scope, w *Node) *Node {
	l2 := OptionsOf(scope).L2
	if l2 == 0 {
		return w
	}
	return IdentityWithCustomGradient(w, func(w, v *Node) *Node { return Add(v, MulScalar(w, l2)) })
}

// Dense is x·W + b, the product as LayerOptions.DType says. x: `[batch, in]`, result `[batch, out]`. W ~ N(0, gain²/in) is decayed;
// b starts at zero.
func Dense(scope *model.Scope, x *Node, out int, gain float64) *Node {
	product, b := Linear(scope, x, out, gain)
	return Add(product, ExpandAxes(b, 0))
}

// Linear gives x·W and b of a Dense layer separately, for BatchNorm to add the bias.
func Linear(scope *model.Scope, x *Node, out int, gain float64) (product, b *Node) {
	in := x.Shape().Dim(-1)
	w := NormalVariable(scope, kernelName, 0, gain/math.Sqrt(float64(in)), x.DType(), in, out).NodeValue(x.Graph())
	return Product(scope, x, Decay(scope, w)), Bias(scope, x, out)
}
