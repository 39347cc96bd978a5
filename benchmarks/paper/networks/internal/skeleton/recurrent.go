package skeleton

import (
	"fmt"

	"github.com/clusterpool/ccp/ccp/nn"
	"github.com/clusterpool/ccp/internal/ops"
	"github.com/clusterpool/ccp/internal/variables"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
)

// HierarchicalRNN returns the features of HBRNN-L (Du et al. 2015), four recurrent layers in both directions of time.
// The top layer has LSTMs, the others have tanh units. The first layer has a pair for each part of the body. The second
// has one for each limb together with the trunk. The third has one for both arms and one for both legs, the fourth one
// for the whole body. The features are the mean of the outputs over time, where theirs adds up the scores. The edges of
// the graph are not used.
func HierarchicalRNN(scope *model.Scope, b Body, signal *Node) *Node {
	widths := [...]int{30, 60, 60, 80} // of each direction
	beside := func(parts ...*Node) *Node { return Concatenate(parts, -1) }
	parts := bothWays(scope.In("parts"), b.parts(b.steps(scope, signal)), widths[0])
	if len(parts) > 1 {
		var limbs []*Node
		for _, limb := range parts[1:] {
			limbs = append(limbs, beside(parts[0], limb))
		}
		parts = bothWays(scope.In("limbs"), limbs, widths[1])
	}
	var halves []*Node
	for p := 0; p < len(parts); p += 2 {
		halves = append(halves, beside(parts[p:min(p+2, len(parts))]...))
	}
	whole := beside(bothWays(scope.In("halves"), halves, widths[2])...)
	body := scope.In("body")
	forward := partLSTM(body.In("forward"), []*Node{whole}, widths[3])
	backward := Reverse(partLSTM(body.In("backward"), []*Node{Reverse(whole, 0)}, widths[3]), 0)
	return ReduceMean(beside(forward, backward), 0)
}

// PartAwareLSTM returns the features of the part-aware LSTM of Shahroudy et al. (2016) with two layers. The second
// layer's parts are the outputs of the first layer. The features are the mean of the outputs over time. The edges of
// the graph are not used.
func PartAwareLSTM(scope *model.Scope, b Body, signal *Node) *Node {
	const units = 50 // of each part
	parts := b.parts(b.steps(scope, signal))
	h := partLSTM(scope.In("lstm_1"), parts, units)
	for p := range parts {
		parts[p] = SliceAxis(h, -1, AxisRange(p*units, (p+1)*units))
	}
	return ReduceMean(partLSTM(scope.In("lstm_2"), parts, units), 0)
}

// unroll runs a recurrence over the first axis of x, step by step in the graph. It gives step a slice of x and the
// state before, nil at first. It returns the first parts of all states, stacked.
func unroll(x *Node, step func(x *Node, state []*Node) []*Node) *Node {
	var state, results []*Node
	for _, slice := range ops.Unstack(x) {
		state = step(slice, state)
		results = append(results, state[0])
	}
	return Stack(results, 0)
}

// partLSTM is one part-aware layer. Each part p has its own cells c, which only its own values x enter.
//
//	i, f = σ(Wᵢ x + Uᵢ h' + bᵢ), σ(W_f x + U_f h' + b_f + 1);  g = tanh(W_g x + U_g h' + b_g);  c = f·c' + i·g.
//
// All parts share one output gate, o = σ(W_o [x¹ … xᴾ] + U_o h' + b_o) and h = o·tanh[c¹ … cᴾ]. The step before has the
// output h' and the cells c'. They are zero at first. The 1 makes cells remember at first (Jozefowicz et al. 2015).
// With one part the layer is an LSTM. parts: `[steps, batch, values]` each, result h: `[steps, batch, parts·units]`.
func partLSTM(scope *model.Scope, parts []*Node, units int) *Node {
	steps, batch, width := parts[0].Shape().Dim(0), parts[0].Shape().Dim(1), len(parts)*units
	product := func(scope *model.Scope, x *Node, out int) *Node {
		in := x.Shape().Dim(-1)
		return nn.Product(scope, Reshape(x, steps*batch, in), kernel(scope, x, in, in, out))
	}
	var gates []*Node // time comes first, so that a step's rows are together
	for p, x := range parts {
		gates = append(gates, Reshape(product(scope.In("part_%d", p+1), x, 3*units), steps, batch, 3, units))
	}
	output := Reshape(product(scope.In("output"), Concatenate(parts, -1), width), steps, batch, width)
	z := Concatenate([]*Node{Reshape(Concatenate(gates, -1), steps, batch, 3*width), output}, -1)
	u := kernel(scope.In("recurrent"), z, width, width, 4*width)
	z = Add(z, ExpandLeftToRank(nn.Bias(scope, z, 4*width), 3))
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

// bothWays has two recurrent layers for each part of a body, one in each direction of time.
//
//	h_t = tanh(W x_t + U h' + b), h' of the step before or after.
//
// All layers advance together, as one product of matrices side by side. parts: `[steps, batch, values]` each, results
// `[steps, batch, 2·units]`.
func bothWays(scope *model.Scope, parts []*Node, units int) (results []*Node) {
	var inputs []*Node // W x + b of each layer, `[steps, batch, units]`; those backwards in time from the last step
	for p, x := range parts {
		steps, batch, in := x.Shape().Dim(0), x.Shape().Dim(1), x.Shape().Dim(2)
		both := nn.Dense(scope.In("part_%d", p+1), Reshape(x, steps*batch, in), 2*units, 1)
		both = Reshape(both, steps, batch, 2*units)
		inputs = append(inputs, SliceAxis(both, 2, AxisRange(0, units)),
			Reverse(SliceAxis(both, 2, AxisRange(units, 2*units)), 0))
	}
	u := kernel(scope.In("recurrent"), inputs[0], units, len(inputs), units, units)
	h := unroll(Stack(inputs, 1), func(z *Node, state []*Node) []*Node {
		if state != nil {
			z = Add(z, Einsum("pbi,pij->pbj", state[0], u))
		}
		return []*Node{Tanh(z)}
	})
	layers := ops.Unstack(TransposeAllDims(h, 1, 0, 2, 3))
	for p := range parts {
		results = append(results, Concatenate([]*Node{layers[2*p], Reverse(layers[2*p+1], 0)}, -1))
	}
	return results
}

// SpatioTemporalLSTM returns the logits of ST-LSTM with tree traversal and trust gates (Liu et al. 2016), `[batch,
// predictions, classes]`. Two layers of an LSTM go over joints, in the order of a walk through the skeleton, and over
// time. Dropout follows each layer. Every cell is a joint of the walk in a step, and predicts by a class layer that all
// share. Each prediction has a loss, and a prediction is the mean of their probabilities.
func SpatioTemporalLSTM(scope *model.Scope, b Body, signal *Node) *Node {
	x := b.steps(scope, signal)
	steps, batch := x.Shape().Dim(0), x.Shape().Dim(1)
	walk := walkOf(b.Bones, b.Joints)
	diagonals := diagonalsOf(len(walk), steps)
	x = Reshape(TransposeAllDims(x, 0, 2, 1, 3), steps*b.Joints, batch, b.Channels)
	tables := scope.In(variables.Tables)
	var cells []*Node // of each diagonal
	for d, places := range diagonals {
		var rows []int32
		for place := places[0]; place < places[1]; place++ { // in the walk
			step := d - place
			rows = append(rows, int32(step*b.Joints+walk[place]))
		}
		cells = append(cells, Gather(x, ops.Indices(tables, x.Graph(), fmt.Sprintf("diagonal_%d", d+1), rows)))
	}
	for layer := range 2 {
		scope := scope.In("lstm_%d", layer+1)
		cells = trustLSTM(scope, cells, diagonals, b.Units)
		for d, h := range cells {
			cells[d] = nn.Dropout(scope.In("diagonal_%d", d+1), h, b.Dropout)
		}
	}
	all := Concatenate(cells, 0)
	predictions := all.Shape().Dim(0)
	all = nn.Dense(scope.In("classes"), Reshape(all, predictions*batch, b.Units), b.Classes, 1)
	return TransposeAllDims(Reshape(all, predictions, batch, b.Classes), 1, 0, 2)
}

// diagonalsOf returns the range of joints j of each diagonal j + t = d of the cells (j, t). A cell depends on two cells
// of the diagonal before.
func diagonalsOf(joints, steps int) (diagonals [][2]int) {
	for d := range joints + steps - 1 {
		diagonals = append(diagonals, [2]int{max(0, d-steps+1), min(d+1, joints)})
	}
	return diagonals
}

// trustLSTM is a layer of ST-LSTM with trust gates τ. The joint before has the output h_s and the memory c_s. The step
// before has h_t and c_t.
//
//	i, f_s, f_t, o = σ(W x + U [h_s, h_t] + b), where a 1 is added for f_s and f_t;
//	u = tanh(W x + U [h_s, h_t] + b), each with its own W, U and b;
//	p = tanh(M_p [h_s, h_t]);  τ = exp(−½ (tanh(M_x x) − p)²), which trusts an input that is as expected;
//	c = τ·i·u + (1 − τ)·f_s·c_s + (1 − τ)·f_t·c_t;  h = o·tanh c.
//
// The cells of a diagonal are computed together. xs: `[cells, batch, values]` of each diagonal, results
// `[cells, batch, units]`.
func trustLSTM(scope *model.Scope, xs []*Node, diagonals [][2]int, units int) (hs []*Node) {
	const gates, trust = 5, 0.5
	first := xs[0]
	g, dtype, batch, in := first.Graph(), first.DType(), first.Shape().Dim(1), first.Shape().Dim(2)
	weights := func(scope *model.Scope, in int) *Node { // of the gates, and of the trust gate
		ofGates := kernel(scope, first, in, in, gates*units)
		return Concatenate([]*Node{ofGates, kernel(scope.In("trust"), first, in, in, units)}, 1)
	}
	w, u := weights(scope, in), weights(scope.In("recurrent"), 2*units)
	b := Concatenate([]*Node{nn.Bias(scope, first, gates*units), Zeros(g, shapes.Make(dtype, units))}, 0)
	zero := Zeros(g, shapes.Make(dtype, 1, batch, units))
	var h, c *Node // of the diagonal before
	for d, now := range diagonals {
		n := now[1] - now[0]
		z := Add(nn.Product(scope, Reshape(xs[d], n*batch, in), w), ExpandAxes(b, 0))
		z = Reshape(z, n, batch, (gates+1)*units)
		gate := func(k int) *Node { return SliceAxis(z, 2, AxisRange(k*units, (k+1)*units)) }
		input := Tanh(gate(gates))
		neighbours := func(x *Node) (joint, step *Node) { // those before; zero where there is none
			framed := []*Node{zero, zero}
			if x != nil {
				framed = []*Node{zero, x, zero}
			}
			all := Concatenate(framed, 0)
			of := func(first int) *Node { return SliceAxis(all, 0, AxisRange(first, first+n)) }
			shift := now[0] - diagonals[max(0, d-1)][0]
			return of(shift), of(shift + 1)
		}
		joint, step := neighbours(h)
		recurrent := nn.Product(scope, Reshape(Concatenate([]*Node{joint, step}, 2), n*batch, 2*units), u)
		recurrent = Reshape(recurrent, n, batch, (gates+1)*units)
		expected := Tanh(SliceAxis(recurrent, 2, AxisRange(gates*units, (gates+1)*units)))
		z = Add(z, recurrent)
		tau := Exp(MulScalar(Square(Sub(input, expected)), -trust))
		joint, step = neighbours(c)
		kept := Add(Mul(Sigmoid(OnePlus(gate(1))), joint), Mul(Sigmoid(OnePlus(gate(2))), step))
		c = Add(Mul(tau, Mul(Sigmoid(gate(0)), Tanh(gate(4)))), Mul(OneMinus(tau), kept))
		h = Mul(Sigmoid(gate(3)), Tanh(c))
		hs = append(hs, h)
	}
	return hs
}
