package models

import (
	"math"

	"github.com/clusterpool/ccp/ccp/nn"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
)

// partAwareLSTM is the part-aware LSTM of Shahroudy et al. (2016) with two layers. A recording is divided into segments and one
// frame of each is a step: one drawn anew in each training step, else the one in the middle. The second layer's parts are those of
// the first one's output. The class layer gets the mean of the outputs over time. The graph's edges have no part in it.
func partAwareLSTM(scope *model.Scope, spec Spec, _ Topology, signal *Node) *Node {
	const units = 50 // of each part
	frames, joints := spec.Grid[0], spec.Grid[1]
	steps := min(optionsOf(scope).PLSTMSteps, frames)
	batch := signal.Shape().Dim(0)
	x := segmentFrames(scope, Reshape(signal, batch, frames, joints*spec.Channels), steps)
	x = Reshape(TransposeAllDims(x, 1, 0, 2), steps, batch, joints, spec.Channels)
	var parts []*Node
	for _, columns := range spec.Parts {
		var of []*Node
		for _, joint := range columns {
			of = append(of, Reshape(SliceAxis(x, 2, AxisElem(joint)), steps, batch, spec.Channels))
		}
		parts = append(parts, Concatenate(of, -1))
	}
	h := partLSTM(scope.In("lstm_1"), parts, units)
	for p := range parts {
		parts[p] = SliceAxis(h, -1, AxisRange(p*units, (p+1)*units))
	}
	h = partLSTM(scope.In("lstm_2"), parts, units)
	spec.Hidden = nil
	return readout(scope, spec, ReduceMean(h, 0))
}

// segmentFrames takes one frame out of each of `steps` segments, which are as equal as whole frames allow. x: `[batch, frames,
// values]`, result `[batch, steps, values]`.
func segmentFrames(scope *model.Scope, x *Node, steps int) *Node {
	g, batch, frames, values := x.Graph(), x.Shape().Dim(0), x.Shape().Dim(1), x.Shape().Dim(2)
	if steps == frames {
		return x
	}
	starts, lengths := make([]int32, steps), make([]float32, steps)
	for i := range steps {
		start, end := i*frames/steps, (i+1)*frames/steps
		starts[i], lengths[i] = int32(start), float32(end-start)
	}
	within := BroadcastToDims(Scalar(g, dtypes.Float32, 0.5), batch, steps)
	if scope.IsTraining(g) {
		within = nn.Uniform(scope, within, "frames", batch, steps)
	}
	within = Mul(within, Const(g, [][]float32{lengths}))
	rows := Add(Const(g, [][]int32{starts}), ConvertDType(within, dtypes.Int32)) // the fraction is cut off
	rows = Add(rows, MulScalar(Iota(g, shapes.Make(dtypes.Int32, batch, steps), 0), frames))
	rows = Reshape(rows, batch*steps, 1)
	return Reshape(Gather(Reshape(x, batch*frames, values), rows), batch, steps, values)
}

// partLSTM is one part-aware layer: each part p has its own cells c, which only its own values x enter,
//
//	i, f = σ(Wᵢ x + Uᵢ h' + bᵢ), σ(W_f x + U_f h' + b_f + 1);  g = tanh(W_g x + U_g h' + b_g);  c = f·c' + i·g,
//
// while one output gate sees all values and all cells pass it: o = σ(W_o [x¹ … xᴾ] + U_o h' + b_o), h = o·tanh[c¹ … cᴾ]. h' and c'
// are the step before's, zeros at first; the 1 makes cells remember at first (Jozefowicz et al. 2015). parts: `[steps, batch,
// values]` each, result h: `[steps, batch, parts·units]`.
func partLSTM(scope *model.Scope, parts []*Node, units int) *Node {
	g, dtype := parts[0].Graph(), parts[0].DType()
	steps, batch, width := parts[0].Shape().Dim(0), parts[0].Shape().Dim(1), len(parts)*units
	product := func(scope *model.Scope, x *Node, out int) *Node {
		in := x.Shape().Dim(-1)
		w := nn.NormalVariable(scope, "W", 0, 1/math.Sqrt(float64(in)), dtype, in, out).NodeValue(g)
		return nn.Product(scope, Reshape(x, steps*batch, in), nn.Decay(scope, w))
	}
	var gates []*Node // time comes first, so that a step's rows are together
	for p, x := range parts {
		gates = append(gates, Reshape(product(scope.In("part_%d", p+1), x, 3*units), steps, batch, 3, units))
	}
	output := product(scope.In("output"), Concatenate(parts, -1), width)
	z := Concatenate([]*Node{Reshape(Concatenate(gates, -1), steps, batch, 3*width), Reshape(output, steps, batch, width)}, -1)
	u := nn.NormalVariable(scope.In("recurrent"), "W", 0, 1/math.Sqrt(float64(width)), dtype, width, 4*width).NodeValue(g)
	z, u = Add(z, ExpandLeftToRank(nn.Bias(scope, z, 4*width), 3)), nn.Decay(scope, u)
	var h, c *Node
	var hs []*Node
	for t := range steps {
		zt := Reshape(Slice(z, AxisElem(t)), batch, 4*width)
		if t > 0 {
			zt = Add(zt, nn.Product(scope, h, u))
		}
		gate := func(k int) *Node { return SliceAxis(zt, 1, AxisRange(k*width, (k+1)*width)) }
		next := Mul(Sigmoid(gate(0)), Tanh(gate(2)))
		if t > 0 {
			next = Add(next, Mul(Sigmoid(OnePlus(gate(1))), c))
		}
		c = next
		h = Mul(Sigmoid(gate(3)), Tanh(c))
		hs = append(hs, h)
	}
	return Stack(hs, 0)
}
