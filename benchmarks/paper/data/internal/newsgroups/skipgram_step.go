package newsgroups

import (
	"fmt"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
)

// batch is the input of a step. With a leading axis of steps it is the input of a loop.
type batch struct {
	input, output *Node // `[pairs]`: the word whose vector predicts, and the word it predicts
	rate          *Node // `[pairs]`: learning rate, 0 for padding
	negative      *Node // `[shared]`: words drawn as noise, for all pairs of the batch
}

// step takes one step of stochastic gradient descent on the negative sampling objective (Mikolov et al. 2013, eq. 4),
//
//	log σ(u_i·v_o) + Σ_n (negatives/shared) log σ(−u_i·v_n)
//
// summed over the batch's pairs (i, o). The u are rows of vectors, the v rows of outputs, both `[words, dim]`. The
// paper draws the noise words n for each pair. Here all pairs share them, which makes one matrix product. A noise word
// equal to the pair's o is skipped. The results are the new vectors and outputs, the negative objective and the number
// of pairs without padding. The step writes only the rows of the batch's words.
func step(vectors, outputs *Node, b batch, negatives int) (newVectors, newOutputs, loss, pairs *Node) {
	dtype := vectors.DType()
	inputRows, outputRows, negativeRows := InsertAxes(b.input, -1), InsertAxes(b.output, -1), InsertAxes(b.negative, -1)
	u, v, n := Gather(vectors, inputRows), Gather(outputs, outputRows), Gather(outputs, negativeRows)
	rate := InsertAxes(b.rate, -1)                      // [pairs, 1]
	positive := ReduceAndKeep(Mul(u, v), ReduceSum, -1) // [pairs, 1]
	noise := MatMul(u, Transpose(n, 0, 1))              // [pairs, shared]

	real := ConvertDType(GreaterThan(rate, ZerosLike(rate)), dtype)
	other := ConvertDType(NotEqual(outputRows, InsertAxes(b.negative, 0)), dtype)
	weight := MulScalar(Mul(real, other), float64(negatives)/float64(b.negative.Shape().Size())) // [pairs, shared]
	loss = Add(ReduceAllSum(Mul(real, Softplus(Neg(positive)))), ReduceAllSum(Mul(weight, Softplus(noise))))

	dPositive := Mul(rate, Sigmoid(Neg(positive)))        // [pairs, 1]
	dNoise := Neg(Mul(Mul(rate, weight), Sigmoid(noise))) // [pairs, shared]
	newVectors = ScatterSum(vectors, inputRows, Add(Mul(dPositive, v), MatMul(dNoise, n)), false, false)
	newOutputs = ScatterSum(outputs, outputRows, Mul(dPositive, u), false, false)
	newOutputs = ScatterSum(newOutputs, negativeRows, MatMul(Transpose(dNoise, 0, 1), u), false, false)
	return newVectors, newOutputs, loss, ReduceAllSum(real)
}

// runSteps runs the first `steps` (a scalar) steps of b, whose parts have a leading axis of steps. It returns the new
// vectors and outputs, and the mean loss of the pairs. One graph with a loop is many times faster than a call for each
// step. In a loop XLA changes rows in place, while each call copies both matrices.
func runSteps(vectors, outputs, steps *Node, b batch, negatives int) (newVectors, newOutputs, loss *Node) {
	g := vectors.Graph()
	// Scalar would share equal constants across functions, but in XLA each function can use only its own.
	constant := func(value any) *Node { return ConstTensor(g, tensors.MustFromAnyValue(value)) }
	state := []*Node{constant(int32(0)), steps, vectors, outputs, constant(float32(0)), constant(float32(0)), b.input,
		b.output, b.rate, b.negative}
	parameters := func(g *Graph) []*Node {
		p := make([]*Node, len(state))
		for i, s := range state {
			p[i] = Parameter(g, fmt.Sprintf("state_%d", i), s.Shape())
		}
		return p
	}
	body := NewClosure(g, func(g *Graph) []*Node {
		p := parameters(g)
		at := InsertAxes(p[0], 0)
		current := batch{Gather(p[6], at), Gather(p[7], at), Gather(p[8], at), Gather(p[9], at)}
		newVectors, newOutputs, loss, pairs := step(p[2], p[3], current, negatives)
		return append([]*Node{AddScalar(p[0], 1), p[1], newVectors, newOutputs, Add(p[4], loss), Add(p[5], pairs)}, p[6:]...)
	})
	more := NewClosure(g, func(g *Graph) []*Node {
		p := parameters(g)
		return []*Node{LessThan(p[0], p[1])}
	})
	state = While(more, body, state...)
	return state[2], state[3], Div(state[4], state[5])
}
