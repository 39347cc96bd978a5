package speed

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/internal/files"
	"github.com/clusterpool/ccp/internal/npz"
	"github.com/clusterpool/ccp/internal/suggest"
	"github.com/clusterpool/ccp/models"
	"github.com/clusterpool/ccp/models/training"
	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/train"
)

// Modes are the kinds of step: train, or classify with a frozen hierarchy.
var Modes = []string{"train", "infer-frozen"}

// Compile is called before XLA compiles a workload's program.
var Compile = func() {}

// Compiled is called after it.
var Compiled = func() {}

// Workload is a network on synthetic signals.
type Workload struct {
	Spec  models.Spec
	Batch int
	// Flops counts the matrix products of filters and dense layers in a step, which no implementation of CCP can avoid.
	// Training counts the forward product and the two products of its gradient.
	Flops float64
	// Step is the function to time. It returns the loss, or a logit, when the result is ready.
	Step func() (float64, error)
}

// New builds a workload of a Network. It ignores options that the model does not have.
func New(b compute.Backend, arch, mode string, batch int, options models.Patch) (*Workload, error) {
	if !slices.Contains(Modes, mode) {
		return nil, fmt.Errorf("there is no mode %q; %s", mode, suggest.Among(mode, Modes))
	}
	spec, a, err := Network(arch)
	if err != nil {
		return nil, err
	}
	own := spec.Values()
	for path, value := range options {
		if own[path] == nil {
			continue
		}
		err := spec.Put(path, value)
		if err != nil {
			return nil, err
		}
	}
	spec = training.AutoFill(spec)
	err = spec.Check()
	if err != nil {
		return nil, err
	}
	w := &Workload{Spec: spec, Batch: batch, Flops: float64(batch) * flops(spec)}
	signals, labels := synthetic(arch, spec, batch)
	if mode == "train" {
		w.Flops *= 3
		w.Step, err = trainingStep(b, arch, batch, spec, a, signals, labels)
	} else {
		w.Step, err = inference(b, spec, a, signals)
	}
	if err != nil {
		return nil, err
	}
	return w, nil
}

// trainingStep returns a function that trains for one step on the next of the signals.
func trainingStep(b compute.Backend, arch string, batch int, spec models.Spec, a *affinity.Matrix,
	signals, labels []*tensors.Tensor) (func() (float64, error), error) {
	store := spec.NewStore(1)
	_, err := spec.Prepare(context.Background(), b, store, a, nil, nil)
	if err != nil {
		return nil, err
	}
	config, err := training.Preview(training.Patch{"data": arch, "model": spec.Model})
	if err != nil {
		return nil, err
	}
	config.Batch = batch
	trainer := training.NewTrainer(b, store, config, spec, a, 1000)
	trainer.OnExecCreation(func(*model.Exec, train.GraphType) { Compiled() })
	Compile()
	run := -1
	return func() (float64, error) {
		run++
		x, err := signals[run%len(signals)].LocalClone() // a trainer consumes its batch
		if err != nil {
			return 0, err
		}
		y, err := labels[run%len(signals)].LocalClone()
		if err != nil {
			return 0, err
		}
		metrics, err := trainer.TrainStep(train.Batch{Inputs: []*tensors.Tensor{x}, Labels: []*tensors.Tensor{y}})
		if err != nil {
			return 0, err
		}
		loss := float64(metrics[0].Value().(float32))
		for _, m := range metrics {
			m.MustFinalizeAll()
		}
		return loss, nil
	}, nil
}

// inference returns a function that classifies the next of the signals.
func inference(b compute.Backend, spec models.Spec, a *affinity.Matrix,
	signals []*tensors.Tensor) (func() (float64, error), error) {
	classifier, err := models.NewClassifier(b, models.Metadata{Spec: spec}, a)
	if err != nil {
		return nil, err
	}
	_, err = spec.Prepare(context.Background(), b, classifier.Store(), a, nil, nil)
	if err != nil {
		return nil, err
	}
	err = classifier.Update(classifier.Store())
	if err != nil {
		return nil, err
	}
	Compile()
	run := -1
	return func() (float64, error) {
		run++
		out, err := classifier.Run(signals[run%len(signals)])
		if run == 0 {
			Compiled()
		}
		if err != nil {
			return 0, err
		}
		defer out.MustFinalizeAll()
		return float64(tensors.MustCopyFlatData[float32](out)[0]), nil
	}, nil
}

// Write writes a workload to a new folder, for other implementations. It is an error if the folder exists. The files
// are
//
//	network.json  a models.Spec
//	graph.npz     the affinity, for scipy.sparse.load_npz
//	signals.npz   the arrays signals [4, batch, nodes, channels] and labels [4, batch]
func Write(dir, arch string, batch int) error {
	spec, graph, err := Network(arch)
	if err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	if err := files.WriteJSON(filepath.Join(dir, "network.json"), spec); err != nil {
		return err
	}
	if err := graph.WriteFile(filepath.Join(dir, "graph.npz")); err != nil {
		return err
	}
	var x []float32
	var y []int32
	signals, labels := synthetic(arch, spec, batch)
	for i := range signals {
		x = append(x, tensors.MustCopyFlatData[float32](signals[i])...)
		y = append(y, tensors.MustCopyFlatData[int32](labels[i])...)
	}
	return npz.Write(filepath.Join(dir, "signals.npz"), []npz.Named{
		{Name: "signals", Array: &npz.Array{Shape: []int{len(signals), batch, spec.Nodes, spec.Channels}, Data: x}},
		{Name: "labels", Array: &npz.Array{Shape: []int{len(labels), batch}, Data: y}},
	})
}

// flops returns the operations in matrix products of one sample's forward pass.
func flops(spec models.Spec) (sum float64) {
	width := spec.Channels * spec.Nodes
	for _, l := range spec.Layers() {
		sum += 2 * l.Products
		width = l.Clusters * l.Filters
	}
	for _, next := range slices.Concat(spec.Hidden, []int{spec.Classes()}) {
		sum += 2 * float64(width) * float64(next)
		width = next
	}
	return sum
}

// synthetic draws four batches of normal signals with random labels. CCP on 20NEWS gets bags of words.
func synthetic(arch string, spec models.Spec, batch int) (signals, labels []*tensors.Tensor) {
	rng := rand.New(rand.NewPCG(2, 2))
	for range 4 {
		x := make([]float32, batch*spec.Nodes*spec.Channels)
		for i := range x {
			if arch != "20news" {
				x[i] = float32(rng.NormFloat64())
			} else if rng.IntN(64) == 0 {
				x[i] = 1.0 / 150
			}
		}
		y := make([]int32, batch)
		for i := range y {
			y[i] = int32(rng.IntN(spec.Classes()))
		}
		signals = append(signals, tensors.FromFlatDataAndDimensions(x, batch, spec.Nodes, spec.Channels))
		labels = append(labels, tensors.FromFlatDataAndDimensions(y, batch, 1))
	}
	return signals, labels
}
