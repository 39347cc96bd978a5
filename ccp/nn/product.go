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

// Product is x·w, computed as LayerOptions.DType says; so are its gradients. x: `[rows, in]`, w: `[in, out]`, result `[rows, out]`.
func Product(scope *model.Scope, x, w *Node) *Node {
	dtype := NarrowDType(scope, x)
	if dtype == x.DType() {
		return Dot(x, w).Product()
	}
	return WithGradient(
		func() *Node { return Contract(dtype, x, 1, w, 0) },
		func(v *Node) []*Node { return []*Node{Contract(dtype, v, 1, w, 1), Contract(dtype, x, 0, v, 0)} }, x, w)
}

// Contract sums the products of a and b over one axis of each; the other axes of a come first in the result, then those of b. What is
// multiplied is rounded to dtype, the result is float32, or of the type of both if that is dtype. It has no gradient where
// they differ.
func Contract(dtype dtypes.DType, a *Node, axisA int, b *Node, axisB int) *Node {
	if a.DType() == dtype && b.DType() == dtype && dtype != dtypes.BFloat16 {
		return Dot(a, b).General([]int{axisA}, nil, []int{axisB}, nil)
	}
	return Dot(Rounded(a, dtype), Rounded(b, dtype)).WithOutputDType(dtypes.Float32).General([]int{axisA}, nil, []int{axisB}, nil)
}

// Rounded is x in dtype.
func Rounded(x *Node, dtype dtypes.DType) *Node {
	if x.DType() == dtype {
		return x
	}
	return ConvertDType(x, dtype)
}
