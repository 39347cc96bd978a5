package nn

import (
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/model/initializer"
)

// TablesScope is where a layer keeps what it derives from its graph, in variables that need not be saved.
const TablesScope = "tables"

// Bias is the trained variable b of scope, n values in x's type and graph, zero at first.
func Bias(scope *model.Scope, x *Node, n int) *Node {
	b := scope.WithInitializer(initializer.Zero).VariableWithShape("b", shapes.Make(x.DType(), n))
	return b.SetTrainable(true).NodeValue(x.Graph())
}

// Constant keeps a value in a variable of scope that is not trained, so that the graph holds no big constants.
func Constant(scope *model.Scope, g *Graph, name string, value *tensors.Tensor) *Node {
	return scope.VariableWithValue(name, value).SetTrainable(false).NodeValue(g)
}

// Plus is a + b, or b where a is nil: sums begin with nil.
func Plus(a, b *Node) *Node {
	if a == nil {
		return b
	}
	return Add(a, b)
}

// Indices is Constant of rows to gather, `[rows, 1]`, or of the dimensions given.
func Indices(scope *model.Scope, g *Graph, name string, rows []int32, dims ...int) *Node {
	if dims == nil {
		dims = []int{len(rows), 1}
	}
	return Constant(scope, g, name, tensors.FromFlatDataAndDimensions(rows, dims...))
}
