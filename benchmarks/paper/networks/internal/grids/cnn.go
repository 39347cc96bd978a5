package grids

import (
	"slices"

	"github.com/clusterpool/ccp/ccp/nn"
	"github.com/clusterpool/ccp/internal/ops"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/layers/activation"
	"github.com/gomlx/gomlx/ml/model"
)

// ResNet returns the features of the network of He et al. (2016) for CIFAR-10, `depth` = 6n+2 layers with the class
// layer. A 3x3 convolution with 16 filters comes first. Three stages of n blocks follow, with 16, 32 and 64 filters.
// The second and the third stage halve rows and columns. The features are the averages over the grid. A block adds to
// its input two 3x3 convolutions with batch norm. ReLU follows the first convolution and the sum. If the shape changes,
// the shortcut skips every second row and column, and has zeros as new channels (their option A). x:
// `[batch, rows, columns, channels]`, result `[batch, 64]`.
func ResNet(scope *model.Scope, x *Node, depth int) *Node {
	normalised := func(scope *model.Scope, x *Node, filters, stride int) *Node {
		return nn.BatchNorm(scope, Conv(scope, x, filters, 3, stride), nil)
	}
	x = activation.Relu(normalised(scope.In("conv"), x, 16, 1))
	for stage, filters := range []int{16, 32, 64} {
		for block := range (depth - 2) / 6 {
			scope := scope.In("stage_%d_block_%d", stage+1, block+1)
			shortcut, stride := x, 1
			if stage > 0 && block == 0 {
				stride = 2
				every := AxisRange().Stride(stride)
				shortcut = Extend(Slice(x, AxisRange(), every, every, AxisRange()), 3, filters/2, 0)
			}
			y := activation.Relu(normalised(scope.In("conv_1"), x, filters, stride))
			y = normalised(scope.In("conv_2"), y, filters, 1)
			x = activation.Relu(Add(shortcut, y))
		}
	}
	return Average(x)
}

// StochasticCNN returns the features of the network of Zeiler and Fergus (2013) for CIFAR-10: three times 5x5 filters
// with 64 maps, ReLU and stochastic pooling. After each pooling, batch norm takes the place of their local response
// normalisation. x: `[batch, rows, columns, channels]`, result `[batch, ⌈rows/8⌉, ⌈columns/8⌉, 64]`.
func StochasticCNN(scope *model.Scope, x *Node) *Node {
	const maps, width = 64, 5
	for i := range 3 {
		scope := scope.In("conv_%d", i+1)
		x = Add(Conv(scope, x, maps, width, 1), ExpandLeftToRank(nn.Bias(scope, x, maps), x.Rank()))
		x = nn.BatchNorm(scope, stochasticPool(scope, activation.Relu(x)), nil)
	}
	return x
}

// stochasticPool pools windows of 3x3 at every second row and column (Zeiler and Fergus 2013). In training a window's
// result is one of its values aᵢ, drawn with probability aᵢ/Σa. This value alone gets the gradient. Otherwise the
// result is the expected value, Σa²/Σa. A window of zeros gives 0. A window that reaches over the edge has only the
// values inside. x: `[batch, rows, columns, channels]`, not negative; result:
// `[batch, ⌈rows/2⌉, ⌈columns/2⌉, channels]`.
func stochasticPool(scope *model.Scope, x *Node) *Node {
	var values []*Node
	for _, row := range threes(x, 1) {
		values = append(values, threes(row, 2)...)
	}
	var total, squares *Node
	var sums []*Node // of the values up to each
	for _, a := range values {
		total, squares = ops.Plus(total, a), ops.Plus(squares, Square(a))
		sums = append(sums, total)
	}
	none := ZerosLike(total)
	if !scope.IsTraining(x.Graph()) {
		some := IsPositive(total)
		return Where(some, Div(squares, Where(some, total, OnesLike(total))), none)
	}
	// The draw takes the first value that lifts the sum above u·Σa. As u < 1, there is one, unless all values are 0.
	threshold := Mul(ops.Uniform(scope, x, "pool", total.Shape().Dimensions...), total)
	drawn := Where(GreaterThan(sums[0], threshold), values[0], none)
	for i, a := range values[1:] {
		first := LogicalAnd(LessOrEqual(sums[i], threshold), GreaterThan(sums[i+1], threshold))
		drawn = Add(drawn, Where(first, a, none))
	}
	return drawn
}

// threes returns three results: each has one value of each window of three along an axis. A window begins at every
// second value. Beyond the end there are zeros. An axis of n has ⌈n/2⌉ windows. Reshaping makes them, because the
// gradient of a slice with a stride is slow.
func threes(x *Node, axis int) []*Node {
	dims := slices.Clone(x.Shape().Dimensions)
	if dims[axis]%2 == 1 {
		x = Extend(x, axis, 1, 0)
	}
	dims[axis] = (dims[axis] + 1) / 2
	pairs := Reshape(x, slices.Insert(slices.Clone(dims), axis+1, 2)...)
	of := func(i int) *Node { return Reshape(SliceAxis(pairs, axis+1, AxisElem(i)), dims...) }
	first, second := of(0), of(1)
	return []*Node{first, second, SliceAxis(Extend(first, axis, 1, 0), axis, AxisRangeToEnd(1))}
}
