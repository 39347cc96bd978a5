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

// loopState is what a loop over steps hands on from each step to the next.
type loopState struct {
	done, count      *Node // scalars: how many steps are done, and are to be done
	vectors, outputs *Node // as of step
	loss, pairs      *Node // scalars: sums over the steps done
	steps            batch // the input of all steps
}

// nodes lists the parts of the state in the order of a loop's parameters.
func (s loopState) nodes() []*Node {
	return []*Node{s.done, s.count, s.vectors, s.outputs, s.loss, s.pairs, s.steps.input, s.steps.output, s.steps.rate,
		s.steps.negative}
}

// stateOf is the state whose nodes are given.
func stateOf(n []*Node) loopState {
	return loopState{done: n[0], count: n[1], vectors: n[2], outputs: n[3], loss: n[4], pairs: n[5],
		steps: batch{input: n[6], output: n[7], rate: n[8], negative: n[9]}}
}

// runSteps runs the first count steps of b, whose parts have a leading axis of steps; count is a scalar. It returns the
// new vectors and outputs, and the mean loss of the pairs. One graph with a loop is many times faster than a call for
// each step. In a loop XLA changes rows in place, while each call copies both matrices.
func runSteps(vectors, outputs, count *Node, b batch, negatives int) (newVectors, newOutputs, loss *Node) {
	g := vectors.Graph()
	// Scalar would share equal constants across functions, but in XLA each function can use only its own.
	constant := func(value any) *Node { return ConstTensor(g, tensors.MustFromAnyValue(value)) }
	begin := loopState{done: constant(int32(0)), count: count, vectors: vectors, outputs: outputs,
		loss: constant(float32(0)), pairs: constant(float32(0)), steps: b}.nodes()
	parameters := func(g *Graph) loopState {
		p := make([]*Node, len(begin))
		for i, node := range begin {
			p[i] = Parameter(g, fmt.Sprintf("state_%d", i), node.Shape())
		}
		return stateOf(p)
	}
	body := NewClosure(g, func(g *Graph) []*Node {
		s := parameters(g)
		at := InsertAxes(s.done, 0)
		current := batch{input: Gather(s.steps.input, at), output: Gather(s.steps.output, at),
			rate: Gather(s.steps.rate, at), negative: Gather(s.steps.negative, at)}
		newVectors, newOutputs, loss, pairs := step(s.vectors, s.outputs, current, negatives)
		return loopState{done: AddScalar(s.done, 1), count: s.count, vectors: newVectors, outputs: newOutputs,
			loss: Add(s.loss, loss), pairs: Add(s.pairs, pairs), steps: s.steps}.nodes()
	})
	more := NewClosure(g, func(g *Graph) []*Node {
		s := parameters(g)
		return []*Node{LessThan(s.done, s.count)}
	})
	end := stateOf(While(more, body, begin...))
	return end.vectors, end.outputs, Div(end.loss, end.pairs)
}
