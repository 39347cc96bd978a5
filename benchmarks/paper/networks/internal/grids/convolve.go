// Package grids has the convolutional networks for signals on a grid, such as the pixels of an image, and their
// convolution.
package grids

import (
	"math"

	"github.com/clusterpool/ccp/ccp/nn"
	"github.com/clusterpool/ccp/internal/ops"
	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/support/exceptions"
)

// Conv convolves x along its middle axes without a bias, see convolve. The kernel has the size `width` along each axis.
// Its weights W ~ N(0, 2/fan-in) (He et al. 2015) are decayed. x: `[batch, ..., channels]`, result
// `[batch, ..., filters]`.
func Conv(scope *model.Scope, x *Node, filters, width, stride int) *Node {
	channels, fan := x.Shape().Dim(-1), x.Shape().Dim(-1)
	var dims []int
	for range x.Rank() - 2 {
		dims, fan = append(dims, width), fan*width
	}
	w := nn.Kernel(scope, x, math.Sqrt(2/float64(fan)), append(dims, channels, filters)...)
	return convolve(nn.NarrowDType(scope, x), x, w, stride)
}

// convolve slides the kernel w over x. Zeros surround x. An axis of n becomes one of ⌈n/stride⌉. For a kernel of size
// k, ⌊(k−1)/2⌋ zeros come before the axis, the others behind it. x: `[batch, ..., channels]`, w:
// `[k, ..., channels, filters]`. The factors are rounded to dtype, see nn.ParamDType.
//
// The gradient with respect to x is our own, because GoMLX displaces it by one for a kernel of even size.
func convolve(dtype dtypes.DType, x, w *Node, stride int) *Node {
	axes := x.Rank() - 2
	around, aroundGradient := make([][2]int, axes), make([][2]int, axes)
	spatial, strides := make([]int, axes), make([]int, axes)
	for i := range axes {
		n, k := x.Shape().Dim(i+1), w.Shape().Dim(i)
		reach := (n-1)/stride*stride + 1 // from the first output to the last, in x's steps
		lead := (k - 1) / 2
		tail := reach - 1 + k - n - lead
		if tail < 0 {
			exceptions.Panicf("a stride of %d passes over values that a kernel of size %d does not read", stride, k)
		}
		spatial[i], strides[i] = i+1, stride
		around[i], aroundGradient[i] = [2]int{lead, tail}, [2]int{k - 1 - lead, n - reach + lead}
	}
	full := func(x *Node) *Node { return ops.Rounded(x, w.DType()) }
	narrowX, narrowW := ops.Rounded(x, dtype), ops.Rounded(w, dtype)
	forward := func() *Node {
		return full(Convolve(narrowX, narrowW).PaddingPerDim(around).StridePerAxis(strides...).Done())
	}
	backward := func(v *Node) []*Node {
		v = ops.Rounded(v, dtype)
		kernel, order := narrowW, make([]int, 0, axes+2)
		for i := range axes {
			kernel, order = Reverse(kernel, i), append(order, i)
		}
		kernel = TransposeAllDims(kernel, append(order, axes+1, axes)...)
		dx := Convolve(v, kernel).PaddingPerDim(aroundGradient).InputDilationPerAxis(strides...).Done()
		// The kernel's gradient sums over the batch, so the batch takes the place of the channels.
		var of ConvolveAxesConfig
		of.InputBatch, of.InputSpatial, of.InputChannels = axes+1, spatial, 0
		of.KernelInputChannels, of.KernelSpatial, of.KernelOutputChannels = 0, spatial, axes+1
		of.OutputSpatial, of.OutputBatch, of.OutputChannels = order, axes, axes+1
		dw := Convolve(narrowX, v).AxesConfig(of).PaddingPerDim(around).DilationPerAxis(strides...).Done()
		return []*Node{full(dx), full(dw)}
	}
	return ops.WithGradient(forward, backward, x, w)
}

// Average returns the mean over the middle axes. x: `[batch, ..., channels]`, result `[batch, channels]`.
func Average(x *Node) *Node {
	batch, channels := x.Shape().Dim(0), x.Shape().Dim(-1)
	return ReduceMean(Reshape(x, batch, x.Shape().Size()/(batch*channels), channels), 1)
}

// Extend puts n slices of one value behind the last slice of x along an axis.
func Extend(x *Node, axis, n int, value float64) *Node {
	shape := x.Shape().Clone()
	shape.Dimensions[axis] = n
	return Concatenate([]*Node{x, BroadcastToShape(Scalar(x.Graph(), x.DType(), value), shape)}, axis)
}
