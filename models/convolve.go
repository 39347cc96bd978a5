package models

import (
	"fmt"
	"math"

	"github.com/clusterpool/ccp/ccp/nn"
	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/support/exceptions"
)

// onGrid gives a signal, `[batch, nodes, channels]`, the shape of the spec's grid: `[batch, rows, columns, channels]`.
func onGrid(spec Spec, signal *Node) *Node {
	return Reshape(signal, signal.Shape().Dim(0), spec.Grid[0], spec.Grid[1], spec.Channels)
}

// checkGrid says why the nodes are no grid to convolve over.
func (s Spec) checkGrid() error {
	switch {
	case s.Grid == nil:
		return fmt.Errorf("model %s needs nodes on a grid, such as an image's pixels; this data has none", s.Model)
	case len(s.Grid) != 2 || s.Grid[0] < 1 || s.Grid[1] < 1 || s.Grid[0]*s.Grid[1] != s.Nodes:
		return fmt.Errorf("model %s: the grid is %v, which is not rows and columns of the %d nodes", s.Model, s.Grid, s.Nodes)
	}
	return nil
}

// convLayer is a convolution without bias over all axes of x but the first and the last, with kernels of size `width` along each,
// see convolveGrid. x: `[batch, ..., channels]`, result `[batch, ..., filters]`. Its kernel W ~ N(0, 2/fan-in) (He et al. 2015) is
// decayed.
func convLayer(scope *model.Scope, x *Node, filters, width, stride int) *Node {
	channels, fan := x.Shape().Dim(-1), x.Shape().Dim(-1)
	var dims []int
	for range x.Rank() - 2 {
		dims, fan = append(dims, width), fan*width
	}
	w := nn.NormalVariable(scope, "W", 0, math.Sqrt(2/float64(fan)), x.DType(), append(dims, channels, filters)...).NodeValue(x.Graph())
	return convolveGrid(nn.NarrowDType(scope, x), x, nn.Decay(scope, w), stride)
}

// convolveGrid slides the kernel w over x, which zeros surround so that an axis of n becomes one of ⌈n/stride⌉: ⌊(k−1)/2⌋ of them before
// it, for a kernel of size k, as many behind it as it takes. x: `[batch, ..., channels]`, w: `[k, ..., channels, filters]`.
//
// What is multiplied is rounded to dtype, see nn.LayerOptions.
//
// It has its own gradient with respect to x because GoMLX's is displaced by one for a kernel of even size.
func convolveGrid(dtype dtypes.DType, x, w *Node, stride int) *Node {
	axes := x.Rank() - 2
	around, aroundGradient := make([][2]int, axes), make([][2]int, axes)
	spatial, strides := make([]int, axes), make([]int, axes)
	for i := range axes {
		n, k := x.Shape().Dim(i+1), w.Shape().Dim(i)
		out := (n + stride - 1) / stride
		reach := (out-1)*stride + 1 // from the first output to the last, in x's steps
		lead := (k - 1) / 2
		tail := reach - 1 + k - n - lead
		if tail < 0 {
			exceptions.Panicf("a stride of %d passes over values that a kernel of size %d does not see", stride, k)
		}
		spatial[i], strides[i] = i+1, stride
		around[i], aroundGradient[i] = [2]int{lead, tail}, [2]int{k - 1 - lead, n - reach + lead}
	}
	full := func(x *Node) *Node { return nn.Rounded(x, w.DType()) }
	narrowX, narrowW := nn.Rounded(x, dtype), nn.Rounded(w, dtype)
	forward := func() *Node {
		return full(Convolve(narrowX, narrowW).PaddingPerDim(around).StridePerAxis(strides...).Done())
	}
	backward := func(v *Node) []*Node {
		v = nn.Rounded(v, dtype)
		kernel, order := narrowW, make([]int, 0, axes+2)
		for i := range axes {
			kernel, order = Reverse(kernel, i), append(order, i)
		}
		kernel = TransposeAllDims(kernel, append(order, axes+1, axes)...)
		dx := Convolve(v, kernel).PaddingPerDim(aroundGradient).InputDilationPerAxis(strides...).Done()
		// The batch is what the kernel's gradient sums over, so it takes the place of the channels.
		var of ConvolveAxesConfig
		of.InputBatch, of.InputSpatial, of.InputChannels = axes+1, spatial, 0
		of.KernelInputChannels, of.KernelSpatial, of.KernelOutputChannels = 0, spatial, axes+1
		of.OutputSpatial, of.OutputBatch, of.OutputChannels = order, axes, axes+1
		dw := Convolve(narrowX, v).AxesConfig(of).PaddingPerDim(around).DilationPerAxis(strides...).Done()
		return []*Node{full(dx), full(dw)}
	}
	return nn.WithGradient(forward, backward, x, w)
}

// relu is max(x, 0).
func relu(x *Node) *Node { return Max(x, ZerosLike(x)) }

// average is the mean over all axes but the first and the last. x: `[batch, ..., channels]`, result `[batch, channels]`.
func average(x *Node) *Node {
	batch, channels := x.Shape().Dim(0), x.Shape().Dim(-1)
	return ReduceMean(Reshape(x, batch, x.Shape().Size()/(batch*channels), channels), 1)
}

// noReadout is the option that a network lacks when it ends in the average over its grid and a class layer.
var noReadout = []string{"readout_dropout"}
