// Package benchmarks measures training and inference at the sizes of the paper, beside the machine's own rate of dense
// matrix products. `go test -bench . ./benchmarks` runs all of it.
package benchmarks

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/clusterpool/ccp/ccp"
	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/models"
	"github.com/clusterpool/ccp/models/training"
	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/train"
)

// Architectures are the paper's three, with the shapes of their data.
var Architectures = map[string]models.Spec{
	"cifar10": {Nodes: 1024, Channels: 3, Classes: 10},
	"20news":  {Nodes: 10000, Channels: 1, Classes: 20},
	"ntu":     {Nodes: 2000, Channels: 6, Classes: 60},
}

// Modes are what a Workload can do in a step: train, classify with the hierarchy frozen, or classify computing the
// hierarchy anew.
var Modes = []string{"train", "infer-frozen", "infer-learned"}

// Workload is a network of the paper on synthetic signals. A Step is what is timed: it ends when its result is at hand.
type Workload struct {
	Spec  models.Spec
	Batch int
	// Flops of the filters and dense layers in a step: the matrix products that no implementation can avoid.
	// Training counts the forward product and the two of its gradient.
	Flops float64
	step  func() (float64, error)
	run   int
}

// New builds a workload of one of the Architectures, or of "lattice-N": N nodes of degree 16 with 8 channels, to see how cost
// grows with the graph. params are options of the model (Param… constants).
func New(backend compute.Backend, arch, mode string, batch int, params map[string]any) (*Workload, error) {
	spec, ok := Architectures[arch]
	if side, isLattice := latticeSide(arch); isLattice {
		spec = lattice(side)
	} else if !ok {
		return nil, fmt.Errorf("there is no architecture %q", arch)
	} else {
		spec.Architecture = models.Preset(arch, spec.Nodes)
	}
	spec.Model, spec.Params = "ccp", params
	graph, err := graphOf(arch)
	if err != nil {
		return nil, err
	}
	w := &Workload{Spec: spec, Batch: batch, Flops: float64(batch) * flops(spec)}
	signals, labels := synthetic(spec, batch, arch == "20news")
	switch mode {
	case "train":
		w.Flops *= 3
		store := spec.NewStore(1)
		if spec.PreparedBefore() {
			if _, err := spec.Prepare(context.Background(), backend, store, graph, nil); err != nil {
				return nil, err
			}
		}
		trainer := training.NewTrainer(backend, store, training.Defaults(arch, "ccp"), spec, graph, 1000)
		w.step = func() (float64, error) {
			i := w.run % len(signals)
			x, err := signals[i].LocalClone() // a trainer consumes its batch, as it does those that a data set prepares
			if err != nil {
				return 0, err
			}
			y, err := labels[i].LocalClone()
			if err != nil {
				return 0, err
			}
			batch := train.Batch{Inputs: []*tensors.Tensor{x}, Labels: []*tensors.Tensor{y}}
			if every, ok := params[ccp.ParamRefresh].(float64); ok && w.run%int(every) != 0 {
				batch.Spec = training.Reuse
			}
			metrics, err := trainer.TrainStep(batch)
			if err != nil {
				return 0, err
			}
			return float64(metrics[0].Value().(float32)), nil
		}
	case "infer-frozen", "infer-learned":
		m := models.Metadata{Spec: spec}
		classifier, err := models.NewClassifier(backend, m, graph)
		if err != nil {
			return nil, err
		}
		if mode == "infer-frozen" {
			if err := classifier.Update(classifier.Store()); err != nil {
				return nil, err
			}
		}
		w.step = func() (float64, error) {
			out, err := classifier.Run(signals[w.run%len(signals)])
			if err != nil {
				return 0, err
			}
			return float64(tensors.MustCopyFlatData[float32](out)[0]), nil
		}
	default:
		return nil, fmt.Errorf("there is no mode %q", mode)
	}
	return w, nil
}

// Step does one step and returns the loss, or a logit.
func (w *Workload) Step() (float64, error) {
	v, err := w.step()
	w.run++
	return v, err
}

// flops of one sample's forward pass in matrix products.
func flops(spec models.Spec) (sum float64) {
	channels, clusters := spec.Channels, spec.Nodes
	for _, l := range spec.Levels {
		sum += 2 * float64(l.Clusters) * float64(l.Neighbours*channels) * float64(l.Filters)
		channels, clusters = l.Filters, l.Clusters
	}
	width := channels * clusters
	for _, next := range append(append([]int{}, spec.Hidden...), spec.Classes) {
		sum += 2 * float64(width) * float64(next)
		width = next
	}
	return sum
}

// graphOf makes the paper's graph, with random points in place of word vectors for 20NEWS.
func graphOf(arch string) (*affinity.Matrix, error) {
	switch arch {
	case "cifar10":
		return affinity.Grid(32, 32, 8)
	case "ntu":
		return affinity.SpaceTime(ntuBones, 25, 80)
	}
	if side, ok := latticeSide(arch); ok {
		return latticeGraph(side)
	}
	rng := rand.New(rand.NewPCG(1, 1))
	points := make([]float64, 10000*10)
	for i := range points {
		points[i] = rng.NormFloat64()
	}
	return affinity.KNN(points, 10000, 10, 16, affinity.Euclidean)
}

// ntuBones are the bones of NTU RGB+D's 25 joints, counted from 0.
var ntuBones = [][2]int{{0, 1}, {1, 20}, {2, 20}, {3, 2}, {4, 20}, {5, 4}, {6, 5}, {7, 6}, {8, 20}, {9, 8}, {10, 9}, {11, 10},
	{12, 0}, {13, 12}, {14, 13}, {15, 14}, {16, 0}, {17, 16}, {18, 17}, {19, 18}, {21, 22}, {22, 7}, {23, 24}, {24, 11}}

// synthetic makes four batches of normal signals, or of bags of words, with random labels.
func synthetic(spec models.Spec, batch int, words bool) (signals, labels []*tensors.Tensor) {
	rng := rand.New(rand.NewPCG(2, 2))
	for range 4 {
		x := make([]float32, batch*spec.Nodes*spec.Channels)
		for i := range x {
			if !words {
				x[i] = float32(rng.NormFloat64())
			} else if rng.IntN(64) == 0 {
				x[i] = 1.0 / 150
			}
		}
		y := make([]int32, batch)
		for i := range y {
			y[i] = int32(rng.IntN(spec.Classes))
		}
		signals = append(signals, tensors.FromFlatDataAndDimensions(x, batch, spec.Nodes, spec.Channels))
		labels = append(labels, tensors.FromFlatDataAndDimensions(y, batch, 1))
	}
	return signals, labels
}

// MatmulFlops is the work of one call of Matmul.
const MatmulFlops = 2 * 4096 * 4096 * 512

// Matmul returns a function that multiplies a [4096, 4096] by a [4096, 512] matrix, about the shape of CIFAR-10's second
// level at batch 64: the rate that the machine can reach.
func Matmul(backend compute.Backend) (func() error, error) {
	a := tensors.FromShape(shapes.Make(dtypes.Float32, 4096, 4096))
	b := tensors.FromShape(shapes.Make(dtypes.Float32, 4096, 512))
	for _, t := range []*tensors.Tensor{a, b} {
		tensors.MustMutableFlatData(t, func(v []float32) {
			for i := range v {
				v[i] = float32(i%7) - 3
			}
		})
	}
	exec, err := NewExec(backend, func(a, b *Node) *Node { return ReduceAllMax(Dot(a, b).Product()) })
	if err != nil {
		return nil, err
	}
	return func() error { _, err := exec.Call(a, b); return err }, nil
}
