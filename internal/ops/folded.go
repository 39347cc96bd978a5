package ops

import (
	"errors"

	"github.com/clusterpool/ccp/internal/variables"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/dtypes/bfloat16"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
)

// InferenceParam is a graph's parameter, an *Inference: the program predicts with weights that are there already, and
// has no gradients.
const InferenceParam = "inference"

// Inference renews the tables that programs of one store derive from its weights, see Derived.
type Inference struct{ renew []func() error }

// Renew brings the tables up to date after the weights have changed.
func (a *Inference) Renew() (err error) {
	for _, renew := range a.renew {
		err = errors.Join(err, renew())
	}
	return err
}

// Derived keeps what value computes from the variables of scope, as a table beside them. The result is nil if g is no
// program as InferenceParam says, or if value returns an error, as for weights that are not there yet.
func Derived(scope *model.Scope, g *Graph, name string,
	value func(layer *model.Scope) (*tensors.Tensor, error)) *Node {
	inference := model.GetGraphParamOr[*Inference](scope, g, InferenceParam, nil)
	if inference == nil {
		return nil
	}
	at := func(path string) *model.Scope { return scope.Store().Scope(path) } // the layer may have visited it
	tables := at(model.JoinPath(scope.Scope(), variables.Tables))
	kept := tables.GetVariable(name)
	if kept != nil {
		return kept.NodeValue(g)
	}
	table, err := value(at(scope.Scope()))
	if err != nil {
		return nil
	}
	kept = variables.Made(tables.VariableWithValue(name, table))
	Parameters(scope.Store(), g)
	inference.renew = append(inference.renew, func() error {
		table, err := value(at(scope.Scope()))
		if err != nil {
			return err
		}
		return kept.SetValue(table)
	})
	return kept.NodeValue(g)
}

// Folded returns the weights and the shift of a layer with batch normalisation: x·w + shift is the normalised product
// with the bias. They are Derived tables, or nil. The shift is float32, and w has the type to multiply x in, dtype. of
// is the kernel's own shape. The weight that is number i of the kernel belongs to an output, and is number `to` of w,
// which has the shape dims.
//
// A program with them has a third of the parameters and fewer operations: for one signal of a small network, starting
// these takes longer than the products. XLA's CPU products copy a second factor that has its outputs first, in every
// call. w has them last.
func Folded(scope *model.Scope, g *Graph, dtype dtypes.DType, epsilon float64, outputs int, of, dims []int,
	place func(i int) (to, output int)) (w, shift *Node) {
	read := func(layer *model.Scope) (kernel, bias []float32, err error) {
		return ReadFolded(layer, epsilon, outputs, of, func(i int) int { _, output := place(i); return output })
	}
	w = Derived(scope, g, "kernel", func(layer *model.Scope) (*tensors.Tensor, error) {
		kernel, _, err := read(layer)
		if err != nil {
			return nil, err
		}
		placed := make([]float32, len(kernel))
		for i, v := range kernel {
			to, _ := place(i)
			placed[to] = v
		}
		if dtype == dtypes.BFloat16 { // as Rounded would compute it in each call: to the nearest value, ties to even
			return tensors.FromFlatDataAndDimensions(bfloat16.FromFloat32s(placed...), dims...), nil
		}
		return tensors.FromFlatDataAndDimensions(placed, dims...), nil
	})
	shift = Derived(scope, g, "shift", func(layer *model.Scope) (*tensors.Tensor, error) {
		_, bias, err := read(layer)
		if err != nil {
			return nil, err
		}
		return tensors.FromFlatDataAndDimensions(bias, outputs), nil
	})
	return w, shift
}

// FoldedProduct computes x·w for Folded weights, as Contract does. x: `[rows, in]`, w: `[in, out]`.
//
// XLA's CPU compiler multiplies a single row in float32, and would convert all of w in each call. It multiplies two
// rows in bfloat16.
func FoldedProduct(dtype dtypes.DType, x, w *Node) *Node {
	if dtype != dtypes.BFloat16 || x.Shape().Dim(0) > 1 {
		return Contract(dtype, x, 1, w, 0)
	}
	row := Rounded(x, dtype)
	return Slice(Contract(dtype, Concatenate([]*Node{row, row}, 0), 1, w, 0), AxisRange(0, 1))
}

// Contract sums the products of a and b over one axis of each. The result has a's other axes first, then b's. Factors
// are rounded to dtype. The result is float32, or of the factors' type if they have dtype already. If the types
// differ it has no gradient.
func Contract(dtype dtypes.DType, a *Node, axisA int, b *Node, axisB int) *Node {
	if a.DType() == dtype && b.DType() == dtype && dtype != dtypes.BFloat16 {
		return Dot(a, b).General([]int{axisA}, nil, []int{axisB}, nil)
	}
	// Both backends add up in float32 unasked. If asked, go-xla adds zero to all of b, and XLA's CPU compiler then leaves
	// b in float32. Each factor and the product stand Apart: the compiler would move a transpose into a product that it
	// has chosen to take in bfloat16. Then it could not compute that product.
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

// Turned is the transposed matrix x, as a copy of its own: a factor to multiply along x's first axis. XLA's CPU
// compiler would fold the transpose into the product. The product is then slower, and bfloat16 becomes float32. The
// axis of 1 gives the copy the layout of an ordinary matrix: the compiler multiplies no other in bfloat16.
func Turned(x *Node) *Node {
	rows, columns := x.Shape().Dim(0), x.Shape().Dim(1)
	return Reshape(Apart(Reshape(TransposeAllDims(x, 1, 0), columns, 1, rows)), columns, rows)
}

// Apart is x behind a barrier. XLA's CPU compiler computes x once, and never again within an operation that reads it.
// Since go-xla v0.4.13 a barrier of one value does nothing there, so this one has two.
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
