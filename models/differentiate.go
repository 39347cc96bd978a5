package models

import (
	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
)

// differentiated is the graph of a network's logits and of the gradient of one of them, for each signal, with respect to that
// signal. signal: `[batch, nodes, channels]`; class: int32 `[batch]`, whose logit it is, or a negative number for the greatest.
// Results: logits `[batch, classes]` and the gradient, of the signal's shape. Signals must not see each other in the network,
// as they do not outside of training: the gradient is that of the sum over the batch.
func differentiated(network func(scope *model.Scope, signal *Node) *Node) func(scope *model.Scope, signal, class *Node) (logits, gradient *Node) {
	return func(scope *model.Scope, signal, class *Node) (logits, gradient *Node) {
		logits = network(scope, signal)
		class = Where(IsNegative(class), ArgMax(logits, -1, dtypes.Int32), class)
		chosen := Mul(logits, OneHot(class, logits.Shape().Dim(1), logits.DType()))
		return logits, Gradient(ReduceAllSum(chosen), signal)[0]
	}
}
