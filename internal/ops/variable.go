package ops

import (
	"math"
	"slices"

	"github.com/clusterpool/ccp/internal/variables"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
)

// SurveyParam is a parameter of a network that is built only to learn its levels and its weights. A frozen hierarchy
// may be missing then. The parameter is how many nodes a residual block reads at most.
const SurveyParam = "survey"

// LossParam is a graph's parameter: the dtypes.DType of the loss that levels subtract their objectives from, if it can
// be another than that of the signal.
const LossParam = "loss"

// Constant keeps a value in a variable of scope that is not trained: the graph then holds no big constants. Whoever
// builds the network makes the value anew, so that no checkpoint has it, see variables.Made.
func Constant(scope *model.Scope, g *Graph, name string, value *tensors.Tensor) *Node {
	return variables.Made(scope.VariableWithValue(name, value)).NodeValue(g)
}

// Parameters makes parameters of g out of all variables that are now in the store. For pure Go, GoMLX would build their
// values into a program that does not train, which would miss every change of them.
func Parameters(store *model.Store, g *Graph) {
	if store.IsTraining(g) || !g.Backend().Capabilities().PreferConstantsForVariables {
		return
	}
	store.SetTraining(g, true)
	for v := range store.IterVariables() {
		v.NodeValue(g)
	}
	store.SetTraining(g, false)
}

// Plus is a + b, or b where a is nil: sums begin with nil.
func Plus(a, b *Node) *Node {
	if a == nil {
		return b
	}
	return Add(a, b)
}

// Indices is Constant of rows to gather, `[rows, 1]`, or of the dimensions given.
func Indices(scope *model.Scope, g *Graph, name string, rows []int32, dims ...int) *Node {
	if dims == nil {
		dims = []int{len(rows), 1}
	}
	return Constant(scope, g, name, tensors.FromFlatDataAndDimensions(rows, dims...))
}

// Kernel is the name of the weights of dense layers and convolutions.
const Kernel = "W"

// ReadKernel reads the weights of the dense layer or filter in scope, of the shape dims, and the bias `[outputs]`, in
// float32. Those of a dense layer are `[in, outputs]`.
func ReadKernel(scope *model.Scope, outputs int, dims ...int) (weights, bias []float32, err error) {
	weights, err = variables.Read[float32](scope, Kernel, dims...)
	if err == nil {
		bias, err = variables.Read[float32](scope, "b", outputs)
	}
	return weights, bias, err
}

// ReadFolded is ReadKernel of a layer with batch normalisation, which the weights and the bias take in. The layer gives
// scale·(x·W + b) + shift, with the scale γ/√(variance + ε) and the shift offset − mean·scale: so the weights are
// scale·W and the bias is scale·b + shift, in float64, rounded once. γ is the variable "scale" of the normalisation.
// output is the output that weight i belongs to.
func ReadFolded(scope *model.Scope, epsilon float64, outputs int, dims []int, output func(i int) int) (weights,
	bias []float32, err error) {
	weights, bias, err = ReadKernel(scope, outputs, dims...)
	if err != nil {
		return nil, nil, err
	}
	scope = scope.In("batch_norm")
	var read [4][]float32
	for i, name := range []string{"scale", "offset", "mean", "variance"} {
		read[i], err = variables.Read[float32](scope, name, outputs)
		if err != nil {
			return nil, nil, err
		}
	}
	gamma, offset, mean, variance := read[0], read[1], read[2], read[3]
	scale := make([]float64, outputs)
	for j := range scale {
		scale[j] = float64(gamma[j]) / math.Sqrt(float64(variance[j])+epsilon)
		shift := float64(offset[j]) - float64(mean[j])*scale[j]
		bias[j] = float32(float64(bias[j])*scale[j] + shift)
	}
	for i, w := range weights {
		weights[i] = float32(float64(w) * scale[output(i)])
	}
	return weights, bias, nil
}

// Buckets parts rows of different widths into buckets of similar ones, so that a table for each bucket, as wide as its
// widest row, has little padding. Rows are sorted by width, the widest first; a bucket ends before the first row of
// which together reports that it does not belong to the bucket's widest. place has each row's position in the
// concatenated buckets.
func Buckets(widths []int, together func(widest, width int) bool) (buckets [][]int32, place []int32) {
	order := make([]int32, len(widths))
	place = make([]int32, len(widths))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortStableFunc(order, func(i, j int32) int { return widths[j] - widths[i] })
	for at, i := range order {
		place[i] = int32(at)
	}
	for start, end := 0, 1; end <= len(order); end++ {
		if end == len(order) || !together(widths[order[start]], widths[order[end]]) {
			buckets, start = append(buckets, order[start:end]), end
		}
	}
	return buckets, place
}
