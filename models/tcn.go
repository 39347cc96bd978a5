package models

import (
	"github.com/clusterpool/ccp/ccp/nn"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
)

// temporalConvolution is the Res-TCN of Kim and Reiter (2017): all channels of all joints of a frame are one frame's features; over
// the frames run a convolution with 64 filters of length 8, then three blocks of three residual units with 64, 128 and 256 filters of
// length 8, the second and the third of which halve the frames; batch norm, ReLU, the average over time, the class layer. A unit adds
// batch norm, ReLU, dropout and a convolution to its input, a 1x1 convolution of which makes the shape fit. Its kernels are decayed
// by their squares, not their absolute values as theirs. The graph's edges have no part in it.
func temporalConvolution(scope *model.Scope, spec Spec, _ Topology, signal *Node) *Node {
	const length, units, rate = 8, 3, 0.5
	x := Reshape(signal, signal.Shape().Dim(0), spec.Grid[0], spec.Grid[1]*spec.Channels)
	x = convLayer(scope.In("conv"), x, 64, length, 1)
	for block, filters := range []int{64, 128, 256} {
		for unit := range units {
			scope := scope.In("block_%d_unit_%d", block+1, unit+1)
			stride := 1
			if block > 0 && unit == 0 {
				stride = 2
			}
			y := nn.Dropout(scope, relu(nn.BatchNorm(scope, x, nil)), rate)
			y = convLayer(scope, y, filters, length, stride)
			if stride > 1 {
				x = Slice(x, AxisRange(), AxisRange().Stride(stride), AxisRange())
				x = convLayer(scope.In("shortcut"), x, filters, 1, 1)
			}
			x = Add(x, y)
		}
	}
	x = average(relu(nn.BatchNorm(scope.In("last"), x, nil)))
	return nn.Dense(scope.In("classes"), x, spec.Classes, 1)
}
