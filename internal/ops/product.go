package ops

import (
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
)

// Contract sums the products of a and b over one axis of each. The result has a's other axes first, then b's. Factors
// are rounded to dtype. The result is float32, or of the factors' type if they have dtype already. If the types
// differ it has no gradient.
func Contract(dtype dtypes.DType, a *Node, axisA int, b *Node, axisB int) *Node {
	if a.DType() == dtype && b.DType() == dtype && dtype != dtypes.BFloat16 {
		return Dot(a, b).General([]int{axisA}, nil, []int{axisB}, nil)
	}
	// Both backends add up in float32 unasked. If asked, go-xla adds zero to all of b, and XLA's CPU compiler then leaves b in
	// float32. Each factor and the product stand Apart: the compiler would move a transpose into a product that it has
	// chosen to take in bfloat16. Then it could not compute that product.
	product := Dot(Apart(Rounded(a, dtype)), Apart(Rounded(b, dtype))).WithAccumulatorDType(dtypes.InvalidDType)
	return Apart(product.WithOutputDType(dtypes.Float32).General([]int{axisA}, nil, []int{axisB}, nil))
}

// TransposedProduct computes aᵀ·b by the Turned narrower factor. a: `[rows, n]`, b: `[rows, m]`; factors and result,
// `[n, m]`, as in Contract.
func TransposedProduct(dtype dtypes.DType, a, b *Node) *Node {
	if a.Shape().Dim(1) > b.Shape().Dim(1) {
		return TransposeAllDims(TransposedProduct(dtype, b, a), 1, 0)
	}
	return Contract(dtype, Turned(Rounded(a, dtype)), 1, b, 0)
}

// Turned is the transposed matrix x, as a copy of its own: a factor to multiply along x's first axis. XLA's CPU compiler
// would fold the transpose into the product. The product is then slower, and bfloat16 becomes float32. The axis of 1 gives
// the copy the layout of an ordinary matrix: the compiler multiplies no other in bfloat16.
func Turned(x *Node) *Node {
	rows, columns := x.Shape().Dim(0), x.Shape().Dim(1)
	return Reshape(Apart(Reshape(TransposeAllDims(x, 1, 0), columns, 1, rows)), columns, rows)
}

// Apart is x behind a barrier. XLA's CPU compiler computes x once, and never again within an operation that reads it. Since
// go-xla v0.4.13 a barrier of one value does nothing there, so this one has two.
func Apart(x *Node) *Node {
	return OptimizationBarriers(x, Iota(x.Graph(), shapes.Make(dtypes.Int32, 1), 0))[0]
}

// Rounded converts x to dtype.
func Rounded(x *Node, dtype dtypes.DType) *Node {
	if x.DType() == dtype {
		return x
	}
	return ConvertDType(x, dtype)
}
