// Command mixed builds a network of its own out of levels of package ccp and layers of GoMLX, trains it in GoMLX's train.Loop, and
// writes a checkpoint that models.Load reads.
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
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/layers"
	"github.com/gomlx/gomlx/ml/layers/activation"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/train"
	"github.com/gomlx/gomlx/ml/train/loss"
	"github.com/gomlx/gomlx/ml/train/optimizer"
)

// Two levels of clusters, GoMLX's dense layers on what is left of the graph. The program that loads the checkpoint registers it too.
func init() {
	models.Register("mixed", "two levels of clusters and GoMLX's dense layers", func(scope *model.Scope, spec models.Spec, graph models.Topology, x *Node) *Node {
		a := graph.Affinity(scope, x)
		x, a = ccp.New(scope.In("level_1"), x, a, 16, 32).Neighbours(9).Done() // [batch, 64, 1] to [batch, 16, 32]
		x, _ = ccp.New(scope.In("level_2"), x, a, 4, 64).Neighbours(8).Done()  // to [batch, 4, 64]
		x = Reshape(x, x.Shape().Dim(0), 4*64)
		x = activation.Relu(layers.Dense(scope.In("hidden"), x, true, 64))
		return layers.Dense(scope.In("classes"), x, true, spec.Classes)
	})
}

func main() {
	folder := "runs"
	if len(os.Args) > 1 {
		folder = os.Args[1]
	}
	if err := run(filepath.Join(folder, "mixed"), 400); err != nil {
		log.Fatal(err)
	}
}

func run(dir string, steps int) (err error) {
	data, err := datasets.Load(context.Background(), "digits", datasets.Options{})
	if err != nil {
		return err
	}
	backend, err := models.InstallBackend(os.Stderr)
	if err != nil {
		return err
	}
	spec := models.Spec{Model: "mixed", Nodes: data.Nodes, Channels: data.Channels, Classes: data.Classes()}
	store := spec.NewStore(1)
	network := func(scope *model.Scope, x *Node) *Node {
		return spec.Build(scope, models.Topology{Matrix: data.Affinity}, x)
	}
	trainer := train.NewTrainer(backend, store, network, loss.SparseCategoricalCrossEntropyLogits, optimizer.Adam().LearningRate(2e-3).Done(), nil, nil)
	batches := data.Batches(data.Train, datasets.BatchOptions{Size: 64, Shuffle: true, Steps: datasets.Endless, DropLast: true})
	if _, err := train.NewLoop(trainer).RunSteps(batches, steps); err != nil {
		return err
	}

	trained, err := models.NewClassifier(backend, training.MetadataOf(spec, data), data.Affinity)
	if err != nil {
		return err
	}
	if err := errors.Join(trained.Update(store), trained.Save(dir), trained.Close()); err != nil { // Update freezes the hierarchy
		return err
	}

	classifier, err := models.Load(dir, models.WithBackend(backend))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, classifier.Close()) }()
	evaluation, err := training.Evaluate(classifier, data, data.Test, 64)
	if err != nil {
		return err
	}
	signal := make([]float32, data.Nodes)
	data.Signals.Read(data.Test[0], signal)
	predictions, err := classifier.Classify(context.Background(), [][]float32{signal})
	if err != nil {
		return err
	}
	fmt.Printf("%s: accuracy %.3f on %d test samples; the first is a %s, predicted %s\n", dir, evaluation.Accuracy, evaluation.Samples,
		data.ClassNames[data.Labels[data.Test[0]]], predictions[0].Name)
	return nil
}
