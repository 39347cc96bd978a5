package models

import (
	"math"

	"github.com/clusterpool/ccp/ccp/nn"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
)

// unroll runs a recurrence over the first axis of x: step takes a slice of x and the state that it gave for the slice before, nil at
// first. The result are the first parts of all states, stacked. Steps are unrolled in the graph.
func unroll(x *Node, step func(x *Node, state []*Node) []*Node) *Node {
	var state, results []*Node
	for _, slice := range nn.Unstack(x) {
		state = step(slice, state)
		results = append(results, state[0])
	}
	return Stack(results, 0)
}

// partLSTM is one part-aware layer: each part p has its own cells c, which only its own values x enter,
//
//	i, f = σ(Wᵢ x + Uᵢ h' + bᵢ), σ(W_f x + U_f h' + b_f + 1);  g = tanh(W_g x + U_g h' + b_g);  c = f·c' + i·g,
//
// while one output gate sees all values and all cells pass it: o = σ(W_o [x¹ … xᴾ] + U_o h' + b_o), h = o·tanh[c¹ … cᴾ]. h' and c'
// are the step before's, zeros at first; the 1 makes cells remember at first (Jozefowicz et al. 2015). With one part it is an LSTM.
// parts: `[steps, batch, values]` each, result h: `[steps, batch, parts·units]`.
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
	return unroll(z, func(z *Node, state []*Node) []*Node {
		if state != nil {
			z = Add(z, nn.Product(scope, state[0], u))
		}
		gate := func(k int) *Node { return SliceAxis(z, 1, AxisRange(k*width, (k+1)*width)) }
		c := Mul(Sigmoid(gate(0)), Tanh(gate(2)))
		if state != nil {
			c = Add(c, Mul(Sigmoid(OnePlus(gate(1))), state[1]))
		}
		return []*Node{Mul(Sigmoid(gate(3)), Tanh(c)), c}
	})
}

// backwards is x with the order of its first axis reversed.
func backwards(x *Node) *Node { // GoMLX's Reverse has no gradient
	return nn.WithGradient(func() *Node { return Reverse(x, 0) }, func(v *Node) []*Node { return []*Node{Reverse(v, 0)} }, x)
}

// recurrentParts are two recurrent layers for each part of a body, one in each direction of time:
//
//	h_t = tanh(W x_t + U h' + b), h' of the step before or after.
//
// All of them advance together, as one product of matrices side by side. parts: `[steps, batch, values]` each, results `[steps, batch, 2·units]`.
func recurrentParts(scope *model.Scope, parts []*Node, units int) []*Node {
	var z []*Node
	for p, x := range parts {
		steps, batch, in := x.Shape().Dim(0), x.Shape().Dim(1), x.Shape().Dim(2)
		of := Reshape(nn.Dense(scope.In("part_%d", p+1), Reshape(x, steps*batch, in), 2*units, 1), steps, batch, 2*units)
		z = append(z, SliceAxis(of, 2, AxisRange(0, units)), backwards(SliceAxis(of, 2, AxisRange(units, 2*units))))
	}
	u := nn.NormalVariable(scope.In("recurrent"), "W", 0, 1/math.Sqrt(float64(units)), z[0].DType(), len(z), units, units).NodeValue(z[0].Graph())
	u = nn.Decay(scope, u)
	h := unroll(Stack(z, 1), func(z *Node, state []*Node) []*Node {
		if state != nil {
			z = Add(z, Einsum("pbi,pij->pbj", state[0], u))
		}
		return []*Node{Tanh(z)}
	})
	layers := nn.Unstack(TransposeAllDims(h, 1, 0, 2, 3))
	var results []*Node
	for p := range parts {
		results = append(results, Concatenate([]*Node{layers[2*p], backwards(layers[2*p+1])}, -1))
	}
	return results
}

// framesOf gives a signal's recordings as steps of time: at most that many, one frame of each segment, see segmentFrames. signal: `[batch,
// nodes, channels]`, result `[steps, batch, joints, channels]`.
func framesOf(scope *model.Scope, spec Spec, signal *Node, steps int) *Node {
	batch, frames, joints := signal.Shape().Dim(0), spec.Grid[0], spec.Grid[1]
	x := segmentFrames(scope, Reshape(signal, batch, frames, joints*spec.Channels), min(steps, frames))
	return Reshape(TransposeAllDims(x, 1, 0, 2), min(steps, frames), batch, joints, spec.Channels)
}

// segmentFrames takes one frame out of each of `steps` segments, which are as equal as whole frames allow: in training one drawn anew in
// each step, else the one in the middle. x: `[batch, frames, values]`, result `[batch, steps, values]`.
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
