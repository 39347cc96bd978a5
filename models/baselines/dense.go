package baselines

import (
	"github.com/clusterpool/ccp/ccp/nn"
	"github.com/clusterpool/ccp/models"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
)

func init() {
	lacks := []string{"readout_dropout", "batchnorm_epsilon"}
	register("fc", models.Network{About: "fully connected layers", Build: fullyConnected, Hidden: true})
	register("softmax", models.Network{About: "softmax regression", Build: linear, Lacks: lacks})
	register("svm", models.Network{About: "linear support vector machine, one class against the rest", Build: linear,
		Lacks: lacks, Loss: squaredHinge})
	register("bayes", models.Network{About: "multinomial naive Bayes, for counts", Build: linear,
		Lacks: append([]string{"input_dropout", "dtype", "l2"}, lacks...), Options: bayesOptions{}, Fit: fitBayes, Fitted: true})
}

// fullyConnected is a multilayer perceptron over all values of the signal: the readout with nothing before it.
func fullyConnected(scope *model.Scope, spec models.Spec, _ models.Topology, signal *Node) *Node {
	return spec.Readout(scope, signal)
}

// linear is one dense layer over all values of the signal, x·W + b. Softmax regression and the linear support vector
// machine are this network under two losses. Naive Bayes counts its weights. The weights start at zero: the losses are
// convex, and values that the training samples never have must not count.
func linear(scope *model.Scope, spec models.Spec, _ models.Topology, signal *Node) *Node {
	return nn.Dense(scope.In("classes"), Reshape(signal, -1, spec.Nodes*spec.Channels), spec.Classes, 0)
}

// squaredHinge returns the loss of a linear support vector machine with squared slack, one class against the rest. It
// is the mean over the batch of Σ_k max(0, 1 − t_k z_k)². Here t_k is 1 for the sample's class and −1 for the others.
func squaredHinge(labels, predictions []*Node) *Node {
	z := predictions[0]
	sign := AddScalar(MulScalar(OneHot(Reshape(labels[0], z.Shape().Dim(0)), z.Shape().Dim(1), z.DType()), 2), -1)
	slack := Max(OneMinus(Mul(sign, z)), ZerosLike(z))
	return ReduceAllMean(ReduceSum(Square(slack), 1))
}
