package baselines

import (
	"context"
	"fmt"
	"math"

	"github.com/clusterpool/ccp/ccp/nn"
	"github.com/clusterpool/ccp/models"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
)

func init() {
	lacks := []string{"readout_dropout", "batchnorm_epsilon"}
	models.Register("fc", models.Network{Recipes: recipes, About: "fully connected layers", Build: fullyConnected,
		Hidden: true})
	models.Register("softmax", models.Network{Recipes: recipes, About: "softmax regression", Build: linear, Lacks: lacks})
	models.Register("svm",
		models.Network{Recipes: recipes, About: "linear support vector machine, one class against the rest", Build: linear,
			Lacks: lacks, Loss: squaredHinge})
	models.Register("bayes", models.Network{Recipes: recipes, About: "multinomial naive Bayes, for counts", Build: linear,
		Lacks: append([]string{"input_dropout", "dtype", "l2"}, lacks...), Options: bayesOptions{}, Fit: fitBayes,
		Fitted: true})
}

// fullyConnected is a multilayer perceptron over all values of the signal: the readout with nothing before it.
func fullyConnected(scope *model.Scope, spec models.Spec, _ models.Topology, signal *Node) *Node {
	return spec.Readout(scope, signal)
}

// linear is one dense layer over all values of the signal, x·W + b. Softmax regression and the linear support vector
// machine are this network under two losses. Naive Bayes counts its weights. The weights start at zero: the losses are
// convex, and values that the training samples never have must not count.
func linear(scope *model.Scope, spec models.Spec, _ models.Topology, signal *Node) *Node {
	return nn.Dense(scope.In("classes"), Reshape(signal, -1, spec.Nodes*spec.Channels), spec.Classes(), 0)
}

// squaredHinge returns the loss of a linear support vector machine with squared slack, one class against the rest. It
// is the mean over the batch of Σ_k max(0, 1 − t_k z_k)². Here t_k is 1 for the sample's class and −1 for the others.
func squaredHinge(labels, predictions []*Node) *Node {
	z := predictions[0]
	sign := AddScalar(MulScalar(OneHot(Reshape(labels[0], z.Shape().Dim(0)), z.Shape().Dim(1), z.DType()), 2), -1)
	slack := Max(OneMinus(Mul(sign, z)), ZerosLike(z))
	return ReduceAllMean(ReduceSum(Square(slack), 1))
}

// bayesOptions are the options of naive Bayes.
type bayesOptions struct {
	// Alpha is added to every count; 1 is Laplace's. For counts divided by their sum it should be much smaller.
	Alpha float64 `param:"bayes_alpha" default:"1" rule:"positive"`
}

// fitBayes counts the weights of multinomial naive Bayes (McCallum and Nigam 1998) for one dense layer. Its W is
// `[nodes·channels, classes]`, its b `[classes]`.
//
//	logit_k = log π_k + Σ_j x_j · log θ_kj,  θ_kj = (N_kj + α) / Σ_i (N_ki + α),  π_k = (n_k + α) / Σ_i (n_i + α).
//
// N_kj is the sum of the raw values j over the n_k samples of class k. The network reads (x − mean) / std, which the
// weights undo. The mean over the classes is taken out of each weight. That changes no probability, and sums of large
// counts keep their digits. The error names the first value that is no count.
func fitBayes(_ context.Context, f models.Fitting) (map[string]*tensors.Tensor, error) {
	nodes, channels, classes := f.Spec.Nodes, f.Spec.Channels, f.Spec.Classes()
	alpha := models.OptionsOf[bayesOptions](f.Spec.Options).Alpha
	weights, of := make([][]float64, classes), make([]float64, classes) // first the counts, then their logarithms
	for k := range weights {
		weights[k] = make([]float64, nodes*channels)
	}
	n := 0
	for x, class := range f.Samples {
		for j, v := range x {
			if !(v >= 0) || math.IsInf(float64(v), 1) {
				return nil, fmt.Errorf("training sample %d, node %d, channel %d: the raw value is %g; "+
					"naive Bayes needs counts or other values that are not negative; choose another model for this data",
					n, j/channels, j%channels, v)
			}
			weights[class][j] += float64(v)
		}
		of[class]++
		n++
	}
	logShares(of, alpha)
	for _, counts := range weights {
		logShares(counts, alpha)
	}
	flat, bias := make([]float32, nodes*channels*classes), make([]float32, classes)
	for j := range nodes * channels {
		meanWeight := 0.0
		for k := range weights {
			meanWeight += weights[k][j] / float64(classes)
		}
		for k := range weights {
			weight := weights[k][j] - meanWeight
			flat[j*classes+k] = float32(weight * float64(f.Spec.Std[j%len(f.Spec.Std)]))
			of[k] += weight * float64(f.Spec.Mean[j%len(f.Spec.Mean)])
		}
	}
	for k, v := range of {
		bias[k] = float32(v)
	}
	return map[string]*tensors.Tensor{"classes/W": tensors.FromFlatDataAndDimensions(flat, nodes*channels, classes),
		"classes/b": tensors.FromFlatDataAndDimensions(bias, classes)}, nil
}

// logShares replaces each count by the logarithm of its share of them all, with alpha added to each.
func logShares(counts []float64, alpha float64) {
	sum := 0.0
	for _, c := range counts {
		sum += c + alpha
	}
	for j, c := range counts {
		counts[j] = math.Log((c + alpha) / sum)
	}
}
