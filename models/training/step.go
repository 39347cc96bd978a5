package training

import (
	"fmt"

	"github.com/clusterpool/ccp/ccp"
	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/internal/backend"
	"github.com/clusterpool/ccp/internal/ops"
	"github.com/clusterpool/ccp/internal/variables"
	"github.com/clusterpool/ccp/models"
	"github.com/clusterpool/ccp/models/internal/prob"
	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/model/initializer"
	"github.com/gomlx/gomlx/ml/train"
	"github.com/gomlx/gomlx/ml/train/loss"
	"github.com/gomlx/gomlx/ml/train/metric"
	"github.com/gomlx/gomlx/ml/train/optimizer"
)

// NewTrainer makes the GoMLX trainer of a configuration. Its parts are the spec's network, the loss, AdamW, and the
// schedule over so many steps. The loss is the cross entropy minus the objectives. If Average is set, the trainer
// keeps moving averages of the weights.
//
// Its metrics, after GoMLX's own two, are the batch's cross entropy, its accuracy and each level's objective, if it
// changes. Before its first step it compiles for batches of c.Batch samples, so that batches should have as many.
func NewTrainer(b compute.Backend, store *model.Store, c Config, spec models.Spec, graph *affinity.Matrix,
	steps int) *train.Trainer {
	network := func(scope *model.Scope, _ any, inputs []*Node) []*Node {
		g := inputs[0].Graph()
		if c.Average > 0 {
			average := func(scope *model.Scope, g *Graph) { averageWeights(scope.Store(), g, c.Average) }
			train.AddPerStepUpdateGraphFn(scope, g, average)
		}
		return []*Node{spec.Build(scope, models.Topology{Matrix: graph}, inputs[0])}
	}
	metrics := []metric.Interface{
		metric.NewBaseMetric("cross entropy", "loss", metric.LossMetricType, func(scope *model.Scope, labels,
			predictions []*Node) *Node {
			g := predictions[0].Graph()
			if scope.IsTraining(g) { // GoMLX's own metrics came before, so that nothing changes a variable after this
				inPlace(scope.Store(), g)
			}
			return train.GetMainLoss(g)
		}, nil),
		metric.NewBaseMetric("accuracy", "acc", metric.AccuracyMetricType, func(_ *model.Scope, labels,
			predictions []*Node) *Node {
			hit := Equal(ArgMax(prob.Average(predictions[0]), -1, dtypes.Int32), Reshape(labels[0],
				labels[0].Shape().Size()))
			return ReduceAllMean(ConvertDType(hit, dtypes.Float32))
		}, nil),
	}
	for i := range spec.Levels {
		if !spec.Learns() { // no level's objective changes in training
			break
		}
		name := fmt.Sprintf("objective %d", i+1)
		metrics = append(metrics, metric.NewBaseMetric(name, name, "objective", func(scope *model.Scope, _,
			predictions []*Node) *Node {
			g := predictions[0].Graph()
			if levels := ccp.Levels(scope.Store(), g); i < len(levels) && levels[i].Objective != nil {
				return levels[i].Objective
			}
			return ScalarZero(g, dtypes.Float32)
		}, nil))
	}
	rate := func(scope *model.Scope, g *Graph) *Node { return schedule(scope, g, c, steps) }
	adam := adamW{optimizer.Adam().Done(), rate, c.WeightDecay}
	trainer := train.NewTrainer(b, store, network, lossOf(c, spec), adam, metrics, nil)
	if c.Batch > 0 {
		trainer.OnExecCreation(func(exec *model.Exec, of train.GraphType) {
			if of == train.TrainType {
				// If one of these fails, the step does in the same way.
				_, _ = compile(exec, inputOf(c, spec))
				_ = initialize(exec, store)
			}
		})
	}
	return trainer
}

// inputOf returns the shape of a step's samples, `[batch, nodes, channels]`.
func inputOf(c Config, spec models.Spec) shapes.Shape {
	return shapes.Make(dtypes.Float32, c.Batch, spec.Nodes, spec.Channels)
}

// compile compiles a step for batches of that shape. GoMLX would do so within the first step, on top of the memory of
// compiling: several hundred megabytes, which are free after it.
func compile(exec *model.Exec, input shapes.Shape) (*Graph, error) {
	var arguments []shapes.Shape
	for range exec.NumDevices() {
		for _, whole := range []shapes.Shape{input, shapes.Make(dtypes.Int32, input.Dim(0), 1)} {
			part := whole.Clone()
			part.Dimensions[0] /= exec.NumDevices()
			arguments = append(arguments, part)
		}
	}
	return exec.Compile(arguments...)
}

// mostInGo is how many first values of weights are computed in pure Go, in about a second.
const mostInGo = 1 << 22

// initialize gives the variables of a compiled step their first values in pure Go: XLA would compile a program for
// that, which takes longer than to compute them once. Where they are very many, or devices share a batch, GoMLX does
// it.
func initialize(exec *model.Exec, store *model.Store) error {
	values := 0
	for v := range store.IterVariables() {
		if !v.HasValue() {
			values += v.Shape().Size()
		}
	}
	if values > mostInGo || exec.NumDevices() > 1 {
		return nil
	}
	pure, err := pureGo()
	if err != nil {
		return err
	}
	if err := store.InitializeVariables(pure, nil); err != nil {
		return err
	}
	for v := range store.IterVariables() { // the state of the random numbers, too, has been on that backend
		value, err := v.Value()
		if err == nil {
			err = value.ToLocal()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// inPlace makes a step write the new values of variables over the old ones. The values are the step's first results,
// in the store's order. If devices share a batch, the results are not those of one program's parameters, and inPlace
// does nothing.
func inPlace(store *model.Store, g *Graph) {
	if g.NumDevices() > 1 {
		return
	}
	result := 0
	for v := range store.IterVariables() {
		if !v.ChangedInGraph(g) {
			continue
		}
		if !backend.Reuse(g.GetParameterByName(v.Path()), result) {
			return
		}
		result++
	}
}

// lossOf returns the task's loss for a model.
func lossOf(c Config, spec models.Spec) loss.LossFn {
	if own := spec.Network().Loss; own != nil {
		return func(labels, predictions []*Node) *Node { return ops.Rounded(own(labels, predictions), dtypes.Float32) }
	}
	return ofEachPrediction(smoothedCrossEntropy(c.LabelSmoothing))
}

// ofEachPrediction returns the mean of a loss over a sample's predictions, which share its label. See
// models.Spec.Build.
func ofEachPrediction(of loss.LossFn) loss.LossFn {
	return func(labels, predictions []*Node) *Node {
		z := predictions[0]
		if z.Rank() == 2 {
			return of(labels, predictions)
		}
		size, each := z.Shape().Dim(0), z.Shape().Dim(1)
		repeated := Reshape(BroadcastToDims(Reshape(labels[0], size, 1), size, each), size*each, 1)
		return of([]*Node{repeated}, []*Node{Reshape(z, size*each, z.Shape().Dim(2))})
	}
}

// smoothedCrossEntropy returns the cross entropy to smoothed labels: a share of each label is spread over all classes
// (Szegedy et al. 2016). With logits z and label y, it is the cross entropy of y plus share·(z_y − mean z).
func smoothedCrossEntropy(share float64) loss.LossFn {
	if share == 0 {
		return loss.SparseCategoricalCrossEntropyLogits
	}
	return func(labels, predictions []*Node) *Node {
		z := predictions[0]
		own := ReduceSum(Mul(z, OneHot(Reshape(labels[0], z.Shape().Dim(0)), z.Shape().Dim(1), z.DType())), 1)
		spread := ReduceAllMean(Sub(own, ReduceMean(z, 1)))
		return Add(ReduceAllMean(loss.SparseCategoricalCrossEntropyLogits(labels, predictions)), MulScalar(spread,
			share))
	}
}

// averageWeights moves the average of each float variable that training changes towards its new value. Batch norm's
// running values are among them. The average becomes d·average + (1 − d)·value. The decay d is min(decay, (1 +
// step)/(10 + step)), so that the start does not hold the average back.
func averageWeights(store *model.Store, g *Graph, decay float64) {
	var weights []*model.Variable
	for v := range store.IterVariables() {
		if variables.IsWeight(v) && (v.DType() == dtypes.Float32 || v.DType() == dtypes.Float64) && v.InUseByGraph(g) &&
			(v.Trainable || v.ChangedInGraph(g)) {
			weights = append(weights, v)
		}
	}
	step := ConvertDType(optimizer.GetGlobalStepVar(store).NodeValue(g), dtypes.Float32)
	d := Min(Scalar(g, dtypes.Float32, decay), Div(AddScalar(step, 1), AddScalar(step, 10)))
	for _, v := range weights {
		average := store.Scope(variables.Average+v.Scope()).WithInitializer(initializer.Zero).
			VariableWithShape(v.Name(), v.Shape()).SetTrainable(false)
		d := ops.Rounded(d, v.DType())
		average.SetNodeValue(Add(Mul(d, average.NodeValue(g)), Mul(OneMinus(d), v.NodeValue(g))))
	}
}
