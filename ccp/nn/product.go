package nn

import (
	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
)

// NarrowDType is the type to multiply x in, see LayerOptions.DType. It is x's own but for float32.
func NarrowDType(scope *model.Scope, x *Node) dtypes.DType {
	if x.DType() == dtypes.Float32 && OptionsOf(scope).DType == BFloat16 {
		return dtypes.BFloat16
	}
	return x.DType()
}

// Product computes x·w and its gradients in LayerOptions.DType. x: `[rows, in]`, w: `[in, out]`, result `[rows,
// out]`.
func Product(scope *model.Scope, x, w *Node) *Node {
	dtype := NarrowDType(scope, x)
	if dtype == x.DType() {
		return Dot(x, w).Product()
	}
	return WithGradient(
		func() *Node { return Contract(dtype, x, 1, w, 0) },
		func(v *Node) []*Node { return []*Node{Contract(dtype, v, 1, w, 1), Contract(dtype, x, 0, v, 0)} }, x, w)
}

// Contract sums the products of a and b over one axis of each. The result has a's other axes first, then b's. Factors
// are rounded to dtype. The result is float32, or of the factors' type if they have dtype already. If the types
// differ it has no gradient.
func Contract(dtype dtypes.DType, a *Node, axisA int, b *Node, axisB int) *Node {
	if a.DType() == dtype && b.DType() == dtype && dtype != dtypes.BFloat16 {
		return Dot(a, b).General([]int{axisA}, nil, []int{axisB}, nil)
	}
	product := Dot(Rounded(a, dtype), Rounded(b, dtype)).WithOutputDType(dtypes.Float32)
	return product.General([]int{axisA}, nil, []int{axisB}, nil)
}

// Rounded converts x to dtype.
func Rounded(x *Node, dtype dtypes.DType) *Node {
	if x.DType() == dtype {
		return x
	}
	return ConvertDType(x, dtype)
}
