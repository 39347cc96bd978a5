package models

import (
	"fmt"
	"math"

	"github.com/clusterpool/ccp/ccp/nn"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
)

// spatioTemporalLSTM is ST-LSTM with tree traversal and trust gates (Liu et al. 2016), two layers: an LSTM over joints, in the order of a walk
// through the skeleton, and over time, with dropout after each. Every cell, a joint of the walk in a step, answers by one class layer for
// all. All answers have a loss, and a prediction is the mean of their probabilities.
func spatioTemporalLSTM(scope *model.Scope, spec Spec, graph Topology, signal *Node) *Node {
	x := framesOf(scope, spec, signal, optionsOf(scope).Segments)
	steps, batch, joints := x.Shape().Dim(0), x.Shape().Dim(1), x.Shape().Dim(2)
	walk := walkOf(bonesOf(graph.Matrix, joints), joints)
	diagonals := diagonalsOf(len(walk), steps)
	x = Reshape(TransposeAllDims(x, 0, 2, 1, 3), steps*joints, batch, spec.Channels)
	tables := scope.In(GraphScope)
	var cells []*Node // of each diagonal
	for d, of := range diagonals {
		var rows []int32
		for j := of[0]; j < of[1]; j++ {
			rows = append(rows, int32((d-j)*joints+walk[j]))
		}
		cells = append(cells, Gather(x, nn.Indices(tables, x.Graph(), fmt.Sprintf("diagonal_%d", d+1), rows)))
	}
	classes := scope.In("classes")
	rate := optionsOf(classes).ReadoutDropout
	for layer := range 2 {
		scope := scope.In("lstm_%d", layer+1)
		cells = trustLSTM(scope, cells, diagonals, optionsOf(scope).Units)
		for d, h := range cells {
			cells[d] = nn.Dropout(scope.In("diagonal_%d", d+1), h, rate)
		}
	}
	all := Concatenate(cells, 0)
	answers := all.Shape().Dim(0)
	all = nn.Dense(classes, Reshape(all, answers*batch, all.Shape().Dim(-1)), spec.Classes, 1)
	return TransposeAllDims(Reshape(all, answers, batch, spec.Classes), 1, 0, 2)
}

// diagonalsOf gives the joints j, from the first to before the second number, of each diagonal of cells (j, t), those of j + t = d. A
// cell depends on two of the diagonal before.
func diagonalsOf(joints, steps int) (diagonals [][2]int) {
	for d := range joints + steps - 1 {
		diagonals = append(diagonals, [2]int{max(0, d-steps+1), min(d+1, joints)})
	}
	return diagonals
}

// trustLSTM is a layer of ST-LSTM with trust gates τ. h_s and c_s are the output and the memory of the joint before, h_t and c_t of the step before:
//
//	i, f_s, f_t, o = σ(W x + U [h_s, h_t] + b), where a 1 is added for f_s and f_t;  u = tanh(W x + U [h_s, h_t] + b), each with its own W, U and b;
//	p = tanh(M_p [h_s, h_t]);  τ = exp(−½ (tanh(M_x x) − p)²), which trusts an input that is as expected;
//	c = τ·i·u + (1 − τ)·f_s·c_s + (1 − τ)·f_t·c_t;  h = o·tanh c.
//
// The cells of a diagonal are computed together. xs: `[cells, batch, values]` of each diagonal, results `[cells, batch, units]`.
func trustLSTM(scope *model.Scope, xs []*Node, diagonals [][2]int, units int) (hs []*Node) {
	const gates, trust = 5, 0.5
	first := xs[0]
	g, dtype, batch, in := first.Graph(), first.DType(), first.Shape().Dim(1), first.Shape().Dim(2)
	weights := func(scope *model.Scope, in int) *Node { // of the gates, and of the trust gate
		variable := func(scope *model.Scope, out int) *Node {
			return nn.NormalVariable(scope, "W", 0, 1/math.Sqrt(float64(in)), dtype, in, out).NodeValue(g)
		}
		return nn.Decay(scope, Concatenate([]*Node{variable(scope, gates*units), variable(scope.In("trust"), units)}, 1))
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
		neighbours := func(x *Node) (joint, step *Node) { // of the joint before and of the step before; zero where there is none
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
