package models

import (
	"slices"

	"github.com/clusterpool/ccp/ccp/nn"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
)

// stochasticCNN is the network of Zeiler and Fergus (2013) for CIFAR-10: three times 5x5 filters with 64 maps, ReLU and stochastic
// pooling; then the class layer. After each pooling, batch norm takes the place of their local response normalisation. The graph's
// edges have no part in it.
func stochasticCNN(scope *model.Scope, spec Spec, _ Topology, signal *Node) *Node {
	const maps, width = 64, 5
	x := onGrid(spec, signal)
	for i := range 3 {
		scope := scope.In("conv_%d", i+1)
		x = relu(Add(convLayer(scope, x, maps, width, 1), ExpandLeftToRank(nn.Bias(scope, x, maps), x.Rank())))
		x = nn.BatchNorm(scope, stochasticPool(scope, x), nil)
	}
	return nn.Dense(scope.In("classes"), flattened(x), spec.Classes, 1)
}

// stochasticPool is stochastic pooling (Zeiler and Fergus 2013) of 3x3 windows at every second row and column. In training each
// window's result is one of its values aᵢ, drawn with probability aᵢ/Σa, which alone gets the gradient; elsewhere it is their mean
// by these probabilities, Σa²/Σa. The result of a window of zeros is 0. x: `[batch, rows, columns, channels]`, not negative;
// result: `[batch, ⌈rows/2⌉, ⌈columns/2⌉, channels]`: a window that reaches over the edge has the values that are there.
func stochasticPool(scope *model.Scope, x *Node) *Node {
	var values []*Node
	for _, row := range threes(x, 1) {
		values = append(values, threes(row, 2)...)
	}
	var total, squares *Node
	var sums []*Node // of the values up to each
	for _, a := range values {
		total, squares = nn.Plus(total, a), nn.Plus(squares, Square(a))
		sums = append(sums, total)
	}
	if !scope.IsTraining(x.Graph()) {
		some := IsPositive(total)
		return Where(some, Div(squares, Where(some, total, OnesLike(total))), ZerosLike(total))
	}
	// The first value with whose addition the sum is above u·Σa is drawn. As u < 1, there is one, unless all are 0.
	threshold := Mul(nn.Uniform(scope, x, "pool", total.Shape().Dimensions...), total)
	none := ZerosLike(total)
	drawn := Where(GreaterThan(sums[0], threshold), values[0], none)
	for i, a := range values[1:] {
		first := LogicalAnd(LessOrEqual(sums[i], threshold), GreaterThan(sums[i+1], threshold))
		drawn = Add(drawn, Where(first, a, none))
	}
	return drawn
}

// threes are the first, the second and the third of each three values along an axis, a three at every second; beyond the end there
// are zeros. The axis of n has ⌈n/2⌉ in the results. They come from reshaping, as slices with a stride have costly gradients.
func threes(x *Node, axis int) []*Node {
	dims := slices.Clone(x.Shape().Dimensions)
	if dims[axis]%2 == 1 {
		x = behind(x, axis)
	}
	dims[axis] = (dims[axis] + 1) / 2
	pairs := Reshape(x, slices.Insert(slices.Clone(dims), axis+1, 2)...)
	of := func(i int) *Node { return Reshape(SliceAxis(pairs, axis+1, AxisElem(i)), dims...) }
	first, second := of(0), of(1)
	return []*Node{first, second, SliceAxis(behind(first, axis), axis, AxisRangeToEnd(1))}
}

// behind puts one slice of zeros behind the last along an axis.
func behind(x *Node, axis int) *Node {
	shape := x.Shape().Clone()
	shape.Dimensions[axis] = 1
	return Concatenate([]*Node{x, Zeros(x.Graph(), shape)}, axis)
}
