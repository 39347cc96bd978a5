// Command mixed builds a network of its own out of levels of package ccp and layers of GoMLX. It has eight prepared
// hierarchies of the digits' graph. It trains the network in GoMLX's train.Loop and writes a checkpoint that models.Load
// reads.
//
//	go run ./examples/mixed [DIRECTORY]
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/clusterpool/ccp/ccp"
	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/models"
	"github.com/clusterpool/ccp/models/training"
	"github.com/gomlx/compute"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/layers"
	"github.com/gomlx/gomlx/ml/layers/activation"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/train"
	"github.com/gomlx/gomlx/ml/train/loss"
	"github.com/gomlx/gomlx/ml/train/optimizer"
)

// The program that loads the checkpoint registers the network, too.
func init() {
	models.Register("mixed", models.Network{About: "three levels of clusters and GoMLX's dense layers", Build: network,
		Clusters: true})
}

// network has three levels of clusters, then dense layers. A training step computes one hierarchy, a prediction all
// eight at once. x: [batch, 64, 1], result [batch, classes].
func network(scope *model.Scope, spec models.Spec, graph models.Topology, x *Node) *Node {
	a := graph.Affinity(scope, x)
	x, a = ccp.New(scope.In("level_1"), x, a, 16, 32).Neighbours(9).Done() // [batch, 16, 32], or [batch, 8·16, 32]
	x, a = ccp.New(scope.In("level_2"), x, a, 4, 64).Neighbours(8).Done()
	x, a = ccp.New(scope.In("level_3"), x, a, 1, 128).Neighbours(4).Done()
	x = Reshape(x, -1, 128) // a row for each sample and hierarchy
	x = activation.Relu(layers.Dense(scope.In("hidden"), x, true, 64))
	return a.Mean(layers.Dense(scope.In("classes"), x, true, spec.Classes()))
}

// trained prepares the hierarchies and trains the network.
func trained(ctx context.Context, backend compute.Backend, data *datasets.Dataset, steps int) (*models.Classifier, error) {
	h, err := ccp.Prepare(data.Affinity).Level(16, 9).Level(4, 8).Level(1, 4).Hierarchies(8).Done(ctx)
	if err != nil {
		return nil, err
	}
	spec := models.Spec{Options: models.DefaultOptions(), Model: "mixed", Info: data.Info}
	store := spec.NewStore(1)
	build := func(scope *model.Scope, x *Node) *Node {
		return spec.Build(scope, models.Topology{Matrix: data.Affinity, Hierarchy: h}, x)
	}
	adam := optimizer.Adam().LearningRate(2e-3).Done()
	trainer := train.NewTrainer(backend, store, build, loss.SparseCategoricalCrossEntropyLogits, adam, nil, nil)
	batches := data.Batches(data.Train, datasets.BatchOptions{Size: 64, Shuffle: true, Steps: datasets.Endless, DropLast: true})
	if _, err := train.NewLoop(trainer).RunSteps(batches, steps); err != nil {
		return nil, err
	}
	c, err := models.NewClassifier(backend, training.MetadataOf(spec, data), data.Affinity)
	if err != nil {
		return nil, err
	}
	return c, c.Update(store)
}

func main() {
	folder := "runs"
	if len(os.Args) > 1 {
		folder = os.Args[1]
	}
	if _, err := run(filepath.Join(folder, "mixed"), 400); err != nil {
		log.Fatal(err)
	}
}

// run trains the network, saves it in dir, and evaluates what is loaded from there.
func run(dir string, steps int) (accuracy float64, err error) {
	ctx := context.Background()
	data, err := datasets.Load(ctx, "digits", datasets.Options{})
	if err != nil {
		return 0, err
	}
	backend, err := models.InstallBackend(os.Stderr)
	if err != nil {
		return 0, err
	}
	c, err := trained(ctx, backend, data, steps)
	if err != nil {
		return 0, err
	}
	if err := errors.Join(c.Save(dir), c.Close()); err != nil {
		return 0, err
	}

	classifier, err := models.Load(dir, models.WithBackend(backend))
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, classifier.Close()) }()
	evaluation, err := training.Evaluate(classifier, data, data.Test, 64)
	if err != nil {
		return 0, err
	}
	signal := make([]float32, data.Nodes)
	data.Signals.Read(data.Test[0], signal)
	predictions, err := classifier.Classify(ctx, [][]float32{signal})
	if err != nil {
		return 0, err
	}
	fmt.Printf("%s: accuracy %.3f on %d test samples; the first is a %s, predicted %s\n", dir, evaluation.Accuracy,
		evaluation.Samples, data.ClassNames[data.Labels[data.Test[0]]], predictions[0].Name)
	return evaluation.Accuracy, nil
}
