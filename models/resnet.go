package models

import (
	"github.com/clusterpool/ccp/ccp/nn"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
)

// residualNetwork is the network of He et al. (2016) for CIFAR-10: a 3x3 convolution with 16 filters; three stages of n blocks with
// 16, 32 and 64 filters, the second and the third of which halve rows and columns; the average over the grid; the class layer. A
// block adds to its input two 3x3 convolutions with batch norm; ReLU follows the first's and the sum. Where the shape changes the
// shortcut takes every second row and column and zeros for the new channels (their option A). The graph's edges have no part in it.
func residualNetwork(scope *model.Scope, spec Spec, _ Topology, signal *Node) *Node {
	blocks := (optionsOf(scope).ResNetDepth - 2) / 6
	normalised := func(scope *model.Scope, x *Node, filters, stride int) *Node {
		return nn.BatchNorm(scope, convLayer(scope, x, filters, 3, stride), nil)
	}
	x := relu(normalised(scope.In("conv"), onGrid(spec, signal), 16, 1))
	for stage, filters := range []int{16, 32, 64} {
		for block := range blocks {
			scope := scope.In("stage_%d_block_%d", stage+1, block+1)
			stride := 1
			if stage > 0 && block == 0 {
				stride = 2
			}
			y := relu(normalised(scope.In("conv_1"), x, filters, stride))
			y = normalised(scope.In("conv_2"), y, filters, 1)
			x = relu(Add(shortcut(x, filters, stride), y))
		}
	}
	return nn.Dense(scope.In("classes"), average(x), spec.Classes, 1)
}

// shortcut is x, or where the stride is 2, every second row and column of it, with zeros for the channels that x has not.
// x: `[batch, rows, columns, channels]`, result `[batch, ⌈rows/stride⌉, ⌈columns/stride⌉, filters]`.
func shortcut(x *Node, filters, stride int) *Node {
	if stride > 1 {
		x = Slice(x, AxisRange(), AxisRange().Stride(stride), AxisRange().Stride(stride), AxisRange())
	}
	shape := x.Shape().Clone()
	missing := filters - shape.Dim(-1)
	if missing == 0 {
		return x
	}
	shape.Dimensions[3] = missing
	return Concatenate([]*Node{x, Zeros(x.Graph(), shape)}, -1)
}
