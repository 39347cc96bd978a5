package training

import (
	"math"

	"github.com/clusterpool/ccp/ccp/nn"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/train/loss"
)

// mixup mixes each sample with the one at its place in the reversed batch (Zhang et al. 2018): λ·x + (1 − λ)·reversed x.
// The samples of a batch come in a random order, so its reverse pairs them at random.
//
// λ, `[batch]`, is drawn for each sample from Beta(a, a), and is the larger of λ and 1 − λ: as the distribution is symmetric that only
// says which of a pair is called the first, and a sample's own label is always that of its larger part. signals and mixed:
// `[batch, nodes, channels]`.
func mixup(scope *model.Scope, signals *Node, a float64) (mixed, lambda *Node) {
	size := signals.Shape().Dim(0)
	lambda = largerShare(nn.Uniform(scope, signals, "mixup radius", size), nn.Uniform(scope, signals, "mixup angle", size), a)
	share := Reshape(lambda, size, 1, 1)
	return Add(Mul(share, signals), Mul(OneMinus(share), Reverse(signals, 0))), lambda
}

// largerShare turns two uniform numbers of [0, 1) into max(λ, 1 − λ) of λ ~ Beta(a, a). With q = u^{1/a}, T = √(2a(1/q − 1))·cos 2πv has
// Student's distribution of 2a degrees of freedom (Bailey 1994), and ½ + ½·T/√(2a + T²) has Beta(a, a). It is written so that q may be 0.
func largerShare(u, v *Node, a float64) *Node {
	q := Pow(u, Scalar(u.Graph(), u.DType(), 1/a))
	t := Mul(OneMinus(q), Square(Cos(MulScalar(v, 2*math.Pi)))) // T²·q/2a
	return AddScalar(MulScalar(Sqrt(Div(t, Add(q, t))), 0.5), 0.5)
}

// mixedCrossEntropy is the cross entropy to λ·y + (1 − λ)·reversed y of one-hot labels y, of which a share is spread over all classes. The
// predictions are logits and mixup's λ; in an evaluation, where nothing is mixed, logits alone.
func mixedCrossEntropy(share float64) loss.LossFn {
	return func(labels, predictions []*Node) *Node {
		if len(predictions) == 1 {
			return smoothedCrossEntropy(share)(labels, predictions)
		}
		z := predictions[0]
		size, classes := z.Shape().Dim(0), z.Shape().Dim(1)
		y, lambda := OneHot(Reshape(labels[0], size), classes, z.DType()), Reshape(predictions[1], size, 1)
		mixed := Add(Mul(lambda, y), Mul(OneMinus(lambda), Reverse(y, 0)))
		target := AddScalar(MulScalar(mixed, 1-share), share/float64(classes))
		return loss.CategoricalCrossEntropyLogits([]*Node{target}, []*Node{z})
	}
}
